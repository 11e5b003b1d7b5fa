// The lowering of accesses and of what lies in memory: vectors, neighbours, frames, arrays, fences.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/lowering_fixture.h"

namespace warpscope::sim {
namespace {

// The instructions that an atomic takes besides those around it: SASS of ptxas 13.0 for sm_90.
TEST_F(Lowering, warpsMakeOneAtomicOfMany) {
  const auto count = [&](const std::string& middle) {
    const std::string begin =
        ".shared .align 8 .b8 words[256];\nld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\n"
        "mov.u32 %r1, %tid.x;\nld.global.u32 %r2, [%rd2+4];\n";
    const std::vector<Lowered> all = lowerText(kernelText(begin + middle + "st.global.u32 [%rd2], %r2;\n"),
                                               "atomics.ptx", profileOf("h100_sxm.json"));
    return all.empty() ? -1 : static_cast<int>(instructionsOf(all[0].machine));
  };
  const std::string own = "mul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd2, %rd3;\n";
  const int base = count("");
  EXPECT_EQ(count("red.global.add.u32 [%rd2], 1;\n"), base + 6) << "VOTEU, UFLO, POPC, S2R, ISETP, RED";
  EXPECT_EQ(count("atom.global.add.u32 %r4, [%rd2], 1;\n"), base + 6) << "the result is not used";
  EXPECT_EQ(count("red.global.max.s32 [%rd2], %r2;\n"), base + 7) << "REDUX";
  EXPECT_EQ(count(own + "red.global.add.u32 [%rd4], %r2;\n") - count(own + "st.global.u32 [%rd4], %r2;\n"), 0)
      << "each lane has an address of its own";
  EXPECT_EQ(count("setp.ne.u32 %p1, %r1, 0;\n@%p1 bra L;\nred.global.max.s32 [%rd2], %r2;\nL:\n"),
            count("setp.ne.u32 %p1, %r1, 5;\n@%p1 bra L;\nred.global.max.s32 [%rd2], %r2;\nL:\n"))
      << "only one thread comes there";
  const std::string shared = "mov.u32 %r5, words;\nadd.s32 %r6, %r5, %r1;\n";
  EXPECT_EQ(count(shared + "atom.shared.add.f32 %f1, [%r6], %f2;\n"),
            count(shared + "atom.shared.add.u32 %r7, [%r6], %r2;\n") + 6)
      << "BSSY, LDS, FADD, ISETP, BRA, BSYNC";
  const std::string store = "st.global.u32 [%rd2+8], %r7;\n";
  const int one = count("atom.shared.exch.b32 %r7, [words], %r2;\n" + store);
  EXPECT_EQ(count("atom.shared.add.u32 %r7, [words], 1;\n" + store), one + 10)
      << "VOTEU, FLO, POPC, S2R, ISETP; S2R, LOP3, POPC, SHFL, IADD";
  EXPECT_EQ(count("atom.shared.max.u32 %r7, [words], %r2;\n" + store), one) << "the result is used";
  const int unused = count("red.shared.add.u32 [words], 1;\n");
  EXPECT_EQ(count("red.shared.max.u32 [words], %r2;\n"), unused + 6) << "ATOMS.POPC.INC; REDUX";
}

// Bytes in a vector are taken out of a register one by one, and put into one.
TEST_F(Lowering, takesBytesOutOfVectors) {
  const auto count = [&](const std::string& middle) {
    const std::vector<Lowered> all =
        lowerText(kernelText("ld.param.u64 %rd1, [p];\n.reg .b16 %rs<8>;\n" + middle), "bytes.ptx",
                  profileOf("h100_sxm.json"));
    return all.empty() ? -1 : static_cast<int>(instructionsOf(all[0].machine));
  };
  const int word = count("ld.global.u32 %r1, [%rd1];\nst.global.u32 [%rd1+4], %r1;\n");
  const std::string load = "ld.global.v4.u8 {%rs1, %rs2, %rs3, %rs4}, [%rd1];\n";
  EXPECT_EQ(count(load + "st.global.v4.u8 [%rd1+4], {%rs4, %rs3, %rs2, %rs1};\n"), word + 4 + 3);
  EXPECT_EQ(count(load + "st.global.u8 [%rd1+4], %rs3;\n"), word + 1);
  const auto converted = [&](const std::string& elements, const std::string& from) {
    return count("ld.global.v2." + elements + " {%rs1, %rs2}, [%rd1];\ncvt.rn.f32." + from +
                 " %f1, %rs1;\ncvt.rn.f32." + from + " %f2, %rs2;\nst.global.v2.f32 [%rd1+8], {%f1, %f2};\n");
  };
  EXPECT_EQ(converted("u16", "s16"), word + 2) << "I2F.S16 reads either half";
  EXPECT_EQ(converted("u16", "u16"), word + 2);
  EXPECT_EQ(converted("s8", "s16"), word + 2);
  EXPECT_EQ(converted("u8", "u16"), word + 4) << "PRMT and I2FP";
}

// What ptxas 13.0 loads of these for sm_90.
TEST_F(Lowering, loadsOnceWhatIsInARegister) {
  const auto loads = [&](const std::string& first, const std::string& between, const std::string& second) {
    const std::vector<Lowered> all =
        lowerText(kernelText("ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\n.reg .b16 %rs<8>;\n"
                             ".shared .align 4 .b8 words[64];\nmov.u32 %r9, %tid.x;\n.reg .f32 "
                             "%g<4>;\nmov.f32 %g1, 0f00000000;\n" +
                             first + between + second +
                             "cvt.u32.u16 %r5, %rs1;\ncvt.u32.u16 %r6, %rs2;\nadd.u32 %r7, %r5, %r6;\n"
                             "add.u32 %r7, %r7, %r1;\nadd.u32 %r7, %r7, %r2;\nst.global.u32 [%rd2+64], %r7;\n"
                             "st.global.v4.f32 [%rd2+80], {%f1, %f2, %f3, %g1};\n"),
                  "loads.ptx", profileOf("h100_sxm.json"));
    if (all.empty()) return -1;
    const auto& in = all[0].code->instructions;
    return static_cast<int>(std::ranges::count_if(all[0].machine.ops, [&](const MachineOp& op) {
      return op.access >= 0 && in[op.pc].kind == Kind::kLoad;
    }));
  };
  const std::string bytes = "ld.global.v2.u8 {%rs1, %rs2}, [%rd2];\n",
                    word = "ld.global.u32 %r1, [%rd2+4];\n";
  EXPECT_EQ(loads(bytes, "", "ld.global.u16 %rs3, [%rd2];\ncvt.u32.u16 %r1, %rs3;\n"), 1);
  EXPECT_EQ(loads("ld.global.u8 %rs1, [%rd2];\n", "", "ld.global.s8 %rs2, [%rd2];\n"), 2) << "the sign";
  EXPECT_EQ(loads("ld.global.f32 %f1, [%rd2+4];\n", "", word), 1);
  EXPECT_EQ(loads("ld.global.v2.f32 {%f1, %f2}, [%rd2];\n", "", "ld.global.f32 %f3, [%rd2+4];\n"), 1);
  EXPECT_EQ(loads("ld.global.f32 %f3, [%rd2+4];\n", "", "ld.global.v2.f32 {%f1, %f2}, [%rd2];\n"), 1);
  EXPECT_EQ(loads("ld.global.nc.f32 %f1, [%rd2+4];\n", "", word), 2) << "read-only data are others";
  const std::string again = "ld.global.u32 %r2, [%rd2+4];\n";
  EXPECT_EQ(loads(word, "st.shared.u32 [words], %r1;\n", again), 1);
  EXPECT_EQ(loads(word, "st.global.u32 [%rd2+32], %r1;\n", again), 2);
  EXPECT_EQ(loads(word, "bar.sync 0;\n", again), 2);
  const std::string read_only = "ld.global.nc.u32 %r1, [%rd2+4];\n",
                    read_again = "ld.global.nc.u32 %r2, [%rd2+4];\n";
  EXPECT_EQ(loads(read_only, "st.global.u32 [%rd2+32], %r1;\nbar.sync 0;\n", read_again), 1);
  EXPECT_EQ(loads(word, "atom.global.add.u32 %r3, [%rd2+32], %r1;\nst.shared.u32 [words], %r3;\n", again), 1);
  EXPECT_EQ(loads(word, "red.global.add.u32 [%rd2+32], %r1;\n", again), 2);
  const std::string branches =
      "setp.gt.u32 %p1, %r9, 5;\n@%p1 bra A;\nst.shared.u32 [words], %r1;\nbar.warp.sync -1;\nbra B;\nA:\n"
      "st.shared.u32 [words+4], %r1;\nB:\n";
  EXPECT_EQ(loads(read_only, branches, read_again), 1) << "behind both branches";
  EXPECT_EQ(loads(word, branches, again), 2) << "one of them waits for others";
  const std::string loop =
      "mov.u32 %r8, 0;\nL:\nst.shared.u32 [words], %r8;\nadd.u32 %r8, %r8, 1;\n"
      "setp.lt.u32 %p1, %r8, %r9;\n@%p1 bra L;\n";
  EXPECT_EQ(loads(read_only, loop, read_again), 1);
  EXPECT_EQ(loads(word, loop, again), 2) << "behind a loop";
}

// SASS of ptxas 13.0: MOV of a coordinate that something else reads, a constant for fetches from arrays, UMOV
// of the address' upper word.
TEST_F(Lowering, placesWhatFetchesRead) {
  const auto count = [&](const std::string& middle) {
    const std::vector<Lowered> all =
        lowerText(kernelText(".shared .align 4 .b8 words[64];\n.reg .f32 %g<4>;\nld.param.u64 %rd1, "
                             "[p];\nmov.u32 %r1, %tid.x;\n"
                             "cvt.rn.f32.u32 %f1, %r1;\nadd.f32 %f2, %f1, 0f3F000000;\n" +
                             middle + "st.shared.f32 [words], %f4;\n"),
                  "fetches.ptx", profileOf("h100_sxm.json"));
    return all.empty() ? -1 : static_cast<int>(instructionsOf(all[0].machine));
  };
  const std::string fetch = "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd1, {%f1, %f2}];\n";
  const int one = count(fetch);
  const int two =
      count(fetch + "tex.2d.v4.f32.f32 {%g1, %f5, %f6, %f7}, [%rd1, {%f2, %f1}];\nadd.f32 %f4, %f4, %g1;\n");
  EXPECT_EQ(two, one + 2 + 2) << "TEX and FADD, and both coordinates in other places";
  const int linear =
      count("tex.1d.v4.f32.s32 {%f4, %f5, %f6, %f7}, [%rd1, {%r1}];\nadd.f32 %f4, %f4, %f2;\n");
  EXPECT_EQ(one, linear - 1 + 1) << "HFMA2 of the options, no FADD";
}

// LDC has 32 bits of index, and adds where the variable begins.
TEST_F(Lowering, loadsConstantsAtAnIndex) {
  const auto count = [&](const std::string& index) {
    std::string text = kernelText(
        "ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\nld.global.u64 %rd3, [%rd2];\n"
        "mov.u64 %rd4, table;\n" +
        index + "add.s64 %rd6, %rd4, %rd5;\nld.const.u32 %r2, [%rd6+4];\nst.global.u32 [%rd2], %r2;\n");
    text.insert(text.find(".visible"), ".const .align 8 .b8 table[64];\n");
    const std::vector<Lowered> all = lowerText(text, "constants.ptx", profileOf("h100_sxm.json"));
    return all.empty() ? -1 : static_cast<int>(instructionsOf(all[0].machine));
  };
  const int one = count("and.b64 %rd5, %rd3, 56;\n");
  EXPECT_EQ(count("shl.b64 %rd7, %rd3, 3;\nand.b64 %rd5, %rd7, 56;\n"), one + 1) << "SHF, LOP3, LDC";
}

// Where the lanes of a shuffle are in a register, it is found out whether they are together, once for all
// shuffles of a stretch of code.
TEST_F(Lowering, findsOutWhichLanesShuffle) {
  const auto count = [&](const std::string& mask, const std::string& second) {
    const std::string text = kernelText(
        "ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\nld.global.u32 %r2, [%rd2];\n"
        "ld.global.u32 %r3, [%rd2+4];\nshfl.sync.bfly.b32 %r4|%p1, %r2, 1, 4127, " +
        mask + ";\n" + second + "st.global.u32 [%rd2], %r4;\nst.global.u32 [%rd2+8], %r3;\n");
    const std::vector<Lowered> all = lowerText(text, "shuffles.ptx", profileOf("h100_sxm.json"));
    return all.empty() ? -1 : static_cast<int>(instructionsOf(all[0].machine));
  };
  const std::string again = "shfl.sync.bfly.b32 %r4|%p1, %r4, 2, 4127, ";
  EXPECT_EQ(count("%r3", ""), count("-1", "") + 5) << "MATCH, REDUX, VOTEU, LOP3, BRA.DIV";
  EXPECT_EQ(count("%r3", again + "%r3;\n"), count("-1", again + "-1;\n") + 5);
}

// Neighbouring words of shared memory are loaded at once where the address is known to be aligned.
TEST_F(Lowering, loadsNeighboursAtOnce) {
  const auto count = [&](const std::string& address) {
    const std::string text = kernelText(
        ".shared .align 4 .b8 words[4096];\nld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\n"
        "mov.u32 %r2, words;\n" +
        address +
        "add.s32 %r4, %r2, %r3;\n"
        "ld.shared.u32 %r5, [%r4];\nld.shared.u32 %r6, [%r4+4];\nld.shared.u32 %r7, [%r4+8];\n"
        "ld.shared.u32 %r8, [%r4+12];\nst.global.v4.u32 [%rd1], {%r5, %r6, %r7, %r8};\n");
    const std::vector<Lowered> all = lowerText(text, "wide.ptx", profileOf("h100_sxm.json"));
    return all.empty() ? -1 : static_cast<int>(instructionsOf(all[0].machine));
  };
  const int single = count("shl.b32 %r3, %r1, 2;\n");
  EXPECT_EQ(count("shl.b32 %r3, %r1, 3;\n"), single - 2) << "LDS.64 twice";
  EXPECT_EQ(count("shl.b32 %r3, %r1, 4;\n"), single - 3) << "LDS.128";
  const auto of_variable = [&](int last) {
    const std::string text = kernelText(
        ".shared .align 16 .b8 words[4096];\nld.param.u64 %rd1, [p];\nld.shared.u32 %r5, [words+16];\n"
        "ld.shared.u32 %r6, [words+20];\nld.shared.u32 %r7, [words+24];\nld.shared.u32 %r8, [words+" +
        std::to_string(last) + "];\nst.global.v4.u32 [%rd1], {%r5, %r6, %r7, %r8};\n");
    const std::vector<Lowered> all = lowerText(text, "wide.ptx", profileOf("h100_sxm.json"));
    return all.empty() ? -1 : static_cast<int>(instructionsOf(all[0].machine));
  };
  EXPECT_EQ(of_variable(28), of_variable(32) - 2) << "LDS.128 for LDS.64, LDS, LDS";
  const auto constants = [&](const std::string& step, int last) {
    const std::string text = kernelText(
        "ld.param.u64 %rd1, [p];\nld.param.u32 %r3, [n];\nmov.u32 %r4, %tid.x;\nmov.u32 %r1, 0;\n"
        "mov.u32 %r9, 0;\nmov.u64 %rd2, taps;\nLOOP:\n.pragma \"nounroll\";\n"
        "ld.const.u32 %r5, [%rd2];\nld.const.u32 %r6, [%rd2+" +
        std::to_string(last) + "];\nmad.lo.s32 %r9, %r5, %r9, %r6;\nadd.s64 %rd2, %rd2, " + step +
        ";\nadd.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, %r3;\n@%p1 bra LOOP;\n"
        "st.global.u32 [%rd1], %r9;\n");
    const size_t entry = text.find(".visible");
    const std::vector<Lowered> all =
        lowerText(text.substr(0, entry) + ".const .align 4 .b8 taps[4096];\n" + text.substr(entry),
                  "constants.ptx", profileOf("h100_sxm.json"));
    return all.empty() ? -1 : static_cast<int>(instructionsOf(all[0].machine));
  };
  EXPECT_EQ(constants("8", 4), constants("8", 8) - 1) << "ULDC.64";
  EXPECT_EQ(constants("4", 4), constants("4", 8)) << "not aligned in each trip";
}

// Arguments and results are in registers; a function that calls saves the return address, the stack pointer's
// old value and what it needs afterwards.
TEST_F(Lowering, functionsCalledByNameSaveNothing) {
  const auto count = [&](const std::string& body_of_f) {
    const std::string text =
        ".version 8.0\n.target sm_75\n.address_size 64\n"
        ".func (.param .b32 r) g(.param .b32 a)\n{\n.reg .b32 %r<3>;\nld.param.u32 %r1, [a];\n"
        "add.s32 %r2, %r1, 7;\nst.param.b32 [r], %r2;\nret;\n}\n"
        ".func (.param .b32 r) f(.param .b32 a)\n{\n.reg .b32 %r<6>;\n.reg .pred %p<2>;\nld.param.u32 %r1, "
        "[a];\n" +
        body_of_f +
        "st.param.b32 [r], %r2;\nret;\n}\n"
        ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<4>;\n.reg .b64 %rd<3>;\n"
        "ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\nld.global.u32 %r1, [%rd2];\n"
        "{\n.param .b32 x;\n.param .b32 y;\nst.param.b32 [x], %r1;\ncall.uni (y), f, (x);\nld.param.b32 %r2, "
        "[y];\n}\n"
        "st.global.u32 [%rd2], %r2;\nret;\n}\n";
    const std::vector<Lowered> all = lowerText(text, "calls.ptx", profileOf("h100_sxm.json"));
    return all.empty() ? -1 : static_cast<int>(instructionsOf(all[0].machine));
  };
  const std::string call =
      "{\n.param .b32 x;\n.param .b32 y;\nst.param.b32 [x], %r1;\ncall.uni (y), g, (x);\nld.param.b32 %r3, "
      "[y];\n}\n";
  const int leaf = count("add.s32 %r2, %r1, 1;\n");
  const int calling = count(call + "add.s32 %r2, %r3, 1;\n");
  // g's IADD3 and RET; MOV, MOV and CALL; the return address is moved to where g leaves it.
  EXPECT_EQ(calling, leaf + 2 + 3 + 2);
  EXPECT_EQ(count(call + "add.s32 %r2, %r3, %r1;\n"), calling) << "the argument stays in its register";
}

// A function that is called by its address pushes what it saves for its callers where it is entered, and pops
// it where it returns; the return waits for it.
TEST_F(Lowering, framesAreInLocalMemory) {
  const std::string text =
      ".version 8.0\n.target sm_75\n.address_size 64\n"
      ".func (.param .b32 r) g(.param .b32 a)\n{\n.reg .b32 %r<3>;\nld.param.u32 %r1, [a];\n"
      "st.param.b32 [r], %r1;\nret;\n}\n"
      ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<4>;\n.reg .b64 %rd<3>;\nld.param.u64 %rd1, [p];\n"
      "ld.global.u32 %r1, [%rd1];\nld.global.u64 %rd2, [table];\n{\n.param .b32 x;\n.param .b32 y;\n"
      "st.param.b32 [x], %r1;\nprototype : .callprototype (.param .b32 _) _ (.param .b32 _);\n"
      "call (y), %rd2, (x), prototype;\nld.param.b32 %r2, [y];\n}\nst.global.u32 [%rd1], %r2;\nret;\n}\n";
  const auto frames_of = [&](const std::string& body_of_f) {
    const std::string f =
        ".func (.param .b32 r) f(.param .b32 a)\n{\n.reg .b32 %r<6>;\n.reg .pred %p<2>;\nld.param.u32 %r1, "
        "[a];\n" +
        body_of_f + "st.param.b32 [r], %r2;\nret;\n}\n.global .u64 table[1] = {f};\n";
    const size_t entry = text.find(".visible");
    return lowerText(text.substr(0, entry) + f + text.substr(entry), "frames.ptx",
                     profileOf("h100_sxm.json"));
  };
  const std::string call =
      "{\n.param .b32 x;\n.param .b32 y;\nst.param.b32 [x], %r1;\ncall.uni (y), g, (x);\n"
      "ld.param.b32 %r3, [y];\n}\n";
  const std::vector<Lowered> all = frames_of(call + "add.s32 %r2, %r3, %r1;\n");
  ASSERT_EQ(all.size(), 1U);
  std::set<uint16_t> popped;
  bool waits = false;
  for (const MachineOp& op : all[0].machine.ops) {
    if (op.stack.kind == StackAccess::Kind::kPop) popped.insert(op.destinations[0]);
    if (op.source_count == 3)
      waits = waits || std::ranges::all_of(popped, [&](uint16_t v) {
                return std::ranges::find(op.sources, v) != std::end(op.sources);
              });
  }
  EXPECT_EQ(popped.size(), 3U);
  EXPECT_TRUE(waits);
  const auto pushed = [&](const std::string& body_of_f) {
    int64_t count = 0;
    for (const Lowered& each : frames_of(body_of_f))
      count += std::ranges::count_if(
          each.machine.ops, [](const MachineOp& op) { return op.stack.kind == StackAccess::Kind::kPush; });
    return count;
  };
  EXPECT_EQ(pushed(call + "add.s32 %r2, %r3, %r1;\n"), 3)
      << "two words of the return address and the argument";
  EXPECT_EQ(pushed("setp.gt.s32 %p1, %r1, 9;\n@%p1 bra ELSE;\n" + call +
                   "add.s32 %r2, %r3, 1;\nbra END;\nELSE:\nadd.s32 %r2, %r1, 7;\nEND:\n"),
            3)
      << "where lanes meet; the argument is read on the other side only";
  EXPECT_EQ(pushed("mov.u32 %r2, 0;\nLOOP:\nadd.s32 %r2, %r2, %r1;\nadd.s32 %r4, %r2, 5;\n" + call +
                   "setp.gt.s32 %p1, %r3, 9;\n@%p1 bra LOOP;\n"),
            5)
      << "where lanes meet, and what the next trip reads before its call";
}

// A function that is found by its address saves what the ABI gives to its callers: R2 if it computes more
// than its result, and around the subroutine of a division also where it returns to and where lanes meet
// again.
TEST_F(Lowering, functionsCalledByAddressSaveTheirCallersRegisters) {
  const auto pushed = [&](const std::string& body, const std::string& call) {
    const std::string text =
        ".version 8.0\n.target sm_75\n.address_size 64\n"
        ".func (.param .b32 r) f(.param .b32 a)\n{\n.reg .f32 %f<8>;\nld.param.f32 %f1, [a];\n" +
        body +
        "st.param.f32 [r], %f2;\nret;\n}\n.global .u64 table[1] = {f};\n"
        ".visible .entry k(.param .u64 p)\n{\n.reg .f32 %f<4>;\n.reg .b64 %rd<4>;\nld.param.u64 %rd1, [p];\n"
        "ld.global.f32 %f1, [%rd1];\nld.global.u64 %rd2, [table];\n{\n.param .b32 x;\n.param .b32 y;\n"
        "st.param.f32 [x], %f1;\n" +
        call + "ld.param.f32 %f2, [y];\n}\nst.global.f32 [%rd1], %f2;\nret;\n}\n";
    const std::vector<Lowered> all = lowerText(text, "by_address.ptx", profileOf("h100_sxm.json"));
    if (all.empty()) return int64_t{-1};
    return static_cast<int64_t>(std::ranges::count_if(
        all[0].machine.ops, [](const MachineOp& op) { return op.stack.kind == StackAccess::Kind::kPush; }));
  };
  const std::string by_address =
      "prototype : .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (y), %rd2, (x), prototype;\n";
  const std::string by_name = "call.uni (y), f, (x);\n";
  const std::string sums = "add.f32 %f3, %f1, 0f3F800000;\nmul.f32 %f4, %f3, %f1;\nadd.f32 %f2, %f4, %f3;\n";
  const std::string divides = "add.f32 %f3, %f1, 0f3F800000;\ndiv.rn.f32 %f2, %f1, %f3;\n";
  EXPECT_EQ(pushed("add.f32 %f2, %f1, 0f3F800000;\n", by_address), 0) << "where its argument is";
  EXPECT_EQ(pushed(sums, by_address), 1) << "R2";
  EXPECT_EQ(pushed(divides, by_address), 3) << "two words of the return address, and where lanes meet";
  EXPECT_EQ(pushed("mul.f32 %f5, %f1, %f1;\n" + divides + "add.f32 %f2, %f2, %f5;\n", by_address), 4)
      << "and what is read after the division";
  EXPECT_EQ(pushed(sums, by_name), 0) << "in registers that its only caller does not use";
  EXPECT_EQ(pushed(divides, by_name), 0);
}

// A release for the GPU has a fence before it; one for the block has none.
TEST_F(Lowering, releasesAreFences) {
  const auto fences = [&](const std::string& atomic) {
    const std::string text =
        ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
        ".reg .b32 %r<3>;\n.reg .b64 %rd<3>;\nld.param.u64 %rd1, [p];\nmov.u32 %r1, 1;\n" +
        atomic + "st.global.u32 [%rd1+4], %r2;\nret;\n}\n";
    const std::vector<Lowered> all = lowerText(text, "fences.ptx", profileOf("h100_sxm.json"));
    return all.empty() ? -1 : std::ranges::count_if(all[0].machine.ops, &MachineOp::is_fence);
  };
  EXPECT_EQ(fences("atom.add.release.gpu.global.u32 %r2, [%rd1], %r1;\n"), 1);
  EXPECT_EQ(fences("atom.add.relaxed.gpu.global.u32 %r2, [%rd1], %r1;\n"), 0);
  EXPECT_EQ(fences("atom.add.release.cta.global.u32 %r2, [%rd1], %r1;\n"), 0);
}

// A small array is in registers: an access whose index is not known asks each word. Where the code would grow
// too much by that (or the array is one of bytes or doubles), it is in memory: ptxas 13.0 on the same
// accesses.
TEST_F(Lowering, smallArraysAreInRegisters) {
  const auto lowered = [&](int bytes, const std::string& accesses) {
    const std::string text =
        ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
        ".local .align 16 .b8 depot[" +
        std::to_string(bytes) +
        "];\n.reg .b64 %SPL;\n.reg .pred %p<2>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\nmov.u64 %SPL, depot;\n"
        "ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\nld.global.u32 %r1, [%rd2];\n"
        "add.u64 %rd3, %SPL, 0;\nmul.wide.u32 %rd4, %r1, 4;\nadd.s64 %rd5, %rd3, %rd4;\nmov.u32 %r2, 0;\n" +
        accesses + "st.global.u32 [%rd2], %r2;\nret;\n}\n";
    std::vector<Lowered> all = lowerText(text, "arrays.ptx", profileOf("h100_sxm.json"));
    EXPECT_EQ(all.size(), 1U);
    return all.empty() ? MachineCode{} : all[0].machine;
  };
  const auto accesses = [](const MachineCode& machine) {
    return std::ranges::count_if(machine.ops, [](const MachineOp& op) { return op.access >= 0; });
  };
  std::string write;
  for (int word = 0; word < 16; ++word)
    write += "st.local.u32 [%rd3+" + std::to_string(4 * word) + "], %r1;\n";
  const std::string read = "ld.local.u32 %r2, [%rd5];\n";
  EXPECT_EQ(accesses(lowered(64, write + read)), 2) << "those of global memory";
  const auto reads = [](int count) {
    std::string text;
    for (int i = 0; i < count; ++i)
      text += "ld.local.u32 %r3, [%rd5+" + std::to_string(4 * i) + "];\nxor.b32 %r2, %r2, %r3;\n";
    return text;
  };
  EXPECT_EQ(accesses(lowered(64, write + reads(2))), 2);
  EXPECT_EQ(accesses(lowered(64, write + reads(8))), 2 + 16 + 8) << "240 instructions more are too many";
  EXPECT_EQ(accesses(lowered(128, write + read)), 2);
  EXPECT_EQ(accesses(lowered(260, write + read)), 2 + 17) << "too large";
  EXPECT_EQ(accesses(lowered(64, write + "ld.local.u8 %r2, [%rd5];\n")), 2 + 17) << "bytes";
  const std::string rows =
      "and.b32 %r4, %r1, 1;\nmul.wide.u32 %rd4, %r4, 32;\nadd.s64 %rd5, %rd3, %rd4;\n" + reads(8);
  EXPECT_EQ(accesses(lowered(64, write + rows)), 2) << "two rows of eight words";
  // Other instructions make room for more comparisons, in a loop 16 times.
  const auto works = [](int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += "mad.lo.s32 %r2, %r2, %r1, " + std::to_string(i + 3) + ";\n";
    return text;
  };
  EXPECT_EQ(accesses(lowered(64, write + reads(8) + works(60))), 2 + 16 + 8);
  EXPECT_EQ(accesses(lowered(64, write + reads(8) + works(100))), 2);
  const auto loop = [&](int work, int work_outside) {
    return write +
           "mov.u32 %r7, 0;\nL:\n.pragma \"nounroll\";\nshr.u32 %r4, %r2, 3;\nand.b32 %r4, %r4, 15;\n"
           "mul.wide.u32 %rd6, %r4, 4;\nadd.s64 %rd7, %rd3, %rd6;\nld.local.u32 %r3, [%rd7];\n"
           "xor.b32 %r2, %r2, %r3;\n" +
           works(work) + "add.s32 %r7, %r7, 1;\nsetp.lt.s32 %p1, %r7, %r1;\n@%p1 bra L;\n" +
           works(work_outside);
  };
  EXPECT_EQ(accesses(lowered(64, loop(0, 0))), 2 + 17);
  EXPECT_EQ(accesses(lowered(64, loop(10, 0))), 2);
  EXPECT_EQ(accesses(lowered(64, loop(0, 160))), 2);
  std::string pairs = "mul.wide.u32 %rd4, %r1, 8;\nadd.s64 %rd6, %rd3, %rd4;\n";
  for (int i = 0; i < 4; ++i) {
    pairs += "ld.local.v2.u32 {%r5, %r6}, [%rd6+" + std::to_string(8 * i) +
             "];\nxor.b32 %r2, %r2, %r5;\nadd.s32 %r2, %r2, %r6;\n";
  }
  EXPECT_EQ(accesses(lowered(64, write + pairs)), 2) << "eight pairs";
  const std::string shorts = "st.local.u16 [%rd3], %r1;\nst.local.u16 [%rd3+2], %r1;\n";
  EXPECT_EQ(accesses(lowered(8, shorts + "ld.local.u16 %r2, [%rd5];\n")), 2);
  const auto with_read = [&](int count) {
    return shorts + works(count) +
           "mul.wide.u32 %rd6, %r2, 2;\nadd.s64 %rd7, %rd3, %rd6;\nld.local.u16 %r3, [%rd7];\n"
           "add.s32 %r2, %r2, %r3;\n";
  };
  EXPECT_EQ(accesses(lowered(64, with_read(200))), 2);
  EXPECT_EQ(instructionsOf(lowered(64, with_read(200))), instructionsOf(lowered(32, with_read(200))) + 32)
      << "a comparison and a move of each of 16 shorts more";
  EXPECT_EQ(accesses(lowered(64, with_read(600))), 2 + 3) << "32 registers for three accesses of 600";
  EXPECT_EQ(accesses(lowered(256, with_read(200))), 2 + 3);
  EXPECT_EQ(accesses(lowered(8, "st.local.v2.u16 [%rd3], {%r1, %r1};\nld.local.u16 %r2, [%rd5];\n")), 2 + 2)
      << "two shorts at once";
  EXPECT_EQ(accesses(lowered(64, "st.local.u32 [%rd5], %r1;\nld.local.u32 %r2, [%rd5+4];\n")), 4)
      << "no index is known";
  const auto once = instructionsOf(lowered(64, write + read));
  EXPECT_EQ(
      instructionsOf(lowered(64, write + read + "ld.local.u32 %r3, [%rd5+4];\nadd.s32 %r2, %r2, %r3;\n")),
      once + 33)
      << "ISETP and MOV for each word";
  EXPECT_EQ(instructionsOf(lowered(64, write + write + read)), once) << "a known word is a register";
  const auto fill = [](const std::string& label) {
    return "mov.u32 %r4, %r1;\n" + label +
           ":\nmul.wide.u32 %rd6, %r4, 4;\nadd.s64 %rd7, %rd3, %rd6;\nst.local.u32 [%rd7], %r4;\n"
           "add.s32 %r4, %r4, %r1;\nsetp.lt.s32 %p1, %r4, 7;\n@%p1 bra " +
           label + ";\n";
  };
  const std::string last = "st.local.u32 [%rd3+24], %r1;\n" + read;
  std::string more;
  for (int i = 0; i < 20; ++i) more += "mad.lo.s32 %r1, %r1, %r1, 5;\nxor.b32 %r1, %r1, 77;\n";
  EXPECT_EQ(accesses(lowered(28, fill("A") + more + last)), 2);
  EXPECT_EQ(accesses(lowered(28, fill("A") + fill("B") + last)), 2 + 4) << "filled by two loops";
  const auto scatter = [](const std::string& label) {
    return "mov.u32 %r4, 0;\n" + label +
           ":\n.pragma \"nounroll\";\nld.volatile.global.u32 %r5, [%rd2+4];\nmul.wide.u32 %rd6, %r5, 4;\n"
           "add.s64 %rd7, %rd3, %rd6;\nst.local.u32 [%rd7], %r4;\nadd.s32 %r4, %r4, 1;\n"
           "setp.lt.s32 %p1, %r4, %r1;\n@%p1 bra " +
           label + ";\n";
  };
  EXPECT_EQ(accesses(lowered(28, scatter("A") + scatter("B") + last)), 2 + 2) << "places given by data";
  // One of two addresses is chosen, as a reference to the smaller of two variables is.
  const std::string chosen =
      "st.local.u32 [%rd3], %r1;\nst.local.u32 [%rd3+4], %r1;\nadd.u64 %rd6, %SPL, 4;\n"
      "cvta.local.u64 %rd7, %rd3;\ncvta.local.u64 %rd8, %rd6;\nsetp.gt.s32 %p1, %r1, 9;\n"
      "selp.b64 %rd7, %rd7, %rd8, %p1;\ncvta.to.local.u64 %rd8, %rd7;\n";
  EXPECT_EQ(accesses(lowered(8, chosen + "ld.local.u32 %r2, [%rd8];\n")), 2);
  EXPECT_EQ(accesses(lowered(8, chosen + "ld.u32 %r2, [%rd7];\n")), 2 + 3) << "it might be to other memory";
  EXPECT_EQ(accesses(lowered(8, chosen + "st.global.u64 [%rd2+8], %rd7;\nld.local.u32 %r2, [%rd8];\n")),
            2 + 1 + 3)
      << "others can read it";
}

// In a loop that is not short, ptxas 13.0 keeps a pointer that several blocks need in registers (the
// catalog's naive_row), and loads a pointer that is used once again in each trip.
TEST_F(Lowering, keepsPointersThatSeveralBlocksNeed) {
  const DeviceProfile profile = profileOf("h100_sxm.json");
  const auto trips = [&](int blocks) {
    std::string text = "ld.param.u64 %rd1, [p];\nld.param.u32 %r3, [n];\nmov.u32 %r1, 0;\nLOOP:\n";
    for (int block = 0; block < 4; ++block) {
      const std::string end = "END" + std::to_string(block);
      text +=
          "add.s32 %r1, %r1, 3;\nxor.b32 %r2, %r1, 11;\nsetp.ge.u32 %p1, %r2, %r3;\n@%p1 bra " + end + ";\n";
      text += block < blocks ? "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n" : "";
      text +=
          "ld.global.u32 %r5, [%rd3];\nadd.s32 %r5, %r5, 1;\nst.global.u32 [%rd3+8], %r5;\n"
          "bar.sync 0;\n" +
          end + ":\n";
    }
    const std::vector<Lowered> all =
        lowerText(kernelText(text + "setp.lt.u32 %p2, %r1, %r3;\n@%p2 bra LOOP;\n"), "blocks.ptx", profile);
    return all.empty() ? -1 : static_cast<int>(instructionsOf(all[0].machine));
  };
  EXPECT_EQ(trips(3) - trips(2), 1) << "IMAD.WIDE, but no LDC";
}

// LDC c[0x3][R]: the register holds the lower word of the address.
TEST_F(Lowering, addressesOfConstantsAreOneWord) {
  const DeviceProfile profile = profileOf("h100_sxm.json");
  const auto products = [&](const std::string& space) {
    std::string text = kernelText(
        "ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\nld.global.u32 %r1, [%rd2];\n"
        "mul.wide.u32 %rd3, %r1, 4;\nmov.u64 %rd4, table;\nadd.s64 %rd5, %rd4, %rd3;\nld." +
        space + ".u32 %r2, [%rd5];\nst.global.u32 [%rd2], %r2;\n");
    text.insert(text.find(".visible"), "." + space + " .align 4 .b8 table[1024];\n");
    const std::vector<Lowered> all = lowerText(text, "constants.ptx", profile);
    EXPECT_EQ(all.size(), 1U);
    return all.empty() ? 0 : std::ranges::count_if(all[0].machine.ops, [](const MachineOp& op) {
      return op.pipe == Pipe::kIntMultiply && op.pipe_eighths > 8;
    });
  };
  EXPECT_EQ(products("global"), 1) << "IMAD.WIDE";
  EXPECT_EQ(products("const"), 0);
}

}  // namespace
}  // namespace warpscope::sim
