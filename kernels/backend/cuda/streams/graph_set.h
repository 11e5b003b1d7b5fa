// The graphs of one run of operations: makes, uploads and launches them. Releases all of them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "kernels/backend/backend.h"
#include "kernels/backend/cuda/session.h"
#include "kernels/backend/cuda/streams/stream_set.h"

namespace warpscope::cuda {

// Errors (kBadRequest) name an entry for graphs, or for their conditional nodes, that the driver lacks.
Expected<void> checkDriverHasGraphs(const DriverApi& api);
Expected<void> checkDriverHasConditions(const DriverApi& api);

class GraphSet {
 public:
  // Enqueues an operation on its stream, which is being captured.
  using Enqueue = std::function<Expected<void>(uint32_t operation)>;
  // Adds a launch to a graph, behind the nodes `after`.
  using AddNode = std::function<Expected<GraphNode>(const LaunchSpec& launch, Graph graph,
                                                    std::span<const GraphNode> after)>;

  explicit GraphSet(Session& session) : session_(session) {}
  // The streams must have ended.
  ~GraphSet();
  GraphSet(const GraphSet&) = delete;
  GraphSet& operator=(const GraphSet&) = delete;

  // All of `work`, which checkGraphs() has passed, on its streams. Returns when they are uploaded.
  Expected<void> make(const StreamWork& work, StreamSet& streams, const Enqueue& enqueue,
                      const AddNode& add_node);
  Expected<void> launch(uint32_t graph, Stream stream);
  // By graph: what the host took to make it.
  const std::vector<double>& makeNs() const { return make_ns_; }

 private:
  struct Made {
    std::string name;
    Graph graph = nullptr;
    GraphExec executable = nullptr;
  };
  Expected<void> capture(const StreamWork& work, uint32_t first, StreamSet& streams, const Enqueue& enqueue,
                         Made& made);
  Expected<void> build(const StreamWork& work, uint32_t first, const AddNode& add_node, Made& made);
  // Adds an IF node of a graph and returns it with its body, which is empty.
  Expected<std::pair<GraphNode, Graph>> addConditional(uint64_t handle, std::span<const GraphNode> after,
                                                       Made& made);
  Expected<void> instantiate(Made& made, Stream stream);

  Session& session_;
  std::vector<Made> made_;  // by graph
  std::vector<double> make_ns_;
};

}  // namespace warpscope::cuda
