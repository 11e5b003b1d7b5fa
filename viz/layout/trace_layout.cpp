#include "viz/layout/trace_layout.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "kernels/core/parallel.h"

namespace warpscope {
namespace {

// Fewer events than these are laid out faster than threads start.
constexpr size_t kEventsForThreads = 100'000;
constexpr size_t kMostParts = 64;

// std::popcount is a call where not every processor has the instruction.
int64_t countOf(LaneMask mask) {
  const uint32_t pairs = mask.bits - ((mask.bits >> 1) & 0x55555555U);
  const uint32_t nibbles = (pairs & 0x33333333U) + ((pairs >> 2) & 0x33333333U);
  return (((nibbles + (nibbles >> 4)) & 0x0F0F0F0FU) * 0x01010101U) >> 24;
}

uint64_t warpKey(BlockId block, uint32_t warp_in_block) {
  return (uint64_t{block.value} << 32) | warp_in_block;
}

}  // namespace

TraceLayout::TraceLayout(std::shared_ptr<const Run> run)
    : run_(std::move(run)), regions_(run_->regions), instructions_(*run_) {
  buildExtent();
  buildRows();
  buildKeys(run_->trace);
  buildMinimap();
  for (Part& part : parts_) part.executing = {};
}

void TraceLayout::buildExtent() {
  const Trace& trace = run_->trace;
  // If only a sample is recorded, the launch may continue long after the last recorded warp; that time is
  // empty.
  end_ = std::max<int64_t>(1, trace.warps.empty() ? clampTime(trace.duration_cycles) : 1);
  // Copies go on before and behind the warps.
  if (run_->streams)
    end_ = std::max(end_, clampTime(std::llround(run_->streams->endNs() * trace.clocks.cycles_per_ns)));
  for (const TraceWarp& warp : trace.warps) {
    begin_ = std::min(begin_, clampTime(warp.begin_cycles));
    end_ = std::max({end_, clampTime(warp.begin_cycles), clampTime(warp.end_cycles)});
  }
}

void TraceLayout::buildRows() {
  const Trace& trace = run_->trace;
  size_t nodes = 0;
  warps_.resize(trace.warps.size());
  for (size_t i = 0; i < warps_.size(); ++i) {
    warps_[i].first_node = nodes;
    nodes += pyramid_.nodesOver(eventsOf(trace, trace.warps[i]).size() + 1);
  }
  pyramid_.resize(nodes);
  const bool small = trace.events.size() < kEventsForThreads;
  const size_t parts = std::min(warps_.size(), small ? size_t{1} : kMostParts);
  parts_.assign(parts, Part(begin_, end_));
  forEachInParallel(parts, small ? 1 : processorCount(), [&](size_t part) {
    buildPart(warps_.size() * part / parts, warps_.size() * (part + 1) / parts, parts_[part]);
  });
}

// The minimap adds up folds of this many cycles: half a column, or up to two of them where many warps make up
// for the inexact edges of each.
double TraceLayout::minimapFold() const {
  constexpr double kFewWarps = 512, kMostColumns = 2;
  const double columns = std::clamp(static_cast<double>(warps_.size()) / kFewWarps, 0.5, kMostColumns);
  return columns * static_cast<double>(end_ - begin_) / kMinimapColumns;
}

void TraceLayout::buildPart(size_t first_warp, size_t last_warp, Part& part) {
  const double fold_cycles = minimapFold();
  for (size_t i = first_warp; i < last_warp; ++i) {
    WarpRow& row = warps_[i];
    makeSpans(run_->trace.warps[i], part, row);
    const WarpSpans& spans = row.spans;
    pyramid_.fill(spans, row.first_node);
    row.lost_lane_cycles = lostLaneCyclesOf(run_->trace.warps[i], row);
    pyramid_.collect(spans, row.first_node, static_cast<double>(begin_), static_cast<double>(end_),
                     fold_cycles, [&](size_t, size_t, int64_t begin, int64_t end, const Fold& fold) {
                       if (end == begin) return;
                       part.executing->add(
                           begin, end,
                           static_cast<double>(fold.lane_cycles) / static_cast<double>(end - begin));
                     });
  }
}

std::span<const TraceEvent> TraceLayout::eventsOf(const Trace& trace, const TraceWarp& warp) {
  if (size_t{warp.first_event} + warp.event_count > trace.events.size()) return {};
  return trace.eventsOf(warp);
}

// The pyramid has the sum of the lanes that executed after the first mark. Until there, all lanes run.
int64_t TraceLayout::lostLaneCyclesOf(const TraceWarp& warp, const WarpRow& row) const {
  const WarpSpans& spans = row.spans;
  const int64_t begin = spans.beginOf(0), marked = spans.endOf(0), end = spans.endOf(spans.size() - 1);
  int64_t executing = 0;
  pyramid_.collect(
      spans, row.first_node, static_cast<double>(begin), static_cast<double>(end) + 1,
      std::numeric_limits<double>::infinity(),
      [&](size_t, size_t, int64_t, int64_t, const Fold& fold) { executing += fold.lane_cycles; });
  return std::max<int64_t>(0, (end - marked) * countOf(warp.live) - executing);
}

void TraceLayout::makeSpans(const TraceWarp& warp, Part& part, WarpRow& row) const {
  const int64_t begin = clampTime(warp.begin_cycles), end = std::max(begin, clampTime(warp.end_cycles));
  std::span<const TraceEvent> events = eventsOf(run_->trace, warp);
  std::vector<ExitMark> exits;
  int64_t latest = begin;
  bool ascending = true;
  for (size_t i = 0; i < events.size(); ++i) {
    const TraceEvent& event = events[i];
    ascending = ascending && event.clock_cycles >= latest;
    latest = event.clock_cycles;
    if (event.region.value < kRegionIds) row.entered.set(event.region.value);
    if (event.region == kExitRegion) {
      const LaneMask before = exits.empty() ? LaneMask{} : exits.back().exited;
      exits.push_back({static_cast<uint32_t>(i + 1), before | event.mask});
    }
  }
  if (!ascending || latest > end) {
    std::vector<TraceEvent>& repaired = part.repaired.emplace_back(events.begin(), events.end());
    latest = begin;
    for (TraceEvent& event : repaired)
      event.clock_cycles = latest = std::clamp(event.clock_cycles, latest, end);
    events = repaired;
  }
  std::span<const ExitMark> kept;
  if (!exits.empty()) kept = part.exits.emplace_back(std::move(exits));
  row.spans = {begin, end, events, kept, regions_};
}

void TraceLayout::Fold::add(int64_t span_cycles, LaneMask span_mask, RegionIndex region) {
  if (region == kNoRegion && span_cycles == 0) return;
  lane_cycles += span_cycles * countOf(span_mask);
  mask = mask | span_mask;
  ++spans;
  cycles.add(region, span_cycles);
}

void TraceLayout::Fold::add(const Node& node) {
  lane_cycles += node.lane_cycles;
  mask = mask | node.mask;
  spans += node.spans;
  cycles.add(node.region, node.region_cycles);
}

TraceLayout::Node TraceLayout::Fold::node(int64_t begin, int64_t end) const {
  const auto [region, region_cycles] = cycles.dominant();
  return {begin, end, lane_cycles, region_cycles, mask, spans, region};
}

void TraceLayout::buildKeys(const Trace& trace) {
  keys_.reserve(trace.warps.size());
  for (uint32_t i = 0; i < trace.warps.size(); ++i) {
    const TraceWarp& warp = trace.warps[i];
    keys_.emplace_back(warpKey(warp.block, warp.warp_in_block), i);
  }
  std::sort(keys_.begin(), keys_.end());
}

void TraceLayout::buildMinimap() {
  DensityProfile executing(begin_, end_, kMinimapColumns), resident(begin_, end_, kMinimapColumns);
  for (const Part& part : parts_) executing.add(*part.executing);
  for (const TraceWarp& warp : run_->trace.warps)
    resident.add(warp.begin_cycles, warp.end_cycles, warp.live.count());
  const std::vector<double> executing_lanes = executing.means();
  const std::vector<double> resident_lanes = resident.means();
  const double most = *std::max_element(resident_lanes.begin(), resident_lanes.end());
  minimap_.resize(kMinimapColumns);
  for (size_t i = 0; i < kMinimapColumns && most > 0; ++i) {
    minimap_[i] = {static_cast<float>(executing_lanes[i] / most),
                   static_cast<float>(resident_lanes[i] / most)};
  }
}

std::optional<uint32_t> TraceLayout::findWarp(BlockId block, uint32_t warp_in_block) const {
  const std::pair<uint64_t, uint32_t> wanted{warpKey(block, warp_in_block), 0};
  const auto found = std::lower_bound(keys_.begin(), keys_.end(), wanted);
  if (found == keys_.end() || found->first != wanted.first) return std::nullopt;
  return found->second;
}

void TraceLayout::collect(uint32_t warp, double begin, double end, double fold_cycles,
                          std::vector<DrawItem>& out) const {
  const WarpSpans& spans = warps_[warp].spans;
  pyramid_.collect(spans, warps_[warp].first_node, begin, end, fold_cycles,
                   [&](size_t first, size_t, int64_t item_begin, int64_t item_end, const Fold& fold) {
                     const RegionIndex region = fold.cycles.dominant().first;
                     if (region == kNoRegion) return;
                     out.push_back({item_begin, item_end, fold.lane_cycles, static_cast<uint32_t>(first),
                                    fold.spans, fold.mask, region});
                   });
}

std::optional<LayoutSpan> TraceLayout::pick(uint32_t warp, double cycle) const {
  const WarpSpans& spans = warps_[warp].spans;
  size_t found =
      firstNot(spans.size(), [&](size_t i) { return static_cast<double>(spans.endOf(i)) <= cycle; });
  if (found < spans.size() && static_cast<double>(spans.beginOf(found)) <= cycle) return spans[found];
  // No span contains this instant: look for a span of zero length at it.
  while (found > 0 && static_cast<double>(spans.beginOf(found - 1)) == cycle) {
    const LayoutSpan span = spans[--found];
    if (!span.empty()) return span;
  }
  return std::nullopt;
}

}  // namespace warpscope
