// Changes that would raise occupancy, or cost none, each with its reason: as
// cudaOccupancyMaxPotentialBlockSize does for block sizes, but also for registers, shared memory and the
// grid.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/occupancy/occupancy.h"

namespace warpscope {

// The block size with the most resident threads, the largest if there are several: what
// cudaOccupancyMaxPotentialBlockSize answers (cuda_occupancy.h, cudaOccMaxPotentialOccupancyBlockSize).
struct PotentialBlockSize {
  uint32_t block_threads = 0;  // 0: no block fits
  uint32_t blocks_per_sm = 0;
  uint64_t least_grid = 0;  // number of blocks that fills all SMs; 0: the number of SMs is not known
  double occupancy = 0;
};
PotentialBlockSize potentialBlockSize(const OccupancyQuestion& question);

struct Suggestion {
  enum class Kind {
    kImpossible,  // this block cannot run; names one that can
    kWholeWarps,  // some lanes never exist
    kBlockSize,   // another block size holds more warps
    kRegisters,   // with fewer registers one more block fits
    kShared,      // with less shared memory one more block fits
    kCarveOut,    // with a larger share of L1 as shared memory one more block fits
    kBarriers,    // with fewer numbered barriers one more block fits
    kSmallGrid,   // the grid does not fill the GPU once
    kTail,        // its last wave is small
    kRoom,        // what could be used in addition without cost
    kFull,        // occupancy cannot be raised any further
  };
  Kind kind = Kind::kFull;
  std::string text, reason;  // one sentence each
  // The new value, if it is one of these three; and the occupancy with it.
  std::optional<uint32_t> block_threads{}, registers{}, shared_bytes{};
  std::optional<double> occupancy{};
};
// The most effective suggestion comes first. `grid_blocks` is absent if there is no launch.
std::vector<Suggestion> suggestions(const OccupancyQuestion& question,
                                    std::optional<uint64_t> grid_blocks = std::nullopt);

}  // namespace warpscope
