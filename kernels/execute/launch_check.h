// Refuses, before anything is allocated, launches that a device cannot make; the message names the limit.
#pragma once

#include <string>

#include "kernels/core/error.h"
#include "kernels/experiments/experiment.h"
#include "kernels/experiments/kernel_modules.h"
#include "kernels/run/run.h"

namespace warpscope {

// `what`: "reduction/shuffle", for the message. Errors: kBadRequest.
Expected<void> checkLaunch(const LaunchPlan& plan, const DeviceDescription& device, const std::string& what);
// Whether the device can run the module's code at all.
Expected<void> checkCapability(const ModuleImage& module, const DeviceDescription& device,
                               const std::string& what);
// The same once the compiled kernel's resources are known, including its dynamic shared memory.
Expected<void> checkResources(const Dim3& block, const KernelResources& resources,
                              const DeviceDescription& device, const std::string& what);
// Whether all blocks of a cooperative launch are resident at once, if an SM holds `blocks_per_sm` of them.
Expected<void> checkResident(const LaunchPlan& plan, uint32_t blocks_per_sm, const DeviceDescription& device,
                             const std::string& what);

}  // namespace warpscope
