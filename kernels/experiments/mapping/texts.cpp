// The mapping family: its texts, parameters and names of regions.
#include "kernels/experiments/family_parts.h"
#include "kernels/experiments/mapping/regions.h"

namespace warpscope::mapping {
namespace {

std::vector<ParameterSpec> parameters() {
  return {
      {.name = "block_x",
       .label = "Block width (x)",
       .min = 1,
       .max = 1024,
       .default_value = 40,
       .unit = "threads",
       .help = "Threads in a row. Neighbours in x are neighbouring lanes. Where a row is not a multiple of "
               "32, warps begin and end inside rows.",
       .samples = {1, 33, 40},
       .role = ParameterRole::kBlockPart},
      {.name = "block_y",
       .label = "Block height (y)",
       .min = 1,
       .max = 1024,
       .default_value = 2,
       .unit = "rows",
       .help = "Rows of threads: the second direction in which threads are numbered.",
       .variants = {"block_2d", "block_3d"},
       .samples = {1, 2, 5},
       .role = ParameterRole::kBlockPart},
      {.name = "block_z",
       .label = "Block depth (z)",
       .min = 1,
       .max = 64,
       .default_value = 3,
       .unit = "layers",
       .help = "Layers of rows: the last direction in which threads are numbered. The hardware allows 64.",
       .variants = {"block_3d"},
       .samples = {1, 5},
       .role = ParameterRole::kBlockPart},
      {.name = "blocks",
       .label = "Blocks",
       .kind = ParameterKind::kLog2,
       .min = 1,
       .max = 1 << 16,
       .default_value = 1,
       .unit = "blocks",
       .help = "Each block is divided into warps separately: a warp never has threads of two blocks, so the "
               "last warp of each block may be partly empty.",
       .samples = {1, 67}},
  };
}

}  // namespace

FamilyInfo mappingInfo() {
  FamilyInfo info;
  info.name = "mapping";
  info.view = "mapping";
  info.title = "Threads to warps";
  info.summary =
      "Threads are numbered with x fastest, then y, then z; every 32 consecutive threads form a warp. Where "
      "the block is not a multiple of 32, some lanes of its last warp do not exist, but still occupy space "
      "on the SM.";
  info.variants = {
      {.name = "block_1d",
       .title = "A row of threads",
       .summary = "Warp = x / 32, lane = x % 32. In a row of 40 threads the second warp has 8 lanes that "
                  "exist and 24 that do not."},
      {.name = "block_2d",
       .title = "Rows of threads",
       .summary =
           "Thread (x, y) is number y * width + x. A block of 40 x 2 has 80 threads: warp 0 is part of the "
           "first row, warp 1 its end and most of the second row, and warp 2 has only 16 lanes. A width of "
           "32 gives each row a warp of its own, which is best for branches on y and for coalesced loads."},
      {.name = "block_3d",
       .title = "Layers of rows",
       .summary = "Thread (x, y, z) is number (z * height + y) * width + x. Layers follow one another as "
                  "rows do, and a warp may have threads of several layers. Make x a multiple of 32 and every "
                  "warp is within one row."},
  };
  info.parameters = parameters();
  return info;
}

std::vector<RegionName> mappingRegionNames() {
  return {{"kPlace", kPlace, "ask for warp and lane"}, {"kStore", kStore, "store"}};
}

}  // namespace warpscope::mapping
