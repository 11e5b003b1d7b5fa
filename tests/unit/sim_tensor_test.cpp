// Mistakes with tensor maps and the copies that use them, and what is said of them: by the checks, and by a
// launch that cannot go on.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "kernels/sim/ptx/parser.h"
#include "kernels/sim/simt/checks/run_checked.h"
#include "kernels/sim/simt/decode.h"
#include "kernels/sim/simt/functional_grid.h"
#include "kernels/sim/simt/tensor_map.h"

namespace warpscope::sim {
namespace {

void expectSays(const std::string& text, const std::string& words) {
  EXPECT_NE(text.find(words), std::string::npos) << text;
}

class SimTensors : public testing::Test {
 protected:
  // A kernel of 64 threads; %m: the address of a map of 4,096 bytes of global memory, as `map_` says.
  void load(const std::string& body) {
    memory_ = std::move(GlobalMemory::create(uint64_t{1} << 22).value());
    const std::string text =
        ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .align 64 .b8 map[128]) {\n"
        ".reg .b64 %m;\n.reg .b32 %i, %u, %v;\n.reg .pred %p, %q;\n"
        ".shared .align 1024 .b8 mem[4096];\n.shared .b64 bar;\nmov.b64 %m, map;\ncvta.param.u64 %m, %m;\n"
        "mov.u32 %i, %tid.x;\nsetp.eq.u32 %p, %i, 0;\n"
        "@%p mbarrier.init.shared::cta.b64 [bar], 1;\nbar.sync 0;\nmov.u32 %u, mem;\n"
        "mad.lo.u32 %u, %i, 4, %u;\n" +
        body + "ret;\n}\n";
    auto module = ptx::parseModule(text, "tensors.ptx");
    ASSERT_TRUE(module) << module.error().message;
    auto loaded = loadModule(std::make_shared<const ptx::Module>(std::move(*module)), *memory_);
    ASSERT_TRUE(loaded) << loaded.error().message;
    module_ = std::move(*loaded);
    auto code = decodeKernel(module_, "k");
    ASSERT_TRUE(code) << code.error().message;
    code_ = *code;
    constexpr uint64_t kBytes = 4096;
    const uint64_t address = memory_->allocate(kBytes, "tensor").value();
    EXPECT_TRUE(memory_->allocate(kBytes, "what comes next"));
    written_ = {};
    written_.allocated(address, kBytes);
    written_.written(address, kBytes);
    launch_ = {.code = code_.get(), .memory = memory_.get(), .grid = {1}, .block = {64}};
    launch_.parameters = encodeTensorMap({map_, address});
  }

  std::vector<Hazard> hazards() {
    auto report = runChecked(launch_, written_, {.step_limit = 1'000'000}, {});
    EXPECT_TRUE(report) << report.error().message;
    return report ? report->hazards : std::vector<Hazard>{};
  }
  std::string failure() {
    const auto result = runFunctional(launch_, {.threads = 1, .step_limit = 1'000'000}, {});
    return result ? "" : result.error().message;
  }

  // 32 rows of 32 words; boxes of 16 rows.
  TensorMapDescription map_{.swizzle = TensorMapDescription::Swizzle::k128Bytes,
                            .rank = 2,
                            .sizes = {32, 32, 1, 1, 1},
                            .box = {32, 16, 1, 1, 1},
                            .strides = {128, 0, 0, 0}};
  std::unique_ptr<GlobalMemory> memory_;
  WrittenMemory written_;
  LoadedModule module_;
  std::shared_ptr<const Code> code_;
  Launch launch_;
};

const std::string kWait = "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %q, [bar], 0;\n@!%q bra WAIT;\n";
std::string copyExpecting(uint32_t expected, const std::string& to = "mem",
                          const std::string& from = "[%m, {0, 8}]", uint32_t dimensions = 2) {
  return fmt::format(
      "@%p cp.async.bulk.tensor.{}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [{}], {}, "
      "[bar];\n"
      "@%p mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], {};\n",
      dimensions, to, from, expected);
}

TEST_F(SimTensors, AnEncodedMapIsTheSameAgain) {
  const TensorMap map{map_, 0x7000'0000'1000};
  const auto bytes = encodeTensorMap(map);
  ASSERT_EQ(bytes.size(), kTensorMapBytes);
  const auto again = decodeTensorMap(std::span<const std::byte, kTensorMapBytes>(bytes));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->description, map_);
  EXPECT_EQ(again->address, map.address);
  const std::vector<std::byte> zeros(kTensorMapBytes);
  EXPECT_FALSE(decodeTensorMap(std::span<const std::byte, kTensorMapBytes>(zeros)));
}

TEST_F(SimTensors, AWrongTransactionCountIsNamed) {
  load(copyExpecting(2048) + kWait + "ld.shared.u32 %v, [%u];\n");
  EXPECT_EQ(failure(), "");
  EXPECT_TRUE(hazards().empty());
  load(copyExpecting(1024) + kWait);
  expectSays(failure(), "1024 bytes were expected and 2048 have arrived");
  ASSERT_FALSE(hazards().empty());
  EXPECT_EQ(hazards()[0].kind, HazardKind::kIncompletePhase);
}

// The bytes outside of the tensor count, too.
TEST_F(SimTensors, ABoxCountsAsAWhole) {
  load(copyExpecting(2048, "mem", "[%m, {-4, 30}]") + kWait + "ld.shared.u32 %v, [%u];\n");
  EXPECT_EQ(failure(), "");
  EXPECT_TRUE(hazards().empty());
}

TEST_F(SimTensors, ACopyThatNobodyWaitsForIsARace) {
  load("st.shared.u32 [%u], 0;\nbar.sync 0;\n" + copyExpecting(2048) + "ld.shared.u32 %v, [%u];\n" + kWait);
  const std::vector<Hazard> found = hazards();
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().kind, HazardKind::kRace);
}

TEST_F(SimTensors, WhatACopyNeedsIsNamed) {
  load(copyExpecting(2048, "mem+16"));
  expectSays(failure(), "not a multiple of 128");
  load(copyExpecting(2048, "mem+3072"));
  expectSays(failure(), "bytes of shared memory");
  load(copyExpecting(2048, "mem", "[%m, {0, 0, 0}]", 3));
  expectSays(failure(), "3 dimensions with the map of a tensor 32x32");
  load(copyExpecting(2048, "mem", "[%m, {5, 0}]"));
  expectSays(failure(), "begins at byte 20 of the rows, which is not a multiple of 16");
  for (const auto& [at, refused] : {std::pair("{0, -1}", true), {"{0, 31}", false}}) {
    load(
        fmt::format("@%p cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%m, {}], [mem];\n", at));
    EXPECT_EQ(failure().find("must not begin at a negative coordinate") != std::string::npos, refused) << at;
  }
  load("add.u64 %m, %m, 8;\n" + copyExpecting(2048));
  expectSays(failure(), "misaligned tensor map");
  load("add.u64 %m, %m, 64;\n" + copyExpecting(2048));
  expectSays(failure(), "illegal address: a tensor map");
  load(copyExpecting(2048));
  launch_.parameters.assign(kTensorMapBytes, std::byte{1});
  expectSays(failure(), "there is no tensor map at");
}

TEST_F(SimTensors, AMapOfMoreThanTheMemoryIsFound) {
  map_.sizes[1] = 64;
  load(copyExpecting(2048, "mem", "[%m, {0, 31}]") + kWait);
  const std::vector<Hazard> found = hazards();
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().kind, HazardKind::kOutOfBounds);
  expectSays(found.front().message, "reads 128 bytes");
}

}  // namespace
}  // namespace warpscope::sim
