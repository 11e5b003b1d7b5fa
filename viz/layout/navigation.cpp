#include "viz/layout/navigation.h"

#include <algorithm>

namespace warpscope {
namespace {

constexpr size_t kHistory = 64;
constexpr double kGesturePause_s = 0.6;
constexpr double kFitMargin = 0.01;  // of the launch, right of its end

double extent(const TraceLayout& layout) {
  return static_cast<double>(layout.end()) - static_cast<double>(layout.begin());
}

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

void followFit(ViewState& state, const TraceLayout& layout) {
  if (!state.fitted) return;
  state.begin_cycles = static_cast<double>(layout.begin());
  state.end_cycles = static_cast<double>(layout.end()) + extent(layout) * kFitMargin;
}

void fit(ViewState& state) {
  if (!state.fitted) rememberZoom(state);
  state.fitted = true;
}

void zoomAround(ViewState& state, const TraceLayout& layout, double cycle, double factor) {
  const double visible = state.end_cycles - state.begin_cycles;
  if (visible <= 0) return;
  const double wanted = std::max(visible * factor, kSmallestVisibleCycles);
  if (factor > 1 && wanted >= extent(layout) * (1 + kFitMargin)) {
    state.fitted = true;
    followFit(state, layout);
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

void panBy(ViewState& state, const TraceLayout& layout, double cycles) {
  const double visible = state.end_cycles - state.begin_cycles;
  const double kept = visible / 10;
  const double begin =
      std::clamp(state.begin_cycles + cycles, static_cast<double>(layout.begin()) - visible + kept,
                 static_cast<double>(layout.end()) - kept);
  state.begin_cycles = begin;
  state.end_cycles = begin + visible;
  state.fitted = false;
}

bool goBack(ViewState& state) {
  // A press without a movement remembered where the view still is.
  while (!state.zoom_history.empty() && state.zoom_history.back() == zoomOf(state))
    state.zoom_history.pop_back();
  if (state.zoom_history.empty()) return false;
  const ViewState::Zoom last = state.zoom_history.back();
  state.zoom_history.pop_back();
  state.fitted = last.fitted;
  state.begin_cycles = last.begin_cycles;
  state.end_cycles = last.end_cycles;
  state.first_row = last.first_row;
  state.row_height = last.row_height;
  return true;
}

}  // namespace warpscope
