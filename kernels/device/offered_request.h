// The request to send to a device when only some of the settings were given.
#pragma once

#include "kernels/device/device.h"
#include "kernels/experiments/experiment.h"

namespace warpscope {

// The complete request: what was left out takes the device's defaults. For a device that offers only some
// settings (a recording), parameters that were left out move to what it has, but never silently one that was
// given: that is a kBadRequest that lists what there is.
Expected<RunRequest> offeredRequest(const Device& device, const FamilyInfo& family, const RunRequest& asked);

}  // namespace warpscope
