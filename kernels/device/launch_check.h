// Refuses launches that a device cannot make before anything is allocated, in words that name the limit.
#pragma once

#include <string>

#include "kernels/core/error.h"
#include "kernels/experiments/experiment.h"
#include "kernels/trace/run.h"

namespace warpscope {

// `what`: "reduction/shuffle", for the message. Errors: kBadRequest.
Expected<void> checkLaunch(const LaunchPlan& plan, const DeviceDescription& device, const std::string& what);
// Once the compiled kernel's resources are known.
Expected<void> checkResources(const LaunchPlan& plan, const KernelResources& resources,
                              const DeviceDescription& device, const std::string& what);

}  // namespace warpscope
