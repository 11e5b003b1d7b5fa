// The graphs family: nodes, operations and check.
#include <fmt/format.h>

#include <algorithm>

#include "kernels/experiments/family_parts.h"
#include "kernels/experiments/graphs/shape.h"
#include "kernels/experiments/rounds.h"
#include "kernels/experiments/verification.h"

namespace warpscope::graphs {
namespace {

constexpr const char* kKernel = "step";
constexpr size_t kRows = 0, kIn = 1;  // buffers

// Writes down what the host enqueues, or what a graph consists of.
class Script {
 public:
  Script(const std::string& variant, const Shape& shape, LaunchPlan& plan)
      : shape_(shape), plan_(plan), explicit_(variant == "explicit") {
    for (uint32_t i = 0; i < shape.branches(); ++i)
      plan.streams.push_back({.name = fmt::format("{} {}", explicit_ && i > 0 ? "branch" : "stream", i + 1)});
    if (variant == "one_by_one") return;
    plan.graphs = {{.name = "graph",
                    .making = explicit_ ? GraphMaking::kExplicit : GraphMaking::kCaptured,
                    .stream = 0}};
    graph_ = 0;
  }

  void write() {
    const uint32_t last = shape_.nodes - 1;
    launch(0);
    if (shape_.branches() > 1) fork();
    for (uint32_t node = 1; node < last; ++node) launch(node);
    if (shape_.branches() > 1) join();
    if (last > 0) launch(last);
  }

 private:
  void launch(uint32_t node) {
    PlannedOperation operation{.stream = shape_.branchOf(node),
                               .name = fmt::format("node {}", node),
                               .launch = node,
                               .graph = graph_};
    if (explicit_) {
      // Nodes are the only operations.
      const Sources from = shape_.sourcesOf(node);
      for (uint32_t source = from.first; source < from.first + from.count; ++source)
        operation.nodes.push_back(source);
    }
    plan_.operations.push_back(std::move(operation));
  }

  // Branches begin when the first stream has come to event 0, and the last node behind the event of each.
  void fork() {
    event(OperationKind::kEvent, 0, 0, "fork");
    for (uint32_t branch = 1; branch < shape_.branches(); ++branch)
      event(OperationKind::kWait, branch, 0, "fork");
  }
  void join() {
    for (uint32_t branch = 1; branch < shape_.branches(); ++branch) {
      event(OperationKind::kEvent, branch, branch, "join");
      event(OperationKind::kWait, 0, branch, "join");
    }
  }
  void event(OperationKind kind, uint32_t stream, uint32_t number, const char* name) {
    if (explicit_) return;
    plan_.operations.push_back(
        {.kind = kind, .stream = stream, .name = name, .event = number, .graph = graph_});
  }

  const Shape& shape_;
  LaunchPlan& plan_;
  bool explicit_;
  std::optional<uint32_t> graph_;
};

// Each node's row is computed from the rows that it reads.
Verification checkRows(Outputs outputs, const Shape& shape, uint32_t size) {
  Verification failed;
  const auto rows = outputAs<uint32_t>(outputs, kRows, uint64_t{shape.nodes} * size, failed);
  if (rows.empty()) return failed;
  OutputComparison comparison("values");
  std::vector<uint32_t> expected(shape.nodes);
  for (uint32_t i = 0; i < size; ++i) {
    for (uint32_t node = 0; node < shape.nodes; ++node) {
      const Sources from = shape.sourcesOf(node);
      uint32_t sum = from.count == 0 ? inputHash(i) : 0;
      for (uint32_t source = from.first; source < from.first + from.count; ++source) sum += expected[source];
      expected[node] = sum * kFactor + kAddend + node;
      const uint64_t at = uint64_t{node} * size + i;
      comparison.compare<uint32_t>("rows", at, rows[at], expected[node]);
    }
  }
  return comparison.result();
}

class Graphs : public Family {
 public:
  Graphs() : Family(graphsInfo(), graphsRegionNames()) {}

  // All variants launch one kernel.
  Expected<std::vector<Region>> regions(const std::string& variant) const override {
    if (variantInfo(info(), variant) == nullptr)
      return fail(ErrorKind::kBadRequest, "there is no variant {} of graphs", variant);
    return regionsOfKernel(kKernel);
  }

  std::vector<Prediction> predictions(const RunRequest& request,
                                      const DeviceLimits& /*limits*/) const override {
    return theory(request);
  }

  Expected<LaunchPlan> plan(const RunRequest& request, const DeviceLimits& limits) const override {
    const auto block = static_cast<uint32_t>(parameter(request, "block"));
    const auto size = static_cast<uint32_t>(parameter(request, "size"));
    const Shape shape = shapeOf(request);
    LaunchPlan plan;
    plan.module = "graphs";
    plan.kernel = kKernel;
    plan.grid = {(size + block - 1) / block};
    plan.block = {block};
    const auto arguments_of = [&](uint32_t node) {
      const Sources from = shape.sourcesOf(node);
      return std::vector<KernelArgument>{
          BufferArgument{kRows}, BufferArgument{kIn}, size, node, from.first, from.count};
    };
    plan.arguments = arguments_of(0);
    for (uint32_t node = 1; node < shape.nodes; ++node) {
      plan.following.push_back(
          {.kernel = kKernel, .grid = plan.grid, .block = {block}, .arguments = arguments_of(node)});
    }
    Script(request.variant, shape, plan).write();
    const uint64_t bytes = uint64_t{size} * sizeof(uint32_t);
    plan.buffers = {{.role = BufferSpec::Role::kOutput, .name = "rows", .bytes = shape.nodes * bytes},
                    {.role = BufferSpec::Role::kInput,
                     .name = "in",
                     .bytes = bytes,
                     .content_key = fmt::format("graphs:{}", size),
                     .generate = [size] { return filledInput<uint32_t>(size, inputHash); }}};
    for (uint32_t node = 0; node < shape.nodes; ++node)
      plan.bytes_moved += (1 + std::max(shape.sourcesOf(node).count, 1U)) * bytes;
    plan.verify = [shape, size](Outputs outputs) { return checkRows(outputs, shape, size); };
    if (auto possible = checkLaunch(request, plan, limits); !possible)
      return tl::unexpected(possible.error());
    return plan;
  }
};

}  // namespace
}  // namespace warpscope::graphs

namespace warpscope {

const Experiment& graphsFamily() {
  static const graphs::Graphs kFamily;
  return kFamily;
}

}  // namespace warpscope
