// How many warps are to be resident on an SM, and the equal blocks that make them up.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/core/error.h"
#include "kernels/run/device_description.h"

namespace warpscope {

struct Resident {
  uint32_t block = 0;          // threads
  uint32_t blocks_per_sm = 0;  // of which the grid has as many on every SM
  uint32_t blocks = 0;         // of the grid

  uint32_t threads() const { return blocks * block; }
};

// Exactly `warps` on each SM, in blocks of at most `most_block` threads if that can be, otherwise in larger
// ones. Error: the device does not hold so many, or they cannot be cut into equal blocks; says what can.
Expected<Resident> residentWarps(uint32_t warps, uint32_t most_block, const DeviceLimits& limits,
                                 const std::string& what);

// So many blocks of that size on each SM. Error: they do not fit; says what does.
Expected<Resident> residentBlocks(uint32_t blocks_per_sm, uint32_t block, const DeviceLimits& limits,
                                  const std::string& what);

// Dynamic shared memory with which no more than the blocks asked for fit on an SM, so that the hardware
// cannot put a further one there and leave another SM short; 0 where the device does not say how much it has.
uint32_t sharedBytesThatFill(const Resident& resident, const DeviceLimits& limits);

}  // namespace warpscope
