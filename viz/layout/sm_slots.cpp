#include "viz/layout/sm_slots.h"

#include <algorithm>
#include <map>

#include "kernels/core/ids.h"
#include "kernels/metrics/metrics.h"

namespace warpscope {
namespace {

struct BlockStay {
  int64_t begin_cycles = INT64_MAX, end_cycles = INT64_MIN;
  uint32_t ordinal = 0;
};

// A block stays until its last warp ends.
std::map<uint32_t, BlockStay> blockStays(const Trace& trace, SmId sm) {
  std::map<uint32_t, BlockStay> stays;
  for (const TraceWarp& warp : trace.warps) {
    if (warp.sm != sm) continue;
    BlockStay& stay = stays[warp.block.value];
    stay.begin_cycles = std::min(stay.begin_cycles, warp.begin_cycles);
    stay.end_cycles = std::max(stay.end_cycles, warp.end_cycles);
  }
  std::vector<BlockStay*> in_order;
  in_order.reserve(stays.size());
  for (auto& [block, stay] : stays) in_order.push_back(&stay);
  std::ranges::stable_sort(in_order, {}, &BlockStay::begin_cycles);
  for (uint32_t i = 0; i < in_order.size(); ++i) in_order[i]->ordinal = i;
  return stays;
}

uint32_t executingLanes(const Trace& trace, const TraceWarp& warp, int64_t at_cycles) {
  if (at_cycles < warp.begin_cycles || at_cycles >= warp.end_cycles) return 0;
  const auto events = trace.eventsOf(warp);
  const auto next = std::ranges::upper_bound(events, at_cycles, {}, &TraceEvent::clock_cycles);
  // Until the first mark, all lanes that entered run together.
  if (next == events.begin()) return static_cast<uint32_t>(warp.live.count());
  const TraceEvent& event = *(next - 1);
  if (event.region != kExitRegion) return static_cast<uint32_t>(event.mask.count());
  LaneMask exited;
  for (auto seen = events.begin(); seen != next; ++seen) {
    if (seen->region == kExitRegion) exited = exited | seen->mask;
  }
  return static_cast<uint32_t>((warp.live & ~exited).count());
}

}  // namespace

std::vector<WarpSlot> calculatedSlots(const OccupancyQuestion& question, const Occupancy& occupancy) {
  std::vector<WarpSlot> slots(occupancy.max_warps_per_sm);
  const uint32_t threads = question.block_threads;
  const uint32_t warps = (threads + kWarpSize - 1) / kWarpSize;
  if (occupancy.blocks_per_sm == 0 || warps == 0) return slots;
  for (uint32_t i = 0; i < slots.size() && i < (occupancy.blocks_per_sm + 1) * warps; ++i) {
    WarpSlot& slot = slots[i];
    slot.block = slot.ordinal = i / warps;
    slot.warp_in_block = i % warps;
    slot.existing_lanes = std::min<uint32_t>(kWarpSize, threads - slot.warp_in_block * kWarpSize);
    const bool held = slot.block < occupancy.blocks_per_sm;
    slot.lanes = held ? slot.existing_lanes : 0;
    slot.state = held ? WarpSlot::State::kHeld : WarpSlot::State::kMissing;
  }
  return slots;
}

std::vector<WarpSlot> recordedSlots(const Trace& trace, SmId sm, int64_t at_cycles, uint32_t max_warps) {
  std::vector<WarpSlot> slots(max_warps);
  const auto stays = blockStays(trace, sm);
  for (const TraceWarp& warp : trace.warps) {
    if (warp.sm != sm || warp.hardware_slot >= max_warps || at_cycles < warp.begin_cycles) continue;
    if (at_cycles >= stays.at(warp.block.value).end_cycles) continue;
    WarpSlot& slot = slots[warp.hardware_slot];
    const bool runs = at_cycles < warp.end_cycles;
    // A slot may be reassigned a few cycles before the recorded end of its previous block.
    if (!runs && slot.state == WarpSlot::State::kRunning) continue;
    slot = {.state = runs ? WarpSlot::State::kRunning : WarpSlot::State::kLeft,
            .block = warp.block.value,
            .ordinal = stays.at(warp.block.value).ordinal,
            .warp_in_block = warp.warp_in_block,
            .lanes = executingLanes(trace, warp, at_cycles),
            .existing_lanes = static_cast<uint32_t>(warp.live.count())};
  }
  return slots;
}

std::optional<int64_t> fullestInstant(const Trace& trace, SmId sm) {
  std::optional<int64_t> at;
  uint32_t most = 0;
  const auto steps = residency(trace, sm);
  for (size_t i = 0; i + 1 < steps.size(); ++i) {
    if (steps[i].warps <= most) continue;
    most = steps[i].warps;
    at = (steps[i].cycles + steps[i + 1].cycles) / 2;
  }
  return at;
}

}  // namespace warpscope
