// The lowering of loops: what stays in them, what is unrolled, and what is left over.
#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "tests/support/lowering_fixture.h"

namespace warpscope::sim {
namespace {

// The instructions of the longest group: of a loop's body in these texts.
int instructionsOfLoop(const Lowered& lowered) {
  uint32_t most = 0;
  for (uint32_t s = 0; s < lowered.machine.segments.size(); ++s) {
    const MachineSegment& segment = lowered.machine.segments[s];
    if (segment.group_first != s || lowered.code->segments[s].count == 0) continue;
    const Segment& in = lowered.code->segments[s];
    const Instruction& last = lowered.code->instructions[in.first + in.count - 1];
    if (last.kind != Kind::kBranch || last.target != in.first) continue;
    uint32_t count = 0;
    for (uint32_t i = segment.first; i < segment.first + segment.count; ++i)
      count += lowered.machine.ops[i].issues;
    most = std::max(most, count);
  }
  return static_cast<int>(most);
}

// As the SASS of the truth suite's shared_bins and tree_walk shows it.
TEST_F(Lowering, leavesInALoopWhatChangesThere) {
  const DeviceProfile profile = profileOf("h100_sxm.json");
  const auto loop = [&](const std::string& middle) {
    const std::string text = kernelText(
        ".shared .align 4 .b8 bins[1024];\nld.param.u64 %rd1, [p];\nld.param.u32 %r3, [n];\n"
        "cvta.to.global.u64 %rd2, %rd1;\nmov.u32 %r1, 0;\nmov.u32 %r9, 0;\n"
        "LOOP:\nld.global.u32 %r2, [%rd2];\n" +
        middle +
        "add.s32 %r1, %r1, %r3;\nsetp.lt.s32 %p1, %r1, 100;\n@%p1 bra LOOP;\nst.global.u32 [%rd2], %r9;\n");
    const std::vector<Lowered> all = lowerText(text, "loop.ptx", profile);
    return all.empty() ? -1 : instructionsOfLoop(all[0]);
  };
  const int base = loop("add.s32 %r9, %r9, %r2;\n");
  EXPECT_EQ(base, 5) << "load, add, add, compare, branch";
  EXPECT_EQ(loop("rem.u32 %r4, %r2, %r3;\nadd.s32 %r9, %r9, %r4;\n"), base + 8) << "the divisor is invariant";
  EXPECT_EQ(loop("rem.u32 %r4, %r3, %r2;\nadd.s32 %r9, %r9, %r4;\n"), base + 17) << "the divisor is loaded";
  EXPECT_EQ(loop("rem.u32 %r4, %r2, %r1;\ndiv.u32 %r5, %r2, %r1;\nxor.b32 %r6, %r4, %r5;\n"
                 "add.s32 %r9, %r9, %r6;\n"),
            loop("rem.u32 %r4, %r2, %r1;\nadd.s32 %r9, %r9, %r4;\n") + 9 + 2)
      << "the divisor counts, but is the same for both; and a long loop loads its pointer on each trip";
  EXPECT_EQ(loop("mov.u32 %r4, bins;\nadd.s32 %r5, %r4, %r2;\nst.shared.u32 [%r5], %r1;\n"), base)
      << "the window of shared memory is known before the loop, and the store adds it";
  EXPECT_EQ(
      loop("mov.u32 %r4, bins;\nshl.b32 %r6, %r2, 2;\nadd.s32 %r5, %r4, %r6;\nst.shared.u32 [%r5], %r1;\n"),
      base + 1)
      << "LEA";
  const auto blocks = [&](const std::string& float_operation) {
    const std::string text = kernelText(
        "ld.param.u64 %rd1, [p];\nld.param.u32 %r3, [n];\ncvta.to.global.u64 %rd2, %rd1;\n"
        "LOOP:\nld.global.u32 %r2, [%rd2];\nrem.u32 %r4, %r2, %r3;\nst.global.u32 [%rd2+4], %r4;\n"
        "ld.global.f32 %f1, [%rd2+8];\n" +
        float_operation +
        " %f2, %f1, %f1;\nst.global.f32 [%rd2+12], %f2;\nsetp.eq.s32 %p1, %r4, 3;\n@%p1 bra END;\n"
        "add.s32 %r5, %r2, %r4;\nrem.u32 %r6, %r5, %r3;\nst.global.u32 [%rd2+16], %r6;\nsetp.ne.s32 %p2, "
        "%r6, 1;\n"
        "@%p2 bra LOOP;\nEND:\n");
    const std::vector<Lowered> all = lowerText(text, "blocks.ptx", profile);
    return all.empty() ? -1 : static_cast<int>(instructionsOf(all[0].machine));
  };
  EXPECT_EQ(blocks("div.rn.f32") - blocks("add.f32"), 7 + 9)
      << "without BSSY and BSYNC, as the lanes agree; and a loop that calls a subroutine computes the "
         "reciprocal of a divisor in each of its blocks";
}

// As the SASS of the truth suite's time_warping, keyed_hash and tensor_wmma shows it.
TEST_F(Lowering, sharesRegistersBetweenCopies) {
  const DeviceProfile profile = profileOf("h100_sxm.json");
  const auto loop = [&](const std::string& ends) {
    const std::string text = kernelText(
        "ld.param.u64 %rd1, [p];\nld.param.u32 %r3, [n];\ncvta.to.global.u64 %rd2, %rd1;\n"
        "mov.u32 %r1, 0;\nmov.u32 %r4, 1;\nmov.u32 %r5, 2;\n"
        "LOOP:\nld.global.u32 %r2, [%rd2];\nxor.b32 %r6, %r2, %r4;\nshl.b32 %r7, %r6, %r5;\n" +
        ends +
        "add.s32 %r1, %r1, %r3;\nsetp.lt.s32 %p1, %r1, 100;\n@%p1 bra LOOP;\nst.global.u32 [%rd2], %r7;\n");
    const std::vector<Lowered> all = lowerText(text, "loop.ptx", profile);
    return all.empty() ? -1 : instructionsOfLoop(all[0]);
  };
  EXPECT_EQ(loop(""), 6) << "load, XOR, shift, add, compare, branch";
  EXPECT_EQ(loop("mov.u32 %r4, %r6;\nmov.u32 %r5, %r7;\n"), 6) << "both registers are free by then";
  EXPECT_EQ(loop("mov.u32 %r5, %r4;\nmov.u32 %r4, %r7;\n"), 8) << "each is still to be read";
  const std::string step = "add.s32 %r8, %r4, 1;\n", late = "setp.gt.s32 %p2, %r4, 7;\n",
                    choice = "selp.b32 %r9, %r7, %r6, %p2;\nst.global.u32 [%rd2+4], %r9;\n";
  EXPECT_EQ(loop(step + late + choice + "mov.u32 %r4, %r8;\n"),
            loop(late + choice + "add.s32 %r4, %r4, 1;\n"))
      << "the comparison goes before the step";
  EXPECT_EQ(loop("mov.u32 %r9, %r4;\n" + step +
                 "st.global.u32 [%rd2+4], %r8;\nst.global.u32 [%rd2+8], "
                 "%r4;\nmov.u32 %r4, %r8;\n"),
            loop("st.global.u32 [%rd2+8], %r4;\nadd.s32 %r4, %r4, 1;\nst.global.u32 [%rd2+4], %r4;\n") + 1)
      << "a store stays where it is";
}

TEST_F(Lowering, rotatesPairsOfWords) {
  const DeviceProfile profile = profileOf("h100_sxm.json");
  const auto count = [&](const std::string& middle) {
    const std::string text = kernelText(
        "ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\n"
        "ld.global.u64 %rd3, [%rd2];\n" +
        middle + "st.global.u64 [%rd2], %rd9;\n");
    const std::vector<Lowered> all = lowerText(text, "rotate.ptx", profile);
    return all.empty() ? -1 : static_cast<int>(instructionsOf(all[0].machine));
  };
  const int base = count("xor.b64 %rd9, %rd3, 5;\n");
  EXPECT_EQ(count("shl.b64 %rd4, %rd3, 13;\nshr.u64 %rd5, %rd3, 51;\nadd.u64 %rd9, %rd4, %rd5;\n"), base + 1)
      << "two SHF.L.W";
  EXPECT_EQ(count("shl.b64 %rd4, %rd3, 32;\nshr.u64 %rd5, %rd3, 32;\nor.b64 %rd9, %rd4, %rd5;\n"), base - 1)
      << "the halves change places";
  const std::string words = "cvt.u32.u64 %r1, %rd3;\nmov.u32 %r2, %tid.x;\n",
                    cut = "cvt.u64.u32 %rd9, %r5;\n";
  EXPECT_EQ(count(words + "shl.b32 %r3, %r1, 5;\nshr.u32 %r4, %r2, 27;\nor.b32 %r5, %r3, %r4;\n" + cut),
            count(words + "xor.b32 %r5, %r1, %r2;\n" + cut))
      << "SHF of two registers";
  EXPECT_EQ(count(words + "and.b32 %r3, %r2, 31;\nshl.b32 %r5, %r1, %r3;\n" + cut),
            count(words + "shl.b32 %r5, %r1, %r2;\n" + cut))
      << "SHF.W reads five bits of the distance";
  EXPECT_EQ(count(words + "and.b32 %r3, %r2, 15;\nshl.b32 %r5, %r1, %r3;\n" + cut),
            count(words + "shl.b32 %r5, %r1, %r2;\n" + cut) + 1);
}

// ptxas 13.0 moves a load out of a loop if its address does not change, it is in the first block of a trip,
// and nothing in the loop may write what it loads. The SASS of these loops has the LDG where the test expects
// it.
TEST_F(Lowering, loadsBeforeALoopWhatItRepeats) {
  const DeviceProfile profile = profileOf("h100_sxm.json");
  const auto once = [&](const std::string& load, const std::string& before, const std::string& after) {
    const std::string text = kernelText(
        ".shared .align 4 .b8 bins[1024];\nld.param.u64 %rd1, [p];\nld.param.u32 %r3, [n];\n"
        "cvta.to.global.u64 %rd2, %rd1;\nmov.u32 %r1, 0;\nmov.f32 %f1, 0f3F800000;\nLOOP:\n"
        ".pragma \"nounroll\";\nshfl.sync.bfly.b32 %r5, %r1, 1, 31, -1;\n" +
        before + load + " %f2, [%rd2];\nfma.rn.f32 %f1, %f1, %f2, %f2;\n" + after +
        "add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, %r3;\n@%p1 bra LOOP;\nst.global.f32 [%rd2], %f1;\n");
    int64_t count = 0;
    for (const Lowered& lowered : lowerText(text, "repeated.ptx", profile)) {
      count += std::ranges::count_if(lowered.machine.ops, [&](const MachineOp& op) {
        return op.every == kOnceInLoop && lowered.machine.loops[op.turn].times == 1;
      });
    }
    return count;
  };
  const std::string plain = "ld.global.f32", constant = "ld.global.nc.f32";
  EXPECT_EQ(once(plain, "", ""), 1);
  EXPECT_EQ(once(plain, "", "st.shared.f32 [bins], %f1;\n"), 1);
  EXPECT_EQ(once(plain, "", "st.global.f32 [%rd2+64], %f1;\n"), 0);
  EXPECT_EQ(once(constant, "", "st.global.f32 [%rd2+64], %f1;\n"), 1);
  EXPECT_EQ(once(plain, "bar.sync 0;\n", ""), 0);
  EXPECT_EQ(once(constant, "bar.sync 0;\n", ""), 1);
  EXPECT_EQ(once(constant, "", "membar.gl;\n"), 0);
  EXPECT_EQ(once("ld.volatile.global.f32", "", ""), 0);
  EXPECT_EQ(once(plain, "add.s64 %rd2, %rd2, 4;\n", ""), 0) << "another address";
  EXPECT_EQ(once(plain, "", "add.s64 %rd2, %rd1, 64;\n"), 0) << "the second trip has another";
  EXPECT_EQ(once(plain, "", "div.rn.f32 %f1, %f1, %f2;\n"), 0) << "a subroutine";
  EXPECT_EQ(once(plain, "setp.gt.s32 %p2, %r5, 7;\n@%p2 bra END;\n", "END:\n"), 0) << "not in each trip";
  EXPECT_EQ(once(plain, "", "setp.gt.s32 %p2, %r5, 7;\n@%p2 bra END;\nmul.f32 %f1, %f1, %f1;\nEND:\n"), 1);
}

// As ptxas does: a loop that counts to what is not known is unrolled four times if it is short, one that
// counts to a constant in full.
TEST_F(Lowering, unrollsCountedLoops) {
  const DeviceProfile profile = profileOf("h100_sxm.json");
  struct Loop {
    int always = 0, in_turn = 0, once = 0;
    bool branches = false;
  };
  const auto loop = [&](const std::string& body, const std::string& end, const std::string& pragma) {
    const std::string text = kernelText(
        "ld.param.u64 %rd1, [p];\nld.param.u32 %r3, [n];\ncvta.to.global.u64 %rd2, %rd1;\nmov.u32 %r1, 0;\n"
        "ld.global.f32 %f1, [%rd2];\nLOOP:\n" +
        pragma + body + end + "@%p1 bra LOOP;\nst.global.f32 [%rd2], %f1;\n");
    Loop found;
    for (const Lowered& lowered : lowerText(text, "unroll.ptx", profile)) {
      const uint32_t first = lowered.code->segments[1].first, count = lowered.code->segments[1].count;
      const MachineSegment& group = lowered.machine.segments[1];
      for (uint32_t i = group.first; i < group.first + group.count; ++i) {
        const MachineOp& op = lowered.machine.ops[i];
        if (op.pc < first || op.pc >= first + count) continue;
        found.branches = found.branches || op.branch;
        if (op.every == kOnceInLoop) {
          found.once += op.issues;
          EXPECT_LT(op.turn, lowered.machine.loops.size());
          continue;
        }
        (op.every == 1 ? found.always : found.in_turn) += op.issues;
        EXPECT_LT(op.turn, std::max(lowered.machine.turns, 1U));
      }
    }
    return found;
  };
  const std::string fma = "fma.rn.f32 %f1, %f1, %f1, 0f3F000000;\n";
  const std::string to_n = "add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, %r3;\n";
  const std::string to_64 = "add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, 64;\n";
  std::string long_body;
  for (int i = 0; i < 30; ++i) long_body += fma;

  const Loop unknown = loop(fma + fma, to_n, "");
  EXPECT_EQ(unknown.always, 2);
  EXPECT_EQ(unknown.in_turn, 3) << "step, comparison and branch";
  EXPECT_EQ(loop(fma + fma, to_n, ".pragma \"nounroll\";\n").always, 5);
  EXPECT_EQ(loop(long_body, to_n, "").always, 33);
  const std::string before = "add.s32 %r4, %r1, 1;\nsetp.lt.s32 %p1, %r1, %r3;\nmov.u32 %r1, %r4;\n";
  EXPECT_EQ(loop(fma + fma, before, "").in_turn, 0) << "compares what it has counted from";
  EXPECT_EQ(loop(fma + "red.global.add.u32 [%rd2], %r1;\n", to_n, "").in_turn, 0) << "an atomic";
  std::string with_loads;
  for (int i = 0; i < 14; ++i)
    with_loads +=
        "ld.global.f32 %f2, [%rd2+" + std::to_string(4 * i) + "];\nfma.rn.f32 %f1, %f1, %f2, %f2;\n";
  EXPECT_EQ(loop(with_loads, to_n, "").in_turn, 3) << "28 instructions, of which 14 are loads";
  EXPECT_EQ(loop(with_loads, to_n, "").once, 14) << "whose addresses do not change";
  const Loop known = loop(fma + fma, to_64, "");
  EXPECT_EQ(known.always, 2);
  EXPECT_EQ(known.in_turn, 0);
  EXPECT_FALSE(known.branches);
  const std::string one_more =
                        "add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p2, %r1, 64;\n"
                        "setp.lt.f32 %p3, %f1, 0f40000000;\nand.pred %p1, %p2, %p3;\n",
                    two_more =
                        "add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p2, %r1, 64;\n"
                        "setp.lt.f32 %p3, %f1, 0f40000000;\nsetp.ne.s32 %p4, %r1, 7;\n"
                        "or.pred %p5, %p3, %p4;\nand.pred %p1, %p2, %p5;\n";
  EXPECT_EQ(loop(fma + fma, one_more, "").always, 4) << "the comparison of floats and the branch remain";
  EXPECT_GT(loop(fma + fma, two_more, "").always, 5) << "is no loop that ptxas unrolls";
  const std::string before_step =
      "setp.lt.s32 %p2, %r1, 63;\nsetp.lt.f32 %p3, %f1, 0f40000000;\nand.pred %p1, %p2, %p3;\n"
      "add.s32 %r1, %r1, 1;\n";
  EXPECT_GT(loop(fma + fma, before_step, "").always, 5);
  const std::string one_before =
                        "setp.lt.s32 %p2, %r1, 64;\nadd.s32 %r1, %r1, 1;\n"
                        "setp.lt.f32 %p3, %f1, 0f40000000;\nand.pred %p1, %p2, %p3;\n",
                    either =
                        "add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p2, %r1, 64;\n"
                        "setp.lt.f32 %p3, %f1, 0f40000000;\nor.pred %p1, %p2, %p3;\n",
                    distant =
                        "add.s32 %r4, %r1, 2;\nadd.s32 %r5, %r1, 3;\nsetp.lt.s32 %p1, %r5, 64;\n"
                        "mov.u32 %r1, %r4;\n",
                    distant_to_n =
                        "add.s32 %r4, %r1, 2;\nadd.s32 %r5, %r1, 3;\nsetp.lt.s32 %p1, %r5, %r3;\n"
                        "mov.u32 %r1, %r4;\n";
  EXPECT_GT(loop(fma + fma, one_before, "").always, 5) << "the count before its step, and another condition";
  EXPECT_GT(loop(fma + fma, either, "").always, 5) << "goes back if either holds";
  EXPECT_TRUE(loop(fma + fma, distant, "").branches) << "what is compared is not what it has counted to";
  EXPECT_EQ(loop(fma + fma, distant_to_n, "").in_turn, 0);
  const std::string to_12 = "add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, 12;\n",
                    to_20 = "add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, 20;\n";
  EXPECT_FALSE(loop(long_body, to_12, "").branches) << "372 instructions";
  EXPECT_TRUE(loop(long_body + long_body, to_12, "").branches) << "732 instructions";
  EXPECT_FALSE(loop(long_body, to_20, "").branches) << "620 instructions of trips of 31";
  EXPECT_TRUE(loop(long_body, to_64, "").branches);
  EXPECT_EQ(loop("cvt.rn.f32.s32 %f2, %r1;\nadd.f32 %f1, %f1, %f2;\n", to_n, "").in_turn, 2)
      << "the counter itself is needed on each trip";
  const Loop fills = loop("st.global.f32 [%rd2], %f1;\nadd.s64 %rd2, %rd2, 4;\n", to_64, "");
  EXPECT_EQ(fills.always, 1);
  EXPECT_EQ(fills.in_turn, 2) << "what is added to the address, once for all trips";
  EXPECT_EQ(loop("div.rn.f32 %f1, %f1, 0f40400000;\n", to_64, "").in_turn, 0) << "calls a subroutine";
}

// A variable that begins with a constant, and to which constants are added, is a constant in each copy of a
// trip.
TEST_F(Lowering, knowsWhatElseALoopCounts) {
  const DeviceProfile profile = profileOf("h100_sxm.json");
  const auto count = [&](const std::string& begin, const std::string& step) {
    const std::string text = kernelText(
        "ld.param.u64 %rd1, [p];\nld.param.u32 %r3, [n];\ncvta.to.global.u64 %rd2, %rd1;\n"
        "ld.global.u32 %r4, [%rd2];\nmov.u32 %r1, 0;\nmov.u32 %r5, " +
        begin + ";\nLOOP:\nshr.u32 %r6, %r4, %r5;\nxor.b32 %r4, %r4, %r6;\n" + step +
        "add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, 8;\n@%p1 bra LOOP;\nst.global.u32 [%rd2], %r4;\n");
    const std::vector<Lowered> all = lowerText(text, "counts.ptx", profile);
    return all.empty() ? -1 : static_cast<int>(instructionsOf(all[0].machine));
  };
  const int known = count("1", "add.s32 %r5, %r5, 3;\n");
  EXPECT_EQ(count("1", "add.s32 %r7, %r1, 5;\nadd.s32 %r5, %r5, %r7;\n"), known) << "also from the counter";
  EXPECT_EQ(count("1", "add.s32 %r5, %r5, %r3;\n"), known + 2 + 1) << "LDC; the step, and where it begins";
  EXPECT_EQ(count("%tid.x", "add.s32 %r5, %r5, 3;\n"), known + 2) << "S2R and the step";
}

// A double that is no immediate stays in its registers for the blocks of a trip.
TEST_F(Lowering, keepsDoublesForTheBlocksOfATrip) {
  const DeviceProfile profile = profileOf("h100_sxm.json");
  const auto count = [&](const std::string& second) {
    const std::string text = kernelText(
        "ld.param.u64 %rd1, [p];\nld.param.u32 %r3, [n];\ncvta.to.global.u64 %rd2, %rd1;\nmov.u32 %r1, 0;\n"
        "LOOP:\nld.global.f64 %fd1, [%rd2];\nmul.f64 %fd2, %fd1, 0d3FB999999999999A;\n"
        "st.global.f64 [%rd2+8], %fd2;\nbar.sync 0;\nld.global.f64 %fd3, [%rd2+16];\n"
        "setp.gt.f64 %p2, %fd3, %fd1;\n@%p2 bra END;\nadd.f64 %fd4, %fd3, " +
        second +
        ";\nst.global.f64 [%rd2+24], %fd4;\nadd.s32 %r1, %r1, %r3;\nsetp.lt.s32 %p1, %r1, 100;\n"
        "@%p1 bra LOOP;\nEND:\n");
    const std::vector<Lowered> all = lowerText(text, "doubles.ptx", profile);
    return all.empty() ? -1 : static_cast<int>(instructionsOf(all[0].machine));
  };
  EXPECT_EQ(count("0d3FC999999999999A"), count("0d3FB999999999999A") + 2);
  EXPECT_EQ(count("0d3FE0000000000000"), count("0d3FB999999999999A")) << "an immediate";
}

// What is counted under a condition says nothing about the number of trips.
TEST_F(Lowering, doesNotTakeWhatIsFoundForTrips) {
  const auto instructions = [&](const std::string& conditions) {
    const std::string text = kernelText(
        "ld.param.u64 %rd1, [p];\nld.global.f32 %f1, [%rd1];\nmov.u32 %r1, 0;\nmov.u32 %r9, 0;\nLOOP:\n"
        "fma.rn.f32 %f1, %f1, %f1, 0f3F000000;\nsetp.gt.f32 %p5, %f1, 0f40000000;\n@%p5 bra SKIP;\n"
        "st.global.f32 [%rd1+4], %f1;\nadd.s32 %r9, %r9, 1;\nSKIP:\nadd.s32 %r1, %r1, 1;\n"
        "setp.lt.s32 %p2, %r1, 64;\nsetp.lt.s32 %p3, %r9, 8;\nand.pred %p1, " +
        conditions + ";\n@%p1 bra LOOP;\nst.global.u32 [%rd1], %r9;\n");
    const std::vector<Lowered> all = lowerText(text, "found.ptx", profileOf("h100_sxm.json"));
    return all.empty() ? -1 : static_cast<int>(instructionsOf(all[0].machine));
  };
  EXPECT_EQ(instructions("%p3, %p2"), instructions("%p2, %p3"));
}

// As the SASS of lone_classifier and product_naive shows it, the loads of all copies come first.
TEST_F(Lowering, mixesTheTripsOfAnUnrolledLoopThatLoads) {
  const auto group_of = [&](const std::string& middle) {
    const std::string text = kernelText(
        "ld.param.u64 %rd1, [p];\nld.param.u32 %r3, [n];\nmov.u32 %r1, 0;\nmov.f32 %f1, "
        "0f00000000;\nLOOP:\n" +
        middle +
        "add.f32 %f1, %f1, %f2;\nadd.s64 %rd1, %rd1, 4;\nadd.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, %r3;\n"
        "@%p1 bra LOOP;\nst.global.f32 [%rd1], %f1;\n");
    return lowerText(text, "trips.ptx", profileOf("h100_sxm.json"));
  };
  const std::vector<Lowered> loads = group_of("ld.global.f32 %f2, [%rd1];\n");
  ASSERT_EQ(loads.size(), 1U);
  const MachineSegment& group = loads[0].machine.segments[1];
  ASSERT_EQ(group.trips, 4U);
  const std::span ops(loads[0].machine.ops.data() + group.first, group.count);
  ASSERT_EQ(ops.size(), 4U + 4 + 4) << "loads, sums, and the steps, comparison and branch of all trips";
  for (uint32_t trip = 0; trip < 4; ++trip) {
    EXPECT_GE(ops[trip].access, 0);
    EXPECT_EQ(ops[trip].trip, trip);
    EXPECT_EQ(ops[trip].member, trip);
  }
  EXPECT_TRUE(ops.back().branch);
  EXPECT_EQ(group_of("ld.volatile.global.f32 %f2, [%rd1];\n")[0].machine.segments[1].trips, 1U);
  EXPECT_EQ(group_of("mul.f32 %f2, %f1, %f1;\n")[0].machine.segments[1].trips, 1U) << "nothing to load";
}

// As the executions of each instruction of cholesky32, reflections and loops of the truth suite show it.
TEST_F(Lowering, meetsWhereLanesLeaveALoopApart) {
  struct Found {
    uint32_t instructions = 0;
    int64_t syncs = 0;
  };
  const auto loop = [&](const std::string& before) {
    const std::vector<Lowered> all = lowerText(
        kernelText("ld.param.u64 %rd1, [p];\nld.param.u32 %r3, [n];\nmov.u32 %r5, %tid.x;\nmov.u32 %r1, 0;\n"
                   "mov.f32 %f1, 0f3F000000;\nmul.wide.u32 %rd2, %r5, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
                   "setp.gt.u32 %p2, %r5, 5;\n" +
                   before +
                   "LOOP:\nld.global.f32 %f2, [%rd3];\nfma.rn.f32 %f1, %f1, %f2, 0f3F000000;\n"
                   "add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, %r3;\n@%p1 bra LOOP;\n"
                   "SKIP:\nst.global.f32 [%rd3], %f1;\n"),
        "apart.ptx", profileOf("h100_sxm.json"));
    if (all.empty()) return Found{};
    const std::vector<MachineOp>& ops = all[0].machine.ops;
    return Found{instructionsOf(all[0].machine),
                 std::ranges::count_if(ops, [](const MachineOp& op) { return op.sync; })};
  };
  const Found together = loop(""), apart = loop("mov.u32 %r1, %r5;\n");
  EXPECT_EQ(together.syncs, 0);
  EXPECT_EQ(apart.syncs, 1);
  EXPECT_GT(apart.instructions, together.instructions + 2);
  EXPECT_EQ(loop("@%p2 bra SKIP;\n").syncs, 1) << "after the loop; in it, the lanes that entered it agree";
}

// What is not stepped on each trip does not count them.
TEST_F(Lowering, countsOnlyWhatEachTripSteps) {
  const auto keeps_branch = [&](const std::string& skip) {
    const std::string text = kernelText(
        "ld.param.u64 %rd1, [p];\nld.global.f32 %f1, [%rd1];\nmov.u32 %r1, 0;\nLOOP:\n"
        "fma.rn.f32 %f1, %f1, %f1, 0f3F000000;\nsetp.gt.f32 %p4, %f1, 0f40000000;\n" +
        skip +
        "add.s32 %r1, %r1, 1;\nNOT:\nsetp.lt.s32 %p1, %r1, 8;\n@%p1 bra LOOP;\n"
        "st.global.f32 [%rd1], %f1;\n");
    for (const Lowered& lowered : lowerText(text, "each.ptx", profileOf("h100_sxm.json"))) {
      for (uint32_t pc = 0; pc < lowered.code->instructions.size(); ++pc) {
        const Instruction& in = lowered.code->instructions[pc];
        if (in.kind == Kind::kBranch && in.target < pc) return !lowered.machine.predicated_branch[pc];
      }
    }
    return false;
  };
  EXPECT_FALSE(keeps_branch(""));
  EXPECT_TRUE(keeps_branch("@%p4 bra NOT;\n"));
}

// Two ways through a trip that meet where the next begins: lanes that leave on either are taken off (BREAK).
TEST_F(Lowering, breaksOutOfWhatMeetsInTheNextTrip) {
  const std::string text = kernelText(
      "ld.param.u64 %rd1, [p];\nmov.u32 %r5, %tid.x;\nmov.u32 %r1, %r5;\nmul.wide.u32 %rd2, %r5, 4;\n"
      "add.s64 %rd3, %rd1, %rd2;\nLOOP:\nld.global.u32 %r2, [%rd3];\nsetp.gt.s32 %p1, %r2, 5;\n"
      "@%p1 bra OTHER;\nadd.s32 %r1, %r1, %r2;\nst.global.u32 [%rd3+4], %r1;\nsetp.eq.s32 %p3, %r1, 7;\n"
      "@%p3 bra DONE;\nbra.uni LOOP;\nOTHER:\nxor.b32 %r1, %r1, %r2;\nst.global.u32 [%rd3+8], %r1;\n"
      "setp.ne.s32 %p2, %r1, 9;\n@%p2 bra LOOP;\nDONE:\nst.global.u32 [%rd3], %r1;\n");
  const std::vector<Lowered> all = lowerText(text, "breaks.ptx", profileOf("h100_sxm.json"));
  ASSERT_EQ(all.size(), 1U);
  int64_t begins = 0, meets = 0;
  for (const MachineOp& op : all[0].machine.ops) {
    meets += op.sync ? 1 : 0;
    begins += op.is_added && op.pipe == Pipe::kBranch && !op.branch ? 1 : 0;
  }
  EXPECT_EQ(meets, 2) << "in the loop, and after it";
  EXPECT_EQ(begins, meets + 2) << "two BSSY, and BREAK twice";
}

// One of two constants is added by two VIADD, where the sum is; a register that is added to itself is moved
// to last. In a short body that becomes predication PLOP3 make the predicates of both.
TEST_F(Lowering, addsOneOfTwoConstantsInLoops) {
  const auto instructions = [&](const std::string& before, const std::string& trip) {
    const std::string text = kernelText(
        "ld.param.u64 %rd1, [p];\nld.param.u32 %r9, [n];\nld.global.u32 %r1, [%rd1];\n"
        "ld.global.u32 %r6, [%rd1+4];\nmov.u32 %r3, 0;\nsetp.gt.s32 %p3, %r1, 7;\n" +
        before + "LOOP:\n.pragma \"nounroll\";\n" + trip +
        "add.s32 %r3, %r3, 1;\nsetp.lt.s32 %p1, %r3, %r9;\n@%p1 bra LOOP;\n"
        "st.global.v2.u32 [%rd1], {%r1, %r6};\n");
    const std::vector<Lowered> all = lowerText(text, "one_of_two.ptx", profileOf("h100_sxm.json"));
    return all.empty() ? -1 : static_cast<int>(instructionsOf(all[0].machine));
  };
  const std::string select = "selp.b32 %r4, 5, -3, %p3;\n";
  const int sum = instructions("", "setp.gt.s32 %p3, %r6, %r3;\nadd.s32 %r1, %r1, %r6;\n");
  EXPECT_EQ(instructions("", "setp.gt.s32 %p3, %r6, %r3;\n" + select + "add.s32 %r1, %r1, %r4;\n"),
            sum + 2 + 1)
      << "two VIADD and MOV; ISETP, which nothing else reads";
  const int plain = instructions("", "add.s32 %r1, %r1, %r6;\n");
  EXPECT_EQ(instructions(select, "add.s32 %r1, %r1, %r4;\n"), plain + 2 + 1);
  EXPECT_EQ(instructions(select, "add.s32 %r5, %r6, %r4;\nxor.b32 %r1, %r1, %r5;\n"), plain + 2 + 1)
      << "ISETP, two VIADD, LOP3";
}

// A loop without a branch and what follows it are one group, but not passed equally often.
TEST_F(Lowering, loadsOnceWhatFollowsAnUnrolledLoop) {
  const std::string body =
      "ld.param.u64 %rd1, [p];\nld.param.u32 %r3, [n];\nmov.u32 %r1, 0;\nld.global.f32 %f1, [%rd1];\n"
      "LOOP:\nfma.rn.f32 %f1, %f1, %f1, 0f3F000000;\nadd.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, 64;\n"
      "@%p1 bra LOOP;\ncvt.rzi.s32.f32 %r2, %f1;\nadd.s32 %r2, %r2, %r3;\nst.global.u32 [%rd1], %r2;\n";
  const std::vector<Lowered> all = lowerText(kernelText(body), "after.ptx", profileOf("h100_sxm.json"));
  ASSERT_EQ(all.size(), 1U);
  const MachineCode& machine = all[0].machine;
  const MachineSegment& group = machine.segments[1];
  ASSERT_EQ(group.group_count, 2U);
  const auto first = machine.ops.begin() + group.first;
  const auto added = [](int member) {
    return [member](const MachineOp& op) { return op.is_added && op.member == member; };
  };
  EXPECT_EQ(std::count_if(first, first + group.count, added(0)), 0) << "in each trip";
  EXPECT_EQ(std::count_if(first, first + group.count, added(1)), 1) << "ULDC of n";
}

// Where lanes leave the loop around one after the other, shared memory's window is in a register of each
// lane, and an access cannot add it to its address.
TEST_F(Lowering, addsTheWindowInLoopsThatLanesLeaveApart) {
  const auto instructions = [&](const std::string& last_of_outer, const std::string& address) {
    const std::string text = kernelText(
        ".shared .align 4 .b8 words[1024];\nld.param.u64 %rd1, [p];\nld.param.u32 %r9, [n];\n"
        "mov.u32 %r1, %tid.x;\nmov.u32 %r8, words;\nOUTER:\nmov.u32 %r3, 0;\n"
        "INNER:\n.pragma \"nounroll\";\nand.b32 %r4, %r1, 1020;\n" +
        address +
        "add.s32 %r1, %r1, %r6;\nadd.s32 %r3, %r3, 1;\nsetp.lt.s32 %p1, %r3, %r9;\n@%p1 bra INNER;\n"
        "add.s32 %r2, %r2, 1;\n" +
        last_of_outer + "@%p2 bra OUTER;\nst.global.u32 [%rd1], %r1;\n");
    const std::vector<Lowered> all = lowerText(text, "window.ptx", profileOf("h100_sxm.json"));
    return all.empty() ? -1 : static_cast<int>(instructionsOf(all[0].machine));
  };
  const std::string sum = "add.s32 %r5, %r8, %r4;\nld.shared.u32 %r6, [%r5];\n";
  const std::string two_sums =
      "add.s32 %r5, %r8, %r4;\nld.shared.u32 %r7, [%r5];\nxor.b32 %r4, %r4, 64;\n"
      "add.s32 %r5, %r8, %r4;\nld.shared.u32 %r6, [%r5];\nadd.s32 %r6, %r6, %r7;\n";
  const std::string together = "setp.lt.s32 %p2, %r2, %r9;\n", apart = "setp.lt.s32 %p2, %r1, %r9;\n";
  const int of_one = instructions(apart, sum) - instructions(together, sum);
  EXPECT_EQ(instructions(apart, two_sums) - instructions(together, two_sums), of_one + 1) << "an IADD more";
}

TEST_F(Lowering, loopsThatMayWaitYield) {
  const auto yields = [&](const std::string& in_loop) {
    const std::string text =
        kernelText("ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\n$L_again:\n" + in_loop +
                   "setp.ne.s32 %p1, %r2, 0;\n@%p1 bra $L_again;\nst.global.u32 [%rd2], %r2;\n");
    const std::vector<Lowered> all = lowerText(text, "yields.ptx", profileOf("h100_sxm.json"));
    return !all.empty() && std::ranges::count(all[0].machine.yields, true) == 1;
  };
  EXPECT_TRUE(yields("ld.volatile.global.u32 %r2, [%rd2];\n"));
  EXPECT_TRUE(yields("atom.global.exch.b32 %r2, [%rd2], 1;\n"));
  EXPECT_FALSE(yields("ld.global.u32 %r2, [%rd2];\n")) << "nothing changes it";
  EXPECT_FALSE(yields("ld.volatile.global.u32 %r2, [%rd2];\nbar.sync 0;\n")) << "the block is together";
}

// As ptxas 13.0 has it in nested loops (the truth suite's drawn_tiles, pendulums, fetched_work).
TEST_F(Lowering, loadsConstantsWhereTheyAreNeeded) {
  const DeviceProfile profile = profileOf("h100_sxm.json");
  const auto count = [&](const std::string& in_inner, const std::string& in_outer,
                         const std::string& before) {
    const std::string text = kernelText(
        "ld.param.u64 %rd1, [p];\nld.param.u32 %r3, [n];\nld.param.u32 %r4, [m];\n"
        "cvta.to.global.u64 %rd2, %rd1;\nmov.u32 %r1, 0;\n" +
        before + "st.global.u32 [%rd2], %r9;\n" +
        "OUTER:\nld.global.u32 %r5, [%rd2];\nINNER:\nld.global.u32 %r2, [%rd2+4];\n" + in_inner +
        "setp.lt.s32 %p2, %r2, %r5;\n@%p2 bra INNER;\n" + in_outer +
        "setp.lt.s32 %p1, %r1, 100;\n@%p1 bra OUTER;\nst.global.u32 [%rd2], %r1;\n");
    const std::vector<Lowered> all = lowerText(text, "nest.ptx", profile);
    return all.empty() ? -1 : static_cast<int>(instructionsOf(all[0].machine));
  };
  const std::string none = "mov.u32 %r9, 7;\n", uses_n = "xor.b32 %r9, %r3, 7;\n";
  const std::string add_1 = "add.s32 %r1, %r1, 1;\n", add_n = "add.s32 %r1, %r1, %r3;\n";
  const int base = count("", add_1, none);
  EXPECT_EQ(count("", add_n, none), base + 1) << "a load of n";
  EXPECT_EQ(count("", add_n, uses_n) - count("", add_1, uses_n), 1) << "a loop around another loads it again";
  EXPECT_EQ(count("add.s32 %r2, %r2, %r3;\n", add_n, none) - count("add.s32 %r2, %r2, 3;\n", add_n, none), 0)
      << "before the inner loop, for both";
  EXPECT_EQ(count("", "add.s32 %r1, %r1, %r3;\nxor.b32 %r6, %r4, %r1;\nst.global.u32 [%rd2+8], %r6;\n", none),
            base + 3)
      << "LDC.64 of both, LOP3, STG";
  const std::string adds = "add.f64 %fd1, %fd1, 0d3FB999999999999A;\nst.global.f64 [%rd2+8], %fd1;\n";
  EXPECT_EQ(count(adds, add_1 + adds, none), base + 8) << "UMOV twice, in each loop";
}

}  // namespace
}  // namespace warpscope::sim
