// The latency family: its texts, parameters and names of regions.
#include "kernels/experiments/family_parts.h"
#include "kernels/experiments/latency/shape.h"

namespace warpscope::latency {
namespace {

const std::vector<std::string> kResidentVariants = {"dependent_fma", "bytes_in_flight", "through_registers",
                                                    "async_copy"};
const std::vector<std::string> kCopyVariants = {"through_registers", "async_copy"};

std::vector<VariantInfo> variants() {
  return {
      {.name = "dependent_fma",
       .title = "Multiply-adds in chains",
       .summary = "Each multiply-add of a chain needs the result of the one before, some cycles later. More "
                  "chains per thread (ILP) or more warps per SM fill the cycles in between: the region "
                  "'work' takes equally long while it does more, until the pipes are full. Then it grows, "
                  "and neither helps any more."},
      {.name = "pointer_chase",
       .title = "Pointers, one after another",
       .summary = "The address of each load is the result of the load before, so nothing can overlap: the "
                  "length of 'chase' divided by the number of loads is the latency of the memory level that "
                  "holds the data. Every warp of the block follows its own pointers at the same pace: more "
                  "warps do not shorten the latency, but they overlap it."},
      {.name = "bytes_in_flight",
       .title = "Loads in flight",
       .summary = "Threads x loads x bytes are requested before anything is used. Bandwidth grows with the "
                  "bytes in flight until they are latency x peak bandwidth. It does not matter whether they "
                  "come from more warps, more loads per thread or wider loads: try all three."},
      {.name = "through_registers",
       .title = "Tiles through registers",
       .summary = "Tiles go from global memory into registers and from there into shared memory. Those of "
                  "the next stages are in flight while one is used, which costs four registers per thread "
                  "and stage, and a store for each tile: look at 'wait'."},
      {.name = "async_copy",
       .title = "Tiles by cp.async",
       .summary = "The same tiles, copied straight into shared memory: no register waits for them and no "
                  "instruction stores them. More stages in flight cost only shared memory. Needs compute "
                  "capability 8.0."},
  };
}

ParameterSpec warpsParameter() {
  return {.name = "warps_per_sm",
          .label = "Warps per SM",
          .kind = ParameterKind::kLog2,
          .min = 1,
          .max = 64,
          .default_value = 8,
          .unit = "warps",
          .help =
              "How many warps are resident on each SM: the grid has the blocks for that. Look for the number "
              "beyond which more do not help.",
          .variants = kResidentVariants};
}

std::vector<ParameterSpec> chaseParameters() {
  return {
      {.name = "level",
       .label = "Level",
       .kind = ParameterKind::kChoice,
       .default_value = kL2,
       .unit = "memory",
       .help = "Where the pointers are: 8 KiB of shared memory; 4 KiB, read through L1; 256 KiB, read past "
               "L1; or twice as much as L2 holds, read past L1 from a part that L2 does not have.",
       .choices = {"shared", "l1", "l2", "device"},
       .variants = {"pointer_chase"}},
      {.name = "hops",
       .label = "Loads",
       .kind = ParameterKind::kLog2,
       .min = 1,
       .max = 1 << 16,
       .default_value = 4096,
       .unit = "loads",
       .help = "How many pointers each warp follows.",
       .variants = {"pointer_chase"},
       .simulated_default = 512,
       .samples = {1, 33, 1000}},
      {.name = "stride",
       .label = "Stride",
       .kind = ParameterKind::kLog2,
       .min = 8,
       .max = 256,
       .default_value = 128,
       .unit = "bytes",
       .help = "The distance from one pointer to the next. Below 32 bytes several are in one sector, and "
               "only the first of them has to come from device memory.",
       .variants = {"pointer_chase"}},
      {.name = "sweep",
       .label = "Sweep L2 first",
       .kind = ParameterKind::kChoice,
       .default_value = 1,
       .unit = "sweep",
       .help = "For device memory: the whole grid first reads everything from beginning to end, so that L2 "
               "no longer holds the beginning, where the chase starts.",
       .choices = {"off", "on"},
       .variants = {"pointer_chase"}},
  };
}

std::vector<ParameterSpec> copyParameters() {
  return {
      {.name = "stages",
       .label = "Stages",
       .min = 1,
       .max = kMostStages,
       .default_value = 2,
       .unit = "tiles",
       .help = "The number of tiles in flight. With one, every tile is waited for in full.",
       .variants = kCopyVariants},
      {.name = "tiles",
       .label = "Tiles",
       .min = 1,
       .max = 64,
       .default_value = 32,
       .unit = "tiles",
       .help = "Tiles that each block copies, 16 bytes per thread; rounded up to a multiple of the stages.",
       .variants = kCopyVariants,
       .samples = {1, 5}},
      {.name = "work",
       .label = "Work",
       .min = 0,
       .max = 256,
       .default_value = 16,
       .unit = "steps",
       .help = "Steps of work that each thread does on a tile. With enough work the copies are hidden.",
       .variants = kCopyVariants},
  };
}

}  // namespace

FamilyInfo latencyInfo() {
  FamilyInfo info;
  info.name = "latency";
  info.title = "Latency and how it is hidden";
  info.summary =
      "A result comes some cycles after its instruction issues. Meanwhile other work keeps an SM busy: that "
      "of other warps, or independent work of the same warp. Little's law says how much is needed: latency x "
      "throughput.";
  info.variants = variants();
  info.parameters = {
      blockParameter("Threads in a block, in whole warps; if the warps per SM are chosen, this is a maximum: "
                     "they are divided into equal blocks."),
      warpsParameter(),
      {.name = "ilp",
       .label = "Chains per thread (ILP)",
       .min = 1,
       .max = kMostChains,
       .default_value = 1,
       .unit = "chains",
       .help = "Independent chains that each thread advances alternately: instruction-level parallelism.",
       .variants = {"dependent_fma"}},
      {.name = "loads",
       .label = "Loads per thread",
       .min = 1,
       .max = kMostLoads,
       .default_value = 1,
       .unit = "loads",
       .help = "Loads that a thread issues before it uses the first.",
       .variants = {"bytes_in_flight"}},
      {.name = "width",
       .label = "Bytes per load",
       .kind = ParameterKind::kChoice,
       .default_value = 2,
       .unit = "bytes",
       .help = "One wide load fetches as much as several narrow ones, with fewer instructions.",
       .choices = {"4", "8", "16"},
       .variants = {"bytes_in_flight"}},
      {.name = "rounds",
       .label = "Rounds",
       .min = 1,
       .max = 64,
       .default_value = 32,
       .unit = "rounds",
       .help = "How often a thread repeats its 120 multiply-adds, or its loads. Many rounds read more than "
               "L2 holds.",
       .variants = {"dependent_fma", "bytes_in_flight"},
       .simulated_default = 16,
       .samples = {1, 3}},
  };
  for (auto& more : {chaseParameters(), copyParameters()}) {
    info.parameters.insert(info.parameters.end(), more.begin(), more.end());
  }
  return info;
}

std::vector<RegionName> latencyRegionNames() {
  return {{"kFetch", kFetch, "fetch instructions"},
          {"kBuild", kBuild, "build the ring"},
          {"kSweep", kSweep, "sweep L2"},
          {"kChase", kChase, "chase"},
          {"kWork", kWork, "work"},
          {"kRead", kRead, "read"},
          {"kIssue", kIssue, "issue copies"},
          {"kWait", kWait, "wait"},
          {"kUse", kUse, "use"},
          {"kStore", kStore, "store"}};
}

}  // namespace warpscope::latency
