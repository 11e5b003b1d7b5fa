// See texts.h.
#include "kernels/experiments/broken/texts.h"

#include "kernels/experiments/broken/regions.h"

namespace warpscope::broken {
namespace {

std::vector<VariantInfo> variants() {
  return {
      {.name = "missing_syncthreads",
       .title = "Missing __syncthreads",
       .summary =
           "Each block turns its values round through shared memory, but no warp waits until the others "
           "have written theirs: a race. Whoever comes first reads what was there before. With one warp a "
           "block it seems to work.",
       .planted = PlantedHazard{HazardKind::kRace, {"board[count - 1 - threadIdx.x];"}}},
      {.name = "with_syncthreads",
       .title = "... with __syncthreads",
       .summary = "The same with a barrier between writing and reading: all warps of the block have written "
                  "before one reads. Look at the wait region, which is what being right costs."},
      {.name = "missing_syncwarp",
       .title = "Missing __syncwarp",
       .summary =
           "The last steps of a sum, within one warp and without barriers, as code written before Volta "
           "does it: volatile, and the hope that lanes go in step. Nothing promises that. It is a race, "
           "also where the sum comes out right.",
       .planted = PlantedHazard{HazardKind::kRace, {"if (t < step) sums[t] += sums[t + step];"}}},
      {.name = "with_syncwarp",
       .title = "... with __syncwarp",
       .summary =
           "The same with a __syncwarp() behind each step, which orders what the lanes read and write. "
           "What that costs is the difference between the two tails."},
      {.name = "divergent_barrier",
       .title = "Barrier in a divergent branch",
       .summary =
           "Even lanes wait at one __syncthreads(), odd lanes of the same warps at another: what happens "
           "then is undefined. Current GPUs count threads, and it may look right; others hang. With "
           "instructions shown (I), each half of a warp is seen coming to a barrier of its own.",
       .planted = PlantedHazard{HazardKind::kDivergentBarrier,
                                {"__syncthreads();  // 16 of a warp's lanes",
                                 "__syncthreads();  // the 16 others"}}},
      {.name = "uniform_barrier",
       .title = "... behind the branch",
       .summary = "The same with one barrier where all threads pass: the branch only chooses what a thread "
                  "writes and what it does afterwards."},
      {.name = "out_of_bounds",
       .title = "Read past the end",
       .summary =
           "Each thread reads its neighbour's value; the last one reads what lies behind the array. A GPU "
           "says nothing as long as that memory belongs to the process: one result is wrong, and it may "
           "be another one tomorrow. (Where the array would end exactly with its memory, it has one "
           "element more.)",
       .planted = PlantedHazard{HazardKind::kOutOfBounds, {"const uint32_t next = in[i + 1];"}}},
      {.name = "in_bounds",
       .title = "... within bounds",
       .summary = "The same with a test of the index: the last thread takes the first value, as the ring "
                  "wants it."},
      {.name = "missing_pad",
       .title = "Missing pad",
       .summary =
           "Tiles are transposed through shared memory without a pad: the 32 words of a column lie in one "
           "bank and are read in 32 turns. Nothing is wrong with the result, so no check says a word; the "
           "counters do: look at the bank conflicts."},
      {.name = "padded",
       .title = "... padded",
       .summary = "The same with one unused word behind each row of the tile: a column then lies in 32 banks "
                  "and is read in one turn."},
  };
}

}  // namespace

FamilyInfo brokenInfo() {
  FamilyInfo info;
  info.name = "broken";
  info.title = "Broken on purpose";
  info.summary =
      "Mistakes that everybody makes once, each beside the same kernel put right. A simulated GPU finds "
      "the hazard and names line, threads and address; a real one shows a wrong result, if the mistake "
      "happens to show at all.";
  info.checked = true;
  info.variants = variants();
  info.parameters = {
      blockParameter("Threads in a block, in whole warps. Races between warps need more than one."),
      sizeParameter(20, 13, "One thread each; the transposing pair takes 1,024 a block."),
  };
  return info;
}

std::vector<RegionName> brokenRegionNames() {
  return {{"kLoad", kLoad, "load"},          {"kWait", kWait, "wait"}, {"kExchange", kExchange, "exchange"},
          {"kColumns", kColumns, "columns"}, {"kTail", kTail, "tail"}, {"kBranch", kBranch, "branch"},
          {"kStore", kStore, "store"}};
}

}  // namespace warpscope::broken
