// What would raise occupancy, or cost none, with the reason in words: as cudaOccupancyMaxPotentialBlockSize
// does for block sizes, and also for registers, shared memory and the grid.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/occupancy/occupancy.h"

namespace warpscope {

// The block size with most resident threads: the largest of several. What
// cudaOccupancyMaxPotentialBlockSize answers (cuda_occupancy.h, cudaOccMaxPotentialOccupancyBlockSize).
struct PotentialBlockSize {
  uint32_t block_threads = 0;  // 0: no block fits
  uint32_t blocks_per_sm = 0;
  uint64_t least_grid = 0;  // blocks that fill all SMs; 0: nobody knows how many there are
  double occupancy = 0;
};
PotentialBlockSize potentialBlockSize(const OccupancyQuestion& question);

struct Suggestion {
  enum class Kind {
    kImpossible,  // this cannot run: what can
    kWholeWarps,  // lanes that never exist
    kBlockSize,   // another block size holds more warps
    kRegisters,   // fewer registers let one more block in
    kShared,      // less shared memory does
    kCarveOut,    // a larger share of the L1 for shared memory does
    kBarriers,    // fewer numbered barriers do
    kSmallGrid,   // the grid does not fill the GPU once
    kTail,        // its last wave is small
    kRoom,        // what could be used in addition at no cost
    kFull,        // nothing more is to be had
  };
  Kind kind = Kind::kFull;
  std::string text, reason;  // one sentence each
  // What to change, where that is one of the three; and what occupancy is then.
  std::optional<uint32_t> block_threads{}, registers{}, shared_bytes{};
  std::optional<double> occupancy{};
};
// In the order of what helps most. `grid_blocks`: absent where there is no launch.
std::vector<Suggestion> suggestions(const OccupancyQuestion& question,
                                    std::optional<uint64_t> grid_blocks = std::nullopt);

}  // namespace warpscope
