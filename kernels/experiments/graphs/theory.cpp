// The graphs family: what theory predicts.
#include <algorithm>
#include <optional>

#include "kernels/experiments/family_parts.h"
#include "kernels/experiments/graphs/shape.h"
#include "kernels/experiments/graphs/support.h"

namespace warpscope::graphs {
namespace {

std::vector<const StreamOperation*> launchesOf(const Run& run) {
  std::vector<const StreamOperation*> launches;
  if (!run.streams) return launches;
  for (const StreamOperation& operation : run.streams->operations) {
    if (operation.kind == OperationKind::kLaunch && !operation.skipped) launches.push_back(&operation);
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

std::optional<double> skipped(const Run& run) {
  if (!run.streams || run.streams->graphs.empty()) return std::nullopt;
  return run.streams->skippedOf(0);
}

}  // namespace

Shape shapeOf(const RunRequest& request) {
  const auto shape = request.parameters.find("shape");
  return {static_cast<uint32_t>(request.parameters.at("nodes")),
          shape != request.parameters.end() && shape->second == 1};
}

uint32_t neededOf(const RunRequest& request) {
  const auto nodes = static_cast<uint32_t>(request.parameters.at("nodes"));
  const auto needed = request.parameters.find("needed");
  return needed == request.parameters.end() ? nodes : std::min(nodes, static_cast<uint32_t>(needed->second));
}

std::string insteadOfConditions(const DeviceLimits& limits) {
  if (limits.conditional_nodes && limits.device_runtime) return {};
  if (!limits.conditional_nodes)
    return "conditional nodes need a driver of CUDA 12.4 or later: shown is the graph with all of its nodes";
  return "libcudadevrt.a of the CUDA toolkit was not found, without which no kernel can set a condition (set "
         "CUDA_HOME): shown is the graph with all of its nodes";
}

std::vector<Prediction> theory(const RunRequest& request, const DeviceLimits& limits) {
  const Shape shape = shapeOf(request);
  const bool one_by_one = request.variant == "one_by_one";
  const bool conditional = request.variant == "conditional" && insteadOfConditions(limits).empty();
  const uint32_t executed = conditional ? neededOf(request) : shape.nodes;
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
                           .predicted = static_cast<double>(executed),
                           .measure = oneAfterAnother});
  }
  if (request.variant == "conditional") {
    predictions.push_back({.label = "Launches skipped",
                           .unit = "launches",
                           .reason = conditional ? "the last step that is needed leaves the condition of the "
                                                   "next one 0, and one that is skipped sets none"
                                                 : "there are no conditions",
                           .predicted = static_cast<double>(shape.nodes - executed),
                           .measure = skipped});
  }
  return predictions;
}

}  // namespace warpscope::graphs
