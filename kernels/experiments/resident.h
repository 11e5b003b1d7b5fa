// The number of warps that should be resident on an SM, and the equal blocks that they form.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/core/error.h"
#include "kernels/run/device_description.h"

namespace warpscope {

struct Resident {
  uint32_t block = 0;          // threads
  uint32_t blocks_per_sm = 0;  // the grid has this many for every SM
  uint32_t blocks = 0;         // in the grid

  uint32_t threads() const { return blocks * block; }
};

// Exactly `warps` on each SM, in blocks of at most `most_block` threads if possible, otherwise in larger
// ones. Fails if the device does not hold that many, or they cannot be divided into equal blocks; the message
// says what is possible.
Expected<Resident> residentWarps(uint32_t warps, uint32_t most_block, const DeviceLimits& limits,
                                 const std::string& what);

// This many blocks of that size on each SM. Fails if they do not fit; the message says how many do.
Expected<Resident> residentBlocks(uint32_t blocks_per_sm, uint32_t block, const DeviceLimits& limits,
                                  const std::string& what);

// Dynamic shared memory per block with which no more blocks than asked for fit on an SM, so that the hardware
// cannot put another one there and leave another SM short; 0 if the device does not report how much it has.
uint32_t sharedBytesThatFill(const Resident& resident, const DeviceLimits& limits);

}  // namespace warpscope
