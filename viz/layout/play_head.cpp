#include "viz/layout/play_head.h"

#include <algorithm>
#include <functional>

#include "viz/layout/instruction_layout.h"
#include "viz/layout/warp_spans.h"

namespace warpscope {
namespace {

// The nearest of `count` ascending places beyond the cycle for which `stops` is true.
std::optional<int64_t> nearest(size_t count, double cycle, int direction,
                               const std::function<int64_t(size_t)>& place,
                               const std::function<bool(size_t)>& stops) {
  size_t low = 0, high = count;  // the first place after the cycle, or not before it
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const auto at = static_cast<double>(place(middle));
    const bool before = direction > 0 ? at <= cycle : at < cycle;
    (before ? low : high) = before ? middle + 1 : middle;
  }
  if (direction > 0) {
    for (size_t i = low; i < count; ++i) {
      if (stops(i)) return place(i);
    }
    return std::nullopt;
  }
  for (size_t i = low; i-- > 0;) {
    if (stops(i)) return place(i);
  }
  return std::nullopt;
}

bool isBarrier(const ListedInstruction& instruction) {
  std::string_view text = instruction.text;
  if (text.starts_with('@')) text.remove_prefix(std::min(text.find(' ') + 1, text.size()));
  return text.starts_with("bar.") || text.starts_with("barrier.");
}

const ListedInstruction* listedOf(const Run& run, uint32_t index) {
  return run.listing != nullptr && index < run.listing->size() ? &(*run.listing)[index] : nullptr;
}

std::optional<int64_t> nextInstruction(const Run& run, const TraceLayout& layout, uint32_t warp, double cycle,
                                       int direction, bool (*stops)(const ListedInstruction&)) {
  const auto slots = layout.instructions().slotsOf(warp);
  return nearest(
      slots.size(), cycle, direction, [&](size_t i) { return slots[i].issue(); },
      [&](size_t i) {
        const ListedInstruction* listed = listedOf(run, slots[i].listed);
        return listed == nullptr || stops(*listed);
      });
}

// The spans of the warp that begin with a mark; span 0 lies before the first.
std::optional<int64_t> nextSpan(const TraceLayout& layout, uint32_t warp, double cycle, int direction,
                                const std::function<bool(const WarpSpans&, size_t)>& stops) {
  const WarpSpans& spans = layout.spansOf(warp);
  return nearest(
      spans.size(), cycle, direction, [&](size_t i) { return spans.beginOf(i); },
      [&](size_t i) { return spans.regionOf(i) != kNoRegion && stops(spans, i); });
}

std::optional<int64_t> nextWarpEnd(const Run& run, double cycle, int direction) {
  std::optional<int64_t> found;
  for (const TraceWarp& warp : run.trace.warps) {
    const auto end = static_cast<double>(warp.end_cycles);
    if (direction > 0 ? end <= cycle : end >= cycle) continue;
    if (!found || (direction > 0 ? warp.end_cycles < *found : warp.end_cycles > *found))
      found = warp.end_cycles;
  }
  return found;
}

}  // namespace

bool isProbeInstruction(const ListedInstruction& instruction) {
  return instruction.file.starts_with("kernels/probe/");
}

std::optional<int64_t> nextStop(const Run& run, const TraceLayout& layout, uint32_t warp, PlayStop stop,
                                double cycle, int direction) {
  if (warp >= layout.warpCount()) return std::nullopt;
  switch (stop) {
    case PlayStop::kInstruction:
      return nextInstruction(run, layout, warp, cycle, direction, [](const ListedInstruction& instruction) {
        return !isProbeInstruction(instruction);
      });
    case PlayStop::kRegion:
      return nextSpan(layout, warp, cycle, direction, [](const WarpSpans&, size_t) { return true; });
    case PlayStop::kBarrier:
      if (!layout.instructions().empty())
        return nextInstruction(run, layout, warp, cycle, direction, isBarrier);
      return nextSpan(layout, warp, cycle, direction, [&](const WarpSpans& spans, size_t i) {
        const RegionIndex region = spans.regionOf(i);
        return region < run.regions.size() && run.regions[region].name.find("barrier") != std::string::npos;
      });
    case PlayStop::kDivergence: {
      const LaneMask live = run.trace.warps[warp].live;
      return nextSpan(layout, warp, cycle, direction, [live](const WarpSpans& spans, size_t i) {
        const uint32_t running = live.bits & ~spans.exitedOf(i).bits;
        return (spans.maskOf(i).bits & running) != running;
      });
    }
    case PlayStop::kWarpEnd:
      return nextWarpEnd(run, cycle, direction);
  }
  return std::nullopt;
}

}  // namespace warpscope
