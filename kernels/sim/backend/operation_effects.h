// Carries out operations on streams that are not launches: they change memory and caches. Errors: as
// DeviceMemory's.
#pragma once

#include "kernels/backend/backend.h"
#include "kernels/core/error.h"
#include "kernels/sim/backend/device_memory.h"
#include "kernels/sim/backend/modelled_caches.h"

namespace warpscope::sim {

Expected<void> carryOut(const EnqueuedOperation& operation, DeviceMemory& memory, ModelledCaches& caches);

}  // namespace warpscope::sim
