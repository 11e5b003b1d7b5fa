// The simulated GPU as a backend: memory, modules and launches of kernels' PTX on the CPU.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/device/backend.h"
#include "kernels/device/sim/sm/profile.h"
#include "kernels/device/sim/sm/timed_grid.h"

namespace warpscope::sim {

struct SimulatedOptions {
  uint32_t threads = 0;  // 0: as many as the host has
};

// What a launch left, beyond what Backend tells.
struct LaunchReport {
  TimedResult timed;
  std::shared_ptr<const Code> code;  // what TimedResult::log's pcs index
};

std::unique_ptr<Backend> openSimulatedBackend(DeviceProfile profile, SimulatedOptions options = {});

}  // namespace warpscope::sim
