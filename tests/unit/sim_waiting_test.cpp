// Lanes, warps and blocks that wait for each other, with every driver that executes launches: whatever is
// waited for makes progress.
#include <gtest/gtest.h>

#include "kernels/execute/parameter_bytes.h"
#include "kernels/sim/simt/checks/run_checked.h"
#include "kernels/sim/sm/timed_grid.h"
#include "tests/support/simulated_program.h"

namespace warpscope::test {
namespace {

constexpr uint64_t kStepLimit = 50'000'000;

std::string kernel(const std::string& body) {
  return ".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out) {\n"
         ".reg .pred %p<8>; .reg .b32 %r<32>; .reg .b64 %rd<16>;\n"
         "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, "
         "%rd2;\n" +
         body + "\nret;\n}\n";
}

enum class Driver : uint8_t { kFunctional, kThreaded, kTimed, kChecked };

Expected<void> runTimed(const sim::Launch& launch) {
  const auto profile =
      sim::readProfile(std::string(WARPSCOPE_SOURCE_FOLDER) + "/assets/devices/h100_sxm.json");
  if (!profile) return tl::unexpected(profile.error());
  const sim::MachineCode machine = sim::lowerToMachine(*launch.code, *profile);
  sim::DeviceCaches caches(*profile);
  const auto result = sim::runTimed(launch, machine, *profile, caches,
                                    {.threads = 2, .step_limit = kStepLimit, .blocks_per_sm = 32}, {});
  if (!result) return tl::unexpected(result.error());
  return {};
}

// The results of the checks are ignored: some of these kernels read what others write at the same time.
Expected<void> runChecked(const sim::Launch& launch) {
  sim::WrittenMemory written;
  const auto report = sim::runChecked(launch, written, {.step_limit = kStepLimit}, {});
  if (!report) return tl::unexpected(report.error());
  if (report->finished) return {};
  return fail(ErrorKind::kWorkFailed, "{}", formatHazard(report->hazards.back()));
}

class SimWaiting : public testing::TestWithParam<Driver> {
 protected:
  static Expected<void> run(SimulatedProgram& program, uint32_t blocks, uint32_t threads, uint64_t out) {
    const sim::Launch launch = program.launch("k", {blocks, 1, 1}, {threads, 1, 1}, {parameterBytes(out)});
    if (GetParam() == Driver::kTimed) return runTimed(launch);
    if (GetParam() == Driver::kChecked) return runChecked(launch);
    const uint32_t host_threads = GetParam() == Driver::kThreaded ? 3 : 1;
    const auto result = sim::runFunctional(launch, {.threads = host_threads, .step_limit = kStepLimit}, {});
    if (!result) return tl::unexpected(result.error());
    return {};
  }
};

TEST_P(SimWaiting, LanesOfAWarpTakeALockOneAfterTheOther) {
  SimulatedProgram program(
      kernel("L: atom.global.cas.b32 %r2, [%rd1], 0, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra L;"
             "ld.volatile.global.u32 %r3, [%rd1+4]; add.u32 %r3, %r3, 1;"
             "st.volatile.global.u32 [%rd1+4], %r3; atom.global.exch.b32 %r4, [%rd1], 0;"),
      "lock");
  const uint64_t out = program.allocate(8);
  const auto result = run(program, 1, 64, out);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(program.host<uint32_t>(out, 2)[1], 64U);
}

// Lane 0 polls, and is chosen first, for what lane 31 writes on the other path, with each kind of load.
TEST_P(SimWaiting, ALaneWaitsForAnotherOfItsWarp) {
  for (const std::string load :
       {"ld.volatile.global.u32 %r4, [%rd1];", "ld.relaxed.gpu.global.u32 %r4, [%rd1];",
        "ld.global.u32 %r4, [%rd1];", "atom.global.or.b32 %r4, [%rd1], 0;",
        "nanosleep.u32 20; ld.volatile.global.u32 %r4, [%rd1];"}) {
    for (const bool asker_first : {false, true}) {
      const std::string ask = "ASK: " + load + " setp.eq.u32 %p2, %r4, 0; @%p2 bra ASK;";
      const std::string say =
          "mov.u32 %r5, 0; L: add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, 100; @%p3 bra L;"
          "setp.eq.u32 %p4, %r1, 31; @%p4 st.volatile.global.u32 [%rd1], 7;";
      SimulatedProgram program(
          kernel("setp." + std::string(asker_first ? "ne" : "eq") + ".u32 %p1, %r1, 0; @%p1 bra OTHER;" +
                 (asker_first ? ask : say) + "bra MET; OTHER:" + (asker_first ? say : ask) +
                 "MET: bar.warp.sync 0xFFFFFFFF; ld.volatile.global.u32 %r6, [%rd1];"
                 "st.global.u32 [%rd3+128], %r6;"),
          "ask");
      const uint64_t out = program.allocate(256);
      const auto result = run(program, 1, 32, out);
      ASSERT_TRUE(result) << load << ": " << result.error().message;
      for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(program.host<uint32_t>(out, 64)[32 + i], 7U) << load;
    }
  }
}

TEST_P(SimWaiting, LanesPassATokenInSharedMemory) {
  SimulatedProgram program(
      kernel(
          ".shared .u32 turn; setp.eq.u32 %p1, %r1, 0; @%p1 st.shared.u32 [turn], 0; bar.sync 0;"
          "L: ld.volatile.shared.u32 %r2, [turn]; setp.ne.u32 %p1, %r2, %r1; @%p1 bra L;"
          "ld.volatile.global.u32 %r3, [%rd1+512]; st.global.u32 [%rd3], %r3; add.u32 %r3, %r3, 3;"
          "st.volatile.global.u32 [%rd1+512], %r3; add.u32 %r2, %r2, 1; st.volatile.shared.u32 [turn], %r2;"),
      "token");
  const uint64_t out = program.allocate(1024);
  const auto result = run(program, 1, 96, out);
  ASSERT_TRUE(result) << result.error().message;
  for (uint32_t i = 0; i < 96; ++i) EXPECT_EQ(program.host<uint32_t>(out, 96)[i], 3 * i);
}

// Four times, every block waits for all others and reads what its neighbour wrote.
TEST_P(SimWaiting, BlocksWaitForEachOther) {
  SimulatedProgram program(
      kernel(
          ".shared .u32 dummy; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %nctaid.x; mov.u32 %r4, 0;"
          "mul.wide.u32 %rd4, %r2, 4; add.s64 %rd5, %rd1, %rd4; mov.u32 %r8, %r2; PHASE:"
          "setp.ne.u32 %p1, %r1, 0; @%p1 bra WAITED; st.volatile.global.u32 [%rd5+1024], %r8; membar.gl;"
          "atom.global.add.u32 %r5, [%rd1], 1; add.u32 %r4, %r4, %r3;"
          "L: ld.acquire.gpu.global.u32 %r6, [%rd1]; setp.lt.u32 %p2, %r6, %r4; @%p2 bra L;"
          "add.u32 %r7, %r2, 1; rem.u32 %r7, %r7, %r3; mul.wide.u32 %rd6, %r7, 4; add.s64 %rd7, %rd1, %rd6;"
          "ld.volatile.global.u32 %r8, [%rd7+1024]; add.u32 %r8, %r8, 1; membar.gl;"
          "atom.global.add.u32 %r5, [%rd1], 1; add.u32 %r4, %r4, %r3;"
          "M: ld.acquire.gpu.global.u32 %r6, [%rd1]; setp.lt.u32 %p2, %r6, %r4; @%p2 bra M;"
          "WAITED: bar.sync 0; add.u32 %r9, %r9, 1; setp.lt.u32 %p3, %r9, 4; @%p3 bra PHASE;"
          "setp.eq.u32 %p1, %r1, 0; @%p1 st.global.u32 [%rd5+4096], %r8;"),
      "grid");
  constexpr uint32_t kBlocks = 300;  // more than there are SMs
  const uint64_t out = program.allocate(8192);
  const auto result = run(program, kBlocks, 64, out);
  ASSERT_TRUE(result) << result.error().message;
  for (uint32_t i = 0; i < kBlocks; ++i)
    EXPECT_EQ(program.host<uint32_t>(out + 4096, kBlocks)[i], (i + 4) % kBlocks + 4);
}

std::string driverName(const testing::TestParamInfo<Driver>& info) {
  const char* const names[] = {"Functional", "Threaded", "Timed", "Checked"};
  return names[static_cast<size_t>(info.param)];
}
INSTANTIATE_TEST_SUITE_P(By, SimWaiting,
                         testing::Values(Driver::kFunctional, Driver::kThreaded, Driver::kTimed,
                                         Driver::kChecked),
                         driverName);

}  // namespace
}  // namespace warpscope::test
