#include "kernels/backend/cuda/streams/graph_set.h"

#include <tuple>

#include "kernels/backend/cuda/streams/timer_probe.h"
#include "kernels/backend/stream_graphs.h"

namespace warpscope::cuda {

Expected<void> checkDriverHasGraphs(const DriverApi& api) {
  if (api.missing_for_graphs == nullptr) return {};
  return fail(
      ErrorKind::kBadRequest,
      "the CUDA driver is too old for graphs: its libcuda.so.1 has no {}; install a driver of CUDA 11.4 "
      "or later (470), or launch one by one",
      api.missing_for_graphs);
}

Expected<void> checkDriverHasConditions(const DriverApi& api) {
  if (api.missing_for_conditions == nullptr) return {};
  return fail(
      ErrorKind::kBadRequest,
      "the CUDA driver is too old for conditional nodes of graphs: its libcuda.so.1 has no {}; install "
      "a driver of CUDA 12.4 or later",
      api.missing_for_conditions);
}

GraphSet::~GraphSet() {
  if (session_.poisoned()) return;
  const DriverApi& api = session_.api();
  for (const Made& made : made_) {
    if (made.executable != nullptr) api.graphExecDestroy(made.executable);
    if (made.graph != nullptr) api.graphDestroy(made.graph);
  }
}

Expected<void> GraphSet::make(const StreamWork& work, StreamSet& streams, const Enqueue& enqueue,
                              const AddNode& add_node) {
  if (work.graphs.empty()) return {};
  if (auto able = checkDriverHasGraphs(session_.api()); !able) return able;
  if (hasConditions(work)) {
    if (auto able = checkDriverHasConditions(session_.api()); !able) return able;
  }
  for (const StreamGraph& graph : work.graphs) made_.push_back({.name = graph.name});
  make_ns_.resize(work.graphs.size());
  for (uint32_t first = 0; first < work.operations.size(); first += operationsOfCall(work, first)) {
    const auto& index = work.operations[first].graph;
    if (!index) continue;
    const StreamGraph& graph = work.graphs[*index];
    Made& made = made_[*index];
    const int64_t begin_ns = hostNowNs();
    auto done = graph.making == GraphMaking::kCaptured ? capture(work, first, streams, enqueue, made)
                                                       : build(work, first, add_node, made);
    if (done) done = instantiate(made, streams.stream(graph.stream));
    if (!done) return done;
    make_ns_[*index] = static_cast<double>(hostNowNs() - begin_ns);
  }
  return streams.synchronize();
}

// The capture ends after an error, too: until then, the streams can do nothing else.
Expected<void> GraphSet::capture(const StreamWork& work, uint32_t first, StreamSet& streams,
                                 const Enqueue& enqueue, Made& made) {
  const DriverApi& api = session_.api();
  const Stream stream = streams.stream(work.graphs[*work.operations[first].graph].stream);
  auto done = session_.check(api.streamBeginCapture(stream, kCaptureThisThread), "beginning to capture {}",
                             made.name);
  if (!done) return done;
  const uint32_t end = first + operationsOfCall(work, first);
  for (uint32_t i = first; i < end && done; ++i) done = enqueue(i);
  const Result ended = api.streamEndCapture(stream, &made.graph);
  return done ? session_.check(ended, "ending the capture of {}", made.name) : done;
}

// The handle of a condition must be there before the launch that sets it, since it is an argument of that
// one. It belongs to the graph that has the conditional node, also where the launch that sets it is in the
// body of another one. The value is 0 at each launch of the graph, so that what no launch has set is skipped
// ("Conditional Graph Nodes", CUDA C++ Programming Guide).
Expected<void> GraphSet::build(const StreamWork& work, uint32_t first, const AddNode& add_node, Made& made) {
  const DriverApi& api = session_.api();
  auto done = session_.check(api.graphCreate(&made.graph, 0), "creating {}", made.name);
  if (!done) return done;
  const uint32_t count = operationsOfCall(work, first);
  std::vector<GraphNode> nodes;          // by operation of the graph
  std::vector<uint64_t> handles(count);  // by operation that has a condition
  for (uint32_t i = 0; i < count; ++i) {
    const EnqueuedOperation& operation = work.operations[first + i];
    std::vector<GraphNode> after;
    for (const uint32_t before : operation.nodes) after.push_back(nodes[before - first]);
    LaunchSpec launch = operation.launch;
    if (const auto decided = decidedBy(work, first + i)) {
      uint64_t& handle = handles[*decided - first];
      done = session_.check(
          api.graphConditionalHandleCreate(&handle, made.graph, session_.context(), 0, kAssignDefault),
          "creating a condition of {}", made.name);
      if (!done) return done;
      launch.parameters.back() = conditionParameter(handle);
    }
    Graph graph = made.graph;
    GraphNode conditional = nullptr;
    if (operation.only_if) {
      const auto added = addConditional(handles[i], after, made);
      if (!added) return tl::unexpected(added.error());
      std::tie(conditional, graph) = *added;
      after.clear();
    }
    const auto node = add_node(launch, graph, after);
    if (!node) return tl::unexpected(node.error());
    nodes.push_back(conditional == nullptr ? *node : conditional);
  }
  return {};
}

Expected<std::pair<GraphNode, Graph>> GraphSet::addConditional(uint64_t handle,
                                                               std::span<const GraphNode> after, Made& made) {
  ConditionalNode conditional{.handle = handle, .context = session_.context()};
  GraphNode node = nullptr;
  auto added = session_.check(
      session_.api().graphAddNode(&node, made.graph, after.data(), nullptr, after.size(), &conditional),
      "adding a conditional node to {}", made.name);
  if (!added) return tl::unexpected(added.error());
  return std::pair(node, conditional.bodies[0]);
}

Expected<void> GraphSet::instantiate(Made& made, Stream stream) {
  const DriverApi& api = session_.api();
  return session_
      .check(api.graphInstantiateWithFlags(&made.executable, made.graph, 0), "instantiating {}", made.name)
      .and_then([&] {
        return session_.check(api.graphUpload(made.executable, stream), "uploading {}", made.name);
      });
}

Expected<void> GraphSet::launch(uint32_t graph, Stream stream) {
  return session_.check(session_.api().graphLaunch(made_[graph].executable, stream), "launching {}",
                        made_[graph].name);
}

}  // namespace warpscope::cuda
