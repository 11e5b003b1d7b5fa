// The boundary family: its texts, parameters and names of regions.
#include "kernels/experiments/boundary/regions.h"
#include "kernels/experiments/family_parts.h"

namespace warpscope::boundary {
namespace {

std::vector<std::string> tiledVariants() {
  return {"tiled_matmul_load_m", "tiled_matmul_load_n", "tiled_matmul"};
}

std::vector<VariantInfo> variants() {
  return {
      {.name = "vector_add",
       .title = "Vector addition",
       .summary = "The classic 'if (i < size)'. All warps but one are entirely inside or entirely outside; "
                  "the one that contains the end of the data diverges: with 1000 elements it has 8 lanes "
                  "inside and 24 outside. Only one warp of a launch diverges: this check is cheap."},
      {.name = "tiled_matmul_load_m",
       .title = "Tiled matrix product: loads of M",
       .summary = "Only the phases in which blocks load their tiles of M, along the rows. Columns run out in "
                  "the last phase: there every warp diverges, in the other phases none. In the bottom blocks "
                  "the warps below the matrix load nothing, and their lanes agree on that."},
      {.name = "tiled_matmul_load_n",
       .title = "Tiled matrix product: loads of N",
       .summary = "Only the phases in which blocks load their tiles of N, down the columns. Now columns run "
                  "out in the blocks at the right edge: their warps diverge in every phase, those of other "
                  "blocks never. These are other warps than for M, but equally many in total."},
      {.name = "tiled_matmul",
       .title = "Tiled matrix product",
       .summary =
           "Both loads, the products between two barriers, and a third check where the result is stored. The "
           "divergent loads are a small part of the time: look at the share of 'multiply', and how it grows "
           "with "
           "the width."},
  };
}

std::vector<ParameterSpec> parameters() {
  ParameterSpec block = blockParameter(
      "Threads in a block, in whole warps. The larger the blocks, the more idle threads the last one has; "
      "the warp that diverges is the same.");
  block.variants = {"vector_add"};
  ParameterSpec size = sizeParameter(
      20, 14, "One thread each. Multiples of 32 have no warp with lanes on both sides of the check.");
  size.default_value = 1000;
  size.simulated_default = std::nullopt;
  size.variants = {"vector_add"};
  return {
      std::move(block),
      std::move(size),
      {.name = "width",
       .label = "Matrix width",
       .min = 1,
       .max = kMostWidth,
       .default_value = 100,
       .unit = "elements",
       .help =
           "Rows and columns of the square matrices. Only warps at the edges diverge, so their share falls "
           "as the matrix grows; at multiples of the tile it is 0.",
       .variants = tiledVariants(),
       .samples = {1, 33, 100}},
      {.name = "tile",
       .label = "Tile",
       .kind = ParameterKind::kChoice,
       .default_value = 1,
       .unit = "threads",
       .help = "A block loads tiles of its own shape. In an 8 x 8 block a warp holds four rows, in a 16 x 16 "
               "block two, in a 32 x 32 block one: that decides which warps have lanes on both sides.",
       .choices = {"8x8", "16x16", "32x32"},
       .variants = tiledVariants(),
       .samples = {0, 1, 2}},
  };
}

}  // namespace

FamilyInfo boundaryInfo() {
  FamilyInfo info;
  info.name = "boundary";
  info.title = "Boundary checks";
  info.summary =
      "Data seldom fills its last blocks, so kernels check for every element whether it exists. Where a "
      "warp's lanes disagree, it diverges. How often that happens depends on how warps cross the edge of the "
      "data.";
  info.variants = variants();
  info.parameters = parameters();
  return info;
}

std::vector<RegionName> boundaryRegionNames() {
  return {{"kCheck", kCheck, "bounds check"},
          {"kInside", kInside, "inside"},
          {"kOutside", kOutside, "outside"},
          {"kTileOfM", kTileOfM, "check for M"},
          {"kTileOfN", kTileOfN, "check for N"},
          {"kBarrier", kBarrier, "barrier"},
          {"kUse", kUse, "multiply"},
          {"kStore", kStore, "store"}};
}

}  // namespace warpscope::boundary
