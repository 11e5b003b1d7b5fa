#include "kernels/compare/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "kernels/experiments/experiment.h"

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

std::vector<RunName> namesOf(const ComparedRuns& runs) {
  std::set<std::string> names;
  for (const auto& run : runs) {
    for (const auto& [name, value] : run->request.parameters) names.insert(name);
  }
  const bool families = differs(runs, [](const Run& run) { return run.request.family; });
  const bool devices = differs(runs, deviceText);
  std::vector<RunName> run_names;
  for (const auto& run : runs) {
    const auto& [family, variant] = std::tie(run->request.family, run->request.variant);
    RunName& label = run_names.emplace_back();
    label.title = variantTitle(family, variant);
    label.id = families ? fmt::format("{}/{}", family, variant) : variant;
    for (const std::string& name : names) {
      const std::string text = parameterText(*run, name);
      // A parameter that another variant does not have says nothing that the variant's name does not say.
      const bool varies = std::ranges::any_of(runs, [&](const auto& other) {
        const std::string others = parameterText(*other, name);
        return !others.empty() && others != text;
      });
      if (varies && !text.empty()) label.rest += fmt::format(", {} {}", name, text);
    }
    if (devices) label.rest += ", " + deviceText(*run);
  }
  return run_names;
}

}  // namespace

std::vector<RunFacts> factsOf(const ComparedRuns& runs) {
  std::vector<RunName> run_names = namesOf(runs);
  std::vector<RunFacts> facts;
  for (size_t i = 0; i < runs.size(); ++i) {
    const Run& run = *runs[i];
    RunFacts& fact = facts.emplace_back();
    fact.name = std::move(run_names[i]);
    fact.verified = run.verification.passed;
    fact.pending = run.verification.pending;
    fact.unchecked = run.verification.unchecked;
    if (run.timing.repeats > 0 && run.timing.median_us > 0) fact.timing = run.timing;
    fact.metrics = MetricValues(run);
  }
  return facts;
}

TimeColumn launchTimes(const Comparison& comparison) {
  return timesOfMetric(comparison, *findMetric("time"));
}

TimeColumn timesOfMetric(const Comparison& comparison, const Metric& metric) {
  TimeColumn times;
  for (const RunFacts& facts : comparison.facts) {
    if (const auto& known = facts.metrics[metric]) times.add(known->value);
  }
  return times;
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
  for (const RunFacts& fact : comparison.facts) labels.push_back(fact.name.brief());
  comparison.explanations = explain(comparison.runs, comparison.ranking, labels);
  comparison.axis = alignAxis(comparison.runs, options.axis);
  if (!options.race) {
    comparison.regions = compareRegions(comparison.runs, options.baseline);
    comparison.model_errors = modelErrors(comparison.runs);
  }
  return comparison;
}

}  // namespace warpscope
