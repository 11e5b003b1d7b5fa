// Modules that call the CUDA device runtime library, libcudadevrt.a of the toolkit: the driver links them
// with it when they are loaded. Of that library, kernels here use what sets the conditions of graphs' nodes.
#pragma once

#include <optional>
#include <string>

#include "kernels/backend/cuda/session.h"

namespace warpscope::cuda {

// Where the library is: in CUDA_HOME or CUDA_PATH, or where toolkits are usually installed. nullopt: nowhere.
std::optional<std::string> deviceRuntimeLibrary();

bool callsDeviceRuntime(const ModuleImage& image);

// Links and loads it. The error (kWorkFailed, or kBadRequest if the library or the driver's linker is not
// there) holds the linker's log.
Expected<Module> loadLinkedModule(Session& session, const ModuleImage& image);

}  // namespace warpscope::cuda
