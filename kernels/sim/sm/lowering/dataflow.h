// Builds the lowering's graph from Code: finds for each source the operations whose result it is.
#pragma once

#include "kernels/sim/sm/lowering/graph.h"

namespace warpscope::sim::lowering {

// Returns a kernel's operations, values and control flow, without any simplification. A value is a web: the
// definitions of one register that share a use. So it does not matter whether registers are reused for other
// things.
Graph buildGraph(const Code& code, const DeviceProfile& profile);

// Marks the values that are the same for all lanes: computed from such values, and not chosen by a branch
// that lanes disagree on. (Lanes that leave a loop at different times are not considered.)
void markUniform(Graph& graph);

}  // namespace warpscope::sim::lowering
