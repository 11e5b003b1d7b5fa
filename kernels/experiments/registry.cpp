// The list of families, in the order in which they are shown.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernels/experiments/family.h"

namespace warpscope {

std::span<const Experiment* const> allExperiments() {
  static const auto families = std::to_array<const Experiment*>({
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
  return families;
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

}  // namespace warpscope
