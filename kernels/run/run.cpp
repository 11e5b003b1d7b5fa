#include "kernels/run/run.h"

#include <fmt/format.h>

namespace warpscope {

const char* limiterName(OccupancyLimiter limiter) {
  switch (limiter) {
    case OccupancyLimiter::kWarps:
      return "warps";
    case OccupancyLimiter::kBlocks:
      return "blocks";
    case OccupancyLimiter::kRegisters:
      return "registers";
    case OccupancyLimiter::kSharedMemory:
      return "shared memory";
    case OccupancyLimiter::kBarriers:
      return "barriers";
    case OccupancyLimiter::kImpossible:
      return "impossible";
  }
  return "unknown";
}

const char* verificationWord(const Verification& verification) {
  if (verification.passed) return "verified";
  return verification.unchecked ? "not checked" : "WRONG";
}

uint32_t usedSms(const Run& run) {
  return run.device.limits.sm_count * (run.streams ? run.streams->gpus() : 1);
}

std::string parameterText(const Run& run, const std::string& name) {
  if (const auto label = run.parameter_labels.find(name); label != run.parameter_labels.end())
    return label->second;
  const auto value = run.request.parameters.find(name);
  return value == run.request.parameters.end() ? "" : fmt::format("{}", value->second);
}

std::string parametersText(const Run& run) {
  std::string text;
  for (const auto& [name, value] : run.request.parameters) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, parameterText(run, name));
  }
  return text;
}

RegionNames::RegionNames(const Run& run) : names_(256), lines_(256) {
  for (size_t id = 0; id < names_.size(); ++id) names_[id] = fmt::format("region {}", id);
  for (const Region& region : run.regions) {
    names_[region.id.value & 0xFFU] = region.name;
    lines_[region.id.value & 0xFFU] = region.first_line;
  }
}

}  // namespace warpscope
