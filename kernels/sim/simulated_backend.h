// The simulated GPU as a backend: its memory, modules and launches, all on the CPU. A launch executes the
// kernel's PTX: on the SM model if time is wanted, looking for hazards if it is checked, otherwise as fast as
// the host can. Nothing poisons it: after a faulty kernel the next launch starts afresh.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/backend/modelling_backend.h"
#include "kernels/core/error.h"
#include "kernels/sim/sm/profile.h"

namespace warpscope::sim {

struct SimulatedOptions {
  uint32_t threads = 0;  // 0: as many as the host has; results and cycles do not depend on it
};

// Error: the host does not have enough memory.
Expected<std::unique_ptr<ModellingBackend>> openSimulatedBackend(DeviceProfile profile,
                                                                 SimulatedOptions options = {});

}  // namespace warpscope::sim
