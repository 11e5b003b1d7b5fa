// See texts.h.
#include "kernels/experiments/atomics/texts.h"

#include "kernels/experiments/atomics/regions.h"

namespace warpscope::atomics {
namespace {

std::vector<VariantInfo> variants() {
  return {
      {.name = "global_per_thread",
       .title = "Count: one atomic a thread",
       .summary =
           "Every kept element adds 1 to one counter in global memory. The additions of a warp meet in one "
           "address, and so do those of all warps: the L2 cache takes them one after the other, and the "
           "counter, not the memory, sets the pace."},
      {.name = "warp_aggregated",
       .title = "Count: one atomic a warp",
       .summary =
           "The lanes that keep their element form a group (coalesced_threads), and its first lane adds "
           "their number: one addition a warp instead of up to 32. Look at the lanes: the atomic runs with "
           "one. Compilers do this themselves where they see that all lanes add to one address."},
      {.name = "block_aggregated",
       .title = "Count: one atomic a block",
       .summary =
           "Threads add in shared memory first, one thread then adds the block's sum in global memory. The "
           "fewest additions reach the L2 cache, but two barriers make all warps wait for the slowest."},
      {.name = "histogram",
       .title = "Histogram in global memory",
       .summary =
           "Each element adds 1 to its bin. With one bin everybody meets in one address; the more bins, the "
           "rarer two lanes of a warp meet. Drag `bins` and watch contention end."},
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
           "differ, and they tell in which order threads came by. That order is nobody's promise: it may "
           "change from launch to launch. Every thread waits for its number, a round trip to the L2 cache."},
      {.name = "compact",
       .title = "Compact: reserve room",
       .summary =
           "The indices of the kept elements are packed into a buffer: for each warp one lane reserves room "
           "for all that keep one, and each writes at its rank. Stores stay coalesced, the order of the "
           "warps' pieces is free; the check compares sets."},
  };
}

std::vector<ParameterSpec> parameters() {
  return {
      blockParameter("Threads in a block, in whole warps. The larger, the fewer atomics block_aggregated "
                     "needs in global memory; nothing changes for those that add by thread or by warp."),
      sizeParameter(20, 14, "Random 32-bit values. One thread each, in histogram_shared eight."),
      {.name = "keep",
       .label = "Elements kept",
       .min = 0,
       .max = 100,
       .default_value = 50,
       .unit = "%",
       .help = "How many of the elements are counted or packed. At 100 all 32 lanes of a warp add; the "
               "fewer, the "
               "less aggregating saves.",
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
              "Atomic operations on one address happen one after the other, wherever the threads run. How "
              "fast a kernel counts, sorts into bins or reserves room depends on how many atomics reach the "
              "same address: one a thread, one a warp, or one a block.",
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
