#include "kernels/occupancy/waves.h"

#include <cmath>

namespace warpscope {

std::optional<Waves> wavesOf(uint64_t grid_blocks, const Occupancy& occupancy, uint32_t sm_count) {
  const uint64_t wave = uint64_t{occupancy.blocks_per_sm} * sm_count;
  if (wave == 0 || grid_blocks == 0) return std::nullopt;
  Waves waves{.blocks = grid_blocks, .blocks_per_wave = wave};
  waves.waves = static_cast<double>(grid_blocks) / static_cast<double>(wave);
  waves.full_waves = grid_blocks / wave;
  waves.tail_blocks = grid_blocks % wave;
  waves.tail_share = static_cast<double>(waves.tail_blocks) / static_cast<double>(wave);
  waves.mean_fill = waves.waves / std::ceil(waves.waves);
  return waves;
}

}  // namespace warpscope
