// Whether the simulated GPU can make a launch, and the block of its parameters. Errors: kBadRequest, naming
// the kernel, what was asked for and what is possible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/backend/backend.h"
#include "kernels/core/error.h"
#include "kernels/sim/simt/code.h"

namespace warpscope::sim {

// Returns how many of its blocks fit on an SM. What validateCluster() can know of clusters is left to it.
Expected<uint32_t> checkLaunch(const LaunchSpec& spec, const Code& code, const KernelResources& needed,
                               const DeviceDescription& gpu, uint32_t gpc_count);

Expected<std::vector<std::byte>> parameterBlock(const LaunchSpec& spec, const Code& code);

}  // namespace warpscope::sim
