// Basic blocks and immediate post-dominators of small functions whose answers are known.
#include <gtest/gtest.h>

#include "kernels/sim/ptx/control_flow.h"
#include "kernels/sim/ptx/parser.h"

namespace warpscope::ptx {
namespace {

constexpr uint32_t kExit = ControlFlow::kExit;

ControlFlow flowOf(const std::string& body) {
  const Expected<Module> module = parseModule(
      ".version 8.0 .target sm_75 .address_size 64 .func f() { ret; } .entry k() {"
      ".reg .pred %p<9>; .reg .b32 %r<9>;" +
          body + "}",
      "t.ptx");
  EXPECT_TRUE(module.has_value()) << module.error().message;
  return module ? controlFlow(module->functions[1]) : ControlFlow{};
}

std::vector<uint32_t> successors(const ControlFlow& flow, size_t block) {
  return flow.blocks[block].successors;
}

TEST(PtxControlFlow, StraightLineIsOneBlock) {
  const ControlFlow flow = flowOf("add.u32 %r1, %r1, 1; call f; bar.sync 0; ret;");
  ASSERT_EQ(flow.blocks.size(), 1U);
  EXPECT_EQ(flow.blocks[0].count, 4U);
  EXPECT_TRUE(flow.blocks[0].reaches_exit);
  EXPECT_EQ(flow.post_dominator, std::vector<uint32_t>{kExit});
}

TEST(PtxControlFlow, IfAndElseMeet) {
  const ControlFlow flow =
      flowOf("@%p1 bra B; add.u32 %r1, %r1, 1; bra C; B: add.u32 %r1, %r1, 2; C: add.u32 %r1, %r1, 3; ret;");
  ASSERT_EQ(flow.blocks.size(), 4U);
  EXPECT_EQ(successors(flow, 0), (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(flow.post_dominator, (std::vector<uint32_t>{3, 3, 3, kExit}));
  EXPECT_EQ(flow.block_of, (std::vector<uint32_t>{0, 1, 1, 2, 3, 3}));
}

TEST(PtxControlFlow, LoopMeetsBehindItsEnd) {
  const ControlFlow flow = flowOf("L: add.u32 %r1, %r1, 1; @%p1 bra L; ret;");
  EXPECT_EQ(successors(flow, 0), (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(flow.post_dominator, (std::vector<uint32_t>{1, kExit}));
}

TEST(PtxControlFlow, BreakOutOfANestedLoop) {
  const ControlFlow flow =
      flowOf("OUTER: add.u32 %r1, %r1, 1; INNER: @%p1 bra DONE; @%p2 bra INNER; @%p3 bra OUTER; DONE: ret;");
  // 0: OUTER, 1: INNER, 2: back to INNER, 3: back to OUTER, 4: DONE
  EXPECT_EQ(flow.post_dominator, (std::vector<uint32_t>{1, 4, 4, 4, kExit}));
}

TEST(PtxControlFlow, GuardedExitLeavesSome) {
  const ControlFlow flow = flowOf("@%p1 exit; add.u32 %r1, %r1, 1; @%p2 trap; ret;");
  ASSERT_EQ(flow.blocks.size(), 3U);
  EXPECT_TRUE(flow.blocks[0].reaches_exit);
  EXPECT_EQ(successors(flow, 0), std::vector<uint32_t>{1});
  EXPECT_EQ(flow.post_dominator, (std::vector<uint32_t>{kExit, kExit, kExit}));
}

TEST(PtxControlFlow, SwitchGoesToEachTargetOnce) {
  const ControlFlow flow =
      flowOf("ts: .branchtargets A, B, A, C; brx.idx %r1, ts; A: bra.uni C; B: add.u32 %r1, %r1, 1; C: ret;");
  EXPECT_EQ(successors(flow, 0), (std::vector<uint32_t>{1, 2, 3}));
  EXPECT_EQ(flow.post_dominator, (std::vector<uint32_t>{3, 3, 3, kExit}));
}

TEST(PtxControlFlow, EndlessLoopsHaveAPlaceToMeetToo) {
  // 0: the branch into the loop, 1: loop's head with an if, 2: its body, 3: its end, 4: the way out
  const ControlFlow flow =
      flowOf("@%p1 bra OUT; L: @%p2 bra M; add.u32 %r1, %r1, 1; M: add.u32 %r1, %r1, 2; bra L; OUT: ret;");
  ASSERT_EQ(flow.blocks.size(), 5U);
  EXPECT_EQ(flow.post_dominator[0], kExit);
  EXPECT_EQ(flow.post_dominator[2], 3U);
  EXPECT_EQ(flow.post_dominator[4], kExit);
  EXPECT_FALSE(flow.blocks[3].reaches_exit);
  const ControlFlow alone = flowOf("L: bra L;");
  EXPECT_EQ(alone.post_dominator[0], kExit);
}

TEST(PtxControlFlow, UnreachableCodeIsNoHarm) {
  const ControlFlow flow = flowOf("bra END; add.u32 %r1, %r1, 1; X: bra X; END: ret;");
  ASSERT_EQ(flow.blocks.size(), 4U);
  EXPECT_EQ(flow.post_dominator[0], 3U);
  EXPECT_EQ(flow.post_dominator[1], 2U);
  EXPECT_EQ(flow.post_dominator[2], kExit);
}

using Meetings = std::vector<std::vector<uint32_t>>;

TEST(PtxControlFlow, WhoStaysInALoopMeetsBeforeWhoLeavesIt) {
  const ControlFlow flow = flowOf(
      "L: @%p1 bra M; @%p2 bra OUT; add.u32 %r1, %r1, 1; M: add.u32 %r1, %r1, 2; @%p3 bra L; OUT: bar.sync 0;"
      "ret;");
  // 0: L, 1: may leave, 2: stays, 3: M, 4: OUT
  EXPECT_EQ(flow.post_dominator[0], 4U);
  EXPECT_EQ(flow.earlier_meetings, (Meetings{{3}, {}, {}, {}, {}}));
}

TEST(PtxControlFlow, WhoStaysInAFunctionMeetsWithoutWhoReturns) {
  const ControlFlow flow =
      flowOf("@%p1 bra M; @%p2 bra END; add.u32 %r1, %r1, 1; M: add.u32 %r1, %r1, 2; END: ret;");
  EXPECT_EQ(flow.post_dominator[0], 4U);
  EXPECT_EQ(flow.earlier_meetings, (Meetings{{3}, {}, {}, {}, {}}));
}

// As in a loop that is unrolled, of which lanes break out.
TEST(PtxControlFlow, WhoStaysMeetsBeforeTheEndOfAllWays) {
  const ControlFlow flow = flowOf(
      "@%p1 bra M; @%p2 bra OUT; add.u32 %r1, %r1, 1; M: @%p3 bra N; @%p4 bra OUT; add.u32 %r1, %r1, 2;"
      "N: add.u32 %r1, %r1, 3; OUT: bar.sync 0; ret;");
  // 0: to M, 1: to OUT, 2, 3: M, 4: to OUT, 5, 6: N, 7: OUT
  EXPECT_EQ(flow.post_dominator[0], 7U);
  EXPECT_EQ(flow.post_dominator[3], 7U);
  EXPECT_EQ(flow.earlier_meetings, (Meetings{{3}, {}, {}, {6}, {}, {}, {}, {}}));
}

TEST(PtxControlFlow, LoopsInLoopsHaveAMeetingEach) {
  const ControlFlow flow = flowOf(
      "O: add.u32 %r1, %r1, 1; I: @%p1 bra A; @%p2 bra N; @%p3 bra OUT; A: @%p4 bra I; N: @%p5 bra O;"
      "OUT: bar.sync 0; ret;");
  // 0: O, 1: I, 2: to N, 3: to OUT, 4: A, 5: N, 6: OUT
  EXPECT_EQ(flow.post_dominator[1], 6U);
  EXPECT_EQ(flow.earlier_meetings[1], (std::vector<uint32_t>{4, 5}));
  EXPECT_EQ(flow.earlier_meetings[2], (std::vector<uint32_t>{5}));
  EXPECT_EQ(flow.earlier_meetings[4], (std::vector<uint32_t>{5}));
}

TEST(PtxControlFlow, DeclaredFunctionsHaveNone) {
  EXPECT_TRUE(controlFlow(Function{}).blocks.empty());
}

}  // namespace
}  // namespace warpscope::ptx
