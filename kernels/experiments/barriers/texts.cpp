// The barriers family: its texts, parameters and names of regions.
#include "kernels/experiments/barriers/regions.h"
#include "kernels/experiments/family_parts.h"

namespace warpscope::barriers {

FamilyInfo barriersInfo() {
  FamilyInfo info;
  info.name = "barriers";
  info.title = "Barriers";
  info.summary =
      "At a barrier a group waits for its last thread. In every round each warp has a different amount of "
      "work; what differs is who waits for whom: the whole block, tiles of four warps, or each warp for "
      "itself.";
  info.variants = {
      {.name = "block_wide",
       .title = "The whole block (__syncthreads)",
       .summary = "All warps of the block wait for the slowest one in each round. Look at the timeline: "
                  "warps arrive at different times and leave together, and the block takes as long as the "
                  "slowest warps of all rounds together."},
      {.name = "tile_wide",
       .title = "Tiles of four warps",
       .summary =
           "Every 128 threads have a barrier of their own (bar.sync with a number and a count). A slow warp "
           "holds up only the three others of its tile; tiles drift apart."},
      {.name = "warp_wide",
       .title = "Each warp (__syncwarp)",
       .summary = "Only lanes of one warp exchange values, so only they must synchronise. No warp waits for "
                  "another, and each takes as long as its own work, which adds up to much the same for all "
                  "of them."},
  };
  info.parameters = {
      blockParameter("Threads in a block, in whole warps. The more warps share a barrier, the more likely "
                     "one of them is slow."),
      sizeParameter(20, 18, "One thread each. Threads past the end take part in the barriers as well."),
      {.name = "rounds",
       .label = "Rounds",
       .min = 1,
       .max = 8,
       .default_value = 4,
       .unit = "rounds",
       .help = "How often the threads work, wait and exchange values.",
       .simulated_default = 3},
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
