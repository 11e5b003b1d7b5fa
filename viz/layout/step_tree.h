// Which threads of a block work in each step of a reduction, as the trace's marks say: a region called "step"
// (or "... step") opens a step of its warp; the lanes that come to "add" in it work. Where a kind of step has
// no "add", all lanes that open it work.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/run/run.h"

namespace warpscope {

struct TreeStep {
  size_t region = 0;                        // that opened it: index into Run::regions
  size_t work_region = 0;                   // "add", or the same
  uint32_t ordinal = 0;                     // its so-manieth, from 0
  std::vector<LaneMask> working, present;   // by warp of the block
  uint32_t threads = 0;                     // that work
  uint32_t warps = 0, divergent_warps = 0;  // in which some lane works; in which some lane does not
};

struct StepTree {
  std::vector<LaneMask> live;  // by warp; empty: the trace has no warp of that block
  std::vector<TreeStep> steps;
  uint32_t threads = 0;
  uint32_t missing_warps = 0;  // of the block, not recorded
  bool dropped_events = false;
  // Mean share of the block's threads that work in a step.
  double use() const;
};

StepTree stepTreeOf(const Run& run, BlockId block);

}  // namespace warpscope
