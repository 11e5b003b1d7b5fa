// The graphs family: what theory predicts.
#include <algorithm>
#include <optional>

#include "kernels/experiments/family_parts.h"
#include "kernels/experiments/graphs/shape.h"

namespace warpscope::graphs {
namespace {

std::vector<const StreamOperation*> launchesOf(const Run& run) {
  std::vector<const StreamOperation*> launches;
  if (!run.streams) return launches;
  for (const StreamOperation& operation : run.streams->operations) {
    if (operation.kind == OperationKind::kLaunch) launches.push_back(&operation);
  }
  return launches;
}

std::optional<double> calls(const Run& run) {
  return run.streams ? std::optional<double>(run.streams->launchCalls()) : std::nullopt;
}

// The longest sequence of launches each of which begins no sooner than the one before it has ended.
std::optional<double> oneAfterAnother(const Run& run) {
  std::vector<const StreamOperation*> launches = launchesOf(run);
  if (launches.empty()) return std::nullopt;
  std::ranges::sort(launches, {}, [](const auto* launch) { return launch->end_ns; });
  double count = 0, free_from = 0;
  for (const StreamOperation* launch : launches) {
    if (count > 0 && launch->begin_ns < free_from) continue;
    free_from = launch->end_ns;
    ++count;
  }
  return count;
}

}  // namespace

Shape shapeOf(const RunRequest& request) {
  return {static_cast<uint32_t>(request.parameters.at("nodes")), request.parameters.at("shape") == 1};
}

std::vector<Prediction> theory(const RunRequest& request) {
  const Shape shape = shapeOf(request);
  const bool one_by_one = request.variant == "one_by_one";
  std::vector<Prediction> predictions = {
      {.label = "Calls of the host that launch",
       .unit = "calls",
       .reason = one_by_one ? "a call for each node" : "one call launches the whole graph",
       .predicted = one_by_one ? static_cast<double>(shape.nodes) : 1,
       .measure = calls}};
  if (shape.branches() == 1) {
    predictions.push_back({.label = "Launches one after another",
                           .unit = "launches",
                           .reason = "in a chain, each node needs what the one before it has written",
                           .predicted = static_cast<double>(shape.nodes),
                           .measure = oneAfterAnother});
  }
  return predictions;
}

}  // namespace warpscope::graphs
