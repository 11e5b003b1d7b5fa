// Decides the order in which a group's operations issue.
#pragma once

#include <vector>

#include "kernels/sim/sm/lowering/graph.h"

namespace warpscope::sim::lowering {

// List scheduling of the group that begins at `head`: the operation that most others wait for goes first,
// memory operations that may access the same address keep their order, and the operation that ends the group
// is last.
std::vector<uint32_t> scheduleGroup(Graph& graph, uint32_t head);

// 32-bit registers that a thread needs: the most values live at the same time, and what ptxas uses in
// addition.
uint32_t estimateRegisters(const Graph& graph, const std::vector<std::vector<uint32_t>>& by_head);

}  // namespace warpscope::sim::lowering
