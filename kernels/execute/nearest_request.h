// For a request that a device cannot launch: the change of one parameter that makes it possible. This code
// does not know why a request is impossible: it asks.
#pragma once

#include <functional>

#include "kernels/experiments/experiment.h"

namespace warpscope {

using IsPossible = std::function<bool(const RunRequest&)>;

// One parameter and its nearest possible value; empty: changing one does not help. `last`: the last request
// that was possible (null: none was). What was changed since then is moved first, then the block, then what a
// block needs, the size last. `request` must be complete.
ParameterValues nearestPossible(const FamilyInfo& family, const RunRequest& request, const RunRequest* last,
                                const IsPossible& is_possible);

}  // namespace warpscope
