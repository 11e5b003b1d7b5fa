// See texts.h.
#include "kernels/experiments/reduction/texts.h"

#include "kernels/experiments/reduction/regions.h"

namespace warpscope::reduction {

FamilyInfo reductionInfo() {
  FamilyInfo info;
  info.name = "reduction";
  info.view = "tree";
  info.title = "Reduction";
  info.summary =
      "The sum of integers. Each block adds up its share and writes one partial sum. All variants add the "
      "same "
      "numbers; they differ in which thread adds what, where the numbers are kept in between, and how often "
      "the "
      "block must wait for itself.";
  info.variants = {
      {.name = "neighbored",
       .title = "Neighbours (tid % 2s)",
       .summary =
           "Each step adds elements `stride` apart, by the threads that are multiples of 2 x stride. From "
           "the "
           "first step on, every warp runs with half of its lanes, then a quarter ...: look at how few "
           "stripes are lit in `add`."},
      {.name = "neighbored_less",
       .title = "Neighbours, packed threads",
       .summary =
           "The same additions, done by the first threads of the block. Whole warps work or skip the step; "
           "only the last five steps, inside one warp, diverge."},
      {.name = "interleaved",
       .title = "Interleaved",
       .summary = "The stride starts at half the block and shrinks. Divergence is as in neighbored_less, but "
                  "neighbouring threads now read neighbouring words: fewer memory sectors a request."},
      {.name = "unroll8",
       .title = "Unrolled by 8 blocks",
       .summary =
           "Each thread first adds eight elements, then the interleaved tree runs. Eight loads are in flight "
           "at once, and the tree is paid once for eight times the data: memory latency is hidden."},
      {.name = "shared",
       .title = "Tree in shared memory",
       .summary =
           "One read of global memory, then the interleaved tree in shared memory, which is on the SM: each "
           "step is far shorter. The barriers between steps are what is left."},
      {.name = "shuffle",
       .title = "Warp shuffles",
       .summary =
           "Lanes add each other's registers with __shfl_down_sync: five steps, no memory, no barrier. One "
           "barrier hands the warps' sums to the first warp."},
      {.name = "grid_stride",
       .title = "Grid-stride loop",
       .summary =
           "Just enough blocks to fill the GPU stride over the whole input; each thread adds many elements "
           "before the shuffles. The tree's cost disappears: this one runs at memory speed."},
  };
  info.parameters = {
      blockParameter("Threads in a block. A larger block means a deeper tree, more warps at each barrier and "
                     "fewer partial sums; watch occupancy and the idle warps of the last steps."),
      sizeParameter(24, 14,
                    "How many 32-bit integers are added up. Below what fills the GPU, time is launch and "
                    "latency, not bandwidth."),
      {.name = "blocks_per_sm",
       .label = "Blocks per SM",
       .min = 1,
       .max = 32,
       .default_value = 8,
       .unit = "blocks",
       .help =
           "The grid is this many blocks for each SM (never more than the data needs). Too few leave the SM "
           "without enough loads in flight; too many add waves of blocks without need.",
       .variants = {"grid_stride"}},
  };
  return info;
}

std::vector<RegionName> reductionRegionNames() {
  return {{"kStart", kStart, "start"},
          {"kLoad", kLoad, "load"},
          {"kLoadBarrier", kLoadBarrier, "barrier after loading"},
          {"kStep", kStep, "step"},
          {"kAdd", kAdd, "add"},
          {"kBarrier", kBarrier, "barrier"},
          {"kFirstWarp", kFirstWarp, "first warp"},
          {"kLastStep", kLastStep, "first warp's step"},
          {"kWrite", kWrite, "write"}};
}

}  // namespace warpscope::reduction
