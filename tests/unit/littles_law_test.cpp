// Little's law: needed warps = latency x throughput / what a warp has in flight; for devices and for a run.
#include "kernels/occupancy/littles_law.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/synthetic_trace.h"

namespace warpscope {
namespace {

const LittlesLaw& find(const std::vector<LittlesLaw>& laws, LittlesLaw::Work work) {
  return *std::find_if(laws.begin(), laws.end(), [work](const LittlesLaw& law) { return law.work == work; });
}

TEST(LittlesLaw, OfArithmeticOnAnH100) {
  LittlesQuestion question{.device = testing::syntheticDevice(), .resident_warps = 8};
  const auto laws = littlesLaw(question);
  ASSERT_GE(laws.size(), 2U);
  const LittlesLaw& fma = find(laws, LittlesLaw::Work::kArithmetic);
  EXPECT_DOUBLE_EQ(fma.needed_warps, 16);  // 4 cycles x 4 per cycle
  EXPECT_DOUBLE_EQ(fma.share(), 0.5);
  question.instructions_ahead = 4;
  const auto parallel = littlesLaw(question);
  EXPECT_DOUBLE_EQ(find(parallel, LittlesLaw::Work::kArithmetic).needed_warps, 4);
  EXPECT_DOUBLE_EQ(find(parallel, LittlesLaw::Work::kArithmetic).share(), 1);
}

TEST(LittlesLaw, OfMemoryCountsBytesInFlight) {
  LittlesQuestion question{.device = testing::syntheticDevice(), .resident_warps = 64, .bytes_ahead = 128};
  question.device.sm_clock_khz = 1'980'000;
  question.device.memory_clock_khz = 2'619'000;
  question.device.memory_bus_bits = 5120;
  question.device.limits.sm_count = 132;
  const auto laws = littlesLaw(question);
  const LittlesLaw& memory = find(laws, LittlesLaw::Work::kDeviceMemory);
  // 3,352 GB/s over 132 SMs at 1.98 GHz: 12.8 bytes per cycle each.
  EXPECT_NEAR(memory.throughput, 12.83, 0.01);
  EXPECT_NEAR(memory.in_flight, 12.83 * latencyFigures(question.device.limits)->device, 5);
  EXPECT_NEAR(memory.needed_warps, memory.in_flight / 128, 1e-9);
  question.device.memory_clock_khz = 0;  // unknown
  EXPECT_EQ(littlesLaw(question).size(), laws.size() - 1);
}

TEST(LittlesLaw, OfADeviceWithoutFiguresIsUnknown) {
  LittlesQuestion question{.device = testing::syntheticDevice()};
  question.device.limits.compute_capability = {2, 0};
  EXPECT_TRUE(littlesLaw(question).empty());
}

TEST(LittlesLaw, OfARunNeedsItsInstructions) {
  warpscope::Run run = testing::makeSyntheticRun("divergence", "even_odd", 256);
  EXPECT_FALSE(littlesLawOf(run));
  // One warp that issues every 10 cycles.
  run.trace.instructions.clear();
  for (int i = 0; i < 11; ++i) run.trace.instructions.push_back({.issue_cycles = 100 + 10 * i});
  run.trace.warps.front().first_instruction = 0;
  run.trace.warps.front().instruction_count = 11;
  const auto law = littlesLawOf(run);
  ASSERT_TRUE(law);
  EXPECT_DOUBLE_EQ(law->latency_cycles, 10);
  EXPECT_DOUBLE_EQ(law->needed_warps, 40);
  EXPECT_EQ(law->provenance, run.device.provenance);
}

TEST(LittlesLaw, BytesAheadAreSectorsOfALoad) {
  warpscope::Run run = testing::makeSyntheticRun("divergence", "even_odd", 256);
  run.counters.clear();
  EXPECT_FALSE(bytesAhead(run));
  run.counters["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"] = 10;
  run.counters["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] = 160;
  EXPECT_DOUBLE_EQ(*bytesAhead(run), 512);
}

}  // namespace
}  // namespace warpscope
