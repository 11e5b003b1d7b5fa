// See texts.h.
#include "kernels/experiments/divergence/texts.h"

#include "kernels/experiments/divergence/paths.h"
#include "kernels/experiments/divergence/regions.h"

namespace warpscope::divergence {

FamilyInfo divergenceInfo() {
  FamilyInfo info;
  info.name = "divergence";
  info.title = "Divergence";
  info.summary =
      "A warp has one instruction stream. Where its lanes disagree at a branch, it runs the paths one after "
      "the "
      "other, and the lanes of the other paths wait. Every variant does the same work per thread; what "
      "differs is "
      "which lanes agree.";
  info.variants = {
      {.name = "even_odd",
       .title = "Even / odd lanes",
       .summary =
           "The lane's parity picks one of two paths, so every warp runs both, with 16 lanes each: half of "
           "the lane-cycles are lost. Compare warp_aligned, which does the same work in about half the "
           "time."},
      {.name = "warp_aligned",
       .title = "Even / odd warps",
       .summary =
           "The warp's parity picks the path, so all lanes of a warp agree: each warp runs one path, with 32 "
           "lanes. The branch is still there; it costs nothing, because nobody waits."},
      {.name = "split_ifs",
       .title = "Two separate ifs",
       .summary =
           "if (even) ... and then if (odd) ...: the warp comes together between the two. Still two paths of "
           "16 lanes: splitting an if-else does not remove its divergence."},
      {.name = "nested",
       .title = "If, else if, ... with k ways",
       .summary = "The lane's number modulo `ways` picks one of up to 32 paths. Watch the stairs grow: with "
                  "k ways a "
                  "warp runs k paths in turn, each with 32 / k lanes, and takes k times as long."},
      {.name = "loop_trips",
       .title = "Trip count varies by lane",
       .summary =
           "Lane l makes 1 + l % trips trips of a loop. The warp loops until its slowest lane is done; lanes "
           "that finish early wait at the loop's end. No if in sight, yet lanes are lost."},
  };
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
           "Dependent multiply-adds in each path. With much work the branch's own cost vanishes; with 0 only "
           "the "
           "branch itself is left. Compilers turn very small bodies into predicated instructions, and "
           "profilers "
           "then report 100 % branch efficiency although lanes are idle; the loop here is never that small.",
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
          {"kStore", kStore, "store"}};
}

}  // namespace warpscope::divergence
