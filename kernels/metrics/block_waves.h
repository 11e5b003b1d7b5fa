// The recorded blocks of a launch as bars over time, with a group of rows for each SM: blocks that run at the
// same time are in different rows, and a block that begins after another has ended takes over its row. Its
// wave is one more than that of the block it succeeds.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/run/run.h"

namespace warpscope {

struct BlockBar {
  BlockId block;
  uint32_t sm = 0;    // index into BlockWaves::sms
  uint32_t row = 0;   // among all rows
  uint32_t wave = 0;  // from 0
  int64_t begin_cycles = 0, end_cycles = 0;
};

struct SmRows {
  SmId sm;
  uint32_t first_row = 0, rows = 0;
  uint32_t blocks = 0;
  int64_t last_end_cycles = 0;  // idle from here to the end of the launch
  int64_t busy_cycles = 0;      // summed over its rows
};

struct BlockWaves {
  std::vector<SmRows> sms;     // ascending
  std::vector<BlockBar> bars;  // by SM, then begin
  uint32_t rows = 0, waves = 0;
  int64_t end_cycles = 0;  // end of the last recorded block
  uint64_t blocks = 0;     // in the grid

  bool complete() const { return bars.size() == blocks; }
  // Share of the recorded SMs' time, from 0 to end_cycles, in which a row is without a block.
  double idleShare() const;
};

BlockWaves blockWavesOf(const Run& run);

}  // namespace warpscope
