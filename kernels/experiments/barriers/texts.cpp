// See texts.h.
#include "kernels/experiments/barriers/texts.h"

#include "kernels/experiments/barriers/regions.h"

namespace warpscope::barriers {

FamilyInfo barriersInfo() {
  FamilyInfo info;
  info.name = "barriers";
  info.title = "Barriers";
  info.summary =
      "At a barrier a group waits for its last. In every round each warp has another amount of work; what "
      "differs is "
      "who waits for whom: the whole block, tiles of four warps, or each warp for itself.";
  info.variants = {
      {.name = "block_wide",
       .title = "The whole block (__syncthreads)",
       .summary =
           "All warps of the block wait for the slowest one of each round. Look at the timeline: warps come "
           "at different times and leave together, and the block takes the sum of the slowest."},
      {.name = "tile_wide",
       .title = "Tiles of four warps",
       .summary =
           "Every 128 threads have a barrier of their own (bar.sync with a number and a count). A slow warp "
           "holds up only the three others of its tile; tiles drift apart."},
      {.name = "warp_wide",
       .title = "Each warp (__syncwarp)",
       .summary =
           "Only lanes of one warp exchange values, so only they must meet. No warp waits for another, and "
           "all take as long as their own work, which adds up to much the same for everyone."},
  };
  info.parameters = {
      blockParameter("Threads in a block, in whole warps. The more warps meet at a barrier, the likelier one "
                     "of them is slow."),
      sizeParameter(20, 14, "One thread each. Threads past the end come to the barriers as well."),
      {.name = "rounds",
       .label = "Rounds",
       .min = 1,
       .max = 8,
       .default_value = 4,
       .unit = "rounds",
       .help = "Work, wait, exchange: so often."},
      {.name = "work",
       .label = "Work",
       .min = 0,
       .max = 1024,
       .default_value = 64,
       .unit = "steps",
       .help =
           "One share of work; a warp has one to eight shares in a round. With 0 only the barriers are left.",
       .simulated_default = 16},
  };
  return info;
}

std::vector<RegionName> barriersRegionNames() {
  return {{"kLoad", kLoad, "load"},
          {"kWork", kWork, "work"},
          {"kWait", kWait, "wait"},
          {"kExchange", kExchange, "exchange"},
          {"kStore", kStore, "store"}};
}

}  // namespace warpscope::barriers
