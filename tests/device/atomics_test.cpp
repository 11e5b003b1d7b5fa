// Compares the simulated GPU's trace and counters with the exact theory of the atomics family: how many lanes
// execute atomics, and how many requests reach global memory.
#include <algorithm>
#include <bit>

#include "kernels/experiments/atomics/regions.h"
#include "kernels/metrics/metrics.h"
#include "tests/device/device_fixture.h"

namespace warpscope::test {
namespace {

using namespace atomics;

constexpr uint32_t kElements = 1 << 12, kBlock = 256;
constexpr uint32_t kWarps = kElements / 32, kBlocks = kElements / kBlock;

using Atomics = DeviceTest;

Run runAtomics(const char* variant, ParameterValues parameters = {}) {
  parameters.try_emplace("size", kElements);
  parameters.try_emplace("block", kBlock);
  return runRecorded("atomics", variant, std::move(parameters));
}

double globalRequests(const Run& run) {
  return counter(run, "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum") +
         counter(run, "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum");
}

// The number of lanes that went through the region together, for each time that a warp did.
std::vector<int> lanesIn(const Run& run, uint32_t region) {
  std::vector<int> lanes;
  for (const TraceWarp& warp : run.trace.warps) {
    forEachSpan(run.trace, warp, [&](const Span& span) {
      if (span.region.value == region) lanes.push_back(std::popcount(span.mask.bits));
    });
  }
  return lanes;
}

TEST_F(Atomics, OneAThreadAreThirtyTwoLanesAWarp) {
  const auto run = runAtomics("global_per_thread", {{"keep", 100}});
  EXPECT_EQ(lanesIn(run, kAtomic), std::vector<int>(kWarps, 32));
  EXPECT_EQ(globalRequests(run), kWarps);
}

TEST_F(Atomics, AggregatedAWarpAsksWithOneLane) {
  for (const int64_t keep : {100, 50}) {
    const auto run = runAtomics("warp_aggregated", {{"keep", keep}});
    EXPECT_EQ(lanesIn(run, kAtomic), std::vector<int>(kWarps, 1)) << "keep " << keep;
    EXPECT_EQ(globalRequests(run), kWarps);
  }
  EXPECT_EQ(globalRequests(runAtomics("warp_aggregated", {{"keep", 0}})), 0);
}

TEST_F(Atomics, AggregatedABlockAsksOnce) {
  for (const int64_t block : {32, 256, 1024}) {
    const auto run = runAtomics("block_aggregated", {{"keep", 100}, {"block", block}});
    EXPECT_EQ(globalRequests(run), static_cast<double>(kElements) / static_cast<double>(block))
        << "block " << block;
    EXPECT_EQ(lanesIn(run, kFlush), std::vector<int>(kElements / static_cast<size_t>(block), 1));
    EXPECT_EQ(counter(run, "smsp__inst_executed_op_shared_atom.sum"), kWarps);
  }
}

TEST_F(Atomics, CountingIsFasterTheFewerAtomicsMeet) {
  const auto median_us = [](const char* variant) {
    return runAtomics(variant, {{"keep", 100}, {"size", 1 << 14}}).timing.median_us;
  };
  const double per_thread_us = median_us("global_per_thread");
  EXPECT_GT(per_thread_us, median_us("warp_aggregated"));
  EXPECT_GT(per_thread_us, median_us("block_aggregated"));
}

TEST_F(Atomics, AHistogramAsksOnceAWarpHoweverManyBins) {
  for (const int64_t bins : {1, 3, 64, 4096}) {
    EXPECT_EQ(globalRequests(runAtomics("histogram", {{"bins", bins}})), kWarps) << bins << " bins";
  }
}

TEST_F(Atomics, InSharedMemoryEachBlockFlushesItsBinsOnce) {
  // 2,048 elements per block fill all 32 bins, which one warp adds up.
  constexpr uint32_t kSharedBlocks = kBlocks / kElementsPerThread;
  const auto run = runAtomics("histogram_shared", {{"bins", 32}});
  EXPECT_EQ(globalRequests(run), kSharedBlocks);
  EXPECT_EQ(counter(run, "smsp__inst_executed_op_shared_atom.sum"), kWarps);
}

TEST_F(Atomics, TicketsAndCompactingAskOnceAWarp) {
  const auto tickets = runAtomics("ticket");
  EXPECT_EQ(globalRequests(tickets), kWarps);
  EXPECT_EQ(lanesIn(tickets, kStore), std::vector<int>(kWarps, 32));
  EXPECT_EQ(tickets.verification.checked, kElements);

  const auto packed = runAtomics("compact", {{"keep", 100}});
  EXPECT_EQ(globalRequests(packed), kWarps);
  EXPECT_EQ(lanesIn(packed, kStore), std::vector<int>(kWarps, 32));
  // Packed means coalesced: 32 indices are in 4 sectors, since reserved room begins at a multiple of 32 here.
  EXPECT_EQ(counter(packed, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"), 4 * kWarps);
}

}  // namespace
}  // namespace warpscope::test
