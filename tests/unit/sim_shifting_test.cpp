// Parameters that only move a kernel to another place in memory: launches that differ in these alone take as
// long as each other on the model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels/sim/sm/shifting_parameters.h"
#include "tests/support/simulated_program.h"

namespace warpscope::test {
namespace {

using testing::ElementsAre;

// Of a kernel with the parameters out, in (addresses), first and count, whose registers for these are %rd1,
// %rd2, %r1 and %r2. %r3 is the thread's index.
std::vector<bool> shifting(const std::string& body) {
  const std::string ptx = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 first, .param .u32 count) {
  .reg .pred %p<4>;
  .reg .b32 %r<12>;
  .reg .b64 %rd<12>;
  .reg .f32 %f<4>;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [in];
  ld.param.u32 %r1, [first];
  ld.param.u32 %r2, [count];
  mov.u32 %r3, %tid.x;
)" + body + "\n  ret;\n}\n";
  return sim::shiftingParameters(*SimulatedProgram(ptx, "k").code("k"));
}

TEST(ShiftingParameters, AreAddressesAndTheIndicesOfFirstElements) {
  EXPECT_THAT(shifting(R"(
    setp.ge.u32 %p1, %r3, %r2;
    @%p1 bra done;
    cvta.to.global.u64 %rd3, %rd2;
    add.s32 %r4, %r3, %r1;
    mul.wide.u32 %rd4, %r4, 4;
    add.s64 %rd5, %rd3, %rd4;
    ld.global.u32 %r5, [%rd5+8];
    shl.b64 %rd6, %rd4, 1;
    add.s64 %rd7, %rd1, %rd6;
    st.global.u32 [%rd7], %r5;
  done:)"),
              ElementsAre(true, true, true, false));
}

TEST(ShiftingParameters, DecideNothing) {
  const std::string address =
      "mul.wide.u32 %rd4, %r4, 4; add.s64 %rd5, %rd2, %rd4; ld.global.u32 %r5, [%rd5];";
  const auto first = [&](const std::string& body) -> bool { return shifting(body + address)[2]; };
  EXPECT_TRUE(first("add.u32 %r4, %r3, %r1;"));
  EXPECT_TRUE(first("mad.lo.u32 %r4, %r1, 16, %r3;"));
  EXPECT_FALSE(first("mul.lo.u32 %r4, %r3, %r1;")) << "a stride";
  EXPECT_FALSE(first("mad.lo.u32 %r4, %r3, %r1, 5;"));
  EXPECT_FALSE(first("shl.b32 %r4, %r3, %r1;"));
  EXPECT_FALSE(first("and.b32 %r4, %r1, 31;")) << "which lane or bank";
  EXPECT_FALSE(first("add.u32 %r4, %r3, 1; setp.lt.u32 %p1, %r1, 5; @%p1 bra on; add.u32 %r4, %r4, 1; on: "))
      << "compared";
  EXPECT_FALSE(
      first("add.u32 %r4, %r3, %r1; add.u32 %r6, %r4, 1; setp.lt.u32 %p1, %r6, %r2; @%p1 bra on; "
            "add.u32 %r4, %r4, 1; on: "))
      << "compared after another addition";
}

// A stored value may be loaded again, and then decide.
TEST(ShiftingParameters, AreNotStored) {
  EXPECT_THAT(shifting("st.global.u32 [%rd1], %r1;"), ElementsAre(true, true, false, true));
  EXPECT_THAT(shifting("st.global.u64 [%rd1], %rd2;"), ElementsAre(true, false, true, true));
}

// The upper half of an address says which allocation it is in.
TEST(ShiftingParameters, AreNotTakenApart) {
  EXPECT_FALSE(shifting("mov.b64 {%r4, %r5}, %rd2; st.global.u32 [%rd1], %r5;")[1]);
  EXPECT_FALSE(shifting("ld.param.u32 %r4, [in+4]; st.global.u32 [%rd1], %r4;")[1]);
  EXPECT_FALSE(shifting("mov.u64 %rd3, in; ld.param.u64 %rd4, [%rd3]; st.global.u64 [%rd1], %rd4;")[1])
      << "by its own address";
}

// Along a loop's way back, too.
TEST(ShiftingParameters, AreFollowedAroundLoops) {
  const std::string loop = R"(
    mov.u32 %r4, 0;
    mov.u64 %rd3, %rd1;
  again:
    setp.gt.u64 %p1, %rd3, 4096;
    st.global.u32 [%rd3], %r4;
    add.u64 %rd3, %rd3, %rd2;
    add.u32 %r4, %r4, 1;
    setp.lt.u32 %p2, %r4, %r2;
    @%p2 bra again;)";
  EXPECT_THAT(shifting(loop), ElementsAre(false, false, true, false));
}

}  // namespace
}  // namespace warpscope::test
