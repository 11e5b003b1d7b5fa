#include "kernels/metrics/metrics.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace warpscope {
namespace {

struct RegionSums {
  uint64_t spans = 0, divergent_spans = 0;
  int64_t cycles = 0, active_lane_cycles = 0, lost_lane_cycles = 0;
};

// The cycles in which a block or a warp is resident on an SM.
struct Interval {
  int64_t begin = 0, end = 0;
};

// Converts residencies into steps of the number of residents; one that ends where another begins frees its
// place first.
template <class Apply>
void forEachChange(const std::vector<Interval>& intervals, Apply&& apply) {
  std::vector<std::pair<int64_t, int>> changes;
  changes.reserve(intervals.size() * 2);
  for (const Interval& interval : intervals) {
    changes.emplace_back(interval.begin, 1);
    changes.emplace_back(interval.end, -1);
  }
  std::ranges::sort(changes);
  for (const auto& [cycles, change] : changes) apply(cycles, change);
}

std::vector<Interval> mergedBlocks(const std::vector<const TraceWarp*>& warps) {
  std::map<BlockId, Interval> blocks;
  for (const TraceWarp* warp : warps) {
    const auto [entry, added] =
        blocks.try_emplace(warp->block, Interval{warp->begin_cycles, warp->end_cycles});
    entry->second.begin = std::min(entry->second.begin, warp->begin_cycles);
    entry->second.end = std::max(entry->second.end, warp->end_cycles);
  }
  std::vector<Interval> intervals;
  intervals.reserve(blocks.size());
  for (const auto& [block, interval] : blocks) intervals.push_back(interval);
  return intervals;
}

}  // namespace

std::vector<RegionMetrics> regionMetrics(const Run& run) {
  std::array<RegionSums, 256> sums{};
  int64_t recorded_cycles = 0;
  for (const TraceWarp& warp : run.trace.warps) {
    recorded_cycles += warp.end_cycles - warp.begin_cycles;
    forEachSpan(run.trace, warp, [&](const Span& span) {
      RegionSums& sum = sums[span.region.value & 0xFFU];
      const int64_t cycles = span.end_cycles - span.begin_cycles;
      ++sum.spans;
      if (span.mask != (warp.live & ~span.exited)) ++sum.divergent_spans;
      sum.cycles += cycles;
      sum.active_lane_cycles += cycles * span.mask.count();
      sum.lost_lane_cycles += cycles * (warp.live & ~span.mask).count();
    });
  }
  std::vector<RegionMetrics> metrics;
  for (const Region& region : run.regions) {
    const RegionSums& sum = sums[region.id.value & 0xFFU];
    RegionMetrics entry{.id = region.id, .name = region.name, .line = region.first_line};
    entry.spans = sum.spans;
    entry.divergent_spans = sum.divergent_spans;
    entry.cycles = sum.cycles;
    entry.lost_lane_cycles = sum.lost_lane_cycles;
    if (recorded_cycles > 0) {
      entry.share = static_cast<double>(sum.cycles) / static_cast<double>(recorded_cycles);
    }
    if (sum.cycles > 0) {
      entry.mean_active_lanes = static_cast<double>(sum.active_lane_cycles) / static_cast<double>(sum.cycles);
    }
    metrics.push_back(std::move(entry));
  }
  return metrics;
}

LaneCycles& LaneCycles::operator+=(const LaneCycles& other) {
  executing += other.executing;
  waiting += other.waiting;
  exited += other.exited;
  never_existed += other.never_existed;
  return *this;
}

LaneCycles laneCycles(const Trace& trace, const TraceWarp& warp) {
  return laneCycles(trace, warp, std::array{CycleRange{warp.begin_cycles, warp.end_cycles}});
}

LaneCycles laneCycles(const Trace& trace, const TraceWarp& warp, std::span<const CycleRange> within) {
  LaneCycles sum;
  const CycleRange life{warp.begin_cycles, warp.end_cycles};
  sum.never_existed = overlap(life, within) * (kWarpSize - warp.live.count());
  const auto events = trace.eventsOf(warp);
  // Until the first mark, all lanes that entered run together.
  const int64_t first = events.empty() ? warp.end_cycles : events.front().clock_cycles;
  sum.executing += overlap({warp.begin_cycles, first}, within) * warp.live.count();
  LaneMask exited;
  for (size_t i = 0; i < events.size(); ++i) {
    const int64_t end = i + 1 < events.size() ? events[i + 1].clock_cycles : warp.end_cycles;
    const int64_t cycles = overlap({events[i].clock_cycles, end}, within);
    // After some lanes have exited, the others are seen again at their next mark: until then they count as
    // waiting.
    LaneMask executing = events[i].mask;
    if (events[i].region == kExitRegion) {
      exited = exited | events[i].mask;
      executing = {};
    }
    sum.executing += cycles * executing.count();
    sum.exited += cycles * (exited & ~executing).count();
    sum.waiting += cycles * (warp.live & ~executing & ~exited).count();
  }
  return sum;
}

LaneCycles laneCycles(const Trace& trace) {
  LaneCycles sum;
  for (const TraceWarp& warp : trace.warps) sum += laneCycles(trace, warp);
  return sum;
}

std::optional<double> lostLaneShare(const Trace& trace) {
  const LaneCycles lanes = laneCycles(trace);
  const int64_t all = lanes.executing + lanes.lost();
  if (all == 0) return std::nullopt;
  return static_cast<double>(lanes.lost()) / static_cast<double>(all);
}

std::optional<double> branchEfficiency(const Run& run) {
  const auto all = run.counters.find("smsp__sass_branch_targets.sum");
  const auto uniform = run.counters.find("smsp__sass_branch_targets_threads_uniform.sum");
  if (all == run.counters.end() || uniform == run.counters.end()) return std::nullopt;
  return all->second == 0 ? 1.0 : uniform->second / all->second;
}

std::vector<uint32_t> divergentWarpsPerStep(const Trace& trace, BlockId block, RegionId step, RegionId body) {
  std::vector<uint32_t> divergent;
  for (const TraceWarp& warp : trace.warps) {
    if (warp.block != block) continue;
    // Lanes may pass a step separately, so each lane counts its own steps.
    std::array<size_t, kWarpSize> steps{};
    std::set<size_t> divergent_steps;
    LaneMask exited;
    for (const TraceEvent& event : trace.eventsOf(warp)) {
      if (event.region == kExitRegion) {
        exited = exited | event.mask;
      } else if (event.region == step) {
        for (int lane = 0; lane < kWarpSize; ++lane) {
          if (event.mask.has(lane)) {
            const size_t passed = ++steps[static_cast<size_t>(lane)];
            if (divergent.size() < passed) divergent.resize(passed);
          }
        }
      } else if (event.region == body && !event.mask.empty()) {
        const size_t passed = steps[static_cast<size_t>(event.mask.lowest())];
        if (passed > 0 && event.mask != (warp.live & ~exited)) divergent_steps.insert(passed - 1);
      }
    }
    for (const size_t index : divergent_steps) ++divergent[index];
  }
  return divergent;
}

int64_t completeUntil(const Trace& trace) {
  if (trace.unrecorded_warps == 0) return INT64_MAX;
  int64_t last_begin = INT64_MIN;
  for (const TraceWarp& warp : trace.warps) last_begin = std::max(last_begin, warp.begin_cycles);
  return last_begin;
}

std::vector<Residency> residency(const Trace& trace, SmId sm) {
  std::vector<const TraceWarp*> warps;
  std::vector<Interval> warp_intervals;
  for (const TraceWarp& warp : trace.warps) {
    if (warp.sm != sm) continue;
    warps.push_back(&warp);
    warp_intervals.push_back({warp.begin_cycles, warp.end_cycles});
  }
  struct Change {
    int blocks = 0, warps = 0;
  };
  std::map<int64_t, Change> changes;
  forEachChange(warp_intervals, [&](int64_t cycles, int change) { changes[cycles].warps += change; });
  forEachChange(mergedBlocks(warps), [&](int64_t cycles, int change) { changes[cycles].blocks += change; });
  std::vector<Residency> steps;
  int blocks = 0, resident = 0;
  for (const auto& [cycles, change] : changes) {
    blocks += change.blocks;
    resident += change.warps;
    steps.push_back({cycles, static_cast<uint32_t>(blocks), static_cast<uint32_t>(resident)});
  }
  return steps;
}

}  // namespace warpscope
