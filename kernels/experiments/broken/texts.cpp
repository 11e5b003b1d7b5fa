// The broken family: its texts, parameters and names of regions.
#include "kernels/experiments/broken/regions.h"
#include "kernels/experiments/family_parts.h"

namespace warpscope::broken {
namespace {

std::vector<VariantInfo> variants() {
  return {
      {.name = "missing_syncthreads",
       .title = "Missing __syncthreads",
       .summary = "Each block reverses its values through shared memory, but no warp waits until the others "
                  "have written theirs: a race. A warp that comes too early reads the old contents. With one "
                  "warp per block it seems to work.",
       .planted = PlantedHazard{HazardKind::kRace, {"board[count - 1 - threadIdx.x];"}}},
      {.name = "with_syncthreads",
       .title = "... with __syncthreads",
       .summary = "The same with a barrier between writing and reading: all warps of the block have written "
                  "before any of them reads. Look at the wait region, which is the price of correctness."},
      {.name = "missing_syncwarp",
       .title = "Missing __syncwarp",
       .summary = "The last steps of a sum, within one warp and without barriers, as code written before "
                  "Volta does it: volatile, and the hope that lanes run in lockstep. Nothing guarantees "
                  "that. It is a race, even where the sum comes out right.",
       .planted = PlantedHazard{HazardKind::kRace, {"if (t < step) sums[t] += sums[t + step];"}}},
      {.name = "with_syncwarp",
       .title = "... with __syncwarp",
       .summary = "The same with a __syncwarp() after each step, which orders the reads and writes of the "
                  "lanes. Its cost is the difference between the two tails."},
      {.name = "divergent_barrier",
       .title = "Barrier in a divergent branch",
       .summary =
           "Even lanes wait at one __syncthreads(), odd lanes of the same warps at another: what happens "
           "then is undefined. Current GPUs count threads, and the result may look right; others hang. With "
           "instructions shown (I), each half of a warp can be seen arriving at its own barrier.",
       .planted = PlantedHazard{HazardKind::kDivergentBarrier,
                                {"__syncthreads();  // 16 of a warp's lanes",
                                 "__syncthreads();  // the 16 others"}}},
      {.name = "uniform_barrier",
       .title = "... after the branch",
       .summary = "The same with one barrier that all threads reach: the branch only chooses what a thread "
                  "writes and what it does afterwards."},
      {.name = "out_of_bounds",
       .title = "Read past the end",
       .summary = "Each thread reads its neighbour's value; the last one reads past the end of the array. A "
                  "GPU reports nothing as long as that memory belongs to the process: one result is wrong, "
                  "and tomorrow it may be a different one. (Where the array would end exactly with its "
                  "memory, it has one more element.)",
       .planted = PlantedHazard{HazardKind::kOutOfBounds, {"const uint32_t next = in[i + 1];"}}},
      {.name = "in_bounds",
       .title = "... within bounds",
       .summary = "The same with a test of the index: the last thread takes the first value, which closes "
                  "the ring."},
      {.name = "missing_pad",
       .title = "Missing pad",
       .summary = "Tiles are transposed through shared memory without a pad: the 32 words of a column are in "
                  "one bank and are read in 32 wavefronts. The result is correct, so the checks report "
                  "nothing; the counters do: look at the bank conflicts."},
      {.name = "padded",
       .title = "... padded",
       .summary = "The same with one unused word after each row of the tile: a column is then spread over 32 "
                  "banks and is read in one wavefront."},
      {.name = "wrong_transaction_count",
       .title = "Wrong transaction count",
       .summary =
           "A bulk copy brings a block's values to shared memory, and an mbarrier counts the bytes - but it "
           "was told to expect as many bytes as there are values, of four bytes each. The phase is never "
           "over. The checks say how many bytes were expected and how many came. (Threads ask 16 times and "
           "then give up, so that the kernel ends.)",
       .planted = PlantedHazard{HazardKind::kIncompletePhase, {": \"r\"(sharedAddress(&barrier))"}}},
      {.name = "right_transaction_count",
       .title = "... right count",
       .summary = "The same with the number of bytes: the phase is over as soon as all have arrived."},
      {.name = "missing_stream_wait",
       .title = "Missing wait for a stream",
       .summary =
           "One stream copies the values to the device, another one launches a kernel that reads them, and "
           "no event orders the two. Where the launch begins first it reads what was there before; on "
           "another day, or with less to copy, the result is right. The kernel itself is correct: look at "
           "the operations. Only a simulated GPU finds it, by what each operation touches and what orders "
           "them, not by when they ran; a real GPU may show wrong values.",
       .planted = PlantedHazard{HazardKind::kStreamRace, {"in[first + count - 1 - threadIdx.x];"}}},
      {.name = "with_stream_wait",
       .title = "... with an event",
       .summary = "The same with an event that is recorded after the copy, and for which the other stream "
                  "waits before its launch. The host waits for nothing: it is the GPU that keeps the order."},
      {.name = "trigger_without_visibility",
       .title = "Trigger without visibility",
       .summary =
           "Two launches turn each block's values round, and the second may begin as soon as all blocks of "
           "the "
           "first have triggered it (griddepcontrol.launch_dependents). A trigger does not say that anything "
           "has been written: the second launch may read what was there before. It goes well as long as it "
           "happens to begin late.",
       .planted = PlantedHazard{HazardKind::kTriggerWithoutVisibility,
                                {"const uint32_t early = in[first + count - 1 - threadIdx.x];"}}},
      {.name = "trigger_with_wait",
       .title = "... with a wait",
       .summary = "The same with griddepcontrol.wait before the first read: the second launch still begins "
                  "early, and "
                  "goes on when the first is complete and its writes can be read."},
      {.name = "use_after_free",
       .title = "Use after cudaFreeAsync",
       .summary =
           "One stream allocates memory (cudaMallocAsync), fills it and frees it (cudaFreeAsync) while a "
           "launch on another stream may still read it. The free waits for its own stream only, and the next "
           "cudaMallocAsync may get the same memory: the second vector is then written over the first. A "
           "simulated GPU gives each allocation memory of its own, so that the result is right there, and "
           "finds the mistake by what orders the operations.",
       .planted = PlantedHazard{HazardKind::kUseAfterFree, {"in[first + count - 1 - threadIdx.x];"}}},
      {.name = "free_after_use",
       .title = "... freed after use",
       .summary = "The same with an event behind the launch that reads, for which the stream waits before it "
                  "frees. To free the memory on the stream that read it last would do as well."},
  };
}

}  // namespace

FamilyInfo brokenInfo() {
  FamilyInfo info;
  info.name = "broken";
  info.title = "Broken on purpose";
  info.summary =
      "Mistakes that everybody makes once, each beside the corrected kernel. A simulated GPU finds the "
      "hazard and names line, threads and address; a real one shows a wrong result, if the mistake has a "
      "visible effect at all.";
  info.checked = true;
  info.variants = variants();
  info.parameters = {
      blockParameter("Threads in a block, in whole warps. Races between warps need more than one."),
      sizeParameter(20, 13, "One thread each; the transposing pair takes 1,024 per block."),
  };
  return info;
}

std::vector<RegionName> brokenRegionNames() {
  return {{"kLoad", kLoad, "load"},          {"kWait", kWait, "wait"}, {"kExchange", kExchange, "exchange"},
          {"kColumns", kColumns, "columns"}, {"kTail", kTail, "tail"}, {"kBranch", kBranch, "branch"},
          {"kStore", kStore, "store"}};
}

}  // namespace warpscope::broken
