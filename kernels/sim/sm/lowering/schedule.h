// The order in which a group's operations issue.
#pragma once

#include <vector>

#include "kernels/sim/sm/lowering/graph.h"

namespace warpscope::sim::lowering {

// List scheduling of the group that begins at `head`: what most waits for goes first, memory operations keep
// their order where they may touch the same address, and what ends the group is last.
std::vector<uint32_t> scheduleGroup(Graph& graph, uint32_t head);

// 32-bit registers a thread needs: the most values alive at once, and what ptxas takes besides.
uint32_t estimateRegisters(const Graph& graph, const std::vector<std::vector<uint32_t>>& by_head);

}  // namespace warpscope::sim::lowering
