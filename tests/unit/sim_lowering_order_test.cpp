// The order in which instructions issue, as ptxas 13.0 has it in the SASS of the truth suite's open half.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/support/lowering_fixture.h"

namespace warpscope::sim {
namespace {

// Where the first operation issues that stands for the instruction with this text; -1: nowhere.
int placeOf(const Lowered& lowered, const std::string& text) {
  const std::vector<MachineOp>& ops = lowered.machine.ops;
  const auto found = std::ranges::find_if(ops, [&](const MachineOp& op) {
    return !op.is_added && lowered.code->texts[op.pc].find(text) != std::string::npos;
  });
  return found == ops.end() ? -1 : static_cast<int>(found - ops.begin());
}

class LoweringOrder : public Lowering {
 protected:
  Lowered lowered(const std::string& text) {
    std::vector<Lowered> all = lowerText(text, "order.ptx", profileOf("h100_sxm.json"));
    EXPECT_EQ(all.size(), 1U);
    return all.empty() ? Lowered{} : std::move(all[0]);
  }

  // A loop with this in the middle of its trip.
  Lowered loop(const std::string& middle) {
    return lowered(
        kernelText(".shared .align 4 .b8 words[1024];\nld.param.u64 %rd1, [p];\nld.param.u32 %r3, [n];\n"
                   "ld.param.u32 %r4, [m];\ncvta.to.global.u64 %rd2, %rd1;\nmov.u32 %r1, %tid.x;\n"
                   "mov.u32 %r9, 0;\nmov.u32 %r10, words;\nLOOP:\nmul.lo.s32 %r5, %r1, %r3;\n"
                   "xor.b32 %r6, %r5, %r4;\nshr.u32 %r7, %r6, 5;\n" +
                   middle +
                   "add.s32 %r1, %r1, %r3;\nsetp.lt.s32 %p1, %r1, %r4;\n@%p1 bra LOOP;\n"
                   "st.global.u32 [%rd2], %r9;\n"));
  }
};

TEST_F(LoweringOrder, aCounterIsSteppedBehindTheLoadsOfATrip) {
  const std::string global =
      "mul.wide.s32 %rd3, %r7, 4;\nadd.s64 %rd4, %rd2, %rd3;\nld.global.u32 %r2, [%rd4];\n"
      "add.s32 %r9, %r9, %r2;\n";
  const Lowered far = loop(global);
  EXPECT_LT(placeOf(far, "ld.global.u32 %r2"), placeOf(far, "add.s32 %r1, %r1"));
  EXPECT_LT(placeOf(far, "setp.lt.s32 %p1"), placeOf(far, "add.s32 %r9, %r9")) << "while the warp waits";
  const Lowered near = loop(
      "shl.b32 %r8, %r7, 2;\nadd.s32 %r11, %r10, %r8;\nld.shared.u32 %r2, [%r11];\nadd.s32 %r9, %r9, %r2;\n");
  EXPECT_LT(placeOf(near, "add.s32 %r1, %r1"), placeOf(near, "ld.shared.u32 %r2"))
      << "where an operand of the load would be waited for";
}

TEST_F(LoweringOrder, theComparisonOfALoopReusesAPredicateRegister) {
  const std::string load =
      "mul.wide.s32 %rd3, %r7, 4;\nadd.s64 %rd4, %rd2, %rd3;\nld.global.u32 %r2, [%rd4];\n";
  const Lowered other = loop(load +
                             "setp.gt.s32 %p2, %r2, 77;\nselp.b32 %r12, %r3, %r4, %p2;\n"
                             "add.s32 %r9, %r9, %r12;\n");
  EXPECT_GT(placeOf(other, "setp.lt.s32 %p1"), placeOf(other, "selp.b32 %r12")) << "what reads the other";
  EXPECT_LT(placeOf(other, "add.s32 %r1, %r1"), placeOf(other, "setp.gt.s32 %p2")) << "not the step";
}

TEST_F(LoweringOrder, constantsAreLoadedBeforeWhatIsInMemory) {
  const Lowered copy = lowered(
      ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u64 q)\n{\n"
      ".reg .b32 %r<4>;\n.reg .b64 %rd<8>;\nld.param.u64 %rd1, [p];\nld.param.u64 %rd2, [q];\n"
      "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd1, %rd3;\n"
      "ld.global.u32 %r2, [%rd4];\nadd.s64 %rd5, %rd2, %rd3;\nst.global.u32 [%rd5], %r2;\nret;\n}\n");
  const auto end = copy.machine.ops.begin() + placeOf(copy, "ld.global.u32");
  const auto loads = std::count_if(copy.machine.ops.begin(), end, [](const MachineOp& op) {
    return op.is_added && op.pipe == Pipe::kLoadStore && op.access < 0;
  });
  EXPECT_EQ(loads, 2) << "both pointers, also the one for the store";
  EXPECT_GT(placeOf(copy, "add.s64 %rd5"), placeOf(copy, "ld.global.u32"));
}

// columns_implicitly, cached_attention_step.
TEST_F(LoweringOrder, loadsWaitForRoomIn32Registers) {
  std::string body = "ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\nmov.u32 %r9, 0;\n";
  constexpr int kLoads = 28;
  for (int i = 0; i < kLoads; ++i) {
    body += "ld.global.u32 %r2, [%rd2+" + std::to_string(4 * i) + "];\nadd.s32 %r9, %r9, %r2;\n";
  }
  const Lowered sum = lowered(kernelText(body + "st.global.u32 [%rd2], %r9;\n"));
  EXPECT_EQ(sum.machine.registers_per_thread, 32U);
  const auto end = sum.machine.ops.begin() + placeOf(sum, "add.s32 %r9");
  const auto before =
      std::count_if(sum.machine.ops.begin(), end, [](const MachineOp& op) { return op.access >= 0; });
  EXPECT_LT(before, kLoads);
  EXPECT_GT(before, kLoads / 2);
}

}  // namespace
}  // namespace warpscope::sim
