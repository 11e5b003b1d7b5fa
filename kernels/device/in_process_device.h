// A device whose backend lives in this process and cannot take it down: the simulated GPU.
#pragma once

#include <memory>

#include "kernels/backend/modelling_backend.h"
#include "kernels/device/device.h"

namespace warpscope {

std::unique_ptr<Device> makeInProcessDevice(std::unique_ptr<ModellingBackend> backend);

}  // namespace warpscope
