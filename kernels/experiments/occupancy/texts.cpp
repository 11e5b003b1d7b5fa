// The occupancy family: its texts, parameters and names of regions.
#include <utility>

#include "kernels/experiments/family_parts.h"
#include "kernels/experiments/occupancy/shape.h"

namespace warpscope::occupancy {
namespace {

ParameterSpec only(ParameterSpec spec, std::vector<std::string> variants) {
  spec.variants = std::move(variants);
  return spec;
}

std::vector<VariantInfo> variants() {
  return {
      {.name = "registers",
       .title = "Registers per thread",
       .summary = "The same additions on the same elements, compiled to use up to 32, 64, 128 or 255 "
                  "registers per thread. The more registers, the fewer warps fit, but the more elements each "
                  "thread has in flight: look at occupancy and bandwidth together. High occupancy is one way "
                  "to hide latency, not speed itself."},
      {.name = "shared_bytes",
       .title = "Shared memory per block",
       .summary =
           "Each warp follows a chain of loads, and the block requests shared memory that it does not use. "
           "When that limits how many blocks fit, fewer chains wait in parallel. Watch the limiter and the "
           "residency, and the time growing in steps: blocks are resident as a whole."},
      {.name = "small_blocks",
       .title = "Small blocks",
       .summary = "The same chains in small blocks. An SM has a limited number of block slots (32 on most): "
                  "blocks of one warp fill them with half of the warps that the SM could hold."},
      {.name = "tail",
       .title = "Waves and their tail",
       .summary = "The same chains, with a grid given in tenths of a full wave. After the last full wave the "
                  "rest of the blocks run alone while most SMs are idle: 11 tenths take as long as 20. Look "
                  "at the end of the timeline."},
  };
}

std::vector<ParameterSpec> chainParameters() {
  return {
      {.name = "hops",
       .label = "Loads",
       .min = 0,
       .max = 64,
       .default_value = 32,
       .unit = "loads",
       .help = "Loads of a chain, one after another, each with L2's latency.",
       .variants = {"shared_bytes", "small_blocks", "tail"},
       .simulated_default = 4},
      {.name = "shared_bytes",
       .label = "Shared memory",
       .min = 0,
       .max = 227 * 1024,
       .step = 1024,
       .default_value = 32 * 1024,
       .unit = "bytes",
       .help = "Dynamic shared memory that each block requests. For more than 48 KiB the launch opts in, if "
               "the device allows it.",
       .variants = {"shared_bytes"},
       .simulated_default = 100 * 1024,
       .role = ParameterRole::kSharedBytes},
      {.name = "small_block",
       .label = "Block size",
       .min = 32,
       .max = 256,
       .step = 32,
       .default_value = 32,
       .unit = "threads",
       .help = "Threads in a block. From 64 on, as many blocks as there are block slots have all warps of an "
               "SM, if it holds 64.",
       .variants = {"small_blocks"},
       .samples = {32, 64, 96},
       .role = ParameterRole::kBlockPart},
      {.name = "waves",
       .label = "Grid, in tenths of a wave",
       .min = 1,
       .max = 80,
       .default_value = 15,
       .unit = "tenths",
       .help = "10 tenths are as many blocks as can be resident at once. Compare 10, 11 and 20.",
       .variants = {"tail"},
       .samples = {5, 11}},
      {.name = "blocks_per_sm",
       .label = "Blocks per SM",
       .min = 1,
       .max = 8,
       .default_value = 1,
       .unit = "blocks",
       .help = "How many blocks are resident on an SM at once; their shared memory leaves no room for more.",
       .variants = {"tail"}},
  };
}

}  // namespace

FamilyInfo occupancyInfo() {
  FamilyInfo info;
  info.name = "occupancy";
  info.view = "tail";
  info.title = "Occupancy and its limits";
  info.summary =
      "How many warps are resident on an SM, relative to those it could hold: theoretical occupancy follows "
      "from the launch and the device's limits, achieved occupancy from when blocks began and ended. Each "
      "variant meets a different limit.";
  info.variants = variants();
  info.parameters = {
      only(blockParameter(
               "Threads in a block, in whole warps. Blocks are resident as a whole: large ones leave larger "
               "gaps."),
           {"registers", "shared_bytes", "tail"}),
      only(sizeParameter(24, 18, "The number of results. A few do not fill any SM, whatever would fit."),
           {"registers", "shared_bytes", "small_blocks"}),
      {.name = "registers",
       .label = "Registers per thread",
       .kind = ParameterKind::kChoice,
       .default_value = 0,
       .unit = "registers",
       .help = fmt::format(
           "The most that the compiler may use. The threads of the builds keep {}, {}, {} and {} values "
           "each.",
           kValues[0], kValues[1], kValues[2], kValues[3]),
       .choices = {"32", "64", "128", "255"},
       .variants = {"registers"},
       .role = ParameterRole::kRegisters},
      {.name = "steps",
       .label = "Additions",
       .min = 0,
       .max = 1024,
       .default_value = 64,
       .unit = "additions",
       .help = "Additions to each element between its load and its store. With few of them memory dominates.",
       .variants = {"registers"}},
  };
  auto chain = chainParameters();
  for (ParameterSpec& more : chain) info.parameters.push_back(std::move(more));
  return info;
}

std::vector<RegionName> occupancyRegionNames() {
  return {{"kLoad", kLoad, "load"}, {"kWork", kWork, "work"}, {"kStore", kStore, "store"}};
}

}  // namespace warpscope::occupancy
