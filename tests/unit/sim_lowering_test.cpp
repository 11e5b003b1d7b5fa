// The lowering from PTX to machine-like operations, on the kernels of this project: compared with ptxas'
// output for sm_90 (tests/golden/sass_counts_h100.json), and properties that any lowered code must have.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <span>

#include "tests/support/lowering_fixture.h"
#include "tests/support/parse_json.h"

namespace warpscope::sim {
namespace {

// The operations on the FP32 pipe, in order: which of them read three registers that meet at a port.
std::vector<bool> twice(const MachineCode& machine) {
  std::vector<bool> result;
  for (const MachineOp& op : machine.ops) {
    if (op.pipe == Pipe::kFp32) result.push_back(op.reads_twice);
  }
  return result;
}

// Lowered is compared only for the forms whose time is modelled.
bool isResidency(const std::string& kernel) {
  return kernel.find("ResidencyProbe") != std::string::npos;
}

bool isBare(const std::string& kernel) {
  return kernel.find("NoProbe") != std::string::npos;
}

constexpr std::array kModules = {"divergence",       "reduction",        "reduction_unrolled",
                                 "reduction_shared", "reduction_across", "transpose"};

// Instructions relative to ptxas', registers as a difference from ptxas'. Probed kernels keep the probe's
// state live over the whole kernel.
struct Nearness {
  double least = 0.84, most = 1.15;
  int bare_registers = 4, probed_registers = 7;
};

// Kernels for which the lowering is known to be off, and by how much.
struct KnownMiss {
  const char* kernel;  // the beginning of its name, after the namespace
  Nearness nearness;
};
constexpr KnownMiss kKnownMisses[] = {
    // ptxas needs more instructions for the last warp's tail.
    {"13unroll_warps8INS_7NoProbe", {.least = 0.82}},
    {"24complete_unroll_templateINS_7NoProbe", {.least = 0.79, .bare_registers = 7}},
    {"8syncwarpINS_7NoProbe", {.most = 1.28}},      // and fewer here
    {"9coarsenedINS_9WarpProbe", {.least = 0.59}},  // it unrolls the loop
    {"13static_outputINS_7NoProbe", {.bare_registers = 5}},
    {"16grid_stride_vec4INS_9WarpProbe", {.probed_registers = 14}},  // loads in flight hold registers
    {"4copyINS_9WarpProbe", {.probed_registers = 10}},
};

const Nearness* knownMiss(const std::string& kernel) {
  const auto* found = std::ranges::find_if(kKnownMisses, [&](const KnownMiss& miss) {
    return kernel.starts_with(std::string("_ZN9warpscope") + miss.kernel);
  });
  return found == std::end(kKnownMisses) ? nullptr : &found->nearness;
}

TEST_F(Lowering, ThreeRegistersMeetAtAPortUnlessOneIsReused) {
  const auto fmas = [&](const std::string& body) {
    const std::string text =
        ".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
        ".reg .f32 %f<9>; .reg .b32 %r<3>; .reg .b64 %rd<5>;\n"
        "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;\n"
        "ld.global.f32 %f1, [%rd3]; ld.global.f32 %f2, [%rd3+4096]; ld.global.f32 %f3, [%rd3+8192];\n"
        "ld.global.f32 %f4, [%rd3+12288];\n" +
        body + "\nst.global.f32 [%rd3], %f5; st.global.f32 [%rd3+4], %f6;\nret;\n}\n";
    return twice(lowerText(text, "fma.ptx", profileOf("h100_sxm.json")).at(0).machine);
  };
  using Twice = std::vector<bool>;
  EXPECT_EQ(fmas("fma.rn.f32 %f5, %f1, %f2, %f3; fma.rn.f32 %f6, %f5, %f2, %f3;"), (Twice{true, true}))
      << "the second one waits for the first, and other warps issue meanwhile";
  EXPECT_EQ(fmas("fma.rn.f32 %f5, %f1, %f2, %f3; fma.rn.f32 %f6, %f4, %f2, %f3;"), (Twice{true, false}));
  EXPECT_EQ(fmas("fma.rn.f32 %f5, %f1, 0f3F000000, %f3; fma.rn.f32 %f6, %f5, %f2, %f2;"),
            (Twice{false, false}));
}

TEST_F(Lowering, countsAreNearWhatPtxasMakes) {
  const auto golden = testing::parseJson(readText(kRepository / "tests/golden/sass_counts_h100.json"));
  const DeviceProfile profile = profileOf("h100_sxm.json");
  double sum = 0;
  int kernels = 0, near_kernels = 0;
  for (const char* module : kModules) {
    for (const Lowered& lowered : lowerFile(module, profile)) {
      if (isResidency(lowered.kernel)) continue;
      SCOPED_TRACE(lowered.kernel);
      const auto& expected = golden["kernels"][module][lowered.kernel];
      const Nearness* miss = knownMiss(lowered.kernel);
      const Nearness near = miss == nullptr ? Nearness{} : *miss;
      const double ratio = instructionsOf(lowered.machine) / expected["instructions"].get<double>();
      EXPECT_GT(ratio, near.least);
      EXPECT_LT(ratio, near.most);
      const int registers = static_cast<int>(lowered.machine.registers_per_thread);
      EXPECT_LE(std::abs(registers - expected["registers"].get<int>()),
                isBare(lowered.kernel) ? near.bare_registers : near.probed_registers);
      ++kernels;
      if (miss != nullptr) continue;
      sum += std::abs(ratio - 1);
      ++near_kernels;
    }
  }
  ASSERT_EQ(kernels, 158);
  EXPECT_LT(sum / near_kernels, 0.06) << "mean error of instruction counts";
}

// The guarantees of machine_code.h to the timing model.
TEST_F(Lowering, groupsHoldTheirMembersOperationsAndEveryAccessOnce) {
  for (const char* device : {"h100_sxm.json", "v100.json"}) {
    const DeviceProfile profile = profileOf(device);
    for (const char* module : kModules) {
      for (const Lowered& lowered : lowerFile(module, profile)) {
        SCOPED_TRACE(lowered.kernel);
        const MachineCode& machine = lowered.machine;
        ASSERT_EQ(machine.segments.size(), lowered.code->segments.size());
        ASSERT_EQ(machine.predicated_branch.size(), lowered.code->instructions.size());
        for (uint32_t s = 0; s < machine.segments.size(); ++s) {
          const MachineSegment& segment = machine.segments[s];
          ASSERT_LE(segment.group_first, s);
          ASSERT_LT(s - segment.group_first, segment.group_count);
          if (segment.group_first != s) continue;
          std::set<std::pair<uint32_t, int>> accesses;
          for (uint32_t i = segment.first; i < segment.first + segment.count; ++i) {
            const MachineOp& op = machine.ops[i];
            ASSERT_LT(op.member, segment.group_count * segment.trips);
            ASSERT_EQ(op.member / segment.group_count, op.trip);
            ASSERT_GT(op.issues, 0);
            for (uint8_t k = 0; k < op.source_count; ++k) ASSERT_LT(op.sources[k], machine.registers);
            for (uint8_t k = 0; k < op.destination_count; ++k)
              ASSERT_LT(op.destinations[k], machine.registers);
            EXPECT_TRUE(!op.ends_segment || i + 1 == segment.first + segment.count);
            if (op.access >= 0) {
              EXPECT_LT(op.access, machine.segments[s + op.member % segment.group_count].accesses);
              EXPECT_TRUE(accesses.emplace(op.member, op.access).second);
            }
          }
        }
      }
    }
  }
}

const Lowered* find(const std::vector<Lowered>& all, const char* name) {
  const auto at = std::find_if(all.begin(), all.end(),
                               [&](const Lowered& l) { return l.kernel.find(name) != std::string::npos; });
  return at == all.end() ? nullptr : &*at;
}

// unroll8 exists for its eight loads in flight: predicated, in one group, none of them waiting for another's
// result.
TEST_F(Lowering, independentLoadsGoOutBeforeTheFirstIsUsed) {
  const std::vector<Lowered> all = lowerFile("reduction_unrolled", profileOf("h100_sxm.json"));
  const Lowered* unroll = find(all, "unroll8INS_7NoProbe");
  ASSERT_NE(unroll, nullptr);
  const MachineSegment& group = unroll->machine.segments[0];
  EXPECT_GT(group.group_count, 8U);
  std::set<uint16_t> loaded;
  uint32_t before_use = 0;
  for (uint32_t i = group.first; i < group.first + group.count; ++i) {
    const MachineOp& op = unroll->machine.ops[i];
    const bool is_load = op.access >= 0 && op.destination_count > 0;
    if (is_load) {
      loaded.insert(op.destinations[0]);
      ++before_use;
      continue;
    }
    if (std::any_of(op.sources, op.sources + op.source_count, [&](uint16_t s) { return loaded.contains(s); }))
      break;
  }
  EXPECT_EQ(before_use, 8U);
}

// A short body that reads or writes shared memory is predicated; one that loads and stores global memory is
// not, nor is a loop or a body with a barrier.
// ptxas takes no more registers than the order of the text needs, if these are more than 32.
TEST_F(Lowering, loadsWaitWhereThereAreTooFewRegisters) {
  std::string body = "ld.param.u64 %rd1, [p]; mov.f32 %f1, 0f00000000;\n";
  constexpr int kLoads = 40;
  for (int i = 0; i < kLoads; ++i) {
    body += "ld.global.v4.f32 {%f2, %f3, %f4, %f5}, [%rd1+" + std::to_string(16 * i) +
            "]; fma.rn.f32 %f1, %f2, %f3, %f1; fma.rn.f32 %f1, %f4, %f5, %f1;\n";
  }
  const auto all = lowerText(
      ".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u64 q)\n{\n"
      ".reg .f32 %f<9>; .reg .b64 %rd<5>;\n" +
          body + "ld.param.u64 %rd2, [q]; st.global.f32 [%rd2+4], %f1;\nret;\n}\n",
      "loads.ptx", profileOf("h100_sxm.json"));
  const MachineCode& machine = all.at(0).machine;
  EXPECT_EQ(machine.registers_per_thread, 32U);
  int before_use = 0;
  for (const MachineOp& op : machine.ops) {
    if (op.pipe == Pipe::kFp32) break;
    before_use += op.access >= 0 ? 1 : 0;
  }
  EXPECT_GE(before_use, 4);
  EXPECT_LE(before_use, 8);
  EXPECT_EQ(machine.written_parameters.to_ulong(), 0b10U) << "it reads through the first and writes through "
                                                             "the second";
}

TEST_F(Lowering, shortBranchesArePredicatedAsPtxasDoes) {
  const auto predicated = [&](const char* module, const char* name) {
    const std::vector<Lowered> all = lowerFile(module, profileOf("h100_sxm.json"));
    const Lowered* lowered = find(all, name);
    EXPECT_NE(lowered, nullptr);
    if (lowered == nullptr) return int64_t{-1};
    const std::vector<bool>& branches = lowered->machine.predicated_branch;
    return int64_t{std::count(branches.begin(), branches.end(), true)};
  };
  EXPECT_EQ(predicated("reduction_shared", "6sharedINS_7NoProbe"), 2);
  EXPECT_EQ(predicated("reduction_shared", "warp_shuffle_two_levelINS_7NoProbe"), 3);
  EXPECT_EQ(predicated("reduction_unrolled", "unroll8INS_7NoProbe"), 9);
  EXPECT_EQ(predicated("reduction", "interleavedINS_7NoProbe"), 0);
  EXPECT_EQ(predicated("reduction", "10neighboredINS_7NoProbe"), 0);
}

// A sum of one of two constants takes a move more, but only after the branch has become a predicate.
TEST_F(Lowering, aMoveThatComesLateDoesNotCountForPredication) {
  const auto side = [](const std::string& sum, const std::string& rest) {
    return "selp.b32 %r5, 1, -1, %p2;\nadd.s32 " + sum + ", " + sum + ", %r5;\n" + rest;
  };
  const std::string body =
      "ld.param.u64 %rd1, [p];\nld.param.u32 %r3, [n];\nld.param.u32 %r4, [m];\nmov.u32 %r1, %tid.x;\n"
      "mov.u32 %r2, %tid.y;\nsetp.gt.s32 %p2, %r3, 7;\nLOOP:\nsetp.lt.s32 %p1, %r1, %r2;\n@%p1 bra THEN;\n" +
      side("%r1", "add.f32 %f1, %f1, %f2;\nmov.f32 %f3, %f4;\nmov.f32 %f5, %f1;\n") +
      "bra.uni NEXT;\nTHEN:\n" +
      side("%r2", "add.f32 %f4, %f4, %f2;\nmov.f32 %f3, %f1;\nmov.f32 %f5, %f4;\n") +
      "NEXT:\nst.global.f32 [%rd1], %f3;\nst.global.f32 [%rd1+4], %f5;\nsetp.lt.s32 %p3, %r1, %r4;\n@%p3 bra "
      "LOOP;\n"
      "st.global.u32 [%rd1], %r2;\n";
  const std::vector<Lowered> all = lowerText(kernelText(body), "late.ptx", profileOf("h100_sxm.json"));
  EXPECT_EQ(std::ranges::count(all.at(0).machine.predicated_branch, true), 1);
}

TEST_F(Lowering, whatCallsASubroutineIsNotPredicated) {
  const auto predicated = [&](const std::string& division) {
    const std::string text =
        ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
        ".reg .pred %p1;\n.reg .f32 %f<4>;\n.reg .b64 %rd<3>;\nld.param.u64 %rd1, [p];\n"
        "cvta.to.global.u64 %rd2, %rd1;\nld.global.f32 %f1, [%rd2];\nld.global.f32 %f2, [%rd2+4];\n"
        "setp.gt.f32 %p1, %f1, %f2;\n@%p1 bra L;\n" +
        division + " %f1, %f1, %f2;\nL:\nst.global.f32 [%rd2], %f1;\nret;\n}\n";
    const std::vector<Lowered> all = lowerText(text, "division.ptx", profileOf("h100_sxm.json"));
    if (all.empty()) return int64_t{-1};
    const std::vector<bool>& branches = all[0].machine.predicated_branch;
    return int64_t{std::count(branches.begin(), branches.end(), true)};
  };
  EXPECT_EQ(predicated("div.full.f32"), 1);
  EXPECT_EQ(predicated("div.rn.f32"), 0);
}

TEST_F(Lowering, threeLoadsFromGlobalMemoryAreNotPredicated) {
  const auto predicated = [&](const std::string& loads) {
    const std::vector<Lowered> all =
        lowerText(kernelText("ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\n"
                             "add.s64 %rd3, %rd1, %rd2;\nsetp.gt.u32 %p1, %r1, 5;\nmov.f32 %f1, 0f00000000;\n"
                             "@%p1 bra L;\n" +
                             loads + "L:\nst.global.f32 [%rd3+4], %f1;\n"),
                  "loads.ptx", profileOf("h100_sxm.json"));
    if (all.empty()) return int64_t{-1};
    const std::vector<bool>& branches = all[0].machine.predicated_branch;
    return int64_t{std::count(branches.begin(), branches.end(), true)};
  };
  const std::string two =
      "ld.global.f32 %f1, [%rd3];\nld.global.f32 %f2, [%rd3+4];\nadd.f32 %f1, %f1, %f2;\n";
  EXPECT_EQ(predicated(two), 1);
  EXPECT_EQ(predicated(two + "ld.global.f32 %f3, [%rd3+8];\nadd.f32 %f1, %f1, %f3;\n"), 0);
}

TEST_F(Lowering, eightInstructionsOnSharedMemoryArePredicated) {
  const auto predicated = [&](const std::string& more) {
    const std::vector<Lowered> all = lowerText(
        kernelText(".shared .align 4 .b8 words[4096];\nld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\n"
                   "mov.u32 %r2, words;\nshl.b32 %r3, %r1, 2;\nadd.s32 %r4, %r2, %r3;\n"
                   "st.shared.u32 [%r4], %r1;\nbar.sync 0;\nsetp.gt.u32 %p1, %r1, 5;\n@%p1 bra L;\n"
                   "ld.shared.f32 %f1, [%r4];\nld.shared.f32 %f2, [%r4+8];\nld.shared.f32 %f3, [%r4+20];\n"
                   "fma.rn.f32 %f4, %f1, %f2, %f3;\nfma.rn.f32 %f4, %f4, %f2, %f3;\n"
                   "fma.rn.f32 %f4, %f4, %f1, %f3;\nfma.rn.f32 %f4, %f4, %f3, %f3;\n" +
                   more + "st.shared.f32 [%r4+12], %f4;\nL:\nbar.sync 0;\nld.shared.u32 %r5, [%r4+12];\n" +
                   "st.global.u32 [%rd1], %r5;\n"),
        "eight.ptx", profileOf("h100_sxm.json"));
    if (all.empty()) return int64_t{-1};
    const std::vector<bool>& branches = all[0].machine.predicated_branch;
    return int64_t{std::count(branches.begin(), branches.end(), true)};
  };
  EXPECT_EQ(predicated(""), 1);
  EXPECT_EQ(predicated("fma.rn.f32 %f4, %f4, %f1, %f2;\n"), 0);
}

TEST_F(Lowering, conjunctionsOfComparisonsAreNoBranches) {
  const auto machine = [&](const std::string& otherwise) {
    return lowerText(kernelText("ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\n"
                                "add.s64 %rd3, %rd1, %rd2;\nmov.pred %p3, -1;\nmov.u32 %r3, 2;\n"
                                "setp.gt.u32 %p1, %r1, 47;\n@%p1 bra F;\n"
                                "shl.b32 %r2, 1, %r1;\nand.b32 %r2, %r2, 4369;\nsetp.ne.s32 %p2, %r2, 0;\n"
                                "@%p2 bra J;\nF:\nmov.pred %p3, 0;\n" +
                                otherwise +
                                "J:\nsetp.eq.u32 %p4, %r1, 61;\nor.pred %p5, %p3, %p4;\n"
                                "selp.u32 %r4, 1, %r3, %p5;\nst.global.u32 [%rd3], %r4;\n"),
                     "conjunction.ptx", profileOf("h100_sxm.json"))
        .at(0)
        .machine;
  };
  const auto predicated = [](const MachineCode& code) {
    return std::count(code.predicated_branch.begin(), code.predicated_branch.end(), true);
  };
  const MachineCode combined = machine("");
  EXPECT_EQ(predicated(combined), 2);
  EXPECT_TRUE(std::ranges::none_of(combined.ops, [](const MachineOp& op) { return op.branch && op.sync; }));
  EXPECT_EQ(predicated(machine("mov.u32 %r3, 3;\n")), 2) << "ISETP.GT.OR and a guarded MOV";
}

// Two branches to the same place are one if little is computed between them.
TEST_F(Lowering, neighbouringBranchesToOnePlaceAreOne) {
  const auto branches = [&](const std::string& between, const std::string& second = "@%p2 bra L;\n") {
    std::string body;
    for (int i = 0; i < 14; ++i) body += "st.global.u32 [%rd3+" + std::to_string(100 + 4 * i) + "], %r2;\n";
    const std::vector<Lowered> all = lowerText(
        kernelText("ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\n"
                   "add.s64 %rd3, %rd1, %rd2;\nld.global.u32 %r2, [%rd3];\nld.global.u32 %r3, [%rd3+4];\n"
                   "mov.u32 %r4, 0;\nsetp.eq.s32 %p1, %r2, 5;\n@%p1 bra " +
                   std::string(second.starts_with("@!") ? "B" : "L") + ";\n" + between +
                   "setp.eq.s32 %p2, %r5, 7;\n" + second + "B:\n" + body +
                   "L:\nadd.s32 %r6, %r3, %r4;\nst.global.u32 [%rd3+400], %r6;\n"),
        "branches.ptx", profileOf("h100_sxm.json"));
    if (all.empty()) return int64_t{-1};
    const std::vector<bool>& predicated = all[0].machine.predicated_branch;
    return 2 - int64_t{std::count(predicated.begin(), predicated.end(), true)};
  };
  const std::string four =
      "xor.b32 %r5, %r3, %r2;\nadd.s32 %r5, %r5, 82;\nxor.b32 %r5, %r5, %r2;\nadd.s32 %r5, %r5, 236;\n";
  EXPECT_EQ(branches(four), 1) << "ISETP, ISETP.EQ.OR, BRA";
  EXPECT_EQ(branches(four, "@!%p2 bra L;\n"), 1) << "the first one enters what the second one jumps over";
  EXPECT_EQ(branches(four + "xor.b32 %r5, %r5, %r2;\n"), 2);
  EXPECT_EQ(branches("ld.global.u32 %r5, [%rd3+8];\n"), 2);
  EXPECT_EQ(branches("mov.u32 %r4, 2;\nadd.s32 %r5, %r3, 82;\n"), 2) << "%r4 depends on which one jumps";
}

// SEL and ISETP have a predicate as early as a register; what it guards waits for it.
TEST_F(Lowering, predicatesAreThereEarlierForOperandsThanForGuards) {
  const auto all =
      lowerText(kernelText("ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\n"
                           "add.s64 %rd3, %rd1, %rd2;\nld.global.u32 %r2, [%rd3];\n"
                           "ld.global.u32 %r3, [%rd3+4];\nsetp.gt.s32 %p1, %r2, 7;\n"
                           "selp.b32 %r4, 5, -3, %p1;\nst.global.u32 [%rd3], %r4;\n"
                           "@%p1 st.global.u32 [%rd3+8], %r3;\n"),
                "predicates.ptx", profileOf("h100_sxm.json"));
  const MachineOp *comparison = nullptr, *selection = nullptr, *guarded = nullptr;
  for (const MachineOp& op : all.at(0).machine.ops) {
    const Instruction& in = all.at(0).code->instructions[op.pc];
    if (op.is_added) continue;
    if (in.op == ptx::Op::kSetp) comparison = &op;
    if (in.op == ptx::Op::kSelp) selection = &op;
    if (in.kind == Kind::kStore && in.guard != kNoPredicate) guarded = &op;
  }
  ASSERT_TRUE(comparison != nullptr && selection != nullptr && guarded != nullptr);
  const auto reads = [](const MachineOp& op, uint16_t value) {
    return std::ranges::count(std::span(op.sources).first(op.source_count), value) > 0;
  };
  ASSERT_EQ(comparison->destination_count, 2);
  EXPECT_EQ(comparison->latency_cycles, 13);
  EXPECT_EQ(comparison->early_count, 1);
  EXPECT_EQ(comparison->early_cycles, 9);
  EXPECT_TRUE(reads(*guarded, comparison->destinations[0]));
  EXPECT_FALSE(reads(*guarded, comparison->destinations[1]));
  EXPECT_TRUE(reads(*selection, comparison->destinations[1]));
  EXPECT_FALSE(reads(*selection, comparison->destinations[0]));
}

TEST_F(Lowering, loadsForNoLaneComeBeforeTheAsyncCopiesOfABlock) {
  const auto instructions = [&](const std::string& body, const char* profile) {
    const std::vector<Lowered> all = lowerText(
        kernelText(".shared .align 16 .b8 tile[512];\nld.param.u64 %rd1, [p];\nmov.u32 %r1, tile;\n" + body),
        "copies.ptx", profileOf(profile));
    return all.empty() ? 0 : instructionsOf(all[0].machine);
  };
  const std::string copy = "cp.async.cg.shared.global [%r1], [%rd1], 16;\n";
  const std::string next = "cp.async.cg.shared.global [%r1+16], [%rd1+16], 16;\n";
  const uint32_t two = instructions(copy + next, "h100_sxm.json");
  EXPECT_EQ(two - instructions(copy, "h100_sxm.json"), 1U) << "before the first one only";
  EXPECT_EQ(instructions(copy + "bar.sync 0;\n" + next, "h100_sxm.json") - two, 1U + 3U) << "another block";
}

// The branch to the rare cases of a division of what all lanes have alike needs no BSSY and no BSYNC.
TEST_F(Lowering, lanesThatAgreeNeedNotMeetAfterADivision) {
  const auto instructions = [&](const std::string& address) {
    const std::vector<Lowered> all = lowerText(
        kernelText("ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n"
                   "mul.wide.u32 %rd2, " +
                   address +
                   ", 4;\nadd.s64 %rd3, %rd1, %rd2;\nld.global.f32 %f1, [%rd3];\n"
                   "ld.global.f32 %f2, [%rd3+4];\ndiv.rn.f32 %f3, %f1, %f2;\nst.global.f32 [%rd3], %f3;\n"),
        "division.ptx", profileOf("h100_sxm.json"));
    return all.empty() ? 0 : instructionsOf(all[0].machine);
  };
  EXPECT_EQ(instructions("%r1"), instructions("%r2") + 2);
}

// The machine instructions that a body adds to an empty kernel that loads and stores one word.
TEST_F(Lowering, foldsWhatIsOneMachineInstruction) {
  const DeviceProfile profile = profileOf("h100_sxm.json");
  const auto count = [&](const std::string& middle) {
    const std::string begin =
        "ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\nmov.u32 %r1, %tid.x;\n"
        "ld.global.u32 %r2, [%rd2];\nld.global.u32 %r3, [%rd2+4];\n";
    const std::vector<Lowered> all =
        lowerText(kernelText(begin + middle + "st.global.u32 [%rd2], %r9;\n"), "test.ptx", profile);
    return all.empty() ? -1 : static_cast<int>(instructionsOf(all[0].machine));
  };
  const int base = count("add.s32 %r9, %r2, %r3;\n");
  EXPECT_EQ(count("mov.u32 %r4, %r2;\nmov.u32 %r5, 7;\nadd.s32 %r9, %r4, %r5;\n"), base - 1)
      << "copies; one load less";
  EXPECT_EQ(count("shl.b32 %r4, %r2, 2;\nadd.s32 %r9, %r4, %r3;\n"), base) << "LEA";
  const std::string two_sums = "shl.b32 %r4, %r2, 2;\nadd.s32 %r5, %r4, %r3;\nadd.s32 %r6, %r4, %r2;\n";
  EXPECT_EQ(count(two_sums + "mul.lo.s32 %r9, %r5, %r6;\n"), base + 2) << "two LEA, IMAD";
  EXPECT_EQ(count(two_sums + "mad.lo.s32 %r9, %r5, %r6, %r4;\n"), base + 3)
      << "and the shift, which IMAD reads";
  EXPECT_EQ(count("mul.lo.s32 %r4, %r2, %r2;\nadd.s32 %r9, %r4, %r3;\n"), base) << "IMAD";
  EXPECT_EQ(count("add.s32 %r4, %r2, %r2;\nadd.s32 %r9, %r4, %r3;\n"), base) << "IADD3";
  const std::string compare = "setp.gt.s32 %p1, %r2, 7;\nsetp.gt.s32 %p2, %r3, 7;\n";
  EXPECT_EQ(count(compare + "selp.u32 %r4, 1, 0, %p1;\nselp.u32 %r5, 1, 0, %p2;\nadd.s32 %r6, %r2, %r4;\n"
                            "add.s32 %r9, %r6, %r5;\n"),
            base - 1 + 2 + 4)
      << "VIADD and a move for each, no IADD3";
  const std::string one_of_two =
      "setp.gt.s32 %p1, %r2, 7;\nselp.b32 %r4, 5, -3, %p1;\nadd.s32 %r5, %r4, %r3;\n";
  EXPECT_EQ(count(one_of_two + "add.s32 %r9, %r5, %r2;\n"), base + 3) << "ISETP, two VIADD, no IADD3 or MOV";
  EXPECT_EQ(count(one_of_two + "max.s32 %r9, %r5, %r2;\n"), base + 3) << "nor VIADDMNMX";
  EXPECT_EQ(count("sad.u32 %r9, %r2, %r3, %r2;\n"), base) << "VABSDIFF";
  EXPECT_EQ(count("and.b32 %r4, %r2, %r3;\nxor.b32 %r9, %r4, 5;\n"), base) << "LOP3";
  EXPECT_EQ(
      count("and.b32 %r4, %r2, 3;\nshl.b32 %r5, %r3, 2;\nor.b32 %r6, %r5, %r4;\nxor.b32 %r9, %r6, %r4;\n"),
      base + 2)
      << "LOP3, LEA, LOP3";
  EXPECT_EQ(count("and.b32 %r4, %r2, 7;\nshl.b32 %r5, %r3, 2;\nor.b32 %r9, %r5, %r4;\n"), base + 1)
      << "SHF, LOP3: the bits may meet";
  const std::string word = "cvt.u16.u32 %h1, %r2;\n",
                    extended = "cvt.u32.u16 %r4, %h2;\nmul.lo.s32 %r9, %r4, %r3;\n";
  EXPECT_EQ(count(word + "and.b16 %h2, %h1, 255;\n" + extended), base + 1) << "LOP3, IMAD";
  EXPECT_EQ(count(word + "add.s16 %h2, %h1, 3;\n" + extended), base + 2) << "VIADD, LOP3, IMAD";
  const std::string product = "mul.wide.u16 %r4, %h2, 8;\n";
  EXPECT_EQ(count(word + "and.b16 %h2, %h1, 252;\nshr.u16 %h3, %h2, 2;\nadd.s16 %h2, %h3, 3;\n" + extended),
            base + 3)
      << "LOP3, SHF, VIADD, IMAD: the sum has zeros above, too";
  EXPECT_EQ(count(word + "and.b16 %h3, %h1, %h2;\nor.b16 %h2, %h3, 3;\n" + extended),
            count(word + "and.b16 %h2, %h1, %h2;\n" + extended))
      << "LOP3 of words";
  EXPECT_EQ(count(word + "and.b16 %h2, %h1, 255;\n" + product + "add.s32 %r9, %r4, %r3;\n"), base + 1)
      << "LOP3, IMAD";
  EXPECT_EQ(
      count(word + "and.b16 %h2, %h1, 255;\n" + product + "and.b32 %r5, %r3, 7;\nor.b32 %r9, %r4, %r5;\n"),
      base + 2)
      << "LOP3, LOP3, IMAD: the bits do not meet";
  EXPECT_EQ(count("add.s32 %r4, %r2, 3;\nmul.lo.s32 %r5, %r4, %r3;\nadd.s32 %r6, %r2, 3;\nxor.b32 %r9, %r5, "
                  "%r6;\n"),
            base + 2)
      << "VIADD, IMAD, LOP3: the sum is known";
  const std::string two =
      "mov.u16 %h2, 5;\nsetp.gt.s32 %p1, %r2, %r3;\n@%p1 bra NEXT;\nand.b16 %h2, %h1, 7;\n";
  const std::string compared = "setp.eq.s16 %p2, %h2, 3;\nselp.b32 %r9, %r2, %r3, %p2;\n";
  EXPECT_EQ(count(word + two + "NEXT:\n" + compared),
            count(word + two +
                  "NEXT:\nadd.s16 %h3, %h2, %h1;\nsetp.eq.s16 %p2, %h3, 3;\nselp.b32 %r9, %r2, %r3, "
                  "%p2;\n"))
      << "PRMT extends what comes from two places";
  EXPECT_EQ(count("cvt.rn.f32.u32 %f1, %r2;\nmov.f32 %f2, 0f40400000;\ndiv.approx.f32 %f3, %f1, "
                  "%f2;\ncvt.rzi.u32.f32 %r4, %f3;\nadd.s32 %r9, %r4, %r3;\n"),
            base + 3)
      << "I2FP, FMUL, F2I";
  EXPECT_EQ(count("and.b32 %r4, %r2, %r3;\nadd.s32 %r8, %r2, 1;\nxor.b32 %r9, %r4, 5;\n"), base)
      << "dead code";
  EXPECT_EQ(count("rem.u32 %r9, %r2, %r3;\n"), base + 16) << "division by a variable";
  EXPECT_EQ(
      count("rem.u32 %r4, %r2, %r3;\nadd.s32 %r5, %r2, 1;\nrem.u32 %r6, %r5, %r3;\nxor.b32 %r9, %r4, %r6;\n"),
      base + 26)
      << "the second division by it finds the divisor's reciprocal";
  EXPECT_EQ(count("mul.lo.s32 %r4, %r3, 6;\nsub.s32 %r9, %r2, %r4;\n"), base) << "IMAD with -6";
  EXPECT_EQ(count("rem.u32 %r9, %r2, 8;\n"), base - 1) << "division by a power of two; one load less";
  EXPECT_EQ(count("shr.u32 %r4, %r2, 3;\nadd.s32 %r9, %r4, %r3;\n"), base) << "LEA.HI";
  EXPECT_EQ(count("shr.u32 %r4, %r2, 3;\nadd.s32 %r9, %r4, 7;\n"), base - 1) << "LEA.HI; one load less";
  EXPECT_EQ(count("mul.lo.s32 %r4, %r2, %r3;\nsub.s32 %r9, %r4, %r1;\n"), base + 1) << "S2R, IMAD with -R";
  EXPECT_EQ(count("max.s32 %r4, %r2, %r3;\nmax.s32 %r9, %r4, %r1;\n"), base + 1) << "S2R, VIMNMX3";
  EXPECT_EQ(count("setp.gt.s32 %p1, %r1, 3;\nadd.s32 %r4, %r2, 1;\nselp.b32 %r9, %r4, %r3, %p1;\n"), base + 2)
      << "S2R, ISETP, and an IADD3 under the predicate";
  EXPECT_EQ(count("ld.global.u32 %r4, [%rd2+4];\nadd.s32 %r9, %r2, %r4;\nxor.b32 %r9, %r9, %r3;\n"), base + 1)
      << "what was loaded is not loaded again";
  const std::string both = "mul.lo.s32 %r4, %r2, %r3;\nmul.hi.u32 %r5, %r3, %r2;\nxor.b32 %r9, %r4, %r5;\n";
  EXPECT_EQ(count(both), base + 1) << "IMAD.WIDE, of which both halves are read";
  EXPECT_EQ(count("mov.u32 %r4, 8;\nshl.b32 %r5, %r4, 2;\nor.b32 %r6, %r5, 31;\nadd.s32 %r9, %r2, %r6;\n"),
            base - 1)
      << "a constant that is computed from constants; one load less";
  const std::string halves =
      ".reg .b16 %h<4>;\nmov.b32 %f1, %r2;\nmov.b32 %f2, %r3;\ncvt.rn.f16.f32 %h1, %f1;\ncvt.rn.f16.f32 %h2, "
      "%f2;\nmov.b32 %r9, {%h1, %h2};\n";
  EXPECT_EQ(count(halves), base) << "F2FP.F16.F32.PACK_AB";
}

// Of 64-bit integers only the halves that are read are computed.
TEST_F(Lowering, computesTheHalvesThatAreRead) {
  const DeviceProfile profile = profileOf("h100_sxm.json");
  const auto count = [&](const std::string& middle) {
    const std::string text = kernelText(
        ".local .align 16 .b8 stack[128];\nld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\n"
        "mov.u64 %rd8, stack;\nld.global.u64 %rd3, [%rd2];\nld.global.u64 %rd4, [%rd2+8];\n" +
        middle + "st.global.u32 [%rd2], %r9;\nst.global.u64 [%rd2+8], %rd9;\n");
    const std::vector<Lowered> all = lowerText(text, "halves.ptx", profile);
    return all.empty() ? -1 : static_cast<int>(instructionsOf(all[0].machine));
  };
  const std::string none = "mov.u32 %r9, 0;\nmov.u64 %rd9, 0;\n";
  const int base = count("mov.u32 %r9, 0;\nadd.s64 %rd9, %rd3, %rd4;\n");
  EXPECT_EQ(count("mov.u32 %r9, 0;\nand.b64 %rd5, %rd3, 60;\nor.b64 %rd9, %rd5, %rd4;\n"), base - 1)
      << "one LOP3: the upper half of the first is zero";
  EXPECT_EQ(count("add.s64 %rd5, %rd3, %rd4;\ncvt.u32.u64 %r9, %rd5;\nmov.u64 %rd9, %rd3;\n"), base - 1)
      << "an add of the lower halves";
  EXPECT_EQ(count("mov.u32 %r9, 0;\nor.b64 %rd5, %rd3, %rd4;\nand.b64 %rd6, %rd5, -4294967296;\n"
                  "setp.eq.s64 %p1, %rd6, 0;\nselp.b64 %rd9, %rd3, %rd4, %p1;\n"),
            base + 2)
      << "of the upper halves: an OR and a comparison";
  const std::string choose = "selp.b64 %rd9, %rd3, %rd4, %p1;\nmov.u32 %r9, 0;\n";
  EXPECT_EQ(count("and.b64 %rd5, %rd3, %rd4;\nsetp.ne.s64 %p1, %rd5, 0;\n" + choose), base + 2)
      << "two LOP3 write a predicate";
  EXPECT_EQ(count("and.b64 %rd5, %rd3, 65536;\nsetp.ne.s64 %p1, %rd5, 0;\n" + choose), base - 1)
      << "one, as the upper half of the mask is zero; and a load under the predicate needs no selections";
  EXPECT_EQ(count("setp.lt.u64 %p1, %rd3, %rd4;\nselp.u64 %rd5, 1, 0, %p1;\nadd.s64 %rd9, %rd5, %rd4;\n"
                  "mov.u32 %r9, 0;\n"),
            base + 3)
      << "two ISETP and one SEL";
  EXPECT_EQ(count("shl.b64 %rd5, %rd3, 2;\nand.b64 %rd6, %rd5, 60;\nadd.s64 %rd7, %rd8, %rd6;\n"
                  "ld.local.u32 %r9, [%rd7];\nmov.u64 %rd9, %rd4;\n"),
            base + 3)
      << "an address in local memory: SHL, LOP3, IADD, LDL; and the address of the variable";
}

// Of the products of words that make one of 64 bits, those of halves that are zero are left out.
TEST_F(Lowering, multipliesTheWordsThatMatter) {
  const DeviceProfile profile = profileOf("h100_sxm.json");
  const auto count = [&](const std::string& middle) {
    const std::string text = kernelText(
        "ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\nld.global.u64 %rd3, [%rd2];\n"
        "ld.global.u64 %rd4, [%rd2+8];\nld.global.u32 %r1, [%rd2+16];\ncvt.u64.u32 %rd5, %r1;\n" +
        middle + "st.global.u64 [%rd2], %rd8;\nst.global.u64 [%rd2+8], %rd9;\n");
    const std::vector<Lowered> all = lowerText(text, "products.ptx", profile);
    return all.empty() ? -1 : static_cast<int>(instructionsOf(all[0].machine));
  };
  const int base = count("add.s64 %rd8, %rd3, %rd5;\nadd.s64 %rd9, %rd4, %rd5;\n") - 4;
  const std::string sum = "add.s64 %rd9, %rd3, %rd5;\n";
  EXPECT_EQ(count(sum + "mul.lo.s64 %rd8, %rd3, %rd4;\n"), base + 2 + 4);
  EXPECT_EQ(count(sum + "mul.lo.s64 %rd8, %rd5, %rd4;\n"), base + 2 + 2) << "IMAD.WIDE, IMAD";
  EXPECT_EQ(count(sum + "mul.lo.s64 %rd8, %rd4, %rd5;\n"), base + 2 + 3) << "IMAD, IMAD.WIDE, IADD3";
  EXPECT_EQ(count("mul.lo.s64 %rd8, %rd3, %rd4;\nmul.hi.u64 %rd9, %rd3, %rd4;\n"), base + 7 - 1)
      << "the lower half is computed for the upper one (and one load less)";
}

// Copies between registers of 64 bits and their words; words of 16 bits.
TEST_F(Lowering, takesWordsApartAsTheyLieInRegisters) {
  const DeviceProfile profile = profileOf("h100_sxm.json");
  const auto count = [&](const std::string& middle) {
    const std::string text = kernelText(
        "ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\nld.global.f64 %fd1, [%rd2];\n"
        "ld.global.u32 %r1, [%rd2+8];\nsetp.eq.s32 %p1, %r1, 0;\nmov.b64 {%r2, %r3}, %fd1;\n@%p1 bra L;\n" +
        middle + "L:\nmov.b64 %fd3, {%r2, %r3};\nst.global.f64 [%rd2], %fd3;\n");
    const std::vector<Lowered> all = lowerText(text, "words.ptx", profile);
    return all.empty() ? -1 : static_cast<int>(instructionsOf(all[0].machine));
  };
  const int scaled = count("mul.f64 %fd2, %fd1, %fd1;\nmov.b64 {%r2, %r3}, %fd2;\n");
  EXPECT_EQ(scaled, count("add.s32 %r3, %r3, 1;\n")) << "DMUL alone";
  EXPECT_EQ(count("cvt.u64.u32 %rd3, %r3;\ncvt.u64.u32 %rd4, %r1;\nbfi.b64 %rd5, %rd4, %rd3, 32, 32;\n"
                  "st.global.u64 [%rd2+16], %rd5;\n"),
            scaled)
      << "a store alone";
  const auto shorts = [&](const std::string& middle) {
    return count("cvt.u16.u32 %h1, %r1;\n" + middle + "st.global.u16 [%rd2+16], %h2;\n");
  };
  const int one = shorts("add.s16 %h2, %h1, 9;\n");
  EXPECT_EQ(shorts("mul.lo.s16 %h2, %h1, 7;\n"), one + 1) << "PRMT, IMAD";
  EXPECT_EQ(shorts("cvt.u16.u32 %h3, %r3;\nsub.s16 %h2, %h1, %h3;\n"), one + 2) << "negative, PRMT, IADD";
}

TEST_F(Lowering, halvesOfLogicAndShiftsDoNotWaitForEachOther) {
  const auto latency = [&](ptx::Op which, const std::string& body) {
    const std::vector<Lowered> all =
        lowerText(kernelText("ld.param.u64 %rd1, [p];\nld.global.u64 %rd2, [%rd1];\n"
                             "ld.global.u64 %rd3, [%rd1+8];\n" +
                             body + "st.global.u64 [%rd1], %rd4;\n"),
                  "wide.ptx", profileOf("h100_sxm.json"));
    for (const MachineOp& op : all.at(0).machine.ops)
      if (!op.is_added && all[0].code->instructions[op.pc].op == which) return int{op.latency_cycles};
    return 0;
  };
  const int logic = latency(ptx::Op::kAnd, "and.b64 %rd4, %rd2, %rd3;\n");
  EXPECT_EQ(latency(ptx::Op::kShl, "shl.b64 %rd4, %rd2, 3;\n"), logic);
  EXPECT_EQ(latency(ptx::Op::kAdd, "add.s64 %rd4, %rd2, %rd3;\n"), logic + 4) << "the carry";
}

TEST_F(Lowering, chainsOfShufflesAreMixed) {
  std::string body = "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nadd.s32 %r2, %r1, 5;\n";
  for (const char* r : {"%r1", "%r2"}) {
    for (const char* distance : {"16", "8", "4"}) {
      body += std::string("shfl.sync.bfly.b32 %r3, ") + r + ", " + distance + ", 31, -1;\nadd.s32 " + r +
              ", " + r + ", %r3;\n";
    }
  }
  const std::vector<Lowered> all =
      lowerText(kernelText(body + "st.global.u32 [%rd1], %r1;\nst.global.u32 [%rd1+4], %r2;\n"),
                "shuffles.ptx", profileOf("h100_sxm.json"));
  std::vector<uint32_t> order;
  for (const MachineOp& op : all.at(0).machine.ops)
    if (!op.is_added && all[0].code->instructions[op.pc].op == ptx::Op::kShfl) order.push_back(op.pc);
  ASSERT_EQ(order.size(), 6U);
  EXPECT_FALSE(std::ranges::is_sorted(order)) << "the second chain begins before the first one is over";
}

TEST_F(Lowering, theLastPartOfAComparisonMakesThePredicate) {
  const DeviceProfile profile = profileOf("h100_sxm.json");
  const auto comparison = [&](const std::string& middle) {
    const std::string text = kernelText(
        "ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\nld.global.u64 %rd3, [%rd2];\n"
        "ld.global.u64 %rd4, [%rd2+8];\n" +
        middle + "@%p1 st.global.u64 [%rd2], %rd3;\n");
    const std::vector<Lowered> all = lowerText(text, "compare.ptx", profile);
    MachineOp found;
    for (const MachineOp& op : all.at(0).machine.ops)
      if (all[0].code->instructions[op.pc].op == ptx::Op::kSetp) found = op;
    return std::pair<int, int>{found.issues, found.latency_cycles};
  };
  const std::string low = "and.b64 %rd5, %rd3, 15;\nand.b64 %rd6, %rd4, 15;\n";
  EXPECT_EQ(comparison("setp.lt.s64 %p1, %rd3, %rd4;\n"), (std::pair{2, 13 + 4 - 1}));
  EXPECT_EQ(comparison(low + "setp.eq.s64 %p1, %rd5, %rd6;\n"), (std::pair{1, 13}));
}

// word |= (a == b) << k: SEL chooses between 1 << k and 0.
TEST_F(Lowering, collectsTheBitsOfComparisons) {
  const DeviceProfile profile = profileOf("h100_sxm.json");
  const auto count = [&](const std::string& bit) {
    const std::string text = kernelText(
        "ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\nld.global.u32 %r1, [%rd2];\n"
        "ld.global.u32 %r2, [%rd2+4];\nsetp.eq.s32 %p1, %r1, %r2;\n" +
        bit + "xor.b32 %r4, %r3, %r2;\nst.global.u32 [%rd2], %r4;\n");
    const std::vector<Lowered> all = lowerText(text, "bits.ptx", profile);
    return all.empty() ? -1 : static_cast<int>(instructionsOf(all[0].machine));
  };
  const int plain = count("selp.u32 %r3, 8, 0, %p1;\n");
  EXPECT_EQ(count("selp.u16 %h1, 1, 0, %p1;\nmul.wide.u16 %r3, %h1, 8;\n"), plain);
  EXPECT_EQ(count("selp.u32 %r5, 1, 0, %p1;\nshl.b32 %r3, %r5, 3;\n"), plain);
  EXPECT_GT(count("selp.u32 %r5, %r1, 0, %p1;\nshl.b32 %r3, %r5, 3;\n"), plain);
}

TEST_F(Lowering, zeroesTwoRegistersAtOnce) {
  const DeviceProfile profile = profileOf("h100_sxm.json");
  const auto count = [&](const std::string& first) {
    const std::string text =
        kernelText("ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\nmov.u32 %r1, %tid.x;\n" + first +
                   "LOOP:\nld.global.u32 %r2, [%rd2];\nadd.u32 %r3, %r3, %r2;\nxor.b32 %r4, %r4, %r3;\n"
                   "setp.lt.u32 %p1, %r2, %r1;\n@%p1 bra LOOP;\nst.global.u32 [%rd2], %r3;\nst.global.u32 "
                   "[%rd2+4], %r4;\n");
    const std::vector<Lowered> all = lowerText(text, "zero.ptx", profile);
    return all.empty() ? -1 : static_cast<int>(instructionsOf(all[0].machine));
  };
  EXPECT_EQ(count("mov.u32 %r3, 0;\nmov.u32 %r4, 0;\n"), count("mov.u32 %r3, 0;\nmov.u32 %r4, 1;\n") - 1)
      << "CS2R";
}

// An EXIT under a predicate is no branch that lanes can diverge at: Nsight Compute counts no target for it.
TEST_F(Lowering, branchesToTheEndAreExits) {
  const std::string body =
      "ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\nmov.u32 %r1, %tid.x;\n"
      "setp.gt.u32 %p1, %r1, 9;\n@%p1 bra END;\natom.global.add.u32 %r2, [%rd2], %r1;\n"
      "st.global.u32 [%rd2+4], %r2;\nEND:\n";
  const std::vector<Lowered> all = lowerText(kernelText(body), "exit.ptx", profileOf("h100_sxm.json"));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(std::ranges::count(all[0].machine.exit_branch, true), 1);
  EXPECT_EQ(std::ranges::count(all[0].machine.meets_at_sync, true), 0);
}

// Registers that are copies of each other and of nothing else, in an endless loop: nothing to wait for.
TEST_F(Lowering, endsOnCodeThatMakesNoSense) {
  const DeviceProfile profile = profileOf("h100_sxm.json");
  const std::string body =
      "L:\nmov.u32 %r1, %r2;\nmov.u32 %r2, %r1;\nmov.u32 %r3, %r3;\nselp.u32 %r4, 1, 0, %p1;\n"
      "setp.ne.s32 %p1, %r4, 0;\n@%p1 bra L;\nbra.uni L;\n";
  const std::vector<Lowered> all = lowerText(kernelText(body), "test.ptx", profile);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].machine.segments.size(), all[0].code->segments.size());
}

}  // namespace
}  // namespace warpscope::sim
