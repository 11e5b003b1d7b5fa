#include "viz/layout/step_tree.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "kernels/experiments/experiment.h"

namespace warpscope {
namespace {

std::optional<size_t> indexOf(const Run& run, RegionId id) {
  const auto found = std::ranges::find(run.regions, id, &Region::id);
  if (found == run.regions.end()) return std::nullopt;
  return static_cast<size_t>(found - run.regions.begin());
}

class Collector {
 public:
  Collector(const Run& run, size_t warps) : run_(run), warps_(warps) {
    for (const Region& region : run.regions) roles_.push_back(roleOfRegion(run.request.family, region));
  }

  void add(const TraceWarp& warp) {
    std::map<size_t, uint32_t> opened;  // by region
    TreeStep* step = nullptr;
    forEachSpan(run_.trace, warp, [&](const Span& span) {
      const auto region = indexOf(run_, span.region);
      if (!region) return;
      LaneMask none;
      if (roles_[*region] == RegionRole::kStep) {
        // Lanes of one warp that reach the same mark one after another are in the same step.
        const bool same = step != nullptr && step->region == *region && !worked_ &&
                          (step->present[warp.warp_in_block] & span.mask) == none;
        if (!same) step = &stepOf(*region, opened[*region]++);
        step->present[warp.warp_in_block] = step->present[warp.warp_in_block] | span.mask;
        worked_ = false;
      } else if (step != nullptr && roles_[*region] == RegionRole::kStepWork) {
        step->working[warp.warp_in_block] = step->working[warp.warp_in_block] | span.mask;
        work_region_.emplace(step->region, *region);
        worked_ = true;
      }
    });
  }

  std::vector<TreeStep> take() {
    std::map<size_t, bool> has_work;
    for (const auto& [key, step] : steps_) {
      for (const LaneMask mask : step.working) has_work[step.region] |= !mask.empty();
    }
    std::vector<TreeStep> steps;
    for (auto& [key, step] : steps_) {
      if (!has_work[step.region]) step.working = step.present;
      const auto work = work_region_.find(step.region);
      step.work_region = work == work_region_.end() ? step.region : work->second;
      for (size_t warp = 0; warp < warps_; ++warp) {
        const LaneMask working = step.working[warp];
        step.threads += static_cast<uint32_t>(working.count());
        if (!working.empty()) ++step.warps;
      }
      steps.push_back(std::move(step));
    }
    std::ranges::stable_sort(steps, {}, [&](const TreeStep& step) { return first_seen_.at(step.region); });
    return steps;
  }

 private:
  TreeStep& stepOf(size_t region, uint32_t ordinal) {
    first_seen_.emplace(region, first_seen_.size());
    const auto [found, is_new] = steps_.try_emplace({region, ordinal});
    if (is_new) {
      found->second.region = region;
      found->second.ordinal = ordinal;
      found->second.working.resize(warps_);
      found->second.present.resize(warps_);
    }
    return found->second;
  }

  const Run& run_;
  std::vector<RegionRole> roles_;  // by region
  size_t warps_;
  bool worked_ = false;
  std::map<std::pair<size_t, uint32_t>, TreeStep> steps_;
  std::map<size_t, size_t> first_seen_;   // region -> order
  std::map<size_t, size_t> work_region_;  // by the step's region
};

}  // namespace

double StepTree::use() const {
  if (steps.empty() || threads == 0) return 0;
  double sum = 0;
  for (const TreeStep& step : steps) sum += static_cast<double>(step.threads) / threads;
  return sum / static_cast<double>(steps.size());
}

StepTree stepTreeOf(const Run& run, BlockId block) {
  StepTree tree;
  const auto warps = static_cast<size_t>((run.block.count() + kWarpSize - 1) / kWarpSize);
  std::vector<LaneMask> live(warps);
  Collector collector(run, warps);
  uint32_t recorded = 0;
  for (const TraceWarp& warp : run.trace.warps) {
    if (warp.block != block || warp.warp_in_block >= warps) continue;
    ++recorded;
    live[warp.warp_in_block] = warp.live;
    tree.threads += static_cast<uint32_t>(warp.live.count());
    tree.dropped_events |= warp.dropped_events > 0;
    collector.add(warp);
  }
  if (recorded == 0) return tree;
  tree.missing_warps = static_cast<uint32_t>(warps) - recorded;
  tree.steps = collector.take();
  for (TreeStep& step : tree.steps) {
    for (size_t warp = 0; warp < warps; ++warp) {
      const LaneMask working = step.working[warp];
      if (!working.empty() && working != live[warp]) ++step.divergent_warps;
    }
  }
  tree.live = std::move(live);
  return tree;
}

}  // namespace warpscope
