// Mistakes with clusters, mbarriers and bulk copies, and what is said of them: by the checks, and by a launch
// that cannot go on or is impossible.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "kernels/sim/ptx/parser.h"
#include "kernels/sim/simt/checks/run_checked.h"
#include "kernels/sim/simt/decode.h"
#include "kernels/sim/simt/functional_grid.h"

namespace warpscope::sim {
namespace {

void expectSays(const std::string& text, const std::string& words) {
  EXPECT_NE(text.find(words), std::string::npos) << text;
}

class SimClusters : public testing::Test {
 protected:
  // A kernel of 64 threads a block, in clusters of two blocks; %a: the address of 4,096 bytes of global
  // memory.
  void load(const std::string& body, const std::string& directives = "") {
    memory_ = std::move(GlobalMemory::create(uint64_t{1} << 22).value());
    const std::string text =
        ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 to) " + directives +
        " {\n.reg .b64 %a, %x;\n.reg .b32 %i, %r, %u, %v;\n.reg .pred %p, %q;\n"
        ".shared .align 128 .b8 mem[1024];\n.shared .b64 bar;\n"
        "ld.param.u64 %a, [to];\ncvta.to.global.u64 %a, %a;\nmov.u32 %i, %tid.x;\n"
        "setp.eq.u32 %p, %i, 0;\nmov.u32 %r, %cluster_ctarank;\n" +
        body + "ret;\n}\n";
    auto module = ptx::parseModule(text, "clusters.ptx");
    ASSERT_TRUE(module) << module.error().message;
    auto loaded = loadModule(std::make_shared<const ptx::Module>(std::move(*module)), *memory_);
    ASSERT_TRUE(loaded) << loaded.error().message;
    module_ = std::move(*loaded);
    auto code = decodeKernel(module_, "k");
    ASSERT_TRUE(code) << code.error().message;
    code_ = *code;
    constexpr uint64_t kBytes = 4096;
    const uint64_t address = memory_->allocate(kBytes, "buffer").value();
    written_.allocated(address, kBytes);
    written_.written(address, kBytes);
    launch_ = {.code = code_.get(), .memory = memory_.get(), .grid = {2}, .block = {64}};
    launch_.cluster = {2};
    launch_.explicit_cluster = true;
    launch_.parameters.resize(sizeof address);
    std::memcpy(launch_.parameters.data(), &address, sizeof address);
  }

  std::vector<Hazard> hazards() {
    auto report = runChecked(launch_, written_, {.step_limit = 1'000'000}, {});
    EXPECT_TRUE(report) << report.error().message;
    return report ? report->hazards : std::vector<Hazard>{};
  }
  void expectHazard(HazardKind kind, const std::string& words) {
    const std::vector<Hazard> found = hazards();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].kind, kind);
    expectSays(found[0].message, words);
  }
  std::string failure() {
    const auto result = runFunctional(launch_, {.threads = 1, .step_limit = 1'000'000}, {});
    return result ? "" : result.error().message;
  }

  std::unique_ptr<GlobalMemory> memory_;
  WrittenMemory written_;
  LoadedModule module_;
  std::shared_ptr<const Code> code_;
  Launch launch_;
};

constexpr const char* kMeet = "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";

TEST_F(SimClusters, TheMemoryOfABlockThatHasExitedIsGone) {
  load("setp.eq.u32 %q, %r, 0;\n@%q exit;\n" +
       std::string("bar.sync 0;\nnanosleep.u32 1000;\nnanosleep.u32 1000;\n") +
       "mapa.shared::cluster.u32 %u, mem, 0;\nld.shared::cluster.u32 %v, [%u];\n");
  expectSays(failure(), "block with rank 0 of the cluster, which has exited");
  expectHazard(HazardKind::kTrap, "which has exited");
}

TEST_F(SimClusters, ABlockThatTheClusterLacksHasNoMemory) {
  load("mapa.shared::cluster.u32 %u, mem, 5;\nld.shared::cluster.u32 %v, [%u];\n");
  expectSays(failure(), "rank 5, but the cluster has 2 blocks");
}

TEST_F(SimClusters, BlocksRaceWithoutTheirBarrier) {
  const std::string slot = "mov.u32 %u, mem;\nmad.lo.u32 %u, %i, 4, %u;\n",
                    store = "st.shared.u32 [%u], %i;\n";
  const std::string take =
      "xor.b32 %r, %r, 1;\nmapa.shared::cluster.u32 %v, %u, %r;\nld.shared::cluster.u32 %v, [%v];\n";
  load(slot + store + kMeet + take + kMeet);
  EXPECT_TRUE(hazards().empty());
  load(slot + store + "bar.sync 0;\n" + take + kMeet);
  const std::vector<Hazard> found = hazards();
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().kind, HazardKind::kRace);
}

TEST_F(SimClusters, TheTwoHalvesOfTheBarrierBelongTogether) {
  load("barrier.cluster.wait;\n");
  expectSays(failure(), "has not arrived");
  load("barrier.cluster.arrive;\nbarrier.cluster.arrive;\n");
  expectSays(failure(), "has not waited");
  load(
      "setp.eq.u32 %q, %r, 0;\n@%q barrier.cluster.arrive;\n@%q barrier.cluster.wait;\n@%q exit;\n"
      "WAIT: bar.sync 0;\nbar.sync 1, 128;\n");
  expectSays(failure(), "at the cluster's barrier, which 64 threads have reached");
}

const std::string kInit = "@%p mbarrier.init.shared::cta.b64 [bar], 1;\nbar.sync 0;\n";
const std::string kWait = "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %q, [bar], 0;\n@!%q bra WAIT;\n";
std::string copyExpecting(uint32_t copied, uint32_t expected) {
  return fmt::format(
      "@%p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [mem], [%a], {}, [bar];\n"
      "@%p mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], {};\n",
      copied, expected);
}

TEST_F(SimClusters, AWrongTransactionCountIsNamed) {
  load(kInit + copyExpecting(512, 512) + kWait);
  EXPECT_EQ(failure(), "");
  EXPECT_TRUE(hazards().empty());
  for (const auto& [copied, expected] : {std::pair{512U, 128U}, {512U, 1024U}}) {
    load(kInit + copyExpecting(copied, expected) + kWait);
    const std::string words = fmt::format("{} bytes were expected and {} have arrived", expected, copied);
    expectSays(failure(), words);
    const std::vector<Hazard> found = hazards();
    ASSERT_EQ(found.size(), 2U) << "it asks again and again";
    EXPECT_EQ(found[0].kind, HazardKind::kIncompletePhase);
    expectSays(found[0].message, words);
    EXPECT_EQ(found[1].kind, HazardKind::kDeadlock);
  }
}

TEST_F(SimClusters, ABulkCopyThatNobodyWaitsForIsARace) {
  const std::string slot = "mov.u32 %u, mem;\nmad.lo.u32 %u, %i, 4, %u;\n",
                    read = "ld.shared.u32 %v, [%u];\n";
  load(kInit + slot + "st.shared.u32 [%u], 0;\nbar.sync 0;\n" + copyExpecting(256, 256) + read + kWait);
  const std::vector<Hazard> found = hazards();
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().kind, HazardKind::kRace);
  load(kInit + slot + "st.shared.u32 [%u], 0;\nbar.sync 0;\n" + copyExpecting(256, 256) + kWait + read);
  EXPECT_TRUE(hazards().empty());
}

TEST_F(SimClusters, ABulkCopyStaysWithinItsMemory) {
  load(kInit + copyExpecting(24, 24));
  expectSays(failure(), "multiples of 16");
  load(kInit + copyExpecting(2048, 2048));
  expectSays(failure(), "bytes of shared memory");
  load(kInit + "@%p add.u64 %a, %a, 3840;\n" + copyExpecting(512, 512) + kWait);
  expectHazard(HazardKind::kOutOfBounds, "reads 512 bytes");
}

TEST_F(SimClusters, AnMbarrierMustBeInitialised) {
  load("mbarrier.arrive.shared::cta.b64 _, [bar];\n");
  expectSays(failure(), "not initialised");
}

TEST_F(SimClusters, ImpossibleLaunchesSayWhy) {
  load("");
  launch_.grid = {3};
  expectSays(failure(), "3x1x1 blocks cannot be divided into clusters of 2x1x1");
  launch_.grid = {34};
  launch_.cluster = {17};
  expectSays(failure(), "17 blocks; 1 to 16 are possible");
  load("", ".reqnctapercluster 4");
  expectSays(failure(), "made for clusters of 4x1x1 blocks");
  load("", ".explicitcluster");
  launch_.explicit_cluster = false;
  expectSays(failure(), "must be launched with a cluster size");
}

}  // namespace
}  // namespace warpscope::sim
