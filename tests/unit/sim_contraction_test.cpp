// Multiplications and additions that become one instruction. What is expected is what ptxas 13.0 makes for
// sm_90 of the same text, read from its machine code.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "kernels/sim/ptx/parser.h"
#include "kernels/sim/simt/contraction.h"

namespace warpscope::sim {
namespace {

// The multiplications that are needed, additions and fmas, as "fma(f1,f2,f3) mul(f3,f4)".
std::string contraction(const std::string& body) {
  const std::string text = R"(
.version 7.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p)
{
  .reg .pred %p<5>; .reg .b32 %r<9>; .reg .f32 %f<30>; .reg .f64 %d<9>; .reg .b16 %h<9>; .reg .b64 %rd<5>;
  ld.param.u64 %rd2, [p];
)" + body + R"(
  ret;
}
)";
  const auto module = ptx::parseModule(text, "contraction.ptx");
  EXPECT_TRUE(module) << module.error().message;
  if (!module) return {};
  const ptx::Function& function = module->functions.at(0);
  const auto made = contracted(function);
  EXPECT_EQ(made.size(), function.instructions.size());
  const auto name = [&](const ptx::Operand& operand) {
    if (operand.kind != ptx::Operand::Kind::kRegister) return std::string("#");
    return function.registers.at(operand.index).name.substr(1);
  };
  std::string result;
  for (const ptx::Instruction& in : made) {
    if (!ptx::isFloat(in.types[0])) continue;
    const char* operation = in.op == ptx::Op::kAdd   ? "add"
                            : in.op == ptx::Op::kSub ? "sub"
                            : in.op == ptx::Op::kFma ? "fma"
                                                     : nullptr;
    if (operation == nullptr) continue;
    if (!result.empty()) result += ' ';
    result += operation;
    const auto& o = in.operands;
    if (in.op != ptx::Op::kFma) {
      result += fmt::format("({},{})", name(o[1]), name(o[2]));
    } else {
      result += fmt::format("({}{},{},{}{})", in.modifiers.minus_product ? "-" : "", name(o[1]), name(o[2]),
                            in.modifiers.minus_addend ? "-" : "", name(o[3]));
    }
  }
  return result;
}

const std::string kStore6 = " st.global.f32 [%rd2], %f6;", kStore5 = " st.global.f32 [%rd2+4], %f5;";
const std::string kProduct = "mul.f32 %f5, %f1, %f2; ";
const std::string kProducts = kProduct + "mul.f32 %f7, %f3, %f4; ";

TEST(Contraction, FusesAProductWithTheSumThatUsesIt) {
  EXPECT_EQ(contraction(kProduct + "add.f32 %f6, %f5, %f3;" + kStore6), "fma(f1,f2,f3)");
  EXPECT_EQ(contraction(kProduct + "add.f32 %f6, %f3, %f5;" + kStore6), "fma(f1,f2,f3)");
  EXPECT_EQ(contraction(kProduct + "sub.f32 %f6, %f5, %f3;" + kStore6), "fma(f1,f2,-f3)");
  EXPECT_EQ(contraction(kProduct + "sub.f32 %f6, %f3, %f5;" + kStore6), "fma(-f1,f2,f3)");
  EXPECT_EQ(contraction("mul.f32 %f5, %f1, 0f40400000; add.f32 %f6, %f5, 0f3F800000;" + kStore6),
            "fma(f1,#,#)");
  EXPECT_EQ(contraction(kProduct + "bar.sync 0; add.f32 %f6, %f5, %f3;" + kStore6), "fma(f1,f2,f3)");
  EXPECT_EQ(contraction(kProduct + "add.sat.f32 %f6, %f5, %f3;" + kStore6), "fma(f1,f2,f3)");
}

TEST(Contraction, KnowsDoublesAndHalves) {
  EXPECT_EQ(contraction("mul.f64 %d5, %d1, %d2; add.f64 %d6, %d5, %d3;"), "fma(d1,d2,d3)");
  EXPECT_EQ(contraction("mul.f16 %h5, %h1, %h2; sub.f16 %h6, %h3, %h5;"), "fma(-h1,h2,h3)");
  EXPECT_EQ(contraction("mul.f16x2 %r5, %r1, %r2; add.f16x2 %r6, %r5, %r3;"), "fma(r1,r2,r3)");
  EXPECT_EQ(contraction("mul.bf16 %h5, %h1, %h2; add.bf16 %h6, %h5, %h3;"), "fma(h1,h2,h3)");
}

TEST(Contraction, LeavesWhatTheTextForbids) {
  EXPECT_EQ(contraction("mul.rn.f32 %f5, %f1, %f2; add.f32 %f6, %f5, %f3;" + kStore6), "add(f5,f3)");
  EXPECT_EQ(contraction(kProduct + "add.rn.f32 %f6, %f5, %f3;" + kStore6), "add(f5,f3)");
  EXPECT_EQ(contraction("mul.sat.f32 %f5, %f1, %f2; add.f32 %f6, %f5, %f3;" + kStore6), "add(f5,f3)");
  EXPECT_EQ(contraction("mul.ftz.f32 %f5, %f1, %f2; add.f32 %f6, %f5, %f3;" + kStore6), "add(f5,f3)");
  EXPECT_EQ(contraction(kProduct + "add.ftz.f32 %f6, %f5, %f3;" + kStore6), "add(f5,f3)");
  EXPECT_EQ(contraction("mul.ftz.f32 %f5, %f1, %f2; add.ftz.f32 %f6, %f5, %f3;" + kStore6), "fma(f1,f2,f3)");
}

TEST(Contraction, NeedsAllUsesToBeSums) {
  EXPECT_EQ(contraction(kProduct + "add.f32 %f6, %f5, %f3; add.f32 %f8, %f5, %f4;" + kStore6),
            "fma(f1,f2,f3) fma(f1,f2,f4)");
  EXPECT_EQ(contraction(kProduct + "add.f32 %f6, %f5, %f3;" + kStore6 + kStore5), "add(f5,f3)");
  EXPECT_EQ(contraction(kProduct + "add.f32 %f6, %f5, %f3; fma.rn.f32 %f8, %f4, %f4, %f5;" + kStore6),
            "add(f5,f3) fma(f4,f4,f5)");
  EXPECT_EQ(contraction(kProduct + "add.f32 %f6, %f5, %f5;" + kStore6), "add(f5,f5)");
  EXPECT_EQ(contraction(kProduct + "abs.f32 %f7, %f5; add.f32 %f6, %f7, %f3;" + kStore6), "add(f7,f3)");
}

TEST(Contraction, NeedsTheSumInTheSameBasicBlock) {
  EXPECT_EQ(contraction(kProduct + "@%p1 bra L; add.f32 %f6, %f5, %f3;" + kStore6 + " L:"), "add(f5,f3)");
  EXPECT_EQ(contraction(kProduct + "add.f32 %f6, %f5, %f3; @%p1 bra L;" + kStore5 + " L:"), "add(f5,f3)");
  EXPECT_EQ(contraction("mov.f32 %f5, %f1; L: add.f32 %f6, %f5, %f3; mul.f32 %f5, %f6, %f2; @%p1 bra L;"),
            "add(f5,f3)");
}

TEST(Contraction, ChoosesOneOfTwoProducts) {
  const std::string sum = "add.f32 %f6, %f5, %f7;", swapped = "add.f32 %f6, %f7, %f5;";
  EXPECT_EQ(contraction(kProducts + sum + kStore6), "fma(f1,f2,f7)");
  EXPECT_EQ(contraction(kProducts + swapped + kStore6), "fma(f3,f4,f5)");
  EXPECT_EQ(contraction(kProducts + "sub.f32 %f6, %f5, %f7;" + kStore6), "fma(f1,f2,-f7)");
  EXPECT_EQ(contraction(kProducts + sum + kStore6 + kStore5), "fma(f3,f4,f5)");
  EXPECT_EQ(contraction(kProducts + sum + "add.f32 %f8, %f5, %f1;" + kStore6), "fma(f3,f4,f5) add(f5,f1)");
  EXPECT_EQ(contraction(kProducts + sum + "add.f32 %f8, %f7, %f1;" + kStore6), "fma(f1,f2,f7) add(f7,f1)");
  EXPECT_EQ(contraction(kProducts + "mul.f32 %f8, %f1, %f3; " + sum + " add.f32 %f9, %f6, %f8;"),
            "fma(f1,f2,f7) fma(f1,f3,f6)");
}

TEST(Contraction, FollowsARegisterThatIsUsedAgain) {
  EXPECT_EQ(contraction(kProduct + "add.f32 %f6, %f5, %f3; mul.f32 %f5, %f6, %f2; add.f32 %f6, %f5, %f4;"),
            "fma(f1,f2,f3) fma(f6,f2,f4)");
  // ptxas would fuse these too: it has a copy of what the register held.
  EXPECT_EQ(contraction(kProduct + "ld.global.f32 %f1, [%rd2]; add.f32 %f6, %f5, %f1;"), "add(f5,f1)");
}

}  // namespace
}  // namespace warpscope::sim
