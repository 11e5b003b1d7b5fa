#include "kernels/metrics/selection_metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace warpscope {
namespace {

using Bins = std::vector<Distribution::Bin>;

// Bins between the edges, which ascend; each value lies between the first and the last.
Bins counted(const std::vector<int64_t>& values, const std::vector<int64_t>& edges) {
  Bins bins;
  for (size_t i = 0; i + 1 < edges.size(); ++i) bins.push_back({edges[i], edges[i + 1], 0});
  for (const int64_t value : values) {
    const auto above = std::ranges::upper_bound(edges, value);
    ++bins[static_cast<size_t>(above - edges.begin()) - 1].count;
  }
  return bins;
}

// The whole numbers nearest to edges at these shares of the way; equal ones are left out.
template <class At>
std::vector<int64_t> edgesAt(int64_t least, int64_t beyond, const At& at) {
  std::vector<int64_t> edges{least};
  for (size_t i = 1; i < Distribution::kMostBins; ++i) {
    const auto edge =
        static_cast<int64_t>(std::llround(at(static_cast<double>(i) / double{Distribution::kMostBins})));
    if (edge > edges.back() && edge < beyond) edges.push_back(edge);
  }
  edges.push_back(beyond);
  return edges;
}

// The value at that rank, of values in any order, which it reorders.
int64_t nearestRank(std::vector<int64_t>& values, double share) {
  const auto count = static_cast<double>(values.size());
  const auto rank = static_cast<size_t>(std::max(1.0, std::ceil(share * count))) - 1;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(rank);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

struct SpanSums {
  std::vector<int64_t> cycles;
  uint64_t cut = 0;
  int64_t active_lane_cycles = 0, lost_lane_cycles = 0;
};

class SelectionSums {
 public:
  SelectionSums(const Run& run, const TraceSelection& selection) : run_(run), selection_(selection) {}

  void add(const TraceWarp& warp) {
    const std::vector<CycleRange> within = selectedCycles(selection_, warp);
    if (within.empty()) return;
    SelectionMetrics::Warp entry{warp.block, warp.warp_in_block, smPlace(run_.device.limits, warp.sm),
                                 warp.end_cycles - warp.begin_cycles, 0};
    for (const CycleRange& range : within) entry.selected_cycles += range.length();
    warps_.push_back(entry);
    metrics_.warp_cycles += entry.selected_cycles;
    metrics_.lanes += laneCycles(run_.trace, warp, within);
    first_ = std::min(first_, within.front().begin);
    last_ = std::max(last_, within.back().end);
    addSpans(warp, within);
    addInstructions(warp, within);
  }

  SelectionMetrics take() {
    addTime();
    addWarps();
    addRegions();
    if (!run_.trace.instructions.empty()) metrics_.issues = issues_;
    return std::move(metrics_);
  }

 private:
  void addSpans(const TraceWarp& warp, std::span<const CycleRange> within) {
    forEachSpan(run_.trace, warp, [&](const Span& span) {
      const CycleRange range{span.begin_cycles, span.end_cycles};
      const int64_t inside = overlap(range, within);
      if (inside == 0 && (range.length() > 0 || !isIn(range.begin, within))) return;
      SpanSums& sum = sums_[span.region.value & 0xFFU];
      sum.cycles.push_back(inside);
      if (inside < range.length()) ++sum.cut;
      sum.active_lane_cycles += inside * span.mask.count();
      sum.lost_lane_cycles += inside * (warp.live & ~span.mask).count();
    });
  }

  // An instruction counts, with the wait before it, where it issued. Warps issue some before their begin and
  // after their end, which belong to them if that end of their life is selected.
  void addInstructions(const TraceWarp& warp, std::span<const CycleRange> within) {
    for (const TraceInstruction& instruction : run_.trace.instructionsOf(warp)) {
      const int64_t at = std::clamp(instruction.issue_cycles, warp.begin_cycles,
                                    std::max(warp.begin_cycles, warp.end_cycles - 1));
      if (isIn(at, within)) issues_.add(instruction);
    }
  }

  static bool isIn(int64_t cycle, std::span<const CycleRange> within) {
    return std::ranges::any_of(within, [cycle](const CycleRange& range) {
      return range.begin <= cycle && (cycle < range.end || (cycle == range.end && range.length() == 0));
    });
  }

  // A part without bounds is as long as the selected warps live.
  void addTime() {
    if (warps_.empty()) first_ = last_ = 0;
    std::vector<CycleRange> times;
    for (const SelectedPart& part : selection_.parts) {
      CycleRange time = part.cycles;
      if (time.begin == CycleRange{}.begin) time.begin = std::min(first_, time.end);
      if (time.end == CycleRange{}.end) time.end = std::max(last_, time.begin);
      times.push_back(time);
    }
    times = unionOf(std::move(times));
    metrics_.cycles = times.empty() ? CycleRange{0, 0} : CycleRange{times.front().begin, times.back().end};
    for (const CycleRange& time : times) metrics_.duration_cycles += time.length();
    const double cycles_per_ns = run_.trace.clocks.cycles_per_ns;
    if (cycles_per_ns > 0)
      metrics_.duration_ns = static_cast<double>(metrics_.duration_cycles) / cycles_per_ns;
  }

  void addWarps() {
    std::set<BlockId> blocks;
    std::set<SmPlace> sms;
    std::vector<int64_t> lives;
    lives.reserve(warps_.size());
    for (const SelectionMetrics::Warp& warp : warps_) {
      blocks.insert(warp.block);
      sms.insert(warp.place);
      lives.push_back(warp.life_cycles);
    }
    metrics_.warps = warps_.size();
    metrics_.blocks = blocks.size();
    metrics_.sms = sms.size();
    metrics_.life_cycles = distributionOf(std::move(lives));
    metrics_.slowest = extremes(-1);
    metrics_.fastest = extremes(+1);
  }

  std::vector<SelectionMetrics::Warp> extremes(int direction) {
    const auto key = [direction](const SelectionMetrics::Warp& warp) {
      return std::tuple(warp.life_cycles * direction, warp.block, warp.warp_in_block);
    };
    const size_t count = std::min(warps_.size(), SelectionMetrics::kExtremes);
    const auto end = warps_.begin() + static_cast<std::ptrdiff_t>(count);
    std::ranges::partial_sort(warps_, end, {}, key);
    return {warps_.begin(), end};
  }

  void addRegions() {
    for (const Region& region : run_.regions) {
      SpanSums& sum = sums_[region.id.value & 0xFFU];
      SelectionMetrics::Region entry{.id = region.id, .name = region.name, .line = region.first_line};
      entry.cut_spans = sum.cut;
      entry.lost_lane_cycles = sum.lost_lane_cycles;
      entry.cycles = distributionOf(std::move(sum.cycles));
      const auto cycles = static_cast<double>(entry.cycles.sum);
      if (metrics_.warp_cycles > 0) entry.share = cycles / static_cast<double>(metrics_.warp_cycles);
      if (cycles > 0) entry.mean_active_lanes = static_cast<double>(sum.active_lane_cycles) / cycles;
      metrics_.regions.push_back(std::move(entry));
    }
  }

  const Run& run_;
  const TraceSelection& selection_;
  SelectionMetrics metrics_;
  IssueMetrics issues_;
  std::array<SpanSums, 256> sums_{};
  std::vector<SelectionMetrics::Warp> warps_;
  int64_t first_ = INT64_MAX, last_ = INT64_MIN;
};

}  // namespace

Distribution distributionOf(std::vector<int64_t> values) {
  Distribution result;
  result.count = values.size();
  if (values.empty()) return result;
  const auto [least, most] = std::ranges::minmax_element(values);
  result.least = *least;
  result.most = *most;
  for (const int64_t value : values) result.sum += value;
  result.median = nearestRank(values, 0.5);
  result.p95 = nearestRank(values, 0.95);
  const auto from = static_cast<double>(result.least), to = static_cast<double>(result.most) + 1;
  result.linear = counted(values, edgesAt(result.least, result.most + 1,
                                          [&](double share) { return from + (to - from) * share; }));
  const double low = std::max(1.0, from), factor = std::max(1.0, to) / low;
  result.logarithmic = counted(values, edgesAt(result.least, result.most + 1,
                                               [&](double share) { return low * std::pow(factor, share); }));
  return result;
}

std::optional<double> SelectionMetrics::lostShare() const {
  const int64_t all = lanes.executing + lanes.lost();
  if (all == 0) return std::nullopt;
  return static_cast<double>(lanes.lost()) / static_cast<double>(all);
}

SelectionMetrics selectionMetrics(const Run& run, const TraceSelection& selection,
                                  const std::stop_token& stop) {
  SelectionSums sums(run, selection);
  for (const TraceWarp& warp : run.trace.warps) {
    if (stop.stop_requested()) return {};
    sums.add(warp);
  }
  return sums.take();
}

}  // namespace warpscope
