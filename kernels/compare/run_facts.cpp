#include "kernels/compare/run_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace warpscope {
namespace {

std::string valueText(const Run& run, const std::string& name) {
  if (const auto label = run.parameter_labels.find(name); label != run.parameter_labels.end())
    return label->second;
  const auto value = run.request.parameters.find(name);
  return value == run.request.parameters.end() ? "" : fmt::to_string(value->second);
}

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
      const std::string text = valueText(*run, name);
      // A parameter that another variant does not have says nothing that the variant's name does not say.
      const bool varies = std::ranges::any_of(runs, [&](const auto& other) {
        const std::string others = valueText(*other, name);
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

}  // namespace warpscope
