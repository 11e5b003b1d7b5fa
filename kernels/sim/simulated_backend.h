// The simulated GPU as a backend: its memory, modules and launches, all on the CPU. A launch executes the
// kernel's PTX; a timed one on the SM model, a checked one looking for hazards, any other as fast as the host
// can. Nothing poisons it: after a faulty kernel the next launch starts afresh.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/backend/backend.h"
#include "kernels/core/error.h"
#include "kernels/sim/sm/profile.h"

namespace warpscope::sim {

struct SimulatedOptions {
  uint32_t threads = 0;  // 0: as many as the host has; results and cycles do not depend on it
};

// Error: the host gives no memory.
Expected<std::unique_ptr<Backend>> openSimulatedBackend(DeviceProfile profile, SimulatedOptions options = {});

}  // namespace warpscope::sim
