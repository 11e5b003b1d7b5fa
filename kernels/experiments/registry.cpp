// The list of families, in the order in which they are shown, and what is found in it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>

#include "kernels/experiments/experiment.h"
#include "kernels/experiments/family.h"

namespace warpscope {

std::span<const Experiment* const> allExperiments() {
  static const auto kFamilies = std::to_array<const Experiment*>({
      &divergenceFamily(),    &boundaryFamily(),    &mappingFamily(),        &reductionFamily(),
      &transposeFamily(),     &banksFamily(),       &coalescingFamily(),     &latencyFamily(),
      &occupancyFamily(),     &atomicsFamily(),     &warpPrimitivesFamily(), &barriersFamily(),
      &streamsFamily(),       &prioritiesFamily(),  &graphsFamily(),         &dependentLaunchFamily(),
      &unifiedMemoryFamily(), &severalGpusFamily(), &clustersFamily(),       &bulkCopyFamily(),
      &brokenFamily(),
  });
  return kFamilies;
}

namespace {

// Every version of every program that was added.
struct Added {
  std::shared_ptr<const Program> program;
  std::unique_ptr<const Experiment> experiment;
};
struct AddedList {
  std::mutex mutex;
  std::vector<Added> all;

  const Experiment* last(const std::string& family) {
    const std::lock_guard lock(mutex);
    const auto found = std::find_if(all.rbegin(), all.rend(),
                                    [&](const Added& each) { return each.program->name == family; });
    return found == all.rend() ? nullptr : found->experiment.get();
  }
};
AddedList& added() {
  static AddedList list;
  return list;
}

// Without the message that findExperiment() writes for people: this is asked for each region of each picture.
const Experiment* experimentOf(const std::string& family) {
  const auto all = allExperiments();
  const auto found =
      std::ranges::find_if(all, [&](const Experiment* each) { return each->info().name == family; });
  return found == all.end() ? added().last(family) : *found;
}

}  // namespace

void addExperiment(std::shared_ptr<const Program> program, std::unique_ptr<const Experiment> experiment) {
  AddedList& list = added();
  const std::lock_guard lock(list.mutex);
  const auto known = std::ranges::find(list.all, program, &Added::program);
  Added version{std::move(program), std::move(experiment)};
  if (known != list.all.end()) {
    version = std::move(*known);  // keeps the experiment that others may refer to
    list.all.erase(known);
  }
  list.all.push_back(std::move(version));
}

const Experiment* addedExperiment(const Program& program) {
  AddedList& list = added();
  const std::lock_guard lock(list.mutex);
  const auto found =
      std::ranges::find_if(list.all, [&](const Added& each) { return each.program.get() == &program; });
  return found == list.all.end() ? nullptr : found->experiment.get();
}

std::vector<const Experiment*> addedExperiments() {
  AddedList& list = added();
  const std::lock_guard lock(list.mutex);
  std::vector<const Experiment*> latest;
  for (const Added& each : list.all) {
    const auto same = std::ranges::find_if(
        latest, [&](const Experiment* other) { return other->info().name == each.program->name; });
    if (same == latest.end()) {
      latest.push_back(each.experiment.get());
    } else {
      *same = each.experiment.get();
    }
  }
  return latest;
}

Expected<const Experiment*> findExperiment(const std::string& family) {
  if (const Experiment* found = experimentOf(family)) return found;
  std::vector<std::string> names;
  for (const Experiment* experiment : allExperiments()) names.push_back(experiment->info().name);
  for (const Experiment* experiment : addedExperiments()) names.push_back(experiment->info().name);
  return fail(ErrorKind::kBadRequest, "there is no family '{}'; there are {}", family,
              fmt::join(names, ", "));
}

Expected<const Experiment*> findExperiment(const RunRequest& request) {
  if (!request.program) return findExperiment(request.family);
  if (const Experiment* found = addedExperiment(*request.program)) return found;
  return fail(ErrorKind::kBadRequest, "the program {} has not been read", request.program->name);
}

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
