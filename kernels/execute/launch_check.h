// Refuses, before anything is allocated, launches that a device cannot make; the message names the limit.
// Finds the nearest one that it can make.
#pragma once

#include <functional>
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

// For a request that a device cannot launch: the change of one parameter that makes it possible. This code
// does not know why a request is impossible: it asks.
using IsPossible = std::function<bool(const RunRequest&)>;

// One parameter and its nearest possible value; empty: changing one does not help. `last`: the last request
// that was possible (null: none was). What was changed since then is moved first, then the block, then what a
// block needs, the size last. `request` must be complete.
ParameterValues nearestPossible(const FamilyInfo& family, const RunRequest& request, const RunRequest* last,
                                const IsPossible& is_possible);

}  // namespace warpscope
