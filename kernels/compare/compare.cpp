#include "kernels/compare/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace warpscope {
namespace {

// The parts of a run's name, each of which is shown only if it differs between the runs.
template <class Text>
bool differs(const ComparedRuns& runs, Text&& text) {
  return std::ranges::any_of(runs, [&](const auto& run) { return text(*run) != text(*runs.front()); });
}

std::string deviceText(const Run& run) {
  return run.device.kind == DeviceKind::kSimulated ? run.device.id
                                                   : fmt::format("{} ({})", run.device.id, run.device.name);
}

std::vector<std::string> labelsOf(const ComparedRuns& runs) {
  std::set<std::string> names;
  for (const auto& run : runs) {
    for (const auto& [name, value] : run->request.parameters) names.insert(name);
  }
  const bool families = differs(runs, [](const Run& run) { return run.request.family; });
  const bool devices = differs(runs, deviceText);
  std::vector<std::string> labels;
  for (const auto& run : runs) {
    std::string label = families ? run->request.family + " " + run->request.variant : run->request.variant;
    for (const std::string& name : names) {
      const std::string text = parameterText(*run, name);
      // A parameter that another variant does not have says nothing that the variant's name does not say.
      const bool varies = std::ranges::any_of(runs, [&](const auto& other) {
        const std::string others = parameterText(*other, name);
        return !others.empty() && others != text;
      });
      if (varies && !text.empty()) label += fmt::format(", {} {}", name, text);
    }
    if (devices) label += ", " + deviceText(*run);
    labels.push_back(std::move(label));
  }
  return labels;
}

}  // namespace

std::vector<RunFacts> factsOf(const ComparedRuns& runs) {
  const std::vector<std::string> labels = labelsOf(runs);
  std::vector<RunFacts> facts;
  for (size_t i = 0; i < runs.size(); ++i) {
    const Run& run = *runs[i];
    RunFacts& fact = facts.emplace_back();
    fact.label = labels[i];
    fact.verified = run.verification.passed;
    if (run.timing.repeats > 0 && run.timing.median_us > 0) fact.timing = run.timing;
    fact.metrics = MetricValues(run);
  }
  return facts;
}

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
