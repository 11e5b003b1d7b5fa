// The fake driver's entries for graphs, captured or made node by node.
#include <utility>

#include "tests/support/fake_cuda/fake_kernels.h"

#pragma GCC visibility push(default)
extern "C" {

using namespace warpscope::cuda;
using namespace warpscope::testing::fake_driver;

Result cuStreamBeginCapture_v2(Stream handle, int) {
  const std::lock_guard lock(state().mutex);
  FakeStream& stream = streamOf(handle);
  if (const Result failed = note({.entry = "cuStreamBeginCapture_v2", .stream = stream.number}))
    return failed;
  stream.captured = new FakeGraph;
  return kSuccess;
}
Result cuStreamEndCapture(Stream handle, Graph* graph) {
  const std::lock_guard lock(state().mutex);
  FakeStream& stream = streamOf(handle);
  FakeGraph* captured = stream.captured;
  for (const auto& each : state().streams) {
    if (each->captured != captured) continue;
    each->captured = nullptr;
    each->last.clear();
  }
  if (const Result failed = note({.entry = "cuStreamEndCapture", .stream = stream.number})) {
    delete captured;
    return failed;
  }
  *graph = reinterpret_cast<Graph>(captured);
  ++state().alive.graphs;
  return kSuccess;
}
Result cuGraphCreate(Graph* graph, unsigned) {
  const std::lock_guard lock(state().mutex);
  if (const Result failed = note({.entry = "cuGraphCreate"})) return failed;
  *graph = reinterpret_cast<Graph>(new FakeGraph);
  ++state().alive.graphs;
  return kSuccess;
}
Result cuGraphAddKernelNode_v2(GraphNode* node, Graph graph, const GraphNode* after, size_t count,
                               const KernelNode* launch) {
  const std::lock_guard lock(state().mutex);
  if (const Result failed = note({.entry = "cuGraphAddKernelNode_v2"})) return failed;
  // A node's handle is its index and 1.
  std::vector<size_t> before;
  for (size_t i = 0; i < count; ++i) before.push_back(reinterpret_cast<uintptr_t>(after[i]) - 1);
  const std::string& name = reinterpret_cast<FakeFunction*>(launch->function)->name;
  const size_t index =
      addNode(*reinterpret_cast<FakeGraph*>(graph), name, launch->arguments, std::move(before));
  *node = reinterpret_cast<GraphNode>(uintptr_t{index + 1});
  return kSuccess;
}
Result cuGraphConditionalHandleCreate(uint64_t* handle, Graph, Context, unsigned value, unsigned flags) {
  const std::lock_guard lock(state().mutex);
  if (const Result failed = note({.entry = "cuGraphConditionalHandleCreate"})) return failed;
  if (value != 0 || flags != kAssignDefault) return kErrorNotPermitted;
  *handle = 100 + state().conditions.size();
  state().conditions[*handle] = 0;
  return kSuccess;
}
Result cuGraphAddNode_v2(GraphNode* made, Graph handle, const GraphNode* after, const void*, size_t count,
                         ConditionalNode* conditional) {
  const std::lock_guard lock(state().mutex);
  if (const Result failed = note({.entry = "cuGraphAddNode_v2"})) return failed;
  if (!state().conditions.contains(conditional->handle)) return kInvalidHandle;
  FakeGraph& graph = *reinterpret_cast<FakeGraph*>(handle);
  FakeNode node{.kernel = {}, .arguments = {}, .after = {}, .condition = conditional->handle};
  for (size_t i = 0; i < count; ++i) node.after.push_back(reinterpret_cast<uintptr_t>(after[i]) - 1);
  node.body = std::make_shared<FakeGraph>();
  graph.bodies = {reinterpret_cast<Graph>(node.body.get())};
  conditional->bodies = graph.bodies.data();
  graph.nodes.push_back(std::move(node));
  *made = reinterpret_cast<GraphNode>(uintptr_t{graph.nodes.size()});
  return kSuccess;
}
Result cuGraphInstantiateWithFlags(GraphExec* executable, Graph graph, unsigned long long) {
  const std::lock_guard lock(state().mutex);
  if (const Result failed = note({.entry = "cuGraphInstantiateWithFlags"})) return failed;
  *executable = reinterpret_cast<GraphExec>(new FakeGraph(*reinterpret_cast<FakeGraph*>(graph)));
  ++state().alive.executable_graphs;
  return kSuccess;
}
Result cuGraphUpload(GraphExec, Stream handle) {
  const std::lock_guard lock(state().mutex);
  return note({.entry = "cuGraphUpload", .stream = streamOf(handle).number});
}
Result cuGraphLaunch(GraphExec executable, Stream handle) {
  const std::lock_guard lock(state().mutex);
  FakeStream& stream = streamOf(handle);
  if (const Result failed = note({.entry = "cuGraphLaunch", .stream = stream.number})) return failed;
  runGraph(*reinterpret_cast<FakeGraph*>(executable), stream);
  return kSuccess;
}
Result cuGraphExecDestroy(GraphExec executable) {
  const std::lock_guard lock(state().mutex);
  delete reinterpret_cast<FakeGraph*>(executable);
  --state().alive.executable_graphs;
  return kSuccess;
}
Result cuGraphDestroy(Graph graph) {
  const std::lock_guard lock(state().mutex);
  delete reinterpret_cast<FakeGraph*>(graph);
  --state().alive.graphs;
  return kSuccess;
}

}  // extern "C"
#pragma GCC visibility pop
