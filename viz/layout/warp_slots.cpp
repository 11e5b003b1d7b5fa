#include "viz/layout/warp_slots.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>

#include "viz/layout/warp_life.h"

namespace warpscope {
namespace {

// A slot may be given to the next warp some cycles before the recorded end of the last one.
constexpr int64_t kHandOverCycles = 64;

// They cover the same time, by more than a slot's hand-over explains.
bool together(const TraceWarp& a, const TraceWarp& b) {
  const int64_t begin = std::max(lifeBegin(a), lifeBegin(b)), end = std::min(lifeEnd(a), lifeEnd(b));
  const int64_t shorter = std::min(lifeCycles(a), lifeCycles(b));
  return end - begin > std::min(kHandOverCycles, shorter / 2);
}

std::vector<uint32_t> indices(const Trace& trace) {
  std::vector<uint32_t> order(trace.warps.size());
  std::iota(order.begin(), order.end(), 0U);
  return order;
}

bool recordedSlotsAreUsable(const Trace& trace) {
  std::vector<uint32_t> order = indices(trace);
  const auto& warps = trace.warps;
  std::ranges::sort(order, {}, [&](uint32_t i) {
    return std::tuple(warps[i].sm.value, warps[i].hardware_slot, lifeBegin(warps[i]), i);
  });
  for (size_t i = 1; i < order.size(); ++i) {
    const TraceWarp &before = warps[order[i - 1]], &warp = warps[order[i]];
    if (before.sm == warp.sm && before.hardware_slot == warp.hardware_slot && together(before, warp))
      return false;
  }
  return true;
}

std::vector<uint32_t> packed(const Trace& trace) {
  std::vector<uint32_t> order = indices(trace), slots(trace.warps.size());
  const auto& warps = trace.warps;
  std::ranges::sort(order, {}, [&](uint32_t i) {
    return std::tuple(warps[i].sm.value, lifeBegin(warps[i]), warps[i].block.value, warps[i].warp_in_block,
                      i);
  });
  using Held = std::pair<int64_t, uint32_t>;  // until when, slot
  std::priority_queue<Held, std::vector<Held>, std::greater<>> held;
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> left;
  uint32_t used = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    const TraceWarp& warp = warps[order[i]];
    if (i > 0 && warps[order[i - 1]].sm != warp.sm) {
      held = {};
      left = {};
      used = 0;
    }
    for (; !held.empty() && held.top().first <= lifeBegin(warp); held.pop()) left.push(held.top().second);
    uint32_t slot = used;
    if (left.empty()) {
      ++used;
    } else {
      slot = left.top();
      left.pop();
    }
    slots[order[i]] = slot;
    held.emplace(lifeEnd(warp), slot);
  }
  return slots;
}

}  // namespace

WarpSlots warpSlots(const Trace& trace) {
  if (!recordedSlotsAreUsable(trace)) return {packed(trace), true};
  WarpSlots slots;
  slots.of_warp.reserve(trace.warps.size());
  for (const TraceWarp& warp : trace.warps) slots.of_warp.push_back(warp.hardware_slot);
  return slots;
}

}  // namespace warpscope
