// Of a request that a device cannot launch, the change of one parameter that makes it possible. Knows nothing
// of why it is impossible: it asks.
#pragma once

#include <functional>

#include "kernels/experiments/experiment.h"

namespace warpscope {

using IsPossible = std::function<bool(const RunRequest&)>;

// One parameter and its nearest possible value; empty: moving one does not help. `last`: what was possible
// before (null: nothing was); what was changed since then is moved first, then the block, then what a block
// needs, the size last. `request` is complete.
ParameterValues nearestPossible(const FamilyInfo& family, const RunRequest& request, const RunRequest* last,
                                const IsPossible& is_possible);

}  // namespace warpscope
