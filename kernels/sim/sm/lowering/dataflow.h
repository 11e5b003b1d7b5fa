// From Code to the lowering's graph: which operation's result each source is.
#pragma once

#include "kernels/sim/sm/lowering/graph.h"

namespace warpscope::sim::lowering {

// Operations, values and control flow of a kernel; nothing simplified yet. A value is a web: definitions of
// one register that share a use. So it does not matter whether registers are used again for other things.
Graph buildGraph(const Code& code, const DeviceProfile& profile);

// Which values are the same for all lanes: computed from such values, and not chosen by a branch that lanes
// disagree on. (That lanes may leave a loop at different times is not looked at.)
void markUniform(Graph& graph);

}  // namespace warpscope::sim::lowering
