// Registers that share rows keep their values apart: on diverged paths, under guards, around loops.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "kernels/execute/parameter_bytes.h"
#include "tests/support/simulated_program.h"

namespace warpscope::test {
namespace {

std::array<uint32_t, 32> runOnOneWarp(const std::string& body, uint32_t& rows) {
  const std::string text = R"(
.version 7.8
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out)
{
  .reg .pred %p<9>; .reg .b32 %r<40>; .reg .b64 %rd<20>;
  mov.u32 %r1, %tid.x;
)" + body + R"(
  ld.param.u64 %rd18, [out];
  mul.wide.u32 %rd19, %r1, 4;
  add.s64 %rd18, %rd18, %rd19;
  st.global.u32 [%rd18], %r2;
  ret;
}
)";
  SimulatedProgram program(text, "rows");
  const uint64_t out = program.allocate(128);
  EXPECT_TRUE(program.run("k", {1, 1, 1}, {32, 1, 1}, {parameterBytes(out)}));
  rows = program.code("k")->functions[0].rows;
  std::array<uint32_t, 32> values{};
  std::copy_n(program.host<uint32_t>(out, 32), 32, values.begin());
  return values;
}

TEST(SharedRows, AChainNeedsFewRows) {
  std::string body = "add.u32 %r3, %r1, 1;\n";
  for (int i = 4; i < 40; ++i) body += fmt::format("add.u32 %r{}, %r{}, 1;\n", i, i - 1);
  uint32_t rows = 0;
  const auto values = runOnOneWarp(body + "mov.u32 %r2, %r39;", rows);
  for (uint32_t lane = 0; lane < 32; ++lane) EXPECT_EQ(values[lane], lane + 37);
  EXPECT_LE(rows, 8U);  // two at a time besides the thread's index, and the address at the end
}

TEST(SharedRows, AGuardedWriteLeavesTheOtherLanes) {
  uint32_t rows = 0;
  const auto values = runOnOneWarp(R"(
  add.u32 %r3, %r1, 100;
  and.b32 %r4, %r1, 1;
  setp.eq.u32 %p1, %r4, 1;
  mul.wide.u32 %rd1, %r4, 8;
  @%p1 mov.u32 %r3, 7;
  cvt.u32.u64 %r5, %rd1;
  add.u32 %r2, %r3, %r5;
)",
                                   rows);
  for (uint32_t lane = 0; lane < 32; ++lane) EXPECT_EQ(values[lane], lane % 2 == 1 ? 15 : lane + 100);
}

TEST(SharedRows, WhatWasNeverWrittenIsZero) {
  uint32_t rows = 0;
  const auto values = runOnOneWarp(R"(
  add.u32 %r3, %r1, 1;
  add.u32 %r4, %r3, 1;
  add.u32 %r2, %r4, %r30;
)",
                                   rows);
  for (uint32_t lane = 0; lane < 32; ++lane) EXPECT_EQ(values[lane], lane + 2);
}

// The two sides use rows of their own, lanes leave the loop one after another, and a value computed before it
// is needed after it.
TEST(SharedRows, DivergedLanesKeepTheirs) {
  uint32_t rows = 0;
  const auto values = runOnOneWarp(R"(
  mul.lo.u32 %r3, %r1, 1000;
  mul.wide.u32 %rd1, %r1, 3;
  mov.u32 %r4, 0;
  setp.lt.u32 %p1, %r1, 16;
  @%p1 bra LOW;
  add.u32 %r5, %r1, 5;
  mov.u32 %r6, %r5;
  bra LOOP;
LOW:
  add.u32 %r7, %r1, 9;
  mov.u32 %r6, %r7;
LOOP:
  add.u32 %r8, %r4, 1;
  mov.u32 %r4, %r8;
  add.u32 %r6, %r6, 2;
  setp.lt.u32 %p2, %r4, %r1;
  @%p2 bra LOOP;
  cvt.u32.u64 %r9, %rd1;
  add.u32 %r10, %r3, %r9;
  add.u32 %r2, %r10, %r6;
)",
                                   rows);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    const uint32_t trips = std::max(lane, 1U);
    EXPECT_EQ(values[lane], 1000 * lane + 3 * lane + lane + (lane < 16 ? 9 : 5) + 2 * trips) << lane;
  }
}

}  // namespace
}  // namespace warpscope::test
