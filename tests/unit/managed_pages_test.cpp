// Managed memory of simulated GPUs: which pages move when, what waits for them, and whole runs of the
// unified_memory family.
#include "kernels/sim/streams/managed_pages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "kernels/device/device.h"
#include "kernels/execute/executor.h"
#include "kernels/execute/parameter_bytes.h"
#include "kernels/sim/simulated_backend.h"
#include "kernels/sim/streams/stream_machine.h"
#include "tests/support/plan_runner.h"

namespace warpscope {
namespace {

using enum OperationKind;
using sim::ManagedPages;

constexpr uint64_t kPage = kManagedPageBytes;
constexpr DeviceAddress kAddress = uint64_t{1} << 33;

// One SM at 1 GHz, so that a cycle is a nanosecond.
sim::DeviceProfile profileOfPages() {
  sim::DeviceProfile profile;
  profile.limits.sm_count = 1;
  profile.sm_clock_mhz = 1000;
  profile.enqueue_ns = 10;
  profile.stream_latency_ns = 5;
  profile.host_function_ns = 100;
  profile.copy_latency_ns = 50;
  profile.page_fault_batch_ns = 1000;
  profile.host_page_fault_ns = 300;
  profile.migration_bytes_per_ns = 64;  // 1,024 ns a page
  profile.prefetch_bytes_per_ns = 128;  // 512
  profile.prefetch_to_host_bytes_per_ns = 128;
  profile.copy_to_host_bytes_per_ns = 64;
  profile.remote_access_bytes_per_ns = 32;  // 2,048
  return profile;
}

class Pages : public ::testing::Test {
 protected:
  // Of so many pages, all on the host.
  ManagedPages pagesOf(uint64_t pages, MemoryAdvice advice = {}) {
    host_.resize(pages * kPage);
    memory_ = {{.address = kAddress, .host = host_, .advice = advice}};
    return ManagedPages(memory_, profile_);
  }
  LaunchSpec launch() const { return {.parameters = {parameterBytes(kAddress)}}; }
  // Until no block waits; returns when each could go on, by block.
  static std::map<uint32_t, uint64_t> goOn(ManagedPages& pages) {
    std::map<uint32_t, uint64_t> at;
    for (uint64_t next = pages.nextChange(); next != ManagedPages::kNever; next = pages.nextChange()) {
      for (const auto& each : pages.advance(next)) at[each.block] = each.at;
    }
    return at;
  }

  sim::DeviceProfile profile_ = profileOfPages();
  std::vector<std::byte> host_;
  std::vector<StreamWork::Managed> memory_;
};

TEST_F(Pages, AreUsedByLaunchesThatArePassedAnAddressInThem) {
  const ManagedPages pages = pagesOf(2);
  EXPECT_TRUE(pages.usedBy(launch()));
  EXPECT_TRUE(pages.usedBy({.parameters = {parameterBytes(7), parameterBytes(kAddress + 2 * kPage - 1)}}));
  EXPECT_FALSE(pages.usedBy({.parameters = {parameterBytes(kAddress + 2 * kPage)}}));
  EXPECT_FALSE(pages.usedBy({}));
}

TEST_F(Pages, MoveInBatchesOfWhatHasFaultedMeanwhile) {
  ManagedPages pages = pagesOf(32);
  for (const uint32_t block : {0U, 1U}) pages.touch({7, block, 32}, launch(), 100);
  EXPECT_EQ(pages.nextChange(), 1100U) << "the driver wakes";
  pages.touch({7, 2, 32}, launch(), 900);
  EXPECT_TRUE(pages.advance(1100).empty());
  pages.touch({7, 20, 32}, launch(), 1200);  // has to wait for the next batch
  const auto at = goOn(pages);
  // Pages 0 to 2, and page 3: more than half of the four.
  EXPECT_EQ(at.at(0), 1100U + 4 * 1024);
  EXPECT_EQ(at.at(2), at.at(0));
  EXPECT_EQ(at.at(20), at.at(0) + 1024) << "the driver goes on at once";
  ASSERT_EQ(pages.migrations().size(), 2U);
  const PageMigration& first = pages.migrations()[0];
  EXPECT_EQ(first.operation, 7U);
  EXPECT_TRUE(first.to_device);
  EXPECT_EQ(first.faults, 3U);
  EXPECT_EQ(first.bytes, 4 * kPage);
  EXPECT_EQ(first.begin_ns, 100);
  EXPECT_EQ(first.end_ns, 1100 + 4 * 1024);
}

// One page after another: 1, 1, 2, 4, 8 and 16 pages of 2 MiB.
TEST_F(Pages, BringMoreAndMoreOfTheirNeighboursAlong) {
  ManagedPages pages = pagesOf(64);
  for (uint32_t block = 0; block < 64; ++block) {
    pages.touch({0, block, 64}, launch(), 0);
    goOn(pages);
  }
  std::vector<uint64_t> moved;
  for (const PageMigration& migration : pages.migrations()) moved.push_back(migration.bytes / kPage);
  EXPECT_EQ(moved, (std::vector<uint64_t>{1, 1, 2, 4, 8, 16, 1, 1, 2, 4, 8, 16}));
}

TEST_F(Pages, ThatAreThereLetBlocksGoOnAtOnce) {
  ManagedPages pages = pagesOf(4);
  EXPECT_EQ(pages.prefetch(kAddress, 4 * kPage, MemoryPlace::kDevice), 4 * kPage);
  EXPECT_EQ(pages.prefetch(kAddress, 4 * kPage, MemoryPlace::kDevice), 0U) << "they are there";
  pages.touch({0, 3, 4}, launch(), 77);
  EXPECT_EQ(goOn(pages).at(3), 77U);
  EXPECT_TRUE(pages.migrations().empty());
}

TEST_F(Pages, ThatStayOnTheHostAreReachedOverTheLinkInTurn) {
  ManagedPages pages = pagesOf(4, {.preferred = MemoryPlace::kHost, .accessed_by_device = true});
  for (const uint32_t block : {0U, 1U}) pages.touch({0, block, 4}, launch(), 10);
  const auto at = goOn(pages);
  EXPECT_EQ(at.at(0), 10U + 2048);
  EXPECT_EQ(at.at(1), 10U + 2 * 2048);
  EXPECT_TRUE(pages.migrations().empty());
  EXPECT_EQ(pages.hostTouches(1, kAddress, 4 * kPage, 0), 0U) << "they have never left";
}

TEST_F(Pages, MoveBackToAHostThatTouchesThem) {
  ManagedPages pages = pagesOf(3);
  EXPECT_EQ(pages.hostTouches(5, kAddress, 3 * kPage, 0), 0U);
  pages.prefetch(kAddress, 3 * kPage, MemoryPlace::kDevice);
  EXPECT_EQ(pages.hostTouches(5, kAddress, kPage, 1000), 300U + 1024);
  // Of three pages, the second is more than half with the first.
  EXPECT_EQ(pages.hostTouches(5, kAddress + kPage, 2 * kPage, 3000), 300U + 2 * 1024);
  ASSERT_EQ(pages.migrations().size(), 2U);
  EXPECT_FALSE(pages.migrations()[1].to_device);
  EXPECT_EQ(pages.migrations()[1].operation, 5U);
  EXPECT_EQ(pages.migrations()[1].bytes, 2 * kPage);
}

TEST_F(Pages, OfTheEndOfABufferAreAsLongAsWhatIsThere) {
  host_.resize(100);
  memory_ = {{.address = kAddress, .host = host_}};
  ManagedPages pages(memory_, profile_);
  pages.touch({0, 0, 1}, launch(), 0);
  goOn(pages);
  ASSERT_EQ(pages.migrations().size(), 1U);
  EXPECT_EQ(pages.migrations()[0].bytes, 100U);
  EXPECT_TRUE(ManagedPages({}, profile_).migrations().empty());
}

// Two blocks of 100 cycles that load after 40; the second launch finds the pages.
class PagesOfMachine : public Pages {
 protected:
  StreamReport run(std::vector<EnqueuedOperation> operations, MemoryAdvice advice = {}) {
    host_.resize(2 * kPage);
    const StreamWork work{.streams = {{.name = "stream 1"}},
                          .operations = std::move(operations),
                          .managed = {{.address = kAddress, .host = host_, .advice = advice}}};
    const sim::StreamActions actions{
        .launch = [](uint32_t) -> Expected<sim::LaunchedAlone> {
          std::vector<sim::BlockStay> stays = {{0, 0, 0, 100}, {1, 0, 0, 100}};
          for (sim::BlockStay& stay : stays) stay.first_load = 40;
          return sim::LaunchedAlone{
              .stays = stays,
              .needs = {{.resource = OccupancyLimiter::kWarps, .capacity = 8, .per_block = 1}},
              .blocks_per_sm = 8};
        },
        .effect = [](uint32_t) -> Expected<void> { return {}; }};
    auto report = sim::runOnStreams(work, profile_, actions, {});
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(StreamReport{});
  }
  EnqueuedOperation pass() const { return {.launch = launch()}; }
  EnqueuedOperation move(OperationKind kind) const {
    return {.kind = kind, .device = kAddress, .bytes = 2 * kPage};
  }
  EnqueuedOperation touch() const {
    return {.kind = kHostFunction, .device = kAddress, .bytes = 2 * kPage, .work = {.touches = true}};
  }
  static double lasts(const StreamReport& report, size_t operation) {
    return report.operations[operation].end_ns - report.operations[operation].begin_ns;
  }
};

TEST_F(PagesOfMachine, HoldBlocksAtTheirFirstLoadOnly) {
  const StreamReport report = run({pass(), pass(), touch()});
  // From the load on: a batch of two pages, and the rest of the block.
  EXPECT_NEAR(lasts(report, 0), 40 + 1000 + 2 * 1024 + 60, 2);
  EXPECT_NEAR(lasts(report, 1), 100, 2);
  EXPECT_NEAR(lasts(report, 2), 100 + 2 * (300 + 1024), 2) << "of two pages, one is not more than half";
  ASSERT_EQ(report.migrations.size(), 3U);
  EXPECT_EQ(report.migrations[0].operation, 0U);
  EXPECT_EQ(report.migrations[1].operation, 2U);
  // The warps begin before the pages are there, and their time goes on behind.
  ASSERT_EQ(report.placed.size(), 4U);
  const auto& points = report.placed[0].points;
  ASSERT_GE(points.size(), 2U);
  EXPECT_EQ(points[0].clock_cycles, points[1].clock_cycles);
  EXPECT_NEAR(static_cast<double>(points[1].axis_cycles - points[0].axis_cycles), 1000 + 2 * 1024, 2);
}

TEST_F(PagesOfMachine, ArePrefetchedByTheCopyEngines) {
  const StreamReport report =
      run({move(kPrefetchToDevice), pass(), move(kPrefetchToHost), move(kPrefetchToHost), touch()});
  EXPECT_EQ(lasts(report, 0), 50 + 2 * 512);
  EXPECT_NEAR(lasts(report, 1), 100, 2);
  EXPECT_EQ(lasts(report, 2), 50 + 2 * 512);
  EXPECT_EQ(lasts(report, 3), 50) << "nothing is left to move";
  EXPECT_EQ(lasts(report, 4), 100);
  EXPECT_TRUE(report.migrations.empty());
  EXPECT_EQ(report.operations[1].waited_for, StreamWait::kStream);
}

TEST_F(PagesOfMachine, ThatStayOnTheHostCostEachLaunch) {
  const StreamReport report =
      run({pass(), pass(), touch()}, {.preferred = MemoryPlace::kHost, .accessed_by_device = true});
  for (const size_t i : {0, 1}) EXPECT_NEAR(lasts(report, i), 40 + 2 * 2048 + 60, 2);
  EXPECT_EQ(lasts(report, 2), 100);
  EXPECT_TRUE(report.migrations.empty());
}

// The family on a simulated GPU.

warpscope::Run runFamily(const std::string& variant, ParameterValues parameters, bool checks = false) {
  static const auto kModel = openModel("sim:h100").value();
  const RunRequest request{
      .family = "unified_memory", .variant = variant, .parameters = std::move(parameters), .checks = checks};
  auto run = Executor(*kModel).run(request, {}, {});
  EXPECT_TRUE(run) << run.error().message;
  return run.value_or(warpscope::Run{});
}
double lengthOf(const warpscope::Run& run, size_t launch) {
  for (const StreamOperation& operation : run.streams->operations) {
    if (operation.kind == kLaunch && launch-- == 0) return operation.end_ns - operation.begin_ns;
  }
  return 0;
}

TEST(UnifiedMemoryRuns, AreRightAndAsTheoryPredicts) {
  for (const char* variant : {"on_demand", "prefetched", "advised", "explicit_copies"}) {
    for (const int64_t size : {1, 16'383, 100'003}) {
      SCOPED_TRACE(fmt::format("{} {}", variant, size));
      const auto run = runFamily(variant, {{"size", size}, {"passes", 3}}, true);
      EXPECT_TRUE(run.verification.passed) << run.verification.detail;
      ASSERT_TRUE(run.hazards);
      EXPECT_TRUE(run.hazards->empty());
      for (const PredictionResult& each : predictionResults(run)) EXPECT_TRUE(each.fulfilled()) << each.label;
      EXPECT_TRUE(run.trace.problems.empty());
    }
  }
}

TEST(UnifiedMemoryRuns, WaitForPagesInTheFirstPassOnly) {
  const ParameterValues settings{{"size", int64_t{1} << 20}, {"passes", 2}};
  const auto on_demand = runFamily("on_demand", settings), prefetched = runFamily("prefetched", settings),
             advised = runFamily("advised", settings), copies = runFamily("explicit_copies", settings);
  EXPECT_GT(lengthOf(on_demand, 0), 10 * lengthOf(on_demand, 1));
  EXPECT_NEAR(lengthOf(prefetched, 0), lengthOf(copies, 0), 0.1 * lengthOf(copies, 0));
  EXPECT_GT(lengthOf(on_demand, 0), 10 * lengthOf(prefetched, 0));
  EXPECT_NEAR(lengthOf(advised, 0), lengthOf(advised, 1), 0.1 * lengthOf(advised, 0));
  EXPECT_GT(lengthOf(advised, 1), 3 * lengthOf(prefetched, 1));
  EXPECT_GT(on_demand.streams->endNs(), prefetched.streams->endNs());
  const auto lasts = [](const warpscope::Run& run) {  // the way to the device
    return run.streams->operations[0].end_ns - run.streams->operations[0].begin_ns;
  };
  EXPECT_NEAR(lasts(prefetched), lasts(copies), 0.2 * lasts(copies));
  EXPECT_GT(prefetched.streams->endNs(), copies.streams->endNs()) << "the way back is slower on an H100";
  // The migrations lie in what touched the pages.
  ASSERT_FALSE(on_demand.streams->migrations.empty());
  for (const PageMigration& migration : on_demand.streams->migrations) {
    const StreamOperation& by = on_demand.streams->operations[migration.operation];
    EXPECT_GE(migration.begin_ns, by.begin_ns - 1);
    EXPECT_LE(migration.end_ns, by.end_ns + 1);
    EXPECT_EQ(migration.to_device, by.kind == kLaunch);
  }
}

TEST(UnifiedMemoryRuns, TakeNoMoreThanAQuarterOfTheFreeMemory) {
  sim::DeviceProfile profile = sim::bundledProfiles().back().value();
  profile.memory_bytes = uint64_t{64} << 20;
  const auto model = sim::openSimulatedBackend(profile).value();
  Executor executor(*model);
  const auto run = [&](int64_t size) {
    return executor.run({.family = "unified_memory", .variant = "on_demand", .parameters = {{"size", size}}},
                        {}, {});
  };
  EXPECT_TRUE(run(1 << 16));
  const auto refused = run(5 << 20);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kBadRequest);
  EXPECT_NE(refused.error().message.find("at most a quarter of what is free"), std::string::npos)
      << refused.error().message;
}

TEST(UnifiedMemoryPlan, CopiesWhereThereIsNoManagedMemory) {
  const Experiment& family = **findExperiment("unified_memory");
  const RunRequest request =
      completeRequest(family.info(), {.family = "unified_memory", .variant = "on_demand"}).value();
  DeviceLimits limits;
  limits.max_threads_per_block = 1024;
  const LaunchPlan copies = family.plan(request, limits).value();
  EXPECT_NE(copies.instead.find("CONCURRENT_MANAGED_ACCESS"), std::string::npos);
  EXPECT_EQ(copies.buffers[0].host, HostMemory::kPinned);
  EXPECT_EQ(copies.operations.front().kind, kCopyToDevice);
  limits.concurrent_managed_access = true;
  const LaunchPlan managed = family.plan(request, limits).value();
  EXPECT_TRUE(managed.instead.empty());
  EXPECT_EQ(managed.buffers[0].host, HostMemory::kManaged);
  EXPECT_EQ(managed.operations.front().kind, kLaunch);
}

}  // namespace
}  // namespace warpscope
