// A grid on a whole GPU: blocks run in waves of as many as fit at once, and the last one is seldom full.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/run/run.h"

namespace warpscope {

struct Waves {
  uint64_t blocks = 0;           // of the grid
  uint64_t blocks_per_wave = 0;  // on all SMs
  double waves = 0;              // blocks / blocks_per_wave
  uint64_t full_waves = 0;
  uint64_t tail_blocks = 0;  // of the last wave, where it is not full
  double tail_share = 0;     // of a wave that these are; 0: there is no tail
  // Of the theoretical occupancy, what remains on average if all waves take equally long.
  double mean_fill = 0;
};
// nullopt: nobody knows how many SMs there are, or no block fits.
std::optional<Waves> wavesOf(uint64_t grid_blocks, const Occupancy& occupancy, uint32_t sm_count);

}  // namespace warpscope
