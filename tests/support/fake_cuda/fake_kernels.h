// The kernels that the fake GPU knows by name: what they do to memory, at once, and how long they last; on a
// stream, or as nodes of a graph. The state's mutex is held.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tests/support/fake_cuda/fake_gpu.h"

namespace warpscope::testing::fake_driver {

// `programmatic`: it need not wait for the end of the kernel before it, once that has triggered it.
void launch(const std::string& name, FakeStream& stream, void** arguments, bool programmatic = false);

// Returns the node's index in the graph.
size_t addNode(FakeGraph& graph, const std::string& kernel, void** arguments, std::vector<size_t> after);
// Nodes that follow none begin as any operation of the stream does. Conditions are 0 at first.
void runGraph(FakeGraph& graph, FakeStream& stream);

}  // namespace warpscope::testing::fake_driver
