// The threads of a block that work in each step of a reduction, according to the trace's marks: a region
// whose role is kStep opens a step of its warp; the lanes that reach a kStepWork region within it work. If a
// kind of step has no such region, all lanes that open it work.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/run/run.h"

namespace warpscope {

struct TreeStep {
  size_t region = 0;                       // the region that opened it: index into Run::regions
  size_t work_region = 0;                  // the kStepWork region, or the same
  uint32_t ordinal = 0;                    // occurrence of this region in the warp, from 0
  std::vector<LaneMask> working, present;  // by warp of the block
  uint32_t threads = 0;                    // that work
  uint32_t warps = 0,
           divergent_warps = 0;  // with at least one working lane; of those, with at least one idle lane
};

struct StepTree {
  std::vector<LaneMask> live;  // by warp; empty: the trace has no warp of the block
  std::vector<TreeStep> steps;
  uint32_t threads = 0;
  uint32_t missing_warps = 0;  // warps of the block that were not recorded
  bool dropped_events = false;
  // Mean share of the block's threads that work in a step.
  double use() const;
};

StepTree stepTreeOf(const Run& run, BlockId block);

}  // namespace warpscope
