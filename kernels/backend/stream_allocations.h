// Memory that operations on streams allocate and free in the order of their streams.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/backend/backend.h"

namespace warpscope {

// Checks that operations free, and launches use, what an operation before them has allocated, and that
// nothing is freed twice. That a launch may run before the allocation or after the free is no error here: it
// is what execute/stream_races.h looks for. Error: kBadRequest, with the operation's number.
Expected<void> checkAllocations(const StreamWork& work);

// The launch with the addresses that its allocations have given; `addresses`: by operation.
LaunchSpec withAllocated(const EnqueuedOperation& operation, const std::vector<DeviceAddress>& addresses);

}  // namespace warpscope
