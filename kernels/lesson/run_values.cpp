#include "kernels/lesson/run_values.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "kernels/core/units.h"
#include "kernels/experiments/experiment.h"
#include "kernels/experiments/prediction.h"
#include "kernels/metrics/counters.h"
#include "kernels/metrics/metric.h"
#include "kernels/metrics/metrics.h"

namespace warpscope {
namespace {

using Value = std::optional<double>;

constexpr std::string_view kRegion = "region.", kCounter = "counter.", kTheory = "theory.", kShown = "found.";

double threadsPerBlock(const Run& run) {
  return static_cast<double>(run.block.x) * run.block.y * run.block.z;
}
double blocksOf(const Run& run) {
  return static_cast<double>(run.grid.x) * run.grid.y * run.grid.z;
}
double warpsPerBlock(const Run& run) {
  return std::ceil(threadsPerBlock(run) / kWarpSize);
}
double divergentWarps(const Run& run) {
  double warps = 0;
  for (const TraceWarp& warp : run.trace.warps) {
    bool divergent = false;
    forEachSpan(run.trace, warp, [&](const Span& span) {
      const uint32_t running = warp.live.bits & ~span.exited.bits;
      divergent |= (span.mask.bits & running) != running;
    });
    warps += divergent ? 1 : 0;
  }
  return warps;
}
Value limitedBy(const Run& run, OccupancyLimiter limiter) {
  if (run.occupancy.max_warps_per_sm == 0) return std::nullopt;
  return run.occupancy.limiter == limiter ? 1.0 : 0.0;
}

struct Quantity {
  std::string_view name;
  Value (*of)(const Run&);
};
constexpr Quantity kQuantities[] = {
    {"blocks", [](const Run& run) { return Value(blocksOf(run)); }},
    {"threads", [](const Run& run) { return Value(blocksOf(run) * threadsPerBlock(run)); }},
    {"threads_per_block", [](const Run& run) { return Value(threadsPerBlock(run)); }},
    {"warps_per_block", [](const Run& run) { return Value(warpsPerBlock(run)); }},
    {"warps", [](const Run& run) { return Value(blocksOf(run) * warpsPerBlock(run)); }},
    {"recorded_warps", [](const Run& run) { return Value(static_cast<double>(run.trace.warps.size())); }},
    {"divergent_warps", [](const Run& run) { return Value(divergentWarps(run)); }},  // of the recorded ones
    {"trace_cycles", [](const Run& run) { return Value(static_cast<double>(run.trace.duration_cycles)); }},
    {"sm_count", [](const Run& run) { return Value(run.device.limits.sm_count); }},
    {"blocks_per_sm", [](const Run& run) { return Value(run.occupancy.blocks_per_sm); }},
    {"warps_per_sm", [](const Run& run) { return Value(run.occupancy.warps_per_sm); }},
    {"max_warps_per_sm", [](const Run& run) { return Value(run.occupancy.max_warps_per_sm); }},
    {"limited_by_warps", [](const Run& run) { return limitedBy(run, OccupancyLimiter::kWarps); }},
    {"limited_by_blocks", [](const Run& run) { return limitedBy(run, OccupancyLimiter::kBlocks); }},
    {"limited_by_registers", [](const Run& run) { return limitedBy(run, OccupancyLimiter::kRegisters); }},
    {"limited_by_shared", [](const Run& run) { return limitedBy(run, OccupancyLimiter::kSharedMemory); }},
    {"verified", [](const Run& run) { return Value(run.verification.passed ? 1.0 : 0.0); }},
    {"mismatches", [](const Run& run) { return Value(static_cast<double>(run.verification.mismatches)); }},
    {"bytes_moved", [](const Run& run) { return Value(static_cast<double>(run.bandwidth.bytes)); }},
};

const Quantity* findQuantity(std::string_view name) {
  const auto* const found = std::ranges::find(kQuantities, name, &Quantity::name);
  return found == std::end(kQuantities) ? nullptr : found;
}

// "Wavefronts for a read" -> "wavefronts_for_a_read"
std::string wordOf(std::string_view text) {
  std::string word;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) {
      word += static_cast<char>(std::tolower(byte));
    } else if (!word.empty() && word.back() != '_') {
      word += '_';
    }
  }
  while (!word.empty() && word.back() == '_') word.pop_back();
  return word;
}

bool isSetting(const FamilyInfo& family, std::string_view name) {
  return std::ranges::find(family.parameters, name, &ParameterSpec::name) != family.parameters.end();
}

// Whether runs of the family can have such a number.
bool isValue(const FamilyInfo& family, std::string_view name) {
  if (findMetric(name) != nullptr || findQuantity(name) != nullptr || isSetting(family, name)) return true;
  if (name.starts_with(kCounter)) return true;
  if (name.starts_with(kTheory) || name.starts_with(kShown)) return true;
  if (!name.starts_with(kRegion)) return false;
  const size_t dot = name.rfind('.');
  return dot > kRegion.size() && std::ranges::find(regionMetricList(), name.substr(dot + 1),
                                                   &RegionMetric::column) != regionMetricList().end();
}

Value regionValue(const Run& run, std::string_view name) {
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  for (const RegionMetrics& region : regionMetrics(run)) {
    if (wordOf(region.name) != name.substr(0, dot)) continue;
    for (const RegionMetric& metric : regionMetricList()) {
      if (metric.column == name.substr(dot + 1)) return metric.value(region);
    }
  }
  return std::nullopt;
}

Value theoryValue(const Run& run, std::string_view name, bool found) {
  for (const PredictionResult& result : predictionResults(run)) {
    if (wordOf(result.label) == name) return found ? result.measured : Value(result.predicted);
  }
  return std::nullopt;
}

std::string knownNames(const FamilyInfo& family) {
  std::vector<std::string> names;
  for (const Metric& metric : metrics()) names.emplace_back(metric.id);
  for (const Quantity& quantity : kQuantities) names.emplace_back(quantity.name);
  for (const ParameterSpec& spec : family.parameters) names.push_back(spec.name);
  for (const char* prefix : {"region.NAME.spans", "counter.NAME", "theory.LABEL", "found.LABEL"})
    names.emplace_back(prefix);
  return listed(names);
}

}  // namespace

Expected<RunValueName> resolveName(std::string_view name, const LessonScene& scene, bool may_be_before) {
  const FamilyInfo& family = familyOf(scene);
  RunValueName resolved{{}, std::string(name)};
  if (isValue(family, name)) return resolved;
  if (const size_t dot = name.find('.'); dot != std::string_view::npos) {
    const std::string run(name.substr(0, dot));
    const bool is_run = variantInfo(family, run) != nullptr || scene.other_runs.contains(run) ||
                        (may_be_before && run == kRunBefore);
    if (is_run) {
      resolved = {run, std::string(name.substr(dot + 1))};
      if (isValue(family, resolved.value)) return resolved;
    }
  }
  return fail(ErrorKind::kBadRequest,
              "there is no number '{}'; there are {}; before a dot stands a variant or a run of this scene",
              name, knownNames(family));
}

std::optional<double> valueIn(const Run& run, std::string_view value) {
  if (const Metric* metric = findMetric(value)) {
    const auto computed = metric->compute(run);
    return computed ? Value(computed->value) : std::nullopt;
  }
  if (const Quantity* quantity = findQuantity(value)) return quantity->of(run);
  if (value.starts_with(kCounter)) return counterOf(run, value.substr(kCounter.size()));
  if (value.starts_with(kRegion)) return regionValue(run, value.substr(kRegion.size()));
  if (value.starts_with(kTheory)) return theoryValue(run, value.substr(kTheory.size()), false);
  if (value.starts_with(kShown)) return theoryValue(run, value.substr(kShown.size()), true);
  const auto setting = run.request.parameters.find(std::string(value));
  if (setting == run.request.parameters.end()) return std::nullopt;
  return static_cast<double>(setting->second);
}

std::string formatValue(std::string_view value, double number) {
  if (const Metric* metric = findMetric(value)) return formatMetric(metric->unit, number);
  if (value.starts_with(kRegion)) {
    const auto list = regionMetricList();
    const auto found = std::ranges::find(list, value.substr(value.rfind('.') + 1), &RegionMetric::column);
    if (found != list.end()) return formatMetric(found->unit, number);
  }
  return formatNumber(number, 3);
}

NamedValues valuesOf(const std::set<std::string, std::less<>>& names, const LessonScene& scene,
                     const StepRuns& runs) {
  NamedValues values;
  for (const std::string& name : names) {
    const auto resolved = resolveName(name, scene, true);
    if (!resolved) continue;
    const auto run = runs.find(resolved->run);
    if (run == runs.end() || run->second == nullptr) continue;
    if (const auto value = valueIn(*run->second, resolved->value)) values[name] = *value;
  }
  return values;
}

Expected<LaneMask> lanesIn(const Run& run, const std::string& region, const LessonWarp& warp,
                           uint32_t visit) {
  const auto found = std::ranges::find(run.regions, region, &Region::name);
  if (found == run.regions.end()) {
    std::vector<std::string> names;
    for (const Region& each : run.regions) names.push_back("'" + each.name + "'");
    return fail(ErrorKind::kBadRequest, "the run has no region '{}'; it has {}", region, listed(names));
  }
  for (const TraceWarp& each : run.trace.warps) {
    if (each.block.value != warp.block || each.warp_in_block != warp.warp) continue;
    uint32_t visits = 0;
    LaneMask mask;
    forEachSpan(run.trace, each, [&](const Span& span) {
      if (span.region == found->id && ++visits == visit) mask = span.mask;
    });
    if (visits >= visit) return mask;
    return fail(ErrorKind::kBadRequest, "warp {} of block {} comes to '{}' {} times, not {}", warp.warp,
                warp.block, region, visits, visit);
  }
  return fail(ErrorKind::kBadRequest, "the run did not record warp {} of block {}", warp.warp, warp.block);
}

}  // namespace warpscope
