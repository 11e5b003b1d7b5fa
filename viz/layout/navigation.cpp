#include "viz/layout/navigation.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

namespace warpscope {
namespace {

constexpr size_t kHistory = 64;
constexpr double kGesturePause_s = 0.6;
constexpr double kFitMargin = 0.01;  // as a share of the launch, right of its end
// While stepping through instructions: the most visible cycles, the usual number, and the share of the view
// at either edge from which on the view moves along.
constexpr double kFarthestStepping = 1000, kStepping = 120, kStepMargin = 0.08;

ViewState::Zoom zoomOf(const ViewState& state) {
  return {state.fitted, state.begin_cycles, state.end_cycles, state.first_row, state.row_height};
}

}  // namespace

void rememberZoom(ViewState& state) {
  const ViewState::Zoom now = zoomOf(state);
  if (!state.zoom_history.empty() && state.zoom_history.back() == now) return;
  if (state.zoom_history.size() >= kHistory) state.zoom_history.erase(state.zoom_history.begin());
  state.zoom_history.push_back(now);
}

void rememberGesture(ViewState& state, double now_s) {
  if (now_s - state.last_gesture_s > kGesturePause_s) rememberZoom(state);
  state.last_gesture_s = now_s;
}

void followFit(ViewState& state, const TimeExtent& launch) {
  if (!state.fitted) return;
  state.begin_cycles = launch.begin;
  state.end_cycles = launch.end + launch.length() * kFitMargin;
}

void fit(ViewState& state) {
  if (!state.fitted) rememberZoom(state);
  state.fitted = true;
}

void zoomAround(ViewState& state, const TimeExtent& launch, double cycle, double factor) {
  const double visible = state.end_cycles - state.begin_cycles;
  if (visible <= 0) return;
  const double wanted = std::max(visible * factor, kSmallestVisibleCycles);
  if (factor > 1 && wanted >= launch.length() * (1 + kFitMargin)) {
    state.fitted = true;
    followFit(state, launch);
    return;
  }
  const double left_share = (cycle - state.begin_cycles) / visible;
  zoomTo(state, cycle - left_share * wanted, cycle + (1 - left_share) * wanted);
}

void zoomTo(ViewState& state, double begin_cycles, double end_cycles) {
  const double middle = (begin_cycles + end_cycles) / 2;
  const double half = std::max(end_cycles - begin_cycles, kSmallestVisibleCycles) / 2;
  state.begin_cycles = middle - half;
  state.end_cycles = middle + half;
  state.fitted = false;
}

void panBy(ViewState& state, const TimeExtent& launch, double cycles) {
  const double visible = state.end_cycles - state.begin_cycles;
  const double kept = visible / 10;
  const double begin =
      std::clamp(state.begin_cycles + cycles, launch.begin - visible + kept, launch.end - kept);
  state.begin_cycles = begin;
  state.end_cycles = begin + visible;
  state.fitted = false;
}

void showTime(ViewState& state, const TimeExtent& launch, int64_t begin_cycles, int64_t end_cycles) {
  const auto begin = static_cast<double>(begin_cycles), end = static_cast<double>(end_cycles);
  const double visible = state.end_cycles - state.begin_cycles;
  if (begin >= state.begin_cycles && std::min(end, begin + visible) <= state.end_cycles) return;
  const bool later = begin >= state.begin_cycles;
  panBy(state, launch,
        later ? std::min(end - state.end_cycles, begin - state.begin_cycles) : begin - state.begin_cycles);
}

namespace {

// The slot of the warp that a step leads to.
std::optional<uint32_t> nextSlot(const ViewState& state, std::span<const InstructionSlot> slots,
                                 const WarpKey& warp, int direction) {
  const auto& selected = state.selected_instruction;
  if (selected && selected->warp == warp && selected->ordinal < slots.size()) {
    const int64_t next = int64_t{selected->ordinal} + direction;
    if (next < 0 || next >= static_cast<int64_t>(slots.size())) return std::nullopt;
    return static_cast<uint32_t>(next);
  }
  const double edge = direction > 0 ? state.begin_cycles : state.end_cycles;
  const auto found = std::partition_point(slots.begin(), slots.end(), [edge](const InstructionSlot& slot) {
    return static_cast<double>(slot.issue()) < edge;
  });
  const auto index = found - slots.begin() - (direction > 0 ? 0 : 1);
  if (index < 0 || index >= static_cast<std::ptrdiff_t>(slots.size())) return std::nullopt;
  return static_cast<uint32_t>(index);
}

void bringIntoSight(ViewState& state, const TraceLayout& layout, const InstructionSlot& slot) {
  const double visible = state.end_cycles - state.begin_cycles;
  const auto issue = static_cast<double>(slot.issue());
  if (visible > kFarthestStepping) {
    rememberZoom(state);
    zoomTo(state, issue - kStepping / 2, issue + kStepping / 2);
  } else if (issue < state.begin_cycles + visible * kStepMargin ||
             issue > state.end_cycles - visible * kStepMargin) {
    panBy(state, layout, issue - (state.begin_cycles + state.end_cycles) / 2);
  }
}

}  // namespace

bool stepInstruction(ViewState& state, const TraceLayout& layout, int direction) {
  if (layout.instructions().empty() || layout.warpCount() == 0 || !state.selected_warp) return false;
  const WarpKey key = *state.selected_warp;
  const auto warp = layout.findWarp(key.block, key.warp_in_block);
  if (!warp) return false;
  const auto slots = layout.instructions().slotsOf(*warp);
  const auto next = nextSlot(state, slots, key, direction);
  if (!next) return false;
  state.selected_instruction = InstructionKey{key, *next, slots[*next].listed};
  bringIntoSight(state, layout, slots[*next]);
  return true;
}

bool goBack(ViewState& state) {
  // A press without a movement has remembered the current position.
  while (!state.zoom_history.empty() && state.zoom_history.back() == zoomOf(state))
    state.zoom_history.pop_back();
  if (state.zoom_history.empty()) return !std::exchange(state.fitted, true);
  const ViewState::Zoom last = state.zoom_history.back();
  state.zoom_history.pop_back();
  state.fitted = last.fitted;
  state.begin_cycles = last.begin_cycles;
  state.end_cycles = last.end_cycles;
  state.first_row = last.first_row;
  state.row_height = last.row_height;
  return true;
}

int launchOutOfSight(const ViewState& state, const TimeExtent& launch) {
  const double seen = std::min(state.end_cycles, launch.end) - std::max(state.begin_cycles, launch.begin);
  if (state.fitted || seen * 2 >= state.end_cycles - state.begin_cycles) return 0;
  return launch.begin + launch.end < state.begin_cycles + state.end_cycles ? -1 : 1;
}

}  // namespace warpscope
