// The properties of a GPU, as the driver reports them, in the DeviceDescription that is stored with runs.
#pragma once

#include "kernels/backend/cuda/driver_api.h"
#include "kernels/run/device_description.h"

namespace warpscope::cuda {

Expected<int> deviceCount(const DriverApi& api);
Expected<DeviceDescription> describeDevice(const DriverApi& api, int ordinal);

}  // namespace warpscope::cuda
