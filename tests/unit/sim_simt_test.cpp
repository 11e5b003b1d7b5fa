// Divergence, waiting and faults of the simulated GPU's functional executor, by small kernels in PTX.
#include <gtest/gtest.h>

#include "kernels/device/parameter_bytes.h"
#include "tests/support/simulated_program.h"

namespace warpscope::test {
namespace {

std::string kernel(const std::string& body) {
  return ".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out) {\n"
         ".reg .pred %p<8>; .reg .b32 %r<32>; .reg .b64 %rd<16>;\n"
         "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, "
         "%rd2;\n" +
         body + "\nret;\n}\n";
}

Expected<sim::FunctionalResult> run(SimulatedProgram& program, uint64_t out, uint32_t threads,
                                    const sim::FunctionalOptions& options = {}) {
  return program.run("k", {1, 1, 1}, {threads, 1, 1}, {parameterBytes(out)}, options);
}

TEST(SimSimt, LanesLeaveALoopOneByOne) {
  SimulatedProgram program(
      kernel("mov.u32 %r2, 0; L: add.u32 %r2, %r2, 1; setp.le.u32 %p1, %r2, %r1; @%p1 bra L;"
             "activemask.b32 %r3; st.global.u32 [%rd3], %r2; st.global.u32 [%rd3+128], %r3;"),
      "loop");
  const uint64_t out = program.allocate(256);
  const auto result = run(program, out, 32);
  ASSERT_TRUE(result) << result.error().message;
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(program.host<uint32_t>(out, 64)[i], i + 1);
    EXPECT_EQ(program.host<uint32_t>(out, 64)[32 + i], 0xFFFFFFFFU);  // together again
  }
}

TEST(SimSimt, LanesOfAWarpTakeALockOneAfterTheOther) {
  SimulatedProgram program(
      kernel("L: atom.global.cas.b32 %r2, [%rd1], 0, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra L;"
             "ld.volatile.global.u32 %r3, [%rd1+4]; add.u32 %r3, %r3, 1;"
             "st.volatile.global.u32 [%rd1+4], %r3; atom.global.exch.b32 %r4, [%rd1], 0;"),
      "lock");
  const uint64_t out = program.allocate(8);
  const auto result = run(program, out, 64, {.step_limit = 10'000'000});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(program.host<uint32_t>(out, 2)[1], 64U);
}

TEST(SimSimt, FaultsNameTheirPlace) {
  SimulatedProgram program(kernel("st.global.u32 [%rd3+1073741824], %r1;"), "fault.ptx");
  auto result = run(program, program.allocate(128), 32);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("illegal address: 4 bytes at global address"), std::string::npos);
  EXPECT_NE(result.error().message.find("block (0,0,0), thread (0,0,0)"), std::string::npos);
  SimulatedProgram odd(kernel("st.global.u32 [%rd3+2], %r1;"), "odd.ptx");
  result = run(odd, odd.allocate(256), 32);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("misaligned address"), std::string::npos);
}

TEST(SimSimt, ADeadlockTellsWhoWaitsWhere) {
  SimulatedProgram program(kernel("setp.lt.u32 %p1, %r1, 32; @%p1 bar.sync 1, 128;"), "deadlock");
  const auto result = run(program, program.allocate(128), 64);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("deadlock in kernel k"), std::string::npos);
  EXPECT_NE(result.error().message.find("warp 0, lanes 0-31: at barrier 1"), std::string::npos);
}

TEST(SimSimt, AnEndlessKernelMeetsTheStepLimit) {
  SimulatedProgram program(kernel("L: bra L;"), "endless");
  const auto result = run(program, program.allocate(128), 32, {.step_limit = 100'000});
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("still runs after 100000 warp-instructions"), std::string::npos);
}

}  // namespace
}  // namespace warpscope::test
