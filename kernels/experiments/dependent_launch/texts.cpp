// The dependent_launch family: its texts, parameters and names of regions.
#include "kernels/experiments/dependent_launch/regions.h"
#include "kernels/experiments/dependent_launch/shape.h"
#include "kernels/experiments/family_parts.h"

namespace warpscope::dependent_launch {
namespace {

std::vector<VariantInfo> variants() {
  return {
      {.name = "plain_order",
       .title = "Plain order",
       .summary =
           "Launches on one stream: each begins when the one before it has ended and its writes can be "
           "read. Preambles, the GPU's way from one launch to the next, and SMs that have run out of blocks "
           "add to the time, once for each launch."},
      {.name = "trigger_early",
       .title = "Early trigger",
       .summary =
           "Each launch may begin before the one before it has ended, and each block allows that with its "
           "first instruction (griddepcontrol.launch_dependents). So the next launch begins when all blocks "
           "have begun and there is room; its warps do their preamble and stand at griddepcontrol.wait until "
           "the launch before it is complete. A chain takes at least all parts behind the waits, and one "
           "preamble: of each preamble only max(0, preamble - what is left of the launch before) is seen."},
      {.name = "trigger_late",
       .title = "Late trigger",
       .summary =
           "Each block allows the next launch to begin when all that is left to do is its store. The "
           "preamble is hidden behind blocks that end late, if there are some, and what is saved besides is "
           "part of the GPU's way from one launch to the next. Blocks of the next launch take no room that "
           "this one still needs."},
      {.name = "no_trigger",
       .title = "No trigger",
       .summary =
           "The host allows each launch to begin early, but no block triggers it: its end counts as the "
           "trigger. Nothing of the preamble is hidden; only the way from one launch to the next is shorter "
           "than in plain order."},
  };
}

std::vector<ParameterSpec> parameters() {
  return {
      blockParameter("Threads of a block, of all launches. Blocks that wait keep their room on an SM."),
      sizeParameter(
          15, 14,
          "Elements of 4 bytes, each launch works on all. Launches that overlap share the SMs: where "
          "their warps need more issue slots than there are, they slow each other down, and where a "
          "launch fills the GPU, the next one's blocks find room only as its blocks end."),
      {.name = "launches",
       .label = "Launches",
       .min = 2,
       .max = kMostLaunches,
       .default_value = 2,
       .unit = "launches",
       .help = "Launches of the chain, each of which works on what the one before it has written.",
       .samples = {2, 3}},
      {.name = "preamble",
       .label = "Preamble",
       .kind = ParameterKind::kLog2,
       .min = 1,
       .max = kMostRounds,
       .default_value = 4096,
       .unit = "rounds",
       .help =
           "Rounds of a multiplication and an addition before the wait, for each element: work that needs "
           "nothing of the launch before it.",
       .samples = {16}},
      {.name = "work",
       .label = "Work",
       .kind = ParameterKind::kLog2,
       .min = 1,
       .max = kMostRounds,
       .default_value = 8192,
       .unit = "rounds",
       .help = "Rounds behind the wait, for each element: how long the launch that others wait for is.",
       .samples = {16}},
  };
}

}  // namespace

FamilyInfo dependentLaunchInfo() {
  FamilyInfo info;
  info.name = "dependent_launch";
  info.view = "operations";
  info.title = "Dependent launches";
  info.summary =
      "A launch that needs what the one before it writes need not wait for all of it with all of its code. "
      "Since "
      "compute capability 9.0 it may begin early, do what it can, and wait in its kernel: when the launch "
      "before it allows that decides how much of the time between the two is left.";
  info.variants = variants();
  info.parameters = parameters();
  return info;
}

std::vector<RegionName> dependentLaunchRegionNames() {
  return {{"kPreamble", kPreamble, "preamble"},
          {"kWait", kWait, "wait for the launch before"},
          {"kLoad", kLoad, "load"},
          {"kCompute", kCompute, "compute"},
          {"kStore", kStore, "store"}};
}

}  // namespace warpscope::dependent_launch
