// The graphs family: nodes, operations and check.
#include <fmt/format.h>

#include <algorithm>

#include "kernels/experiments/family_parts.h"
#include "kernels/experiments/graphs/shape.h"
#include "kernels/experiments/graphs/support.h"
#include "kernels/experiments/rounds.h"
#include "kernels/experiments/verification.h"

namespace warpscope::graphs {
namespace {

constexpr const char* kKernel = "step";
constexpr const char* kConditionalKernel = "conditional";
constexpr size_t kRows = 0, kIn = 1, kNeeded = 2;  // buffers

constexpr uint32_t kNeverWrittenWord = BufferSpec::kNeverWritten * 0x01010101U;

// Writes down what the host enqueues, or what a graph consists of.
class Script {
 public:
  Script(const std::string& variant, const Shape& shape, LaunchPlan& plan)
      : shape_(shape),
        plan_(plan),
        conditional_(plan.kernel == kConditionalKernel),
        explicit_(variant == "explicit" || variant == "conditional") {
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
      // The row that it reads is written by the step that decides.
      if (conditional_ && node > 0) operation.only_if = from.first;
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
  bool conditional_, explicit_;
  std::optional<uint32_t> graph_;
};

// Each node's row is computed from the rows that it reads. Nothing is written to those that are not needed.
Verification checkRows(Outputs outputs, const Shape& shape, uint32_t size, uint32_t needed) {
  Verification failed;
  const auto rows = outputAs<uint32_t>(outputs, kRows, uint64_t{shape.nodes} * size, failed);
  if (rows.empty()) return failed;
  OutputComparison comparison("values");
  std::vector<uint32_t> expected(shape.nodes);
  for (uint32_t i = 0; i < size; ++i) {
    for (uint32_t node = 0; node < shape.nodes; ++node) {
      const Sources from = shape.sourcesOf(node);
      const uint64_t at = uint64_t{node} * size + i;
      if (node >= needed) {
        comparison.compare<uint32_t>("rows", at, rows[at], kNeverWrittenWord);
        continue;
      }
      uint32_t sum = from.count == 0 ? inputHash(i) : 0;
      for (uint32_t source = from.first; source < from.first + from.count; ++source) sum += expected[source];
      expected[node] = sum * kFactor + kAddend + node;
      comparison.compare<uint32_t>("rows", at, rows[at], expected[node]);
    }
  }
  return comparison.result();
}

class Graphs : public Family {
 public:
  Graphs() : Family(graphsInfo(), graphsRegionNames(), {"graphs", "graphs_conditional"}) {}

  // All other variants launch one kernel.
  Expected<std::vector<Region>> regions(const std::string& variant) const override {
    if (variantInfo(info(), variant) == nullptr)
      return fail(ErrorKind::kBadRequest, "there is no variant {} of graphs", variant);
    return variant == kConditionalKernel ? Family::regions(variant) : regionsOfKernel(kKernel);
  }

  std::vector<Prediction> predictions(const RunRequest& request, const DeviceLimits& limits) const override {
    return theory(request, limits);
  }

  Expected<LaunchPlan> plan(const RunRequest& request, const DeviceLimits& limits) const override {
    const auto block = static_cast<uint32_t>(parameter(request, "block"));
    const auto size = static_cast<uint32_t>(parameter(request, "size"));
    const Shape shape = shapeOf(request);
    LaunchPlan plan;
    if (request.variant == "conditional") plan.instead = insteadOfConditions(limits);
    const bool conditional = request.variant == "conditional" && plan.instead.empty();
    const uint32_t needed = conditional ? neededOf(request) : shape.nodes;
    plan.module = conditional ? "graphs_conditional" : "graphs";
    plan.kernel = conditional ? kConditionalKernel : kKernel;
    plan.grid = {(size + block - 1) / block};
    plan.block = {block};
    const auto arguments_of = [&](uint32_t node) {
      std::vector<KernelArgument> all{BufferArgument{kRows}, BufferArgument{kIn}, size, node};
      const Sources from = shape.sourcesOf(node);
      if (conditional) {
        all.insert(all.end(), {BufferArgument{kNeeded}, uint64_t{0}});
      } else {
        all.insert(all.end(), {from.first, from.count});
      }
      return all;
    };
    plan.arguments = arguments_of(0);
    for (uint32_t node = 1; node < shape.nodes; ++node) {
      plan.following.push_back(
          {.kernel = plan.kernel, .grid = plan.grid, .block = {block}, .arguments = arguments_of(node)});
    }
    Script(request.variant, shape, plan).write();
    const uint64_t bytes = uint64_t{size} * sizeof(uint32_t);
    plan.buffers = {{.role = BufferSpec::Role::kOutput, .name = "rows", .bytes = shape.nodes * bytes},
                    {.role = BufferSpec::Role::kInput,
                     .name = "in",
                     .bytes = bytes,
                     .content_key = fmt::format("graphs:{}", size),
                     .generate = [size] { return filledInput<uint32_t>(size, inputHash); }}};
    if (conditional) {
      plan.buffers.push_back(
          {.role = BufferSpec::Role::kInput,
           .name = "needed",
           .bytes = sizeof(uint32_t),
           .content_key = fmt::format("graphs needed:{}", needed),
           .generate = [needed] { return filledInput<uint32_t>(1, [needed](uint32_t) { return needed; }); }});
    }
    for (uint32_t node = 0; node < needed; ++node)
      plan.bytes_moved += (1 + std::max(shape.sourcesOf(node).count, 1U)) * bytes;
    plan.verify = [shape, size, needed](Outputs outputs) { return checkRows(outputs, shape, size, needed); };
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
