// The lowering from PTX to machine-like operations, on the kernels of this project: compared with ptxas'
// output for sm_90 (tests/golden/sass_counts_h100.json), and properties that any lowered code must have.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "kernels/sim/ptx/parser.h"
#include "kernels/sim/simt/decode.h"
#include "kernels/sim/sm/machine_code.h"
#include "tests/support/parse_json.h"

namespace warpscope::sim {
namespace {

const std::filesystem::path kRepository = WARPSCOPE_SOURCE_FOLDER;

std::string readText(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

DeviceProfile profileOf(const char* name) {
  auto profile = readProfile(kRepository / "assets/devices" / name);
  EXPECT_TRUE(profile) << profile.error().message;
  return profile.value_or(DeviceProfile{});
}

struct Lowered {
  std::string kernel;
  std::shared_ptr<const Code> code;
  MachineCode machine;
};

class Lowering : public ::testing::Test {
 protected:
  void SetUp() override {
    auto memory = GlobalMemory::create(uint64_t{1} << 20U);
    ASSERT_TRUE(memory) << memory.error().message;
    memory_ = std::move(*memory);
  }

  std::vector<Lowered> lowerText(const std::string& text, const std::string& name,
                                 const DeviceProfile& profile) {
    std::vector<Lowered> result;
    auto module = ptx::parseModule(text, name);
    EXPECT_TRUE(module) << module.error().message;
    if (!module) return result;
    const auto loaded = loadModule(std::make_shared<const ptx::Module>(std::move(*module)), *memory_);
    EXPECT_TRUE(loaded) << loaded.error().message;
    if (!loaded) return result;
    for (const ptx::Function& function : loaded->module->functions) {
      if (!function.is_entry) continue;
      auto code = decodeKernel(*loaded, function.name);
      EXPECT_TRUE(code) << code.error().message;
      if (code) result.push_back({function.name, *code, lowerToMachine(**code, profile)});
    }
    return result;
  }

  std::vector<Lowered> lowerFile(const std::string& module, const DeviceProfile& profile) {
    return lowerText(readText(kRepository / "assets/ptx" / (module + ".ptx")), module + ".ptx", profile);
  }

  std::unique_ptr<GlobalMemory> memory_;
};

// The operations on the FP32 pipe, in order: which of them read three registers that meet at a port.
std::vector<bool> twice(const MachineCode& machine) {
  std::vector<bool> result;
  for (const MachineOp& op : machine.ops) {
    if (op.pipe == Pipe::kFp32) result.push_back(op.reads_twice);
  }
  return result;
}

uint32_t instructionsOf(const MachineCode& machine) {
  uint32_t count = 0;
  for (const MachineOp& op : machine.ops) count += op.issues;
  return count;
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
            ASSERT_LT(op.member, segment.group_count);
            ASSERT_GT(op.issues, 0);
            for (uint8_t k = 0; k < op.source_count; ++k) ASSERT_LT(op.sources[k], machine.registers);
            for (uint8_t k = 0; k < op.destination_count; ++k)
              ASSERT_LT(op.destinations[k], machine.registers);
            EXPECT_TRUE(!op.ends_segment || i + 1 == segment.first + segment.count);
            if (op.access >= 0) {
              EXPECT_LT(op.access, machine.segments[s + op.member].accesses);
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

std::string kernelText(const std::string& body) {
  return ".version 8.0\n.target sm_75\n.address_size 64\n"
         ".visible .entry k(.param .u64 p, .param .u32 n, .param .u32 m)\n{\n"
         ".reg .pred %p<8>;\n.reg .b16 %h<8>;\n.reg .b32 %r<32>;\n.reg .f32 %f<8>;\n.reg .b64 %rd<16>;\n"
         ".reg .f64 %fd<8>;\n" +
         body + "ret;\n}\n";
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
  EXPECT_EQ(count("and.b32 %r4, %r2, %r3;\nxor.b32 %r9, %r4, 5;\n"), base) << "LOP3";
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
  const std::string shared = "mov.u32 %r5, words;\nadd.s32 %r6, %r5, %r2;\n";
  EXPECT_EQ(count(shared + "atom.shared.add.f32 %f1, [%r6], %f2;\n"),
            count(shared + "atom.shared.add.u32 %r7, [%r6], %r2;\n") + 6)
      << "BSSY, LDS, FADD, ISETP, BRA, BSYNC";
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
TEST_F(Lowering, callsAsTheAbiHasThem) {
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
  // g's IADD3 and RET; MOV, MOV and CALL; the stack pointer and the return address, before and after; the
  // result is moved to where it is returned.
  EXPECT_EQ(calling, leaf + 2 + 3 + 2 * 3 + 1);
  EXPECT_EQ(count(call + "add.s32 %r2, %r3, %r1;\n"), calling + 3)
      << "the argument is moved, saved and restored";
}

// What a function saves for its callers is pushed where it is entered and popped where it returns; the return
// waits for it.
TEST_F(Lowering, framesAreInLocalMemory) {
  const std::string text =
      ".version 8.0\n.target sm_75\n.address_size 64\n"
      ".func (.param .b32 r) g(.param .b32 a)\n{\n.reg .b32 %r<3>;\nld.param.u32 %r1, [a];\n"
      "st.param.b32 [r], %r1;\nret;\n}\n"
      ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<4>;\n.reg .b64 %rd<3>;\nld.param.u64 %rd1, [p];\n"
      "ld.global.u32 %r1, [%rd1];\n{\n.param .b32 x;\n.param .b32 y;\nst.param.b32 [x], %r1;\n"
      "call.uni (y), f, (x);\nld.param.b32 %r2, [y];\n}\nst.global.u32 [%rd1], %r2;\nret;\n}\n";
  const auto framesOf = [&](const std::string& body_of_f) {
    const std::string f =
        ".func (.param .b32 r) f(.param .b32 a)\n{\n.reg .b32 %r<6>;\n.reg .pred %p<2>;\nld.param.u32 %r1, "
        "[a];\n" +
        body_of_f + "st.param.b32 [r], %r2;\nret;\n}\n";
    const size_t entry = text.find(".visible");
    return lowerText(text.substr(0, entry) + f + text.substr(entry), "frames.ptx",
                     profileOf("h100_sxm.json"));
  };
  const std::string call =
      "{\n.param .b32 x;\n.param .b32 y;\nst.param.b32 [x], %r1;\ncall.uni (y), g, (x);\n"
      "ld.param.b32 %r3, [y];\n}\n";
  const std::vector<Lowered> all = framesOf(call + "add.s32 %r2, %r3, %r1;\n");
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
    for (const Lowered& each : framesOf(body_of_f))
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
  EXPECT_EQ(count("shl.b64 %rd5, %rd3, 2;\nand.b64 %rd6, %rd5, 60;\nadd.s64 %rd7, %rd8, %rd6;\n"
                  "ld.local.u32 %r9, [%rd7];\nmov.u64 %rd9, %rd4;\n"),
            base + 3)
      << "an address in local memory: SHL, LOP3, IADD, LDL; and the address of the variable";
}

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

// As ptxas does: a loop that counts to what is not known is unrolled four times if it is short, one that
// counts to a constant in full.
TEST_F(Lowering, unrollsCountedLoops) {
  const DeviceProfile profile = profileOf("h100_sxm.json");
  struct Loop {
    int always = 0, in_turn = 0;
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
        (op.every == 1 ? found.always : found.in_turn) += op.issues;
        found.branches = found.branches || op.branch;
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
  const Loop known = loop(fma + fma, to_64, "");
  EXPECT_EQ(known.always, 2);
  EXPECT_EQ(known.in_turn, 0);
  EXPECT_FALSE(known.branches);
  EXPECT_EQ(loop("cvt.rn.f32.s32 %f2, %r1;\nadd.f32 %f1, %f1, %f2;\n", to_n, "").in_turn, 2)
      << "the counter itself is needed on each trip";
  const Loop fills = loop("st.global.f32 [%rd2], %f1;\nadd.s64 %rd2, %rd2, 4;\n", to_64, "");
  EXPECT_EQ(fills.always, 1);
  EXPECT_EQ(fills.in_turn, 2) << "what is added to the address, once for all trips";
  EXPECT_EQ(loop("div.rn.f32 %f1, %f1, 0f40400000;\n", to_64, "").in_turn, 0) << "calls a subroutine";
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
