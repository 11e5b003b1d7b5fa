// The bulk_copy family: its texts, parameters and names of regions.
#include "kernels/experiments/bulk_copy/regions.h"
#include "kernels/experiments/family_parts.h"

namespace warpscope::bulk_copy {
namespace {

std::vector<VariantInfo> variants() {
  return {
      {.name = "plain_loads",
       .title = "Loads and stores",
       .summary =
           "All threads load the next tile into registers, store it in shared memory, and wait for each "
           "other; then they compute. While they wait for memory, nothing is computed, unless another "
           "block of the SM does."},
      {.name = "cp_async",
       .title = "cp.async",
       .summary =
           "Each thread copies 16 bytes of a tile without registers, and several tiles ahead. The copies "
           "of the next tiles are under way while one is computed, but every warp still issues them and "
           "computes their addresses."},
      {.name = "bulk",
       .title = "cp.async.bulk: a warp that copies, warps that compute",
       .summary =
           "One thread starts a bulk copy of a whole tile, and the SM's copy engine does the rest. An "
           "mbarrier for each stage counts the bytes that arrive, another the warps that have read: look "
           "at the first warp, which waits for an empty stage, and at the others, which wait for a full "
           "one."},
      {.name = "bulk_both_ways",
       .title = "... and back",
       .summary =
           "The results leave the same way: each warp writes them to shared memory, and one of its "
           "threads starts a bulk copy to global memory. Before a warp writes there again, it waits until "
           "the engine has read what it wrote before."},
      {.name = "tensor",
       .title = "By a tensor map, with a swizzle",
       .summary =
           "A tile is a box of a matrix with short rows, and one instruction brings it or takes it back: a "
           "tensor map says where its rows are. The lanes of a warp go down a column. Without a swizzle all "
           "of a column's chunks are in the same banks, and reads wait for each other; a swizzle spreads "
           "them over all banks on their way."},
  };
}

std::vector<ParameterSpec> parameters() {
  return {
      {.name = "block",
       .label = "Threads that compute",
       .min = 32,
       .max = 992,
       .step = 32,
       .default_value = 256,
       .unit = "threads",
       .help =
           "Of a block, in whole warps; each takes four elements of a tile. With bulk copies there is one "
           "warp more, which only copies.",
       .samples = {96, 256},
       .role = ParameterRole::kBlockPart},
      sizeParameter(22, 18, "Elements of 4 bytes. The last tile is filled up with zeros."),
      {.name = "stages",
       .label = "Stages",
       .min = 1,
       .max = 4,
       .default_value = 3,
       .unit = "stages",
       .help =
           "Tiles of a block that are in shared memory or on their way. With one, a tile is copied only when "
           "the one before it has been computed; with more, the latency of memory is hidden, but fewer "
           "blocks fit on an SM.",
       .variants = {"cp_async", "bulk", "bulk_both_ways", "tensor"},
       .samples = {1, 3}},
      {.name = "swizzle",
       .label = "Swizzle",
       .kind = ParameterKind::kChoice,
       .default_value = 3,
       .unit = "bytes",
       .help =
           "How many bytes of a row the copy swizzles: 16-byte chunks change places as bits of their shared "
           "address say. Rows are as long, and 128 bytes without a swizzle. Watch the bank conflicts.",
       .choices = {"none", "32", "64", "128"},
       .variants = {"tensor"},
       .samples = {0, 3}},
  };
}

}  // namespace

FamilyInfo bulkCopyInfo() {
  return {.name = "bulk_copy",
          .title = "Bulk copies",
          .summary =
              "Tiles of a vector are computed in shared memory. They get there by loads and stores, by "
              "asynchronous copies of 16 bytes a thread, or by bulk copies: one instruction for a whole "
              "tile, made by an engine of the SM, whose bytes an mbarrier counts.",
          .variants = variants(),
          .parameters = parameters()};
}

std::vector<RegionName> bulkCopyRegionNames() {
  return {{"kPrepare", kPrepare, "prepare the barriers"},
          {"kCopy", kCopy, "copy"},
          {"kWaitFull", kWaitFull, "wait for a full stage"},
          {"kCompute", kCompute, "compute"},
          {"kWaitEmpty", kWaitEmpty, "wait for an empty stage"},
          {"kStore", kStore, "wait for the engine to read"},
          {"kMeet", kMeet, "wait for all results"}};
}

}  // namespace warpscope::bulk_copy
