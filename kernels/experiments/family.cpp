// See family.h.
#include "kernels/experiments/family.h"

#include <algorithm>
#include <utility>

#include "kernels/experiments/kernel_modules.h"
#include "kernels/experiments/region_lines.h"

namespace warpscope {

ParameterSpec blockParameter(std::string help) {
  return {.name = "block",
          .label = "Block size",
          .min = 32,
          .max = 1024,
          .step = 32,
          .default_value = 256,
          .unit = "threads",
          .help = std::move(help),
          .role = ParameterRole::kBlock};
}

ParameterSpec sizeParameter(int log2_default, int log2_simulated_default, std::string help) {
  return {.name = "size",
          .label = "Elements",
          .kind = ParameterKind::kLog2,
          .min = 1,
          .max = int64_t{1} << 28,
          .default_value = int64_t{1} << log2_default,
          .unit = "elements",
          .help = std::move(help),
          .simulated_default = int64_t{1} << log2_simulated_default,
          .role = ParameterRole::kElements};
}

Family::Family(FamilyInfo info, std::vector<RegionName> region_names, std::vector<std::string> modules)
    : info_(std::move(info)), region_names_(std::move(region_names)) {
  if (modules.empty()) modules.push_back(info_.name);
  for (std::string& name : modules) {
    auto source = std::make_shared<const std::string>(findKernelSource(name).value_or(""));
    for (const VariantInfo& variant : info_.variants) {
      if (findMarkSites(*source, variant.name)) module_of_.try_emplace(variant.name, modules_.size());
    }
    modules_.push_back({std::move(name), std::move(source)});
  }
}

const Family::Module& Family::findModuleOf(const std::string& variant) const {
  const auto found = module_of_.find(variant);
  return modules_[found == module_of_.end() ? 0 : found->second];
}

const std::string& Family::moduleOf(const std::string& variant) const {
  return findModuleOf(variant).name;
}

std::string Family::sourceFile(const std::string& variant) const {
  return fmt::format("kernels/experiments/{}/{}.cu", info_.name, moduleOf(variant));
}

std::shared_ptr<const std::string> Family::source(const std::string& variant) const {
  return findModuleOf(variant).source;
}

Expected<std::vector<Region>> Family::regions(const std::string& variant) const {
  return regionsIn(findModuleOf(variant), variant);
}

Expected<std::vector<Region>> Family::regionsOfKernel(const std::string& kernel) const {
  return regionsIn(modules_.front(), kernel);
}

Expected<std::vector<Region>> Family::regionsIn(const Module& module, const std::string& kernel) const {
  const std::string file = fmt::format("kernels/experiments/{}/{}.cu", info_.name, module.name);
  const auto sites = findMarkSites(*module.source, kernel);
  if (!sites) return fail(sites.error().kind, "{}: {}", file, sites.error().message);
  std::vector<Region> regions;
  for (const MarkSite& site : *sites) {
    const auto named = std::ranges::find_if(
        region_names_, [&](const RegionName& region) { return region.constant == site.region; });
    if (named == region_names_.end()) {
      return fail(ErrorKind::kWorkFailed, "{}:{}: region '{}' has no name in {}.cpp", file, site.first_line,
                  site.region, info_.name);
    }
    regions.push_back({RegionId{named->id}, named->name, site.first_line, site.last_line});
  }
  return regions;
}

RegionRole Family::roleOf(const Region& region) const {
  const auto named = std::ranges::find_if(
      region_names_, [&](const RegionName& candidate) { return candidate.name == region.name; });
  return named == region_names_.end() ? RegionRole::kNone : named->role;
}

int64_t Family::parameter(const RunRequest& request, const std::string& name) {
  return request.parameters.at(name);
}

Expected<void> Family::checkLaunch(const RunRequest& request, const LaunchPlan& plan,
                                   const DeviceLimits& limits) {
  const uint64_t threads = plan.block.count();
  if (threads > limits.max_threads_per_block) {
    return fail(ErrorKind::kBadRequest, "{} {}: a block of {} threads is larger than this device's {}",
                request.family, request.variant, threads, limits.max_threads_per_block);
  }
  // 0: the device does not report it.
  const uint32_t most_shared = std::max(limits.shared_bytes_per_block, limits.shared_bytes_per_block_opt_in);
  if (most_shared != 0 && plan.dynamic_shared_bytes > most_shared) {
    return fail(ErrorKind::kBadRequest, "{} {}: a block needs {} bytes of shared memory, this device has {}",
                request.family, request.variant, plan.dynamic_shared_bytes, most_shared);
  }
  return {};
}

}  // namespace warpscope
