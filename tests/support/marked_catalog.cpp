#include "tests/support/marked_catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>

#include "kernels/mark/mark.h"

namespace warpscope::test {
namespace {

// Marked modules by their names ("divergence#coarse").
const MarkedModule& marked(const std::string& module, MarkLevel level) {
  static std::mutex mutex;
  static std::map<std::string, MarkedModule> known;
  const std::lock_guard lock(mutex);
  const std::string name = fmt::format("{}#{}", module, markLevelName(level));
  const auto found = known.find(name);
  if (found != known.end()) return found->second;
  const ModuleImage image = findModule(module).value();
  const std::string plain = module.ends_with("_sm80") ? module.substr(0, module.size() - 5) : module;
  const auto source = findKernelSource(module);
  const std::string_view text = source ? *source : findKernelSource(plain).value_or("");
  auto made = markModule(image.ptx, name, level, (source ? module : plain) + ".cu", text);
  if (!made) throw std::runtime_error(made.error().message);
  return known.emplace(name, std::move(*made)).first->second;
}

const MarkedKernel& markedKernel(const LaunchPlan& plan, MarkLevel level) {
  const std::string entry = findEntry(findModule(plan.module).value(), plan.kernel, ProbeKind::kBare).value();
  const auto& kernels = marked(plan.module, level).kernels;
  return *std::ranges::find(kernels, entry, &MarkedKernel::entry);
}

class MarkedExperiment final : public Experiment {
 public:
  MarkedExperiment(const Experiment& plain, MarkLevel level) : plain_(plain), level_(level) {}
  const FamilyInfo& info() const override { return plain_.info(); }
  Expected<LaunchPlan> plan(const RunRequest& request, const DeviceLimits& limits) const override {
    auto plan = plain_.plan(request, limits);
    if (!plan) return plan;
    regions_[request.variant] = markedRegions(*plan, level_);
    return markedPlan(std::move(*plan), level_);
  }
  std::vector<Prediction> predictions(const RunRequest&, const DeviceLimits&) const override { return {}; }
  Expected<std::vector<Region>> regions(const std::string& variant) const override {
    return regions_[variant];
  }
  std::string sourceFile(const std::string& variant) const override { return plain_.sourceFile(variant); }
  std::shared_ptr<const std::string> source(const std::string& variant) const override {
    return plain_.source(variant);
  }

 private:
  const Experiment& plain_;
  MarkLevel level_;
  mutable std::map<std::string, std::vector<Region>> regions_;  // of the last plan
};

}  // namespace

const std::vector<Region>& markedRegions(const LaunchPlan& plan, MarkLevel level) {
  return markedKernel(plan, level).regions;
}

LaunchPlan markedPlan(LaunchPlan plan, MarkLevel level) {
  const MarkedKernel& kernel = markedKernel(plan, level);
  std::vector<AddedKernel> kernels{{plan.kernel, kernel.entry, kernel.marked_entry}};
  for (const FollowingLaunch& next : plan.following) {
    kernels.push_back(
        {next.kernel, findEntry(findModule(plan.module).value(), next.kernel, ProbeKind::kBare).value()});
  }
  const std::string name = fmt::format("{}#{}#{}", plan.module, markLevelName(level), plan.kernel);
  addModule(name, marked(plan.module, level).ptx, std::move(kernels));
  plan.module = name;
  // NoProbe, an empty struct, is an argument like any other here.
  plan.has_probe_parameter = false;
  plan.arguments.insert(plan.arguments.begin(), Bytes(1));
  for (FollowingLaunch& next : plan.following) next.arguments.insert(next.arguments.begin(), Bytes(1));
  plan.is_marked = !kernel.marked_entry.empty();
  return plan;
}

KernelLibrary markedKernels(MarkLevel level) {
  const auto experiments = std::make_shared<std::map<std::string, MarkedExperiment>>();
  for (const Experiment* each : allExperiments()) experiments->try_emplace(each->info().name, *each, level);
  KernelLibrary library = builtInKernels();
  library.experiment = [experiments](const RunRequest& request) -> Expected<const Experiment*> {
    const auto found = experiments->find(request.family);
    if (found != experiments->end()) return &found->second;
    return fail(ErrorKind::kBadRequest, "there is no family '{}'", request.family);
  };
  return library;
}

namespace {

using WarpName = std::pair<uint64_t, uint32_t>;
using Masks = std::map<WarpName, std::set<uint32_t>>;

// By block and warp; of `any_block`, all are taken for one.
Masks masksOf(const Run& run, RegionId region, bool any_block = false) {
  Masks masks;
  for (const TraceWarp& warp : run.trace.warps) {
    if (warp.dropped_events > 0) continue;  // some of its masks are not known
    std::set<uint32_t>& of_warp = masks[{any_block ? 0 : warp.block.value, warp.warp_in_block}];
    for (const TraceEvent& event : run.trace.eventsOf(warp)) {
      if (event.region == region) of_warp.insert(event.mask.bits);
    }
  }
  return masks;
}

std::string hex(const std::set<uint32_t>& all) {
  std::string text;
  for (const uint32_t mask : all) text += fmt::format(" {:08x}", mask);
  return text;
}

// Both record the same blocks, but which warps find a slot may differ.
struct Comparison {
  size_t warps = 0;
  std::string difference;  // the first
};
Comparison compareMasks(const Masks& by_hand, const Masks& automatic) {
  Comparison compared;
  for (const auto& [warp, masks] : by_hand) {
    const auto other = automatic.find(warp);
    if (other == automatic.end() || masks.empty()) continue;
    ++compared.warps;
    if (masks == other->second || !compared.difference.empty()) continue;
    compared.difference =
        fmt::format("block {} warp {}:{} and{}", warp.first, warp.second, hex(masks), hex(other->second));
  }
  return compared;
}

}  // namespace

namespace {

// What warps enter first.
RegionId firstRegion(const Run& run) {
  return run.trace.events.empty() ? kExitRegion : run.trace.eventsOf(run.trace.warps.front()).front().region;
}

// Automatic regions that begin where a hand-written one does: the kernel's start, and otherwise those of the
// mark's line and of the next one.
std::vector<RegionId> sameRegions(const Run& by_hand, const Run& automatic, const Region& region) {
  constexpr uint32_t kNextLine = 1;
  if (region.id == firstRegion(by_hand)) return {firstRegion(automatic)};
  std::vector<RegionId> same;
  for (const Region& other : automatic.regions) {
    if (other.name != "start" && other.first_line >= region.first_line &&
        other.first_line <= region.first_line + kNextLine) {
      same.push_back(other.id);
    }
  }
  return same;
}

}  // namespace

MatchedMasks matchMasks(const Run& by_hand, const Run& automatic, std::string_view of_any_block) {
  MatchedMasks matched;
  for (const Region& region : by_hand.regions) {
    const bool any_block = region.name == of_any_block;
    const Masks written = masksOf(by_hand, region.id, any_block);
    bool found = false, equal = false;
    std::string difference;
    for (const RegionId other : sameRegions(by_hand, automatic, region)) {
      const Comparison compared = compareMasks(written, masksOf(automatic, other, any_block));
      if (compared.warps == 0) continue;
      found = true;
      equal = equal || compared.difference.empty();
      if (difference.empty()) difference = compared.difference;
    }
    if (!found) continue;
    ++matched.places;
    if (!equal) {
      matched.differences.push_back(
          {region.name, fmt::format("'{}' (line {}), {}", region.name, region.first_line, difference)});
    }
  }
  return matched;
}

MatchedMasks matchDevices(const Run& one, const Run& other) {
  MatchedMasks matched;
  for (const Region& region : one.regions) {
    const Comparison compared = compareMasks(masksOf(one, region.id), masksOf(other, region.id));
    if (compared.warps == 0) continue;
    ++matched.places;
    if (!compared.difference.empty())
      matched.differences.push_back({region.name, fmt::format("'{}', {}", region.name, compared.difference)});
  }
  return matched;
}

}  // namespace warpscope::test
