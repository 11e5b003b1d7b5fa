// The list of families, in the order in which they are shown, and what is found in it.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernels/experiments/experiment.h"
#include "kernels/experiments/family.h"

namespace warpscope {

std::span<const Experiment* const> allExperiments() {
  static const auto kFamilies = std::to_array<const Experiment*>({
      &divergenceFamily(),
      &boundaryFamily(),
      &mappingFamily(),
      &reductionFamily(),
      &transposeFamily(),
      &banksFamily(),
      &coalescingFamily(),
      &latencyFamily(),
      &occupancyFamily(),
      &atomicsFamily(),
      &warpPrimitivesFamily(),
      &barriersFamily(),
      &brokenFamily(),
  });
  return kFamilies;
}

Expected<const Experiment*> findExperiment(const std::string& family) {
  std::vector<std::string> names;
  for (const Experiment* experiment : allExperiments()) {
    if (experiment->info().name == family) return experiment;
    names.push_back(experiment->info().name);
  }
  return fail(ErrorKind::kBadRequest, "there is no family '{}'; there are {}", family,
              fmt::join(names, ", "));
}

namespace {

// Without the message that findExperiment() writes for people: this is asked for each region of each picture.
const Experiment* experimentOf(const std::string& family) {
  const auto all = allExperiments();
  const auto found =
      std::ranges::find_if(all, [&](const Experiment* each) { return each->info().name == family; });
  return found == all.end() ? nullptr : *found;
}

}  // namespace

const ParameterSpec* findParameter(const FamilyInfo& family, const std::string& variant, ParameterRole role) {
  for (const ParameterSpec* spec : parametersOf(family, variant)) {
    if (spec->role == role) return spec;
  }
  return nullptr;
}

bool shapesBlock(ParameterRole role) {
  return role == ParameterRole::kBlock || role == ParameterRole::kBlockPart;
}

ParameterRole roleOfParameter(const std::string& family, const std::string& parameter) {
  const Experiment* experiment = experimentOf(family);
  if (experiment == nullptr) return ParameterRole::kNone;
  const auto& specs = experiment->info().parameters;
  const auto spec = std::ranges::find(specs, parameter, &ParameterSpec::name);
  return spec == specs.end() ? ParameterRole::kNone : spec->role;
}

std::optional<int64_t> valueOfRole(const RunRequest& request, ParameterRole role) {
  for (const auto& [name, value] : request.parameters) {
    if (roleOfParameter(request.family, name) == role) return value;
  }
  return std::nullopt;
}

RegionRole roleOfRegion(const std::string& family, const Region& region) {
  const Experiment* experiment = experimentOf(family);
  return experiment == nullptr ? RegionRole::kNone : experiment->roleOf(region);
}

}  // namespace warpscope
