// Theoretical occupancy: how many blocks of a kernel fit on one SM, and which resource stops the next one.
// Rules: CUDA C++ Programming Guide, "Hardware Multithreading" and "Compute Capabilities" tables; allocation
// granularities per compute capability are in occupancy.cpp with their source.
#pragma once

#include "kernels/core/error.h"
#include "kernels/trace/limiter_name.h"
#include "kernels/trace/run.h"

namespace warpscope {

// An impossible block (more threads, registers or shared memory than a block may have) gives 0 blocks and
// kImpossible. A resource that the kernel does not use allows as many blocks as the SM has slots for.
Occupancy theoreticalOccupancy(const DeviceLimits& limits, const KernelResources& resources,
                               uint32_t block_threads);

}  // namespace warpscope
