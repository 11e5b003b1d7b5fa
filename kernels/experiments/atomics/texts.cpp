// The atomics family: its texts, parameters and names of regions.
#include "kernels/experiments/atomics/regions.h"
#include "kernels/experiments/family_parts.h"

namespace warpscope::atomics {
namespace {

std::vector<VariantInfo> variants() {
  return {
      {.name = "global_per_thread",
       .title = "Count: one atomic per thread",
       .summary = "Every kept element adds 1 to one counter in global memory. All additions of a warp, and "
                  "of all warps, go to one address: the L2 cache executes them one after another, and the "
                  "counter, not memory bandwidth, sets the pace."},
      {.name = "warp_aggregated",
       .title = "Count: one atomic per warp",
       .summary =
           "The lanes that keep their element form a group (coalesced_threads), and its first lane adds "
           "their number: one addition per warp instead of up to 32. Look at the lanes: only one executes "
           "the atomic. Compilers do this themselves where they see that all lanes add to one address."},
      {.name = "block_aggregated",
       .title = "Count: one atomic per block",
       .summary =
           "Threads first add in shared memory, then one thread adds the block's sum in global memory. The "
           "fewest additions reach the L2 cache, but two barriers make all warps wait for the slowest one."},
      {.name = "histogram",
       .title = "Histogram in global memory",
       .summary = "Each element adds 1 to its bin. With one bin all lanes access the same address; the more "
                  "bins, the more rarely two lanes of a warp collide. Drag 'bins' and watch contention end."},
      {.name = "histogram_shared",
       .title = "Histogram in shared memory",
       .summary =
           "Each block counts in bins of its own in shared memory and adds them to the global ones at the "
           "end: far better with few bins. With thousands, clearing and adding up the bins costs more than "
           "the counting, and shared memory limits how many blocks fit."},
      {.name = "ticket",
       .title = "Tickets: order of arrival",
       .summary =
           "Each thread draws a number from one counter: the old value that the atomic returns. All numbers "
           "differ, and they show the order in which threads arrived. Nothing guarantees that order: it may "
           "change from launch to launch. Every thread waits for its number, a round trip to the L2 cache."},
      {.name = "compact",
       .title = "Compact: reserve room",
       .summary = "The indices of the kept elements are packed into a buffer: one lane of each warp reserves "
                  "room for all lanes that keep an element, and each of them writes at its rank. Stores stay "
                  "coalesced, but the order of the warps' pieces is not defined; the check compares sets."},
  };
}

std::vector<ParameterSpec> parameters() {
  return {
      blockParameter(
          "Threads in a block, in whole warps. The larger the block, the fewer atomics one per block "
          "needs in global memory; nothing changes for variants that add per thread or per warp."),
      sizeParameter(20, 17, "Random 32-bit values. One thread each; in shared memory's histogram, eight."),
      {.name = "keep",
       .label = "Elements kept",
       .min = 0,
       .max = 100,
       .default_value = 50,
       .unit = "%",
       .help = "How many of the elements are counted or packed. At 100 all 32 lanes of a warp add; the fewer "
               "elements are kept, the less aggregation saves.",
       .variants = {"global_per_thread", "warp_aggregated", "block_aggregated", "compact"}},
      {.name = "bins",
       .label = "Bins",
       .kind = ParameterKind::kLog2,
       .min = 1,
       .max = 4096,
       .default_value = 64,
       .unit = "bins",
       .help = "Contention: with one bin all lanes of all warps add to one address, with 4096 two lanes of a "
               "warp "
               "hardly ever meet.",
       .variants = {"histogram", "histogram_shared"}},
  };
}

}  // namespace

FamilyInfo atomicsInfo() {
  return {.name = "atomics",
          .title = "Atomics",
          .summary =
              "Atomic operations on one address are executed one after another, wherever the threads run. "
              "How fast a kernel counts, sorts into bins or reserves room depends on how many atomics reach "
              "the same address: one per thread, one per warp, or one per block.",
          .variants = variants(),
          .parameters = parameters()};
}

std::vector<RegionName> atomicsRegionNames() {
  return {{"kLoad", kLoad, "load"},
          {"kClear", kClear, "clear shared memory"},
          {"kAtomic", kAtomic, "atomics"},
          {"kBarrier", kBarrier, "barrier"},
          {"kFlush", kFlush, "add to global"},
          {"kStore", kStore, "store"}};
}

}  // namespace warpscope::atomics
