#include "kernels/backend/cuda/streams/graph_set.h"

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

Expected<void> GraphSet::build(const StreamWork& work, uint32_t first, const AddNode& add_node, Made& made) {
  auto done = session_.check(session_.api().graphCreate(&made.graph, 0), "creating {}", made.name);
  if (!done) return done;
  std::vector<GraphNode> nodes;  // by operation of the graph
  const uint32_t count = operationsOfCall(work, first);
  for (uint32_t i = 0; i < count; ++i) {
    const EnqueuedOperation& operation = work.operations[first + i];
    std::vector<GraphNode> after;
    for (const uint32_t before : operation.nodes) after.push_back(nodes[before - first]);
    const auto node = add_node(operation.launch, made.graph, after);
    if (!node) return tl::unexpected(node.error());
    nodes.push_back(*node);
  }
  return {};
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
