#include "app/gui/model/sweep_plan.h"

#include <algorithm>

namespace warpscope {
namespace {

// The largest size that a simulated GPU sweeps, as a multiple of its default.
constexpr int64_t kMostTimesTheDefault = 16;

}  // namespace

RunRequest SweepLine::at(const std::string& parameter, int64_t value) const {
  RunRequest request = base;
  request.parameters[parameter] = value;
  request.sampling = kSweptSampling;
  return request;
}

std::vector<int64_t> everyValue(const ParameterSpec& spec) {
  std::vector<int64_t> values;
  switch (spec.kind) {
    case ParameterKind::kChoice:
      for (size_t i = 0; i < spec.choices.size(); ++i) values.push_back(static_cast<int64_t>(i));
      break;
    case ParameterKind::kLog2:
      if (spec.min <= 0) values.push_back(0);
      for (int64_t value = 1; value > 0 && value <= spec.max; value *= 2) {
        if (value >= spec.min) values.push_back(value);
      }
      break;
    case ParameterKind::kInteger:
      for (int64_t value = spec.min; value <= spec.max; value += std::max<int64_t>(spec.step, 1)) {
        values.push_back(value);
      }
      break;
  }
  if (values.empty()) values.push_back(spec.default_value);
  return values;
}

std::vector<int64_t> sweptValues(const ParameterSpec& spec, std::vector<int64_t> offered, int64_t present,
                                 DeviceKind kind, size_t at_most) {
  if (kind != DeviceKind::kRecorded && std::ranges::find(offered, present) == offered.end()) {
    offered.push_back(present);
    std::ranges::sort(offered);
  }
  if (kind == DeviceKind::kSimulated && spec.kind == ParameterKind::kLog2 && spec.simulated_default) {
    const int64_t most = *spec.simulated_default * kMostTimesTheDefault;
    std::erase_if(offered, [&](int64_t value) { return value > most && value != present; });
  }
  if (offered.size() <= at_most || at_most < 2) return offered;
  std::vector<int64_t> kept;
  for (size_t i = 0; i < at_most; ++i) kept.push_back(offered[i * (offered.size() - 1) / (at_most - 1)]);
  if (std::ranges::find(kept, present) == kept.end() &&
      std::ranges::find(offered, present) != offered.end()) {
    // It replaces its nearest neighbour, so that the count stays.
    *std::ranges::min_element(kept.begin() + 1, kept.end() - 1, {}, [&](int64_t value) {
      return value > present ? value - present : present - value;
    }) = present;
    std::ranges::sort(kept);
  }
  return kept;
}

}  // namespace warpscope
