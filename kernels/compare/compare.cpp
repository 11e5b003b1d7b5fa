#include "kernels/compare/compare.h"

#include <algorithm>

namespace warpscope {

Expected<Comparison> compareRuns(ComparedRuns runs, const CompareOptions& options) {
  if (runs.size() < 2 || (runs.size() > kMostComparedRuns && !options.race)) {
    return fail(ErrorKind::kBadRequest, "2 to {} runs can be compared, not {}", kMostComparedRuns,
                runs.size());
  }
  if (std::ranges::count(runs, nullptr) > 0) return fail(ErrorKind::kBadRequest, "a run is missing");
  if (options.baseline >= runs.size()) {
    return fail(ErrorKind::kBadRequest, "the baseline is run {} of 1 to {}", options.baseline + 1,
                runs.size());
  }
  Comparison comparison{.runs = std::move(runs), .baseline = options.baseline};
  comparison.facts = factsOf(comparison.runs);
  comparison.ranking = rankRuns(comparison.runs, options.baseline);
  std::vector<std::string> labels;
  for (const RunFacts& fact : comparison.facts) labels.push_back(fact.label);
  comparison.explanations = explain(comparison.runs, comparison.ranking, labels);
  comparison.axis = alignAxis(comparison.runs, options.axis);
  if (!options.race) {
    comparison.regions = compareRegions(comparison.runs, options.baseline);
    comparison.model_errors = modelErrors(comparison.runs);
  }
  return comparison;
}

}  // namespace warpscope
