// The buffers that a launch uses, and what the caches hold of them when it begins. Knows nothing of how the
// launch is executed; nothing here can fail.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "kernels/backend/modelling_backend.h"
#include "kernels/sim/backend/device_memory.h"
#include "kernels/sim/backend/loaded_kernels.h"
#include "kernels/sim/backend/modelled_caches.h"

namespace warpscope::sim {

// The allocations into which its parameters point, in their order.
std::vector<AddressRange> buffersOf(const LaunchSpec& spec, const DeviceMemory& memory);
// How many bytes of an allocation it uses, the first ones; of an image, as many as its tiles take.
uint64_t usedBytes(const LaunchSpec& spec, const AddressRange& allocation, const DeviceMemory& memory);

// The share of each buffer that a launch uses, by the address where its allocation begins; of those that are
// not named, all.
using UsedShares = std::map<uint64_t, double>;
// That of a launch that has just been timed, its caches having been prepared.
UsedShares usedSharesOf(const LaunchSpec& spec, const std::vector<AddressRange>& recording,
                        const DeviceMemory& memory, ModelledCaches& caches);

// A launch with warm or cold caches takes the same time whatever came before it. Cold: nothing is cached.
// Warm: each buffer that it uses has passed through L2 once, those that its parameters point into last, in
// their order; if what it uses of them does not fit, the last ones remain there. Where probes record
// (`recording`) is written only. Places the buffers anew, unless the caches are to be as they were left.
void prepareCaches(ModelledCaches& caches, ModelledLaunch::Caches wanted, const LaunchSpec& spec,
                   const LoadedKernel& kernel, const std::vector<AddressRange>& recording,
                   const DeviceMemory& memory, const UsedShares& used_shares = {});

// The caches of the GPU that the launch is for, which know from here on what memory is the other one's.
DeviceCaches& cachesFor(const LaunchSpec& spec, const DeviceMemory& memory, ModelledCaches& caches);

}  // namespace warpscope::sim
