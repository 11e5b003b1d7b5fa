// The reduction family: its texts, parameters and names of regions.
#include "kernels/experiments/family_parts.h"
#include "kernels/experiments/reduction/regions.h"

namespace warpscope::reduction {
namespace {

std::vector<VariantInfo> treesInGlobalMemory() {
  return {
      {.name = "neighbored",
       .title = "Neighbours (tid % 2s)",
       .summary = "Each step adds elements 'stride' apart, by the threads that are multiples of 2 x stride. "
                  "From the first step on, every warp runs with half of its lanes, then a quarter ...: look "
                  "at how few stripes are lit in 'add'."},
      {.name = "neighbored_less",
       .title = "Neighbours, packed threads",
       .summary = "The same additions, done by the first threads of the block. Whole warps work or skip the "
                  "step; only the last five steps, inside one warp, diverge."},
      {.name = "interleaved",
       .title = "Interleaved",
       .summary = "The stride starts at half the block and shrinks. Divergence is as in 'Neighbours, packed "
                  "threads', but "
                  "neighbouring threads now read neighbouring words: fewer memory sectors per request."},
  };
}

std::vector<VariantInfo> unrolled() {
  return {
      {.name = "unroll2",
       .title = "Unrolled by 2 blocks",
       .summary = "Each thread first adds two elements, a block apart, then the interleaved tree runs. Half "
                  "of the blocks do the work, and their threads have two loads in flight."},
      {.name = "unroll4",
       .title = "Unrolled by 4 blocks",
       .summary = "Four elements per thread before the tree: four loads in flight, a quarter of the blocks. "
                  "Compare the share of 'load' with that of the steps."},
      {.name = "unroll8",
       .title = "Unrolled by 8 blocks",
       .summary = "Each thread first adds eight elements, then the interleaved tree runs. Eight loads are in "
                  "flight at once, and the tree is paid once for eight times the data: memory latency is "
                  "hidden."},
      {.name = "unroll_warps8",
       .title = "... and the last warp unrolled",
       .summary = "The last 64 elements are added by the first warp without block barriers. Every step "
                  "reads, then __syncwarp, then writes, then __syncwarp: since Volta the lanes of a warp "
                  "need not run in lockstep. Look at the other warps, which have exited."},
      {.name = "complete_unroll_warps8",
       .title = "... and the loop unrolled",
       .summary = "A line for each stride instead of a loop: no counter, no jump. All threads alike skip the "
                  "strides that are too large for the block, so this does not diverge."},
      {.name = "complete_unroll_template",
       .title = "... with the block size as template",
       .summary = "The block size is known to the compiler, which removes the strides that the block does "
                  "not need. Sizes between powers of two use the code of the next larger one."},
  };
}

std::vector<VariantInfo> inSharedMemory() {
  return {
      {.name = "shared",
       .title = "Tree in shared memory",
       .summary =
           "One read of global memory, then the interleaved tree in shared memory, which is on the SM: "
           "each step is far shorter. The barriers between steps are what is left."},
      {.name = "shared_first_add",
       .title = "First addition while loading",
       .summary = "Each thread loads two elements and stores their sum. Half as many blocks do the work of "
                  "'shared', and no thread only loads."},
      {.name = "syncwarp",
       .title = "Last warp with __syncwarp",
       .summary = "The last 32 elements belong to one warp: __syncwarp replaces the block's barrier, five "
                  "times. Look at the first warp's steps against 'barrier'."},
      {.name = "shuffle",
       .title = "Last warp with shuffles",
       .summary = "The last warp adds its lanes' registers with __shfl_down_sync: five steps that need "
                  "neither shared memory nor barriers."},
      {.name = "cooperative_groups",
       .title = "Last warp as a tile",
       .summary = "The same end, written with cooperative groups: tiled_partition<32> makes the tile that "
                  "shuffles. Compare the PTX with that of 'shuffle'."},
      {.name = "warp_shuffle_two_level",
       .title = "Shuffles, two levels",
       .summary = "Every warp adds up its lanes with five shuffles, then the first warp adds up the warps' "
                  "sums: one barrier, no lane waits for another path, and 128 bytes of shared memory."},
      {.name = "redux",
       .title = "One instruction per warp (redux)",
       .summary = "redux.sync adds up the integers of a warp in one instruction, instead of five shuffles "
                  "and five additions. It does not exist for floats, and needs compute capability 8.0."},
  };
}

std::vector<VariantInfo> acrossBlocks() {
  return {
      {.name = "atomic_per_thread",
       .title = "An atomic per thread",
       .summary = "Every thread adds its element to the one total, so all additions go to one address in L2, "
                  "which executes them one after another. For floats the order, and so the last digits, "
                  "differ from run to run."},
      {.name = "atomic_per_block",
       .title = "An atomic per block",
       .summary = "The block adds up first, then one thread adds the block's sum to the total: as many "
                  "atomics as blocks. The total is set to 0 before each launch, which is not timed."},
      {.name = "two_pass",
       .title = "Two launches",
       .summary =
           "One sum per block; a second launch of one block adds those up. The end of a kernel is a barrier "
           "for all blocks; its cost is a second launch. Both are timed, only the first is traced."},
      {.name = "last_block",
       .title = "The last block adds up",
       .summary = "Each block writes its sum, executes a fence, and draws a ticket; the block with the last "
                  "ticket adds up the sums. One launch, and always the same order of additions."},
      {.name = "grid_sync",
       .title = "A barrier of the grid",
       .summary = "All blocks wait for each other inside the kernel, then the first one adds up the sums. "
                  "They must all be resident at once, or they would wait forever: a cooperative launch, "
                  "refused where the grid is larger than the GPU."},
      {.name = "grid_stride",
       .title = "Grid-stride loop",
       .summary = "Just enough blocks to fill the GPU stride over the whole input; each thread adds many "
                  "elements before the shuffles. The tree is paid once for thousands of elements; the host "
                  "adds the blocks' sums."},
      {.name = "grid_stride_vec4",
       .title = "Grid-stride, 16-byte loads",
       .summary = "Four loads of 16 bytes in flight for each thread, into four sums that do not wait for "
                  "each other; the last block makes the total. Look at the few, long 'load' spans: threads "
                  "wait for nothing but memory."},
      {.name = "coarsened",
       .title = "Coarsened threads",
       .summary = "Each thread adds as many elements as the control says before the block adds up. More "
                  "elements per thread mean fewer blocks, trees and atomics, until too few threads are left "
                  "to keep memory busy."},
      {.name = "static_output",
       .title = "Result in a __device__ array",
       .summary =
           "Like the grid-stride loop, but the blocks' sums go to an array of the module instead of one that "
           "is passed: the host asks the module for its address."},
  };
}

std::vector<ParameterSpec> parameters() {
  std::vector<std::string> with_types;
  for (const auto& group : {treesInGlobalMemory(), unrolled(), inSharedMemory(), acrossBlocks()}) {
    for (const VariantInfo& variant : group) {
      if (variant.name != "redux") with_types.push_back(variant.name);
    }
  }
  return {
      blockParameter("Threads in a block. A larger block means a deeper tree, more warps at each barrier and "
                     "fewer partial sums; watch occupancy and the idle warps of the last steps."),
      sizeParameter(24, 24,
                    "How many numbers of 4 bytes are added up. If they do not fill the GPU, launch overhead "
                    "and latency dominate, not bandwidth."),
      {.name = "type",
       .label = "Numbers",
       .kind = ParameterKind::kChoice,
       .unit = "4 bytes",
       .help = "What is added up. Sums of ints are exact in any order; those of floats depend on it: see "
               "PRECISION.",
       .choices = {"int", "float"},
       .variants = with_types,
       .role = ParameterRole::kElementType},
      {.name = "input",
       .label = "Values",
       .kind = ParameterKind::kChoice,
       .unit = "numbers",
       .help = "Random numbers (ints from -128 to 127, floats from 0 to 1), or copies of 1.23: added one "
               "after another, floats get stuck at 33,554,432. As ints these are ones.",
       .choices = {"random", "1.23"}},
      {.name = "blocks_per_sm",
       .label = "Blocks per SM",
       .min = 1,
       .max = 32,
       .default_value = 8,
       .unit = "blocks",
       .help = "The grid is this many blocks for each SM (never more than the data needs). Too few leave the "
               "SM without enough loads in flight; too many add waves of blocks needlessly.",
       .variants = {"grid_stride", "grid_stride_vec4", "static_output"}},
      {.name = "resident_blocks",
       .label = "Resident blocks per SM",
       .min = 0,
       .max = 32,
       .default_value = 0,
       .unit = "blocks",
       .help = "The grid is this many blocks for each SM (never more than the data needs), and all of them "
               "must fit at once. Automatic: half of the threads that an SM has room for.",
       .variants = {"grid_sync"},
       .zero_means = "automatic"},
      {.name = "coarsening",
       .label = "Elements per thread",
       .kind = ParameterKind::kLog2,
       .min = 1,
       .max = 256,
       .default_value = 8,
       .unit = "elements",
       .help = "How many elements a thread adds before its block adds up.",
       .variants = {"coarsened"}},
  };
}

}  // namespace

FamilyInfo reductionInfo() {
  FamilyInfo info;
  info.name = "reduction";
  info.view = "tree";
  info.title = "Reduction";
  info.summary =
      "The sum of ints or floats. All variants add the same numbers; they differ in which thread adds what, "
      "where the numbers are kept in between, how often the block must synchronise, and how the blocks' sums "
      "are combined.";
  for (const auto& group : {treesInGlobalMemory(), unrolled(), inSharedMemory(), acrossBlocks()}) {
    info.variants.insert(info.variants.end(), group.begin(), group.end());
  }
  info.parameters = parameters();
  return info;
}

std::vector<RegionName> reductionRegionNames() {
  return {{"kStart", kStart, "start"},
          {"kLoad", kLoad, "load"},
          {"kLoadBarrier", kLoadBarrier, "barrier after loading"},
          {"kStep", kStep, "step", RegionRole::kStep},
          {"kAdd", kAdd, "add", RegionRole::kStepWork},
          {"kBarrier", kBarrier, "barrier"},
          {"kFirstWarp", kFirstWarp, "first warp"},
          {"kLastStep", kLastStep, "first warp's step", RegionRole::kStep},
          {"kWrite", kWrite, "write"},
          {"kAtomic", kAtomic, "atomic"},
          {"kTicket", kTicket, "ticket"},
          {"kLastBlock", kLastBlock, "last block"},
          {"kGridBarrier", kGridBarrier, "barrier of the grid"}};
}

}  // namespace warpscope::reduction
