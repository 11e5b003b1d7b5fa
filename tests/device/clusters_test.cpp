// Clusters and bulk copies on the simulated GPU: where the blocks of a cluster run, what their accesses and
// copies take, and what is said of launches that are impossible.
#include <map>
#include <set>

#include "kernels/device/device.h"
#include "tests/device/device_fixture.h"

namespace warpscope::test {
namespace {

void expectSays(const std::string& text, const std::string& words) {
  EXPECT_NE(text.find(words), std::string::npos) << text;
}

using Clusters = DeviceTest;

Run runClusters(const char* variant, ParameterValues parameters = {}) {
  parameters.try_emplace("size", 1 << 15);
  parameters.try_emplace("block", 256);
  return runRecorded("clusters", variant, std::move(parameters));
}

// The SM of each recorded block.
std::map<uint32_t, uint32_t> smOfBlocks(const Run& run) {
  std::map<uint32_t, uint32_t> sms;
  for (const TraceWarp& warp : run.trace.warps) sms[warp.block.value] = warp.sm.value;
  return sms;
}

// A simulated H100 deals pairs of SMs out to its eight GPCs in turn.
uint32_t gpcOf(uint32_t sm) {
  return sm / 2 % 8;
}

TEST_F(Clusters, BlocksOfAClusterShareAGpcAndBeginTogether) {
  for (const int64_t size : {2, 4, 8, 16}) {
    const auto run = runClusters("distributed", {{"cluster", size}});
    EXPECT_TRUE(run.verification.passed) << run.verification.detail;
    ASSERT_TRUE(run.cluster.has_value());
    EXPECT_EQ(run.cluster->x, size);
    const auto sms = smOfBlocks(run);
    ASSERT_EQ(sms.size(), run.grid.count());
    for (uint32_t first = 0; first < sms.size(); first += static_cast<uint32_t>(size)) {
      std::set<uint32_t> of_cluster;
      for (uint32_t rank = 0; rank < size; ++rank) {
        of_cluster.insert(sms.at(first + rank));
        EXPECT_EQ(gpcOf(sms.at(first + rank)), gpcOf(sms.at(first))) << "block " << first + rank;
      }
      EXPECT_EQ(of_cluster.size(), static_cast<size_t>(size)) << "an SM for each block";
    }
  }
}

TEST_F(Clusters, OldGpusSayThatTheyHaveNone) {
  auto device = openDevice("sim:a100", {});
  ASSERT_TRUE(device) << device.error().message;
  const auto run = (*device)->run({.family = "clusters", .variant = "distributed"}, {}, {});
  ASSERT_FALSE(run.has_value());
  expectSays(run.error().message, "9.0");
}

TEST_F(Clusters, BulkCopiesHideMoreWithMoreStages) {
  const auto cycles = [](int64_t stages) {
    const auto run = runRecorded("bulk_copy", "bulk", {{"size", 1 << 18}, {"stages", stages}});
    EXPECT_TRUE(run.verification.passed) << run.verification.detail;
    return run.timing.median_us;
  };
  EXPECT_GT(cycles(1), cycles(3) * 1.1);
}

// Eight lanes read 16 bytes each at a time: from the same four banks, or with any swizzle from all.
TEST_F(Clusters, ASwizzleAvoidsTheConflictsOfColumns) {
  for (const int64_t swizzle : {0, 1, 2, 3}) {
    const auto run = runRecorded("bulk_copy", "tensor", {{"size", 1 << 15}, {"swizzle", swizzle}});
    EXPECT_TRUE(run.verification.passed) << run.verification.detail;
    const double reads = run.counters.at("smsp__inst_executed_op_shared_ld.sum");
    const double writes = run.counters.at("smsp__inst_executed_op_shared_st.sum");
    const double wavefronts = swizzle == 0 ? 32 : 4;
    EXPECT_EQ(run.counters.at("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"), wavefronts * reads);
    EXPECT_EQ(run.counters.at("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"), wavefronts * writes);
  }
}

TEST_F(Clusters, PushedBinsNeedNoBarrierAtTheEnd) {
  for (const int64_t size : {1, 2, 8}) {
    const auto run = runClusters("pushed", {{"cluster", size}});
    EXPECT_TRUE(run.verification.passed) << run.verification.detail;
    const auto marks = [&](std::string_view name) {
      const auto region = std::ranges::find(run.regions, name, &Region::name);
      EXPECT_NE(region, run.regions.end()) << name;
      return std::ranges::count(run.trace.events, region->id, &TraceEvent::region);
    };
    EXPECT_EQ(marks("barrier"), marks("wait for the bytes")) << "once for each warp";
  }
}

}  // namespace
}  // namespace warpscope::test
