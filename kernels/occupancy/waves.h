// A grid on a whole GPU: blocks run in waves of as many as fit at once, and the last wave is seldom full.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/run/run.h"

namespace warpscope {

struct Waves {
  uint64_t blocks = 0;           // in the grid
  uint64_t blocks_per_wave = 0;  // on all SMs
  double waves = 0;              // blocks / blocks_per_wave
  uint64_t full_waves = 0;
  uint64_t tail_blocks = 0;  // in the last wave, if it is not full
  double tail_share = 0;     // the tail's share of a wave; 0: there is no tail
  // The part of the theoretical occupancy that remains on average if all waves take equally long.
  double mean_fill = 0;
};
// Returns nullopt if the number of SMs is not known, or no block fits.
std::optional<Waves> wavesOf(uint64_t grid_blocks, const Occupancy& occupancy, uint32_t sm_count);

}  // namespace warpscope
