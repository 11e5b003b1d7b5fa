// A block's threads as a grid of cells: x across, y down, slices of z beside and below each other. A long and
// thin block is folded: x continues in the next row. Lanes of the last warp that never had a thread have
// cells of their own, after the block.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/run/lane_log.h"

namespace warpscope {

struct ThreadCell {
  uint32_t column = 0, row = 0;
  uint32_t warp = 0;
  uint8_t lane = 0;
  bool exists = true;
  ThreadIndex thread;
};

struct SliceLabel {
  uint32_t column = 0, row = 0;  // of the first cell of the slice
  uint32_t z = 0;
};

struct ThreadGrid {
  uint32_t columns = 0, rows = 0;
  uint32_t row_threads = 0;        // threads in a row: less than block.x if x is folded
  std::vector<ThreadCell> cells;   // by warp, then lane
  std::vector<SliceLabel> slices;  // empty: there is only one slice
  uint32_t ghost_row = 0;          // first row of cells without threads; 0: there are none

  const ThreadCell* at(uint32_t column, uint32_t row) const;
};

// `aspect`: width divided by height of the available space.
ThreadGrid layOutThreads(const LaneLog& log, BlockId block, float aspect);

}  // namespace warpscope
