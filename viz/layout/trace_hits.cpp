#include "viz/layout/trace_hits.h"

namespace warpscope {
namespace {

bool isSet(const std::vector<bool>& flags, size_t index) {
  return index < flags.size() && flags[index];
}

}  // namespace

bool TraceHits::wants(const TraceWarp& warp) const {
  return (!search_.block || warp.block.value == *search_.block) &&
         (!search_.warp_in_block || warp.warp_in_block == *search_.warp_in_block) &&
         (!search_.sm || warp.sm.value == *search_.sm);
}

bool TraceHits::lookAt(uint32_t index, const TraceWarp& warp, const TraceLayout& layout, size_t& steps) {
  if (!search_.listed.empty()) {
    const auto slots = layout.instructions().slotsOf(index);
    for (; part_ < slots.size() && steps > 0; ++part_, --steps) {
      if (!isSet(search_.listed, slots[part_].listed)) continue;
      hits_.push_back({index, slots[part_].begin, slots[part_].end, static_cast<uint32_t>(part_)});
      return true;
    }
    return part_ >= slots.size();
  }
  const auto spans = layout.spansOf(index);
  for (; part_ < spans.size() && steps > 0; ++part_, --steps) {
    if (!search_.regions.empty() && !isSet(search_.regions, spans[part_].region)) continue;
    const bool whole = search_.regions.empty();
    hits_.push_back({index,
                     whole ? warp.begin_cycles : spans[part_].begin,
                     whole ? warp.end_cycles : spans[part_].end,
                     {}});
    return true;
  }
  return part_ >= spans.size();
}

bool TraceHits::advance(const Run& run, const TraceLayout& layout, size_t steps) {
  const std::vector<TraceWarp>& warps = run.trace.warps;
  while (warp_ < warps.size() && steps > 0) {
    --steps;
    if (wants(warps[warp_]) && !lookAt(warp_, warps[warp_], layout, steps)) break;
    ++warp_;
    part_ = 0;
  }
  finished_ = finished_ || warp_ >= warps.size();
  return finished_;
}

}  // namespace warpscope
