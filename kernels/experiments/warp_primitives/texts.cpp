// The warp primitives family: its texts, parameters and names of regions.
#include "kernels/experiments/family_parts.h"
#include "kernels/experiments/warp_primitives/regions.h"

namespace warpscope::warp_primitives {
namespace {

std::vector<VariantInfo> variants() {
  return {
      {.name = "shfl_idx",
       .title = "Shuffle: from one lane",
       .summary =
           "All lanes of a segment read the register of its lane 'distance': a broadcast in one instruction, "
           "without memory. A smaller width cuts the warp into segments with a source each."},
      {.name = "shfl_up",
       .title = "Shuffle: up",
       .summary = "Each lane reads the lane 'distance' below it, so values move up; the first lanes of a "
                  "segment have no lane to read and keep their own value. Prefix sums are made of this."},
      {.name = "shfl_down",
       .title = "Shuffle: down",
       .summary =
           "Each lane reads the lane 'distance' above it; the last lanes of a segment keep their own. Five "
           "of these, with 16, 8, 4, 2 and 1, bring a warp's sum to lane 0."},
      {.name = "shfl_xor",
       .title = "Shuffle: exchange",
       .summary = "Lane l reads lane l xor 'distance': pairs of lanes swap. With a width, lanes may read "
                  "segments before their own but not after it: there they keep their own value."},
      {.name = "vote_all",
       .title = "Vote: all",
       .summary =
           "1 in every member lane if the value of each member passes. With 90 % passing, 32 lanes hardly "
           "ever agree; with few members they often do."},
      {.name = "vote_any",
       .title = "Vote: any",
       .summary = "1 in every member lane if at least one member's value passes. The cheap way to ask "
                  "whether a warp "
                  "may skip work."},
      {.name = "ballot",
       .title = "Vote: ballot",
       .summary = "Each member lane gets the same 32 bits: one for each member whose value passes. Counting "
                  "the bits below its own gives each lane a position, which is how warps compact."},
      {.name = "match_any",
       .title = "Match: any",
       .summary =
           "Each member lane gets a bit for each member that holds the same key: the warp is divided into "
           "groups. Hardware goes through the distinct keys, so fewer keys are faster on some GPUs."},
      {.name = "match_all",
       .title = "Match: all",
       .summary = "Every member lane gets the mask if all of them hold the same key, otherwise 0: is the "
                  "whole group about to do the same? With 4 keys and 32 lanes hardly ever; try one key, or "
                  "fewer members."},
      {.name = "butterfly_sum",
       .title = "Butterfly sum",
       .summary =
           "In each step all lanes swap with the lane that differs in one bit and add: after log2(width) "
           "steps every lane holds the sum of its segment. No lane waits and none is left out."},
  };
}

std::vector<ParameterSpec> parameters() {
  return {
      blockParameter("Threads in a block, in whole warps. Primitives work within a warp, so results do not "
                     "depend on the block."),
      sizeParameter(20, 14, "One thread each. Lanes past the end take part with the value 0."),
      {.name = "members",
       .label = "Lanes that take part",
       .kind = ParameterKind::kChoice,
       .unit = "lanes",
       .help = "The mask of the primitive. All lanes that it names must arrive, and no others: the others "
               "branch around it, so the warp diverges, and keep their values.",
       .choices = {"all", "first-16", "even", "all-but-0", "every-4th"},
       .variants = {"shfl_idx", "shfl_up", "shfl_down", "shfl_xor", "vote_all", "vote_any", "ballot",
                    "match_any", "match_all"}},
      {.name = "width",
       .label = "Width",
       .kind = ParameterKind::kChoice,
       .unit = "lanes",
       .help = "Divides the warp into segments of this many lanes, which exchange values among themselves.",
       .choices = {"32", "16", "8", "4", "2", "1"},
       .variants = {"shfl_idx", "shfl_up", "shfl_down", "shfl_xor", "butterfly_sum"}},
      {.name = "distance",
       .label = "Distance",
       .min = 0,
       .max = 31,
       .default_value = 1,
       .unit = "lanes",
       .help = "How far values move; from one lane: which lane is read; exchange: which bits differ.",
       .variants = {"shfl_idx", "shfl_up", "shfl_down", "shfl_xor"}},
      {.name = "pass",
       .label = "Values that pass",
       .min = 0,
       .max = 100,
       .default_value = 50,
       .unit = "%",
       .help = "How many of the values vote yes.",
       .variants = {"vote_all", "vote_any", "ballot"}},
      {.name = "keys",
       .label = "Different keys",
       .min = 1,
       .max = 64,
       .default_value = 4,
       .unit = "keys",
       .help = "With one key all lanes match; the more keys, the smaller the groups.",
       .variants = {"match_any", "match_all"}},
  };
}

}  // namespace

FamilyInfo warpPrimitivesInfo() {
  return {.name = "warp_primitives",
          .title = "Warp primitives",
          .summary =
              "The 32 lanes of a warp can read each other's registers, vote and find equal values in one "
              "instruction: faster than shared memory, and without a barrier. A mask names the lanes that "
              "take part, and all of them must arrive.",
          .variants = variants(),
          .parameters = parameters(),
          .view = "shuffle"};
}

std::vector<RegionName> warpPrimitivesRegionNames() {
  return {{"kLoad", kLoad, "load"},
          {"kPrimitive", kPrimitive, "primitive"},
          {"kOutside", kOutside, "not a member"},
          {"kStep", kStep, "step", RegionRole::kStep},
          {"kStore", kStore, "store"}};
}

}  // namespace warpscope::warp_primitives
