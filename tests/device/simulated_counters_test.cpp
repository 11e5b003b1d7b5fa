// Compares the simulated GPU's counters with the exact theory of each variant, without probes or a compiler
// in between.
#include "kernels/device/device.h"
#include "kernels/execute/executor.h"
#include "tests/device/device_fixture.h"

namespace warpscope::test {
namespace {

double sectorsPerLoad(const Run& run) {
  return counter(run, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") /
         counter(run, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum");
}

double sectorsPerStore(const Run& run) {
  return counter(run, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum") /
         counter(run, "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum");
}

double loadConflicts(const Run& run) {
  return counter(run, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum");
}

double storeConflicts(const Run& run) {
  return counter(run, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum");
}

using SimulatedCounters = DeviceTest;

TEST_F(SimulatedCounters, AFewSmsStandForAllWhereBlocksAreAlike) {
  RunRequest request{.family = "reduction", .variant = "shuffle", .parameters = {{"size", 1 << 18}}};
  const auto sampled = runOnDevice(request);
  request.sampling.mode = Sampling::Mode::kAll;
  const auto all = runOnDevice(request);
  EXPECT_EQ(counter(sampled, "model.simulated_sms"), 8);
  EXPECT_EQ(all.counters.count("model.simulated_sms"), 0U) << "all blocks are recorded";
  EXPECT_TRUE(sampled.verification.passed) << "the other blocks were executed, too";
  EXPECT_NEAR(sampled.timing.median_us, all.timing.median_us, 0.04 * all.timing.median_us);
  EXPECT_EQ(counter(sampled, "smsp__inst_executed.sum"), counter(all, "smsp__inst_executed.sum"));

  request = {.family = "divergence", .variant = "work_queue", .parameters = {{"size", 1 << 17}}};
  EXPECT_EQ(runOnDevice(request).counters.count("model.simulated_sms"), 0U)
      << "how much a block does depends on what the others have done";
  request = {.family = "divergence",
             .variant = "data_dependent",
             .parameters = {{"size", 1 << 18}, {"block", 256}, {"work", 16}, {"data", 1}}};
  EXPECT_EQ(runOnDevice(request).counters.count("model.simulated_sms"), 0U)
      << "the data are sorted, so that its first blocks do other work than its last ones";
}

// While a slider moves, a run is shown before the blocks that no time depends on are executed.
TEST_F(SimulatedCounters, ARunIsCompleteButForItsCheckBeforeAllBlocksAreExecuted) {
  const auto run_with_early = [](const RunRequest& request) {
    const auto device = openDevice("sim:h100", {});
    EXPECT_TRUE(device);
    std::shared_ptr<const warpscope::Run> early;
    auto run = (*device)->run(request,
                              [&](const Progress& progress) {
                                if (progress.early) early = progress.early;
                              },
                              {});
    EXPECT_TRUE(run) << run.error().message;
    return std::pair(early, std::move(*run));
  };
  const auto [early, run] =
      run_with_early({.family = "reduction", .variant = "unroll2", .parameters = {{"size", 1 << 18}}});
  ASSERT_NE(early, nullptr);
  EXPECT_TRUE(early->verification.pending);
  EXPECT_FALSE(early->verification.passed);
  EXPECT_FALSE(run.verification.pending);
  EXPECT_TRUE(run.verification.passed) << run.verification.detail;
  EXPECT_EQ(early->timing.median_us, run.timing.median_us);
  EXPECT_EQ(early->counters, run.counters);
  EXPECT_EQ(early->trace.events.size(), run.trace.events.size());
  // Where all blocks are simulated in detail, the result is there at once.
  EXPECT_EQ(
      run_with_early({.family = "reduction", .variant = "unroll2", .parameters = {{"size", 1 << 10}}}).first,
      nullptr);
}

// last_block adds up all blocks' sums in the one that draws the last ticket, which is among the sampled ones.
TEST_F(SimulatedCounters, AFewSmsStandForAllWhereBlocksDrawTickets) {
  for (const auto& [family, variant] :
       {std::pair("atomics", "ticket"), std::pair("reduction", "last_block")}) {
    RunRequest request{.family = family, .variant = variant, .parameters = {{"size", 1 << 17}}};
    const auto sampled = runOnDevice(request);
    request.sampling.mode = Sampling::Mode::kAll;
    const auto all = runOnDevice(request);
    EXPECT_EQ(counter(sampled, "model.simulated_sms"), 8) << variant;
    EXPECT_TRUE(sampled.verification.passed) << variant;
    EXPECT_NEAR(sampled.timing.median_us, all.timing.median_us, 0.05 * all.timing.median_us) << variant;
  }
}

TEST_F(SimulatedCounters, TransposesMoveTheSectorsThatTheirAddressesSay) {
  const ParameterValues square{{"size", 256 * 256}, {"rows", 256}};
  const auto sectors = [&](const char* variant) {
    const auto run = runRecorded("transpose", variant, square);
    return std::pair(sectorsPerLoad(run), sectorsPerStore(run));
  };
  EXPECT_EQ(sectors("copy"), std::pair(16.0, 16.0)) << "16 bytes per lane";
  EXPECT_EQ(sectors("shared_padded_vec"), std::pair(16.0, 16.0)) << "16 bytes per lane";
  EXPECT_EQ(sectors("naive_row"), std::pair(4.0, 32.0));
  EXPECT_EQ(sectors("naive_column"), std::pair(32.0, 4.0));
  for (const char* variant : {"shared", "shared_padded", "shared_swizzled"}) {
    EXPECT_EQ(sectors(variant), std::pair(4.0, 4.0)) << variant;
  }
}

TEST_F(SimulatedCounters, TheColumnReadOfATileConflicts32WaysUnlessPaddedOrSwizzled) {
  const ParameterValues square{{"size", 256 * 256}, {"rows", 256}};
  const double warp_reads = 256 * 256 / 32.0;
  const auto shared = runRecorded("transpose", "shared", square);
  EXPECT_EQ(loadConflicts(shared), warp_reads * 31);
  EXPECT_EQ(storeConflicts(shared), 0);
  for (const char* variant : {"shared_padded", "shared_swizzled", "shared_padded_vec"}) {
    const auto run = runRecorded("transpose", variant, square);
    EXPECT_EQ(loadConflicts(run), 0) << variant;
    EXPECT_EQ(storeConflicts(run), 0) << variant;
  }
}

TEST_F(SimulatedCounters, VectorsMakeAQuarterOfTheRequestsAtEveryBlockShape) {
  const auto requests = [](const auto& run) {
    return counter(run, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum");
  };
  for (const int64_t block : {0, 1, 2, 3}) {
    const ParameterValues square{{"size", 256 * 256}, {"rows", 256}, {"block", block}};
    const auto vectors = runRecorded("transpose", "shared_padded_vec", square);
    EXPECT_EQ(requests(vectors), 256 * 256 / 32 / 4) << block;
    EXPECT_EQ(requests(runRecorded("transpose", "shared_padded", square)), 256 * 256 / 32) << block;
    EXPECT_EQ(loadConflicts(vectors), 0) << block;
    EXPECT_EQ(storeConflicts(vectors), 0) << block;
  }
}

TEST_F(SimulatedCounters, EvenOddDivergesOnceAWarpAndWarpAlignedNever) {
  const double warps = (1 << 13) / 32.0;
  const ParameterValues whole{{"size", 1 << 13}, {"work", 64}};
  EXPECT_EQ(counter(runRecorded("divergence", "even_odd", whole), "ptx.branches_divergent"), warps);
  EXPECT_EQ(counter(runRecorded("divergence", "split_ifs", whole), "ptx.branches_divergent"), 2 * warps);
  EXPECT_EQ(counter(runRecorded("divergence", "warp_aligned", whole), "ptx.branches_divergent"), 0);
}

TEST_F(SimulatedCounters, TreesDivergeInAsManyWarpsAsTheirIndicesSay) {
  // Divergent warps among 16 per block: neighbored 16 16 16 16 16 8 4 2 1, the others 0 0 0 0 1 1 1 1 1.
  const double blocks = (1 << 14) / 512.0;
  const auto divergent = [](const char* variant) {
    return counter(runRecorded("reduction", variant, {{"size", 1 << 14}, {"block", 512}}),
                   "ptx.branches_divergent");
  };
  // The last `if (tid == 0)` diverges in the first warp of each block.
  EXPECT_EQ(divergent("neighbored"), blocks * (5 * 16 + 8 + 4 + 2 + 1 + 1));
  for (const char* variant : {"neighbored_less", "interleaved", "shared"}) {
    EXPECT_EQ(divergent(variant), blocks * (5 + 1)) << variant;
  }
}

// Where buffers lie, and what earlier launches left in L2, is the process's history and not the launch's.
TEST_F(SimulatedCounters, WhatRanBeforeChangesNoTime) {
  const std::vector<RunRequest> requests = {
      {.family = "reduction", .variant = "shuffle", .parameters = {{"size", 1 << 18}}},
      {.family = "reduction", .variant = "two_pass", .parameters = {{"size", 1 << 20}}},
      {.family = "reduction", .variant = "atomic_per_block", .parameters = {{"size", 1 << 16}}},
      {.family = "transpose", .variant = "naive_row", .parameters = {{"size", 1 << 16}}},
      {.family = "divergence", .variant = "branchless", .parameters = {{"size", 1 << 15}}},
  };
  const auto run_on = [](Executor& executor, const RunRequest& request) {
    auto run = executor.run(
        request, [](const Progress&) {}, std::stop_token{});
    EXPECT_TRUE(run.has_value()) << run.error().message;
    return run.value_or(warpscope::Run{});
  };
  for (const uint32_t warm_ups : {0U, 3U}) {
    for (RunRequest request : requests) {
      SCOPED_TRACE(fmt::format("{} {}, {} warm-ups", request.family, request.variant, warm_ups));
      request.warm_ups = warm_ups;
      auto backend = openBackend("sim:h100");
      ASSERT_TRUE(backend) << backend.error().message;
      Executor executor(*backend);
      const auto first = run_on(executor, request);
      // Other data, larger and smaller buffers, some of which take the place of those of the first run.
      run_on(executor, {.family = "transpose", .variant = "copy", .parameters = {{"size", 1 << 20}}});
      run_on(executor, {.family = "reduction", .variant = "coarsened", .parameters = {{"size", 1 << 10}}});
      const auto again = run_on(executor, request);
      EXPECT_EQ(first.timing.median_us, again.timing.median_us);
      EXPECT_EQ(first.counters, again.counters);
      EXPECT_EQ(first.probe.probed_median_us, again.probe.probed_median_us);
    }
  }
}

TEST_F(SimulatedCounters, TheSameLaunchTakesTheSameCycles) {
  const ParameterValues small{{"size", 1 << 14}};
  const auto first = runRecorded("reduction", "grid_stride", small);
  const auto second = runRecorded("reduction", "grid_stride", small);
  EXPECT_EQ(first.timing.median_us, second.timing.median_us);
  EXPECT_EQ(first.counters, second.counters);
}

}  // namespace
}  // namespace warpscope::test
