// What a launch on a few simulated SMs rests on: memory that is restored cheaply, and what the blocks that
// are not simulated leave behind for those that are.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/device/device.h"
#include "kernels/execute/parameter_bytes.h"
#include "kernels/sim/sm/other_blocks.h"
#include "kernels/sim/sm/sampled_sms.h"
#include "tests/support/simulated_program.h"

namespace warpscope::test {
namespace {

constexpr uint64_t kBytes = 5 * 4096 + 300;

class RenewedMemory : public testing::Test {
 protected:
  RenewedMemory() : memory_(*sim::GlobalMemory::create(1 << 20)) {
    from_ = *memory_->allocate(kBytes, "from");
    to_ = *memory_->allocate(kBytes, "to");
    write(from_, 0, kBytes, 7);
    memory_->copy(to_, from_, kBytes);
  }
  void write(uint64_t address, uint64_t offset, uint64_t bytes, int value) {
    std::memset(memory_->at(address + offset, bytes), value, bytes);
    memory_->noteWritten(address + offset, bytes);
  }
  bool all(uint64_t address, int value) const {
    const std::byte* begin = memory_->at(address, kBytes);
    return std::all_of(begin, begin + kBytes, [&](std::byte byte) { return byte == std::byte(value); });
  }

  std::unique_ptr<sim::GlobalMemory> memory_;
  uint64_t from_ = 0, to_ = 0;
};

TEST_F(RenewedMemory, IsEqualAgainAfterWritesToTheCopy) {
  for (const uint64_t offset : {uint64_t{0}, uint64_t{4000}, uint64_t{9000}, kBytes - 1}) {
    write(to_, offset, 1, 9);
    memory_->copy(to_, from_, kBytes);
    EXPECT_TRUE(all(to_, 7)) << offset;
  }
}

TEST_F(RenewedMemory, FollowsTheSource) {
  write(from_, 8000, 1000, 8);
  memory_->copy(to_, from_, kBytes);
  EXPECT_TRUE(
      std::equal(memory_->at(to_, kBytes), memory_->at(to_, kBytes) + kBytes, memory_->at(from_, kBytes)));
}

TEST_F(RenewedMemory, MovesOnlyWhatHasChanged) {
  // A write that nobody notes stays: nothing says that the page has changed.
  std::memset(memory_->at(to_ + 10, 1), 9, 1);
  write(to_, 3 * 4096, 1, 9);
  memory_->copy(to_, from_, kBytes);
  EXPECT_FALSE(all(to_, 7));
  write(to_, 10, 1, 9);
  memory_->copy(to_, from_, kBytes);
  EXPECT_TRUE(all(to_, 7));
}

TEST_F(RenewedMemory, CopiesAllIfAnythingElseWasThere) {
  memory_->fill(to_, 3, kBytes);
  EXPECT_TRUE(all(to_, 3));
  memory_->fill(to_, 3, kBytes);
  EXPECT_TRUE(all(to_, 3));
  memory_->fill(to_, 4, kBytes);
  EXPECT_TRUE(all(to_, 4));
  memory_->copy(to_, from_, kBytes);
  EXPECT_TRUE(all(to_, 7));
}

TEST_F(RenewedMemory, IsAnotherOneAfterItWasFreed) {
  ASSERT_TRUE(memory_->free(to_));
  ASSERT_EQ(*memory_->allocate(kBytes, "again"), to_);
  memory_->copy(to_, from_, kBytes);
  EXPECT_TRUE(all(to_, 7));
}

std::string kernelText(const std::string& body) {
  return ".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out) {\n"
         ".reg .pred %p<8>; .reg .b32 %r<32>; .reg .b64 %rd<16>;\n"
         "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %nctaid.x;\n"
         "setp.ne.u32 %p1, %r1, 0; @%p1 bra done;\n" +
         body + "\ndone: ret;\n}\n";
}

struct Foreseen {
  sim::OtherBlocks others;
  std::vector<uint32_t> words;
};

// Of 1,000 blocks the first and the last of every 100 are simulated.
Foreseen foresee(const std::string& body) {
  SimulatedProgram program(kernelText(body), "test.ptx");
  const uint64_t out = program.allocate(4096);
  const sim::Launch launch = program.launch("k", {1000, 1, 1}, {32, 1, 1}, {parameterBytes(out)});
  const sim::BlockSelection timed{.stride = 100, .first = 1, .last = 1};
  const auto others = sim::foreseeOthers(launch, timed, {.threads = 2}, {});
  EXPECT_TRUE(others) << others.error().message;
  const auto* words = program.host<uint32_t>(out, 4);
  return {others.value_or(sim::OtherBlocks{}), std::vector<uint32_t>(words, words + 4)};
}

constexpr auto kDraw = "atom.global.add.u32 %r5, [%rd1], 3; st.global.u32 [%rd1+2048], %r5;";

TEST(OtherBlocks, AreForeseenWhereEachAddsTheSame) {
  const Foreseen tickets = foresee(kDraw);
  EXPECT_TRUE(tickets.others.foreseen);
  EXPECT_EQ(tickets.words[0], 980U * 3);
  EXPECT_EQ(tickets.others.executed_blocks, 18U);
  EXPECT_EQ(tickets.others.executed_until, 19U) << "block 0 is simulated";
}

TEST(OtherBlocks, AreNotForeseenWhereTheyDiffer) {
  const Foreseen own_numbers =
      foresee("atom.global.add.u32 %r5, [%rd1], %r2; st.global.u32 [%rd1+2048], %r5;");
  EXPECT_FALSE(own_numbers.others.foreseen);
  const Foreseen wraps = foresee("atom.global.inc.u32 %r5, [%rd1], 9; st.global.u32 [%rd1+2048], %r5;");
  EXPECT_FALSE(wraps.others.foreseen) << "after 10 the counter begins again";
}

TEST(OtherBlocks, GoNoFurtherThanABarrierOfTheGrid) {
  const Foreseen barrier = foresee(
      "atom.global.add.u32 %r5, [%rd1], 1;\n"
      "wait: ld.volatile.global.u32 %r6, [%rd1]; setp.lt.u32 %p2, %r6, %r3; @%p2 bra wait;\n"
      "st.global.u32 [%rd1+4], %r6;");
  EXPECT_TRUE(barrier.others.foreseen);
  EXPECT_EQ(barrier.words[0], 980U);
  EXPECT_EQ(barrier.words[1], 0U) << "none has passed it";
}

TEST(OtherBlocks, AreNotForeseenWhereTheyWaitForAnythingElse) {
  const Foreseen chain = foresee(
      "atom.global.add.u32 %r5, [%rd1], 1;\n"
      "wait: ld.volatile.global.u32 %r6, [%rd1+4]; setp.lt.u32 %p2, %r6, %r5; @%p2 bra wait;\n"
      "st.volatile.global.u32 [%rd1+4], %r6;");
  EXPECT_FALSE(chain.others.foreseen) << "each waits for what the one before stores";
}

warpscope::Run runOf(const std::string& family, const std::string& variant, int64_t size,
                     Sampling::Mode mode) {
  const auto device = openDevice("sim:h100", {});
  EXPECT_TRUE(device) << device.error().message;
  RunRequest request;
  request.family = family;
  request.variant = variant;
  request.parameters["size"] = size;
  request.sampling.mode = mode;
  const auto run = (*device)->run(request, {}, {});
  EXPECT_TRUE(run) << run.error().message;
  return run.value_or(warpscope::Run{});
}

// A launch whose blocks wait for each other, or draw tickets, takes on a few SMs about the time that it takes
// on all of them, and gives the same result.
TEST(SampledBlocks, StandForEachBlockOfTheGrid) {
  for (const uint64_t blocks :
       {uint64_t{132}, uint64_t{133}, uint64_t{512}, uint64_t{8192}, uint64_t{9999}}) {
    for (const uint64_t recorded : {uint64_t{0}, uint64_t{1}, uint64_t{30}}) {
      SCOPED_TRACE(testing::Message() << blocks << " blocks, " << recorded << " recorded rounds");
      const sim::TimedBlocks selection = sim::sampledBlocks(4, 132, blocks, 8, recorded, 2);
      EXPECT_EQ(selection.last, 2U) << "SMs that do not record";
      for (uint64_t block = 0; block < blocks; ++block) {
        const uint64_t by = sim::representative(selection, block, blocks, 2);
        ASSERT_LT(by, blocks) << block;
        ASSERT_TRUE(selection.contains(by)) << block;
        if (selection.contains(block)) {
          ASSERT_EQ(by, block);
          continue;
        }
        const uint64_t round = block / 132, begin = by / 132 * 132;
        const bool left_out = round >= selection.skip_from && round < selection.skip_until;
        if (left_out) {
          ASSERT_GE(by / 132, selection.steady_from) << block;
          ASSERT_LT(by / 132, selection.skip_from) << block;
        } else {
          ASSERT_EQ(by / 132, round) << block;
        }
        // It does not record where the round has a block that does not.
        const bool has_plain = blocks - begin > 130;
        if (block % 132 >= 2) {
          ASSERT_EQ(by % 132 >= 130, has_plain) << block;
        }
      }
    }
  }
}

TEST(SampledLaunch, StandsForAllSmsWhereBlocksWaitForEachOther) {
  for (const char* variant : {"grid_sync", "last_block"}) {
    const auto few = runOf("reduction", variant, 1 << 21, Sampling::Mode::kAuto);
    const auto all = runOf("reduction", variant, 1 << 21, Sampling::Mode::kAll);
    EXPECT_EQ(few.counters.count("model.simulated_sms"), 1U) << variant;
    EXPECT_EQ(all.counters.count("model.simulated_sms"), 0U) << variant;
    EXPECT_TRUE(few.verification.passed) << variant << ": " << few.verification.detail;
    EXPECT_TRUE(all.verification.passed) << variant << ": " << all.verification.detail;
    EXPECT_NEAR(few.timing.median_us, all.timing.median_us, 0.1 * all.timing.median_us) << variant;
  }
}

// What NVIDIA's cooperative_groups.h asks of the driver for grid.sync(): %envreg1 and %envreg2 are the
// address of two words, of which blocks count in the second.
TEST(CooperativeLaunch, HasWordsForTheBarrierOfItsGrid) {
  ModuleImage image;
  image.name = "workspace";
  image.ptx = R"(
.version 7.8
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out)
{
  .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<9>;
  mov.u32 %r1, %envreg1;
  mov.u32 %r2, %envreg2;
  mov.b64 %rd1, {%r2, %r1};
  ld.param.u64 %rd2, [out];
  setp.eq.u64 %p1, %rd1, 0;
  @%p1 bra END;
  atom.add.u32 %r3, [%rd1+4], 1;
  mov.u32 %r4, %nctaid.x;
WAIT:
  ld.volatile.u32 %r5, [%rd1+4];
  setp.lt.u32 %p2, %r5, %r4;
  @%p2 bra WAIT;
  ld.u32 %r6, [%rd1];
  red.global.add.u32 [%rd2], %r6;
END:
  ret;
}
)";
  constexpr uint32_t kBlocks = 20;
  const auto opened = openBackend("sim:h100");
  ASSERT_TRUE(opened) << opened.error().message;
  Backend& backend = opened->any();
  const DeviceAddress out = backend.allocate(4).value();
  const auto sum = [&](bool cooperative) {
    LaunchSpec spec;
    spec.kernel = backend.kernel(image, "k").value();
    spec.grid = {kBlocks, 1, 1};
    spec.block = {1, 1, 1};
    spec.parameters = {parameterBytes(out)};
    spec.cooperative = cooperative;
    EXPECT_TRUE(backend.fill(out, 0, 4));
    const auto launched = backend.launch(spec);
    EXPECT_TRUE(launched) << launched.error().message;
    uint32_t value = 0;
    EXPECT_TRUE(backend.download(std::as_writable_bytes(std::span(&value, 1)), out));
    return value;
  };
  EXPECT_EQ(sum(false), 0U) << "without a barrier of the grid there are no words";
  EXPECT_EQ(sum(true), 8 * kBlocks);
  EXPECT_EQ(sum(true), 8 * kBlocks) << "the second launch begins to count again";
}

}  // namespace
}  // namespace warpscope::test
