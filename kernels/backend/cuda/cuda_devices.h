// What the driver tells about a GPU, as the DeviceDescription that travels with runs.
#pragma once

#include "kernels/backend/cuda/driver_api.h"
#include "kernels/run/device_description.h"

namespace warpscope::cuda {

Expected<int> deviceCount(const DriverApi& api);
Expected<DeviceDescription> describeDevice(const DriverApi& api, int ordinal);

}  // namespace warpscope::cuda
