#include "app/cli/run_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "kernels/run/run.h"

namespace warpscope {
namespace {

constexpr size_t kMostListed = 40;

// Whether the text stands for this run's value, as its family writes it; for a family that this program does
// not have, the text must be what the run shows.
Expected<bool> fitsParameter(const Run& run, const std::string& name, const std::string& text) {
  const auto value = run.request.parameters.find(name);
  if (value == run.request.parameters.end()) return false;
  const auto experiment = findExperiment(run.request.family);
  if (!experiment) return parameterText(run, name) == text || fmt::to_string(value->second) == text;
  for (const ParameterSpec& spec : (*experiment)->info().parameters) {
    if (spec.name != name) continue;
    const auto values = parseValues(spec, text);
    if (!values) return tl::unexpected(values.error());
    return std::ranges::count(*values, value->second) > 0;
  }
  return false;
}

Expected<bool> fits(const Run& run, const RunChoice& choice, const std::set<std::string>& variants) {
  if (!choice.family.empty() && run.request.family != choice.family) return false;
  if (!variants.empty() && !variants.contains(run.request.variant)) return false;
  for (const auto& [name, text] : *choice.parameters) {
    auto fitting = fitsParameter(run, name, text);
    if (!fitting || !*fitting) return fitting;
  }
  return true;
}

std::set<std::string> variantNames(const std::string& text) {
  std::set<std::string> names;
  if (text == "all") return names;
  for (const std::string& name : split(text, ',')) {
    if (!name.empty()) names.insert(name);
  }
  return names;
}

std::vector<size_t> allOf(const RecordingIndex& index) {
  std::vector<size_t> all(index.size());
  std::iota(all.begin(), all.end(), size_t{0});
  return all;
}

}  // namespace

std::shared_ptr<RunChoice> addRunChoiceOptions(Command command) {
  auto choice = std::make_shared<RunChoice>();
  command.option("--family", choice->family, "Only runs of this family");
  command.option("--variant", choice->variants, "Only runs of these variants: A or A,B");
  command.option("--index", choice->indices, "Only these runs, counted from 0: 3 or 0,2").splitAtCommas();
  choice->parameters = addParameterOptions(command, "; chooses runs: 32,64 or 32..1024");
  return choice;
}

Expected<std::vector<size_t>> chosenRuns(const RecordingIndex& index, const RunChoice& choice,
                                         const std::string& file) {
  const std::set<std::string> variants = variantNames(choice.variants);
  for (const size_t i : choice.indices) {
    if (i < index.size()) continue;
    return fail(ErrorKind::kBadRequest, "{} has no run {}; it has {}, counted from 0:\n{}", file, i,
                index.size(), runList(index, allOf(index)));
  }
  std::vector<size_t> chosen;
  for (size_t i = 0; i < index.size(); ++i) {
    if (!choice.indices.empty() && std::ranges::count(choice.indices, i) == 0) continue;
    const auto fitting = fits(index.summary(i), choice, variants);
    if (!fitting) return tl::unexpected(fitting.error());
    if (*fitting) chosen.push_back(i);
  }
  if (!chosen.empty()) return chosen;
  if (index.size() == 0) return fail(ErrorKind::kBadRequest, "{} holds no runs", file);
  return fail(ErrorKind::kBadRequest, "{} has no such run. It holds:\n{}", file,
              runList(index, allOf(index)));
}

std::string runList(const RecordingIndex& index, const std::vector<size_t>& runs) {
  std::string list;
  for (size_t row = 0; row < std::min(runs.size(), kMostListed); ++row) {
    const size_t i = runs[row];
    const Run& run = index.summary(i);
    list += fmt::format("{}{:>3}  {} {}  {}  ({}, {})", list.empty() ? "" : "\n", i, run.request.family,
                        run.request.variant, parametersText(run), run.device.name,
                        provenanceName(run.device.provenance));
  }
  if (runs.size() > kMostListed)
    list += fmt::format("\n  ... and {} more: 'warpscope show' lists them all", runs.size() - kMostListed);
  return list;
}

}  // namespace warpscope
