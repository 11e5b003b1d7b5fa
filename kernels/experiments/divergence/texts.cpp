// The divergence family: its texts, parameters and names of regions.
#include "kernels/experiments/divergence/paths.h"
#include "kernels/experiments/divergence/regions.h"
#include "kernels/experiments/family_parts.h"

namespace warpscope::divergence {

namespace {

std::vector<VariantInfo> variants() {
  return {
      {.name = "even_odd",
       .title = "Even / odd lanes",
       .summary =
           "The lane's parity picks one of two paths, so every warp runs both, with 16 lanes each: half of "
           "the lane-cycles are lost. Compare 'Even / odd warps', which does the same work in about half the "
           "time. With 'work' at 0 the paths are too short for a branch, and nothing diverges."},
      {.name = "thread_gt_2",
       .title = "Threads beyond the third",
       .summary = "if (threadIdx.x > 2): three threads of each block take another path than the rest. Only "
                  "the block's first warp has both kinds and runs both paths; all its other warps agree."},
      {.name = "warp_aligned",
       .title = "Even / odd warps",
       .summary = "The warp's parity picks the path, so all lanes of a warp agree: each warp runs one path, "
                  "with 32 lanes. The branch is still there, but it costs nothing, because no lane waits."},
      {.name = "warp_shift",
       .title = "Even / odd warps, by shift and mask",
       .summary =
           "((threadIdx.x >> 5) & 1) == 0 asks the same as (threadIdx.x / 32) % 2 == 0. The parentheses "
           "matter: == binds more tightly than &, so 'w & 1 == 0' means 'w & (1 == 0)', which is never true. "
           "Written like that, all warps take the second path: nothing diverges, but for the wrong reason."},
      {.name = "block_aligned",
       .title = "Even / odd blocks",
       .summary = "The block's parity picks the path. No warp diverges, and all warps of a block take "
                  "equally long: compare where the timeline shows the paths of 'Even / odd warps'."},
      {.name = "split_ifs",
       .title = "Two separate ifs",
       .summary = "if (even) ... and then if (odd) ...: the warp reconverges between the two. There are "
                  "still two paths of 16 lanes: splitting an if-else does not remove its divergence."},
      {.name = "nested",
       .title = "If, else if, ... with k paths",
       .summary =
           "The lane's number modulo 'ways' picks one of up to 32 paths. Watch the staircase grow: with k "
           "ways a warp runs k paths one after another, each with 32 / k lanes, and takes k times as long."},
      {.name = "loop_trips",
       .title = "Trip count varies by lane",
       .summary =
           "Lane l makes 1 + l % trips trips of a loop. The warp loops until its slowest lane is done; lanes "
           "that finish early wait at the loop's end. There is no if, yet lanes are idle."},
      {.name = "data_dependent",
       .title = "The data decide",
       .summary = "Only some of the elements have work. In random data nearly every warp has some of both "
                  "kinds and takes as long as if all had work. Sort the data, or arrange them in stripes as "
                  "wide as a warp, and the same branch hardly diverges."},
      {.name = "branchless",
       .title = "Select instead of branch",
       .summary =
           "What 'Even / odd lanes' computes, without a branch: the paths differ only in their constants, so "
           "each lane selects its own, and all 32 run the same instructions. This is possible where "
           "paths do the same with different numbers."},
      {.name = "work_queue",
       .title = "Queue of work",
       .summary =
           "What 'The data decide' computes, in two passes. A first pass pushes the elements that have "
           "work onto a queue in shared memory; then all lanes drain it together, and at most one "
           "warp of a block has idle lanes. Compare both with random data and a small share: the "
           "queue costs a barrier and saves whole warps."},
  };
}

}  // namespace

FamilyInfo divergenceInfo() {
  FamilyInfo info;
  info.name = "divergence";
  info.title = "Divergence";
  info.summary =
      "A warp has one instruction stream. Where its lanes disagree at a branch, it runs the paths one after "
      "another, and the lanes of the other paths wait. What differs between the variants is which lanes "
      "agree.";
  info.variants = variants();
  // A simulated GPU runs few blocks, whose warps keep their SM busy.
  ParameterSpec block = blockParameter(
      "Threads in a block, in whole warps. Divergence happens inside a warp, so it does not "
      "change with the block; occupancy does.");
  block.simulated_default = 512;
  info.parameters = {
      std::move(block),
      sizeParameter(20, 12,
                    "One thread each. A size that is not a multiple of 32 leaves a last warp where some "
                    "lanes leave at the bounds check."),
      {.name = "work",
       .label = "Work per path",
       .min = 0,
       .max = 4096,
       .default_value = 512,
       .unit = "FMAs",
       .help = "Dependent multiply-adds in each path: with much work the branch's own cost vanishes. 0 means "
               "one multiply-add, and 'Even / odd lanes' then has no loop around it. Compilers do not branch "
               "around "
               "such a short body: all lanes run both sides, and each keeps its own result (predication). No "
               "branch diverges, and profilers report 100 % branch efficiency, although half of what the "
               "lanes do is thrown away."},
      {.name = "ways",
       .label = "Ways",
       .min = 1,
       .max = kMaxWays,
       .default_value = 4,
       .unit = "paths",
       .help = "How many different paths the lanes of a warp take.",
       .variants = {"nested"}},
      {.name = "trips",
       .label = "Most trips",
       .min = 1,
       .max = 32,
       .default_value = 6,
       .unit = "trips",
       .help = "Lanes make 1 to this many trips; 'work' is done in each.",
       .variants = {"loop_trips"}},
      {.name = "data",
       .label = "Data",
       .kind = ParameterKind::kChoice,
       .unit = "order",
       .help = "Where the elements that have work are: anywhere, all at the front, or in stripes of 32, one "
               "per warp.",
       .choices = {"random", "sorted", "striped"},
       .variants = {"data_dependent", "work_queue"}},
      {.name = "share",
       .label = "Elements with work",
       .min = 0,
       .max = 100,
       .default_value = 25,
       .unit = "%",
       .help =
           "The smaller the share, the more is lost in warps whose few busy lanes keep the others waiting.",
       .variants = {"data_dependent", "work_queue"}},
  };
  return info;
}

std::vector<RegionName> divergenceRegionNames() {
  return {{"kLoad", kLoad, "load"},
          {"kFirstPath", kFirstPath, "first path"},
          {"kSecondPath", kSecondPath, "second path"},
          {"kBetween", kBetween, "between the ifs"},
          {"kPath", kPath, "one of the ways"},
          {"kTrip", kTrip, "trip"},
          {"kStore", kStore, "store"},
          {"kBothPaths", kBothPaths, "both paths at once"},
          {"kScout", kScout, "look for work"},
          {"kBarrier", kBarrier, "barrier"}};
}

}  // namespace warpscope::divergence
