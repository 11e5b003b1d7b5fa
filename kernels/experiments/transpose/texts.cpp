// The transpose family: its texts, parameters and names of regions.
#include "kernels/experiments/family_parts.h"
#include "kernels/experiments/transpose/regions.h"

namespace warpscope::transpose {
namespace {

std::vector<std::string> shapeNames() {
  std::vector<std::string> names;
  names.reserve(kBlockShapes.size());
  for (const Dim3& shape : kBlockShapes) names.push_back(fmt::format("{}x{}", shape.x, shape.y));
  return names;
}

}  // namespace

FamilyInfo transposeInfo() {
  FamilyInfo info;
  info.name = "transpose";
  info.view = "sectors";
  info.title = "Transpose";
  info.summary =
      "Transposing a matrix moves every element once and computes nothing: only memory access patterns "
      "count. Accesses are efficient when neighbouring lanes use neighbouring addresses, which a naive "
      "transpose does on one side only. Shared memory fixes that, if bank conflicts are avoided.";
  info.variants = {
      {.name = "copy",
       .title = "Copy (the ceiling)",
       .summary = "Not a transpose: reads and writes the same bytes in the order of memory, 16 bytes per "
                  "lane and four such accesses in flight per thread. What it reaches is the most that a "
                  "transpose can hope for.",
       .ceiling = true},
      {.name = "naive_row",
       .title = "Reads rows, writes columns",
       .summary = "A warp reads 32 neighbours, then writes 32 words that are a whole row apart: each lane "
                  "writes 4 bytes of a 32-byte sector of its own."},
      {.name = "naive_column",
       .title = "Reads columns, writes rows",
       .summary =
           "The other way round: strided reads, coalesced writes. The caches keep the sectors that the reads "
           "fetched until the neighbouring columns are read, so it is often faster than 'Reads rows, writes "
           "columns'."},
      {.name = "shared",
       .title = "Tile in shared memory",
       .summary = "Both sides are coalesced. But a column of the 32 x 32 tile is in one bank of shared "
                  "memory, so its 32 words are read in 32 wavefronts: look at how long 'store tile' is."},
      {.name = "shared_padded",
       .title = "Padded tile",
       .summary = "One unused word after each row of the tile shifts each row by one bank: a column now "
                  "touches 32 different banks. Compare the time of 'store tile' with shared."},
      {.name = "shared_swizzled",
       .title = "Swizzled tile",
       .summary = "No word is wasted: row y keeps word x at position x xor y. Rows and columns both touch "
                  "every bank once. This is as fast as padding, with less shared memory."},
      {.name = "shared_padded_vec",
       .title = "Padded tile, 16 bytes per lane",
       .summary = "A tile of 64 x 64 that is read and written 16 bytes per lane: a quarter of the requests, "
                  "and more bytes in flight for each thread. In shared memory the vectors of four are split "
                  "and recombined in the other direction, without conflicts. Rows and columns that are not "
                  "multiples of 4 fall back to single words on their side."},
  };
  info.parameters = {
      {.name = "block",
       .label = "Block shape",
       .kind = ParameterKind::kChoice,
       .unit = "threads",
       .help =
           "Width x height in threads. The width is the tile's side; lower blocks move several elements per "
           "thread, which keeps more loads in flight for each thread. A 16 x 16 block has warps of two rows.",
       .choices = shapeNames(),
       .role = ParameterRole::kBlock},
      sizeParameter(23, 21,
                    "Elements of the matrix (4 bytes each), rounded up to full rows. Small matrices fit in "
                    "the L2 cache and go faster than memory could."),
      {.name = "rows",
       .label = "Rows",
       .kind = ParameterKind::kLog2,
       .min = 0,
       .max = int64_t{1} << 28,
       .default_value = 0,
       .unit = "rows",
       .help = "Automatic: as near to square as a power of two gets. At most one row per element. Tall and "
               "flat matrices leave parts of tiles empty.",
       .zero_means = "automatic"},
  };
  return info;
}

std::vector<RegionName> transposeRegionNames() {
  return {{"kMove", kMove, "read and write"},
          {"kLoadTile", kLoadTile, "load tile"},
          {"kBarrier", kBarrier, "barrier"},
          {"kStoreTile", kStoreTile, "store tile"}};
}

}  // namespace warpscope::transpose
