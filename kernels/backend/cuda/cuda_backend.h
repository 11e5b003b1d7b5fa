// The backend on the CUDA driver API. It owns one GPU's primary context, one stream, loaded modules, timing
// events and pinned staging memory; it knows nothing of experiments, probes or runs. Meant to live in a child
// process (serve.h): a sticky CUDA error poisons the process for good.
#pragma once

#include <memory>

#include "kernels/backend/backend.h"

namespace warpscope {

// All GPUs of this machine, "cuda:0" first, or notes that say why there is none.
DeviceListing listCudaDevices();

// Errors: kNoDevice (no driver, no GPU, no such ordinal, GPU in use by others exclusively).
Expected<std::unique_ptr<Backend>> openCudaBackend(int ordinal);

// "cuda:3" -> 3; "cuda" -> 0; nothing else is a CUDA device's id.
Expected<int> cudaOrdinal(const std::string& id);

}  // namespace warpscope
