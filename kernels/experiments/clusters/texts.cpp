// The clusters family: its texts, parameters and names of regions.
#include "kernels/experiments/clusters/regions.h"
#include "kernels/experiments/family_parts.h"

namespace warpscope::clusters {
namespace {

std::vector<VariantInfo> variants() {
  return {
      {.name = "per_block",
       .title = "One histogram per block",
       .summary =
           "Every block has room for all bins in its own shared memory and adds all of them to global "
           "memory at the end. With many bins that takes most of the time, and shared memory limits how "
           "many blocks fit on an SM."},
      {.name = "distributed",
       .title = "One histogram per cluster",
       .summary =
           "The blocks of a cluster share the bins: each holds a part of them, and threads count in the "
           "shared memory of whichever block has the bin. A count goes through the network between SMs, "
           "which takes longer than the block's own shared memory; but there are fewer bins to clear and "
           "to add up."},
      {.name = "split_barrier",
       .title = "... with work between arriving and waiting",
       .summary = "The cluster's first barrier in two halves: each thread arrives when its bins are cleared, "
                  "loads its elements meanwhile, and waits only then. Compare how long the warps are in the "
                  "region of the barrier."},
      {.name = "pushed",
       .title = "Pushed with st.async: no barrier at the end",
       .summary =
           "Each block counts in its own shared memory, and then pushes to each other block what it has "
           "counted of that block's bins. The stores tell the receiver's mbarrier how many bytes have come, "
           "so that a block waits for its own bytes only, and for no other block to be done."},
  };
}

std::vector<ParameterSpec> parameters() {
  return {
      blockParameter("Threads in a block, in whole warps. Each counts eight elements."),
      sizeParameter(20, 17, "Random 32-bit values, eight for each thread."),
      {.name = "bins",
       .label = "Bins",
       .kind = ParameterKind::kLog2,
       .min = 1,
       .max = 8192,
       .default_value = 2048,
       .unit = "bins",
       .help =
           "The more bins, the more it costs that every block clears all of them and adds them up. A cluster "
           "does that once.",
       .samples = {64, 1000}},
      {.name = "cluster",
       .label = "Blocks of a cluster",
       .kind = ParameterKind::kLog2,
       .min = 1,
       .max = 16,
       .default_value = 4,
       .unit = "blocks",
       .help =
           "They run at the same time on SMs of one GPC, and reach each other's shared memory. Eight are "
           "possible on every GPU that has clusters; sixteen must be asked for, and not every GPU has them.",
       .variants = {"distributed", "split_barrier", "pushed"},
       .samples = {1, 8}},
  };
}

}  // namespace

FamilyInfo clustersInfo() {
  return {.name = "clusters",
          .title = "Thread block clusters",
          .summary =
              "Since compute capability 9.0 blocks can form clusters, which run at the same time and reach "
              "each other's shared memory. A histogram shows what that saves - room, and additions in "
              "global memory - and what it costs: accesses take longer, and the blocks wait for each other.",
          .variants = variants(),
          .parameters = parameters()};
}

std::vector<RegionName> clustersRegionNames() {
  return {{"kClear", kClear, "clear shared memory"},   {"kLoad", kLoad, "load"},
          {"kBarrier", kBarrier, "barrier"},           {"kCount", kCount, "count"},
          {"kFlush", kFlush, "add to global"},         {"kPush", kPush, "push to the others"},
          {"kReceive", kReceive, "wait for the bytes"}};
}

}  // namespace warpscope::clusters
