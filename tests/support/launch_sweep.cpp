// See launch_sweep.h.
#include "tests/support/launch_sweep.h"

#include <fmt/format.h>

#include <numeric>

#include "kernels/experiments/experiment.h"

namespace warpscope::test {
namespace {

std::vector<int64_t> valuesOf(const ParameterSpec& spec, const std::vector<int64_t>& blocks,
                              const std::vector<int64_t>& sizes) {
  const bool block = spec.role == ParameterRole::kBlock;
  if (!block && spec.role != ParameterRole::kElements) return spec.samples;
  if (spec.kind == ParameterKind::kChoice) {
    std::vector<int64_t> choices(spec.choices.size());
    std::iota(choices.begin(), choices.end(), 0);
    return choices;
  }
  std::vector<int64_t> values;
  for (const int64_t value : block ? blocks : sizes) {
    if (value >= spec.min && value <= spec.max) values.push_back(value);
  }
  return values;
}

}  // namespace

std::vector<ParameterValues> launchSweep(const FamilyInfo& family, const std::string& variant,
                                         const std::vector<int64_t>& blocks,
                                         const std::vector<int64_t>& sizes) {
  std::vector<ParameterValues> sweep(1);
  for (const ParameterSpec* spec : parametersOf(family, variant)) {
    const std::vector<int64_t> values = valuesOf(*spec, blocks, sizes);
    if (values.empty()) continue;
    std::vector<ParameterValues> next;
    for (const ParameterValues& one : sweep) {
      for (const int64_t value : values) next.emplace_back(one)[spec->name] = value;
    }
    sweep = std::move(next);
  }
  return sweep;
}

ParameterValues launchOf(const FamilyInfo& family, const std::string& variant, int64_t size) {
  ParameterValues values = launchSweep(family, variant, {}, {size}).back();
  if (const ParameterSpec* block = findParameter(family, variant, ParameterRole::kBlock))
    values.erase(block->name);
  return values;
}

std::string launchName(const ParameterValues& values) {
  std::string name;
  for (const auto& [key, value] : values) name += fmt::format("{}{} {}", name.empty() ? "" : " ", key, value);
  return name;
}

}  // namespace warpscope::test
