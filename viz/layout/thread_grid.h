// A block's threads as a grid of cells: x across, y down, slices of z beside and under each other. A block
// that is long and thin is folded: x goes on in the next row. Lanes of the last warp that never had a thread
// have cells of their own, behind the block.
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
  uint32_t column = 0, row = 0;  // of the slice's first cell
  uint32_t z = 0;
};

struct ThreadGrid {
  uint32_t columns = 0, rows = 0;
  uint32_t row_threads = 0;        // threads in a row: less than block.x where x is folded
  std::vector<ThreadCell> cells;   // by warp, then lane
  std::vector<SliceLabel> slices;  // empty: one slice
  uint32_t ghost_row = 0;          // where cells without threads begin; 0: there are none

  const ThreadCell* at(uint32_t column, uint32_t row) const;
};

// `aspect`: width over height of the room there is.
ThreadGrid layOutThreads(const LaneLog& log, BlockId block, float aspect);

}  // namespace warpscope
