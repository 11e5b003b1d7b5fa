// See texts.h.
#include "kernels/experiments/divergence/texts.h"

#include "kernels/experiments/divergence/paths.h"
#include "kernels/experiments/divergence/regions.h"

namespace warpscope::divergence {

namespace {

std::vector<VariantInfo> variants() {
  return {
      {.name = "even_odd",
       .title = "Even / odd lanes",
       .summary =
           "The lane's parity picks one of two paths, so every warp runs both, with 16 lanes each: half of "
           "the lane-cycles are lost. Compare warp_aligned, which does the same work in about half the "
           "time. With `work` at 0 the paths are too short for a branch, and nothing diverges."},
      {.name = "thread_gt_2",
       .title = "Threads beyond the third",
       .summary =
           "if (threadIdx.x > 2): three threads of each block go another way than the rest. Only the block's "
           "first warp has both kinds and runs both paths; all its other warps agree."},
      {.name = "warp_aligned",
       .title = "Even / odd warps",
       .summary =
           "The warp's parity picks the path, so all lanes of a warp agree: each warp runs one path, with 32 "
           "lanes. The branch is still there; it costs nothing, because nobody waits."},
      {.name = "warp_shift",
       .title = "Even / odd warps, by shift and mask",
       .summary = "((threadIdx.x >> 5) & 1) == 0 asks the same as (threadIdx.x / 32) % 2 == 0. The "
                  "parentheses matter: "
                  "== binds more tightly than &, so `w & 1 == 0` means `w & (1 == 0)`, which is never true. "
                  "Written so, "
                  "all warps take the second path, and nothing diverges for the wrong reason."},
      {.name = "block_aligned",
       .title = "Even / odd blocks",
       .summary = "The block's parity picks the path. No warp diverges, and all warps of a block take as "
                  "long: compare "
                  "where in the timeline the paths lie for warp_aligned."},
      {.name = "split_ifs",
       .title = "Two separate ifs",
       .summary =
           "if (even) ... and then if (odd) ...: the warp comes together between the two. Still two paths of "
           "16 lanes: splitting an if-else does not remove its divergence."},
      {.name = "nested",
       .title = "If, else if, ... with k ways",
       .summary =
           "The lane's number modulo `ways` picks one of up to 32 paths. Watch the stairs grow: with k "
           "ways a warp runs k paths in turn, each with 32 / k lanes, and takes k times as long."},
      {.name = "loop_trips",
       .title = "Trip count varies by lane",
       .summary =
           "Lane l makes 1 + l % trips trips of a loop. The warp loops until its slowest lane is done; lanes "
           "that finish early wait at the loop's end. No if in sight, yet lanes are lost."},
      {.name = "data_dependent",
       .title = "The data decide",
       .summary = "A share of the elements has work, the others none. In random data nearly every warp holds "
                  "some of "
                  "both and takes as long as if all had work. Sort the data, or let them come in stripes of "
                  "a warp's "
                  "width, and the same branch hardly diverges."},
      {.name = "branchless",
       .title = "Select in place of branch",
       .summary =
           "What even_odd computes, without a branch: the paths differ in their constants alone, so each "
           "lane "
           "selects its own, and all 32 run the same instructions. Possible where paths do alike things with "
           "other numbers."},
      {.name = "work_queue",
       .title = "Queue of work",
       .summary =
           "What data_dependent computes, in two passes. A scouting pass pushes the lanes that found work "
           "into "
           "a queue in shared memory; then all lanes drain it together, and at most one warp of a block has "
           "idle lanes. Compare both with random data and a small share: the queue costs a barrier and saves "
           "whole warps."},
  };
}

}  // namespace

FamilyInfo divergenceInfo() {
  FamilyInfo info;
  info.name = "divergence";
  info.title = "Divergence";
  info.summary =
      "A warp has one instruction stream. Where its lanes disagree at a branch, it runs the paths one after "
      "the other, and the lanes of the other paths wait. What differs between the variants is which lanes "
      "agree.";
  info.variants = variants();
  info.parameters = {
      blockParameter("Threads in a block, in whole warps. Divergence happens inside a warp, so it does not "
                     "change with the block; occupancy does."),
      sizeParameter(20, 14,
                    "One thread each. A size that is not a multiple of 32 leaves a last warp where some "
                    "lanes leave at the bounds check."),
      {.name = "work",
       .label = "Work per path",
       .min = 0,
       .max = 4096,
       .default_value = 512,
       .unit = "FMAs",
       .help =
           "Dependent multiply-adds in each path: with much work the branch's own cost vanishes. 0 is one "
           "multiply-add, and even_odd then has no loop around it. Compilers make no branch of so short a "
           "body: "
           "all lanes run both sides, and each keeps its own result (predication). No branch diverges, and "
           "profilers report 100 % branch efficiency, although half of what the lanes do is thrown away.",
       .simulated_default = 64},
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
       .help = "Lanes make 1 to this many trips; `work` is done in each.",
       .variants = {"loop_trips"}},
      {.name = "data",
       .label = "Data",
       .kind = ParameterKind::kChoice,
       .unit = "order",
       .help = "How the elements that have work lie among the others: anywhere, all at the front, or in "
               "stripes of "
               "32, a warp each.",
       .choices = {"random", "sorted", "striped"},
       .variants = {"data_dependent", "work_queue"}},
      {.name = "share",
       .label = "Elements with work",
       .min = 0,
       .max = 100,
       .default_value = 25,
       .unit = "%",
       .help = "The smaller the share, the more a warp loses whose few busy lanes keep the others waiting.",
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
