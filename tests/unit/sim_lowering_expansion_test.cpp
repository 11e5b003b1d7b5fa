// The lowering of what ptxas makes several machine instructions of: functions, divisions, counts of bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "tests/support/lowering_fixture.h"

namespace warpscope::sim {
namespace {

// ptxas puts other instructions around those of the special function unit.
TEST_F(Lowering, takesSpecialFunctionsApart) {
  const DeviceProfile profile = profileOf("h100_sxm.json");
  const auto lowered = [&](const std::string& function) {
    return lowerKernel(
        "ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\nmov.u32 %r1, %tid.x;\n"
        "mul.wide.u32 %rd3, %r1, 8;\nadd.s64 %rd4, %rd2, %rd3;\nld.global.f32 %f1, [%rd4];\n"
        "ld.global.f32 %f2, [%rd4+4];\nadd.f32 %f3, %f1, %f2;\n" +
            function + "mul.f32 %f5, %f3, %f4;\nst.global.f32 [%rd2], %f5;\n",
        profile);
  };
  const int plain = static_cast<int>(instructionsOf(lowered("mov.f32 %f4, %f2;\n")));
  const auto counts = [&](const std::string& function) {
    const MachineCode machine = lowered(function);
    const auto special = std::ranges::count(machine.ops, Pipe::kSpecial, &MachineOp::pipe);
    const auto holding =
        std::ranges::count_if(machine.ops, [](const MachineOp& op) { return op.holds_cycles > 0; });
    return std::array{static_cast<int>(instructionsOf(machine)) - plain, static_cast<int>(special),
                      static_cast<int>(holding)};
  };
  EXPECT_EQ(counts("sin.approx.f32 %f4, %f2;\n"), (std::array{2, 1, 0})) << "FMUL.RZ, MUFU";
  EXPECT_EQ(counts("ex2.approx.f32 %f4, %f2;\n"), (std::array{4, 1, 0})) << "FSETP, FMUL, MUFU, FMUL";
  EXPECT_EQ(counts("ex2.approx.ftz.f32 %f4, %f2;\n"), (std::array{1, 1, 0}));
  EXPECT_EQ(counts("div.rn.f32 %f4, %f2, %f1;\n"), (std::array{10, 2, 2})) << "MUFU and FCHK; BRA, BSYNC";
  EXPECT_EQ(counts("sqrt.rn.f32 %f4, %f2;\n"), (std::array{10, 1, 2}));
  EXPECT_EQ(counts("rcp.rn.f32 %f4, %f2;\n"), (std::array{10, 1, 2}));
}

// I2F, MUFU and F2I of one division, FLO, and two POPC are each an instruction that others can come behind.
TEST_F(Lowering, takesDivisionsAndCountsOfBitsApart) {
  const DeviceProfile profile = profileOf("h100_sxm.json");
  const auto lowered = [&](const std::string& middle) {
    return lowerKernel(
        "ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\nld.global.u32 %r1, [%rd2];\n"
        "ld.global.u32 %r2, [%rd2+4];\nld.global.u32 %r3, [%rd2+8];\nld.global.u64 %rd3, [%rd2+16];\n" +
            middle + "st.global.u32 [%rd2], %r6;\n",
        profile);
  };
  const auto special = [](const MachineCode& machine) {
    std::vector<uint32_t> pcs;
    for (const MachineOp& op : machine.ops) {
      EXPECT_TRUE(op.pipe != Pipe::kSpecial || op.issues == 1);
      if (op.pipe == Pipe::kSpecial) pcs.push_back(op.pc);
    }
    return pcs;
  };
  const int plain = static_cast<int>(instructionsOf(lowered("xor.b32 %r6, %r1, %r2;\n")));
  const auto more = [&](const std::string& middle) {
    return static_cast<int>(instructionsOf(lowered(middle))) - plain;
  };
  EXPECT_EQ(more("rem.u32 %r6, %r1, %r2;\n"), 17 - 1);
  EXPECT_EQ(more("div.u32 %r6, %r1, %r2;\n"), 18 - 1);
  EXPECT_EQ(more("rem.s32 %r6, %r1, %r2;\n"), 22 - 1);
  EXPECT_EQ(more("div.s32 %r6, %r1, %r2;\n"), 24 - 1);
  EXPECT_EQ(special(lowered("rem.s32 %r6, %r1, %r2;\n")).size(), 3U);
  EXPECT_EQ(special(lowered("clz.b32 %r6, %r1;\n")).size(), 1U);
  EXPECT_EQ(special(lowered("popc.b64 %r6, %rd3;\n")).size(), 2U);
  const std::vector<uint32_t> two =
      special(lowered("rem.u32 %r4, %r1, %r2;\nrem.u32 %r5, %r1, %r3;\nxor.b32 %r6, %r4, %r5;\n"));
  ASSERT_EQ(two.size(), 6U);
  EXPECT_NE(two[0], two[1]) << "neither waits for the other";
}

// A pair's lower word, and the sum of its upper one and another, are registers that are there already.
TEST_F(Lowering, waitsForWhatAnOperationThatCostsNothingIsMadeOf) {
  const DeviceProfile profile = profileOf("h100_sxm.json");
  for (const std::string free : {"and.b64 %rd5, %rd3, 4294967295;\n", "shr.u64 %rd5, %rd3, 32;\n",
                                 "shr.u64 %rd4, %rd3, 32;\nshl.b64 %rd5, %rd4, 32;\n"}) {
    const std::string text =
        kernelText("ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\nld.global.u64 %rd3, [%rd2];\n" +
                   free + "mul.lo.s64 %rd6, %rd5, %rd5;\nst.global.u64 [%rd2], %rd6;\n");
    const std::vector<Lowered> all = lowerText(text, "free.ptx", profile);
    ASSERT_EQ(all.size(), 1U);
    const MachineOp *load = nullptr, *product = nullptr;
    for (const MachineOp& op : all[0].machine.ops) {
      const Instruction& in = all[0].code->instructions[op.pc];
      if (in.kind == Kind::kLoad) load = &op;
      if (in.op == ptx::Op::kMul && !op.is_added && product == nullptr) product = &op;
    }
    ASSERT_TRUE(load != nullptr && product != nullptr) << free;
    const auto sources = std::span(product->sources).first(product->source_count);
    EXPECT_NE(std::ranges::find(sources, load->destinations[0]), sources.end()) << free;
  }
}

}  // namespace
}  // namespace warpscope::sim
