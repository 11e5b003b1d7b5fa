#include "kernels/compare/model_error.h"

#include <fmt/format.h>

#include "kernels/compare/region_comparison.h"
#include "kernels/metrics/counters.h"

namespace warpscope {
namespace {

bool sameLaunch(const Run& a, const Run& b) {
  return a.request.family == b.request.family && a.request.variant == b.request.variant &&
         a.request.parameters == b.request.parameters;
}

std::string cautionOf(const Run& measured, const Run& modelled) {
  const DeviceLimits& a = measured.device.limits;
  const DeviceLimits& b = modelled.device.limits;
  if (a.sm_count == b.sm_count && a.compute_capability == b.compute_capability) return "";
  return fmt::format("{} has {} SMs of compute capability {}.{}, {} has {} of {}.{}: not the same GPU",
                     measured.device.name, a.sm_count, a.compute_capability.major, a.compute_capability.minor,
                     modelled.device.name, b.sm_count, b.compute_capability.major,
                     b.compute_capability.minor);
}

ModelError errorOf(const ComparedRuns& runs, size_t measured, size_t modelled) {
  const Run& real = *runs[measured];
  const Run& model = *runs[modelled];
  ModelError error{measured, modelled, {}, cautionOf(real, model)};
  const auto add = [&](const std::string& name, const std::string& unit, double was, double said) {
    error.errors.push_back(
        {name, unit, was, said, was == 0 ? std::nullopt : std::optional((said - was) / was)});
  };
  if (real.timing.repeats > 0 && model.timing.repeats > 0) {
    add("launch", "µs", real.timing.median_us, model.timing.median_us);
  }
  if (!real.trace.warps.empty() && !model.trace.warps.empty()) {
    add("kernel with probes", "cycles", static_cast<double>(real.trace.duration_cycles),
        static_cast<double>(model.trace.duration_cycles));
  }
  for (const RegionComparison& region : compareRegions({runs[measured], runs[modelled]}, 0)) {
    const auto& was = region.runs[0].numbers;
    const auto& said = region.runs[1].numbers;
    if (was && said) {
      add(fmt::format("cycles a warp in '{}'", region.name), "cycles", was->cycles_per_warp,
          said->cycles_per_warp);
    }
  }
  for (const auto& [name, was] : real.counters) {
    const auto said = model.counters.find(name);
    if (said == model.counters.end()) continue;
    const CounterText* text = findCounterText(name);
    add(name, text == nullptr ? "" : std::string(text->unit), was, said->second);
  }
  return error;
}

}  // namespace

std::vector<ModelError> modelErrors(const ComparedRuns& runs) {
  std::vector<ModelError> errors;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (runs[i]->device.provenance != Provenance::kMeasured) continue;
    for (size_t j = 0; j < runs.size(); ++j) {
      if (runs[j]->device.provenance != Provenance::kModelled || !sameLaunch(*runs[i], *runs[j])) continue;
      errors.push_back(errorOf(runs, i, j));
    }
  }
  return errors;
}

}  // namespace warpscope
