// Marks that are added to PTX: they change no result and no lane's way, and record what hand-written ones do.
#include "kernels/mark/mark.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <string_view>

#include "kernels/device/device.h"
#include "kernels/mark/entry_text.h"
#include "kernels/probe/layout.h"
#include "kernels/sim/ptx/parser.h"
#include "tests/differential/ptxas.h"
#include "tests/support/launch_sweep.h"
#include "tests/support/marked_catalog.h"
#include "tests/support/simulated_program.h"

namespace warpscope::test {
namespace {

TEST(EntryText, HasOneStatementALine) {
  EXPECT_EQ(oneStatementALine(".reg .b32 %r<2>; /* a; b */ mov.u32 %r1, 1; $L: add.u32 %r1, %r1, 1; // x; y\n"
                              "ld.global.L2::cache_hint.u32 {%r1}, [%rd1], %rd2; ret;\n"),
            ".reg .b32 %r<2>;\n   mov.u32 %r1, 1;\n $L:\n add.u32 %r1, %r1, 1; // x; y\n"
            "ld.global.L2::cache_hint.u32 {%r1}, [%rd1], %rd2;\n ret;\n");
  EXPECT_EQ(handMark("\t// warpscope mark: load the tile"), "load the tile");
  EXPECT_FALSE(handMark("\t// begin inline asm"));
}

constexpr const char* kHead = ".version 7.0\n.target sm_80\n.address_size 64\n";

// Each thread writes its lane's parity after a short branch, and sums in a loop.
const std::string kBranches = std::string(kHead) + R"(
.visible .entry branches(.param .u64 out, .param .u32 n)
{
  .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x;
  setp.ge.u32 %p1, %r2, %r1;
  @%p1 ret;
  and.b32 %r3, %r2, 1;
  setp.eq.u32 %p2, %r3, 0;
  @%p2 bra $even;
  add.u32 %r3, %r3, 10;
$even:
  mov.u32 %r4, 0;
$loop:
  add.u32 %r3, %r3, %r4;
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p3, %r4, 5;
  @%p3 bra $loop;
  // warpscope mark: store
  cvta.to.global.u64 %rd2, %rd1;
  mad.wide.u32 %rd3, %r2, 4, %rd2;
  st.global.u32 [%rd3], %r3;
  ret;
}
)";

template <class T>
std::vector<std::byte> argument(const T& value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

const MarkedKernel& only(const Expected<MarkedModule>& marked) {
  EXPECT_TRUE(marked) << (marked ? "" : marked.error().message);
  EXPECT_EQ(marked->kernels.size(), 1U);
  return marked->kernels.front();
}

// A launch whose probe variable says that all of its first blocks are recorded.
class Recorded {
 public:
  explicit Recorded(SimulatedProgram& program) : program_(program) {
    params.headers = room<ProbeWarpHeader>(kWarps);
    params.tails = room<ProbeLaneTail>(kWarps * 32);
    params.records = room<ProbeRecord>(kWarps * 32 * kRecords);
    params.begin_anchors = room<ProbeAnchor>(2);
    params.end_anchors = room<ProbeAnchor>(2);
    params.warps_seen = room<uint32_t>(1);
    params.max_warps = kWarps;
    params.records_per_lane = kRecords;
    params.first_blocks = 8;
    params.anchor_blocks = 1;
    *program.host<ProbeParams>(program.variable(symbolName(kProbeParamsVariable))) = params;
  }
  // Every lane of each recorded warp has left, and the leaders' records begin with the region `start`.
  void expectWhole() const {
    const uint32_t seen = *program_.host<uint32_t>(reinterpret_cast<uint64_t>(params.warps_seen));
    ASSERT_GT(seen, 0U);
    const auto* headers = program_.host<ProbeWarpHeader>(reinterpret_cast<uint64_t>(params.headers), kWarps);
    const auto* tails = program_.host<ProbeLaneTail>(reinterpret_cast<uint64_t>(params.tails), kWarps * 32);
    for (uint32_t slot = 0; slot < std::min(seen, kWarps); ++slot) {
      uint32_t exited = 0;
      for (uint32_t lane = 0; lane < 32; ++lane) exited |= tails[slot * 32 + lane].exit_mask;
      EXPECT_EQ(exited, headers[slot].live_mask) << "slot " << slot;
      EXPECT_GT(tails[slot * 32].written, 0U) << "slot " << slot;
    }
    EXPECT_EQ(program_.host<ProbeAnchor>(reinterpret_cast<uint64_t>(params.begin_anchors))->valid, 1U);
    EXPECT_EQ(program_.host<ProbeAnchor>(reinterpret_cast<uint64_t>(params.end_anchors))->valid, 1U);
  }

  // What the lane recorded as the leader of others.
  std::vector<uint32_t> masksOf(uint32_t slot, uint32_t lane) const {
    const uint32_t log = slot * 32 + lane;
    const auto* tails = program_.host<ProbeLaneTail>(reinterpret_cast<uint64_t>(params.tails), kWarps * 32);
    const auto* records =
        program_.host<ProbeRecord>(reinterpret_cast<uint64_t>(params.records + log * kRecords), kRecords);
    std::vector<uint32_t> masks;
    for (uint32_t i = 0; i < std::min(tails[log].written, kRecords); ++i) masks.push_back(records[i].mask);
    return masks;
  }

  ProbeParams params{};

 private:
  static constexpr uint32_t kWarps = 64, kRecords = 64;
  template <class T>
  T* room(uint64_t count) {
    return reinterpret_cast<T*>(program_.allocate(count * sizeof(T)));
  }
  SimulatedProgram& program_;
};

TEST(Marks, LeaveTheOriginalAsItIsAndAddACopy) {
  const auto marked = markModule(kBranches, "branches.ptx", MarkLevel::kCoarse, "branches.ptx", kBranches);
  const MarkedKernel& kernel = only(marked);
  const auto before = ptx::parseModule(kBranches, "a"), after = ptx::parseModule(marked->ptx, "b");
  ASSERT_TRUE(after) << after.error().message;
  ASSERT_EQ(after->functions.size(), 2U);
  EXPECT_EQ(after->functions[0].name, kernel.entry);
  EXPECT_EQ(after->functions[1].name, kernel.marked_entry);
  EXPECT_EQ(after->functions[0].instructions.size(), before->functions[0].instructions.size());
  EXPECT_EQ(after->functions[1].parameters.size(), 2U);
}

TEST(Marks, ByHandAreTheOnlyOnesAtTheCoarseLevel) {
  const auto coarse = markModule(kBranches, "branches.ptx", MarkLevel::kCoarse, "branches.ptx", kBranches);
  std::vector<std::string> names;
  for (const Region& region : only(coarse).regions) names.push_back(region.name);
  EXPECT_EQ(names, (std::vector<std::string>{"start", "store"}));
  const auto fine = markModule(kBranches, "branches.ptx", MarkLevel::kFine, "branches.ptx", kBranches);
  EXPECT_GT(only(fine).regions.size(), 2U);
}

TEST(Marks, AreNotAddedWhereTheyAreNotWanted) {
  const auto off = markModule(kBranches, "branches.ptx", MarkLevel::kOff, "branches.ptx", kBranches);
  ASSERT_TRUE(off);
  EXPECT_EQ(off->ptx, kBranches);
  EXPECT_TRUE(off->kernels.empty());
  // The side of one instruction would be predicated: no mark in it, and none where the sides join.
  const auto fine = markModule(kBranches, "branches.ptx", MarkLevel::kFine, "branches.ptx", kBranches);
  for (const Region& region : only(fine).regions)
    EXPECT_EQ(region.name.find("joined"), std::string::npos) << region.name;
}

TEST(Marks, OfWhatIsNoPtxAreAnErrorWithItsLine) {
  const auto wrong = markModule(std::string(kHead) + ".visible .entry k() { nonsense %r1; }", "bad.ptx",
                                MarkLevel::kCoarse, "bad.ptx", "");
  if (wrong) {
    EXPECT_EQ(wrong->kernels.size(), 1U);
  } else {
    EXPECT_NE(wrong.error().message.find("bad.ptx:4"), std::string::npos) << wrong.error().message;
  }
  EXPECT_FALSE(markModule("hello", "bad.ptx", MarkLevel::kCoarse, "bad.ptx", ""));
}

// Each stays as it is, and says why it is not marked.
TEST(Marks, AreNotAddedToWhatCannotHaveThem) {
  const auto again = markModule(kBranches, "a.ptx", MarkLevel::kCoarse, "a.ptx", kBranches);
  ASSERT_TRUE(again);
  std::string old = kBranches, full = kBranches;
  old.replace(old.find("7.0"), 3, "6.1");
  full.insert(full.find(".visible"), ".const .align 4 .b8 table[65500];\n");
  for (const auto& [text, word] : {std::pair{again->ptx, "marked already"}, std::pair{old, "version 6.1"},
                                   std::pair{full, "constant memory"}}) {
    const auto marked = markModule(text, "a.ptx", MarkLevel::kCoarse, "a.ptx", text);
    ASSERT_TRUE(marked) << marked.error().message;
    EXPECT_EQ(marked->ptx, text);
    for (const MarkedKernel& kernel : marked->kernels) {
      EXPECT_TRUE(kernel.marked_entry.empty());
      ASSERT_EQ(kernel.notes.size(), 1U);
      EXPECT_NE(kernel.notes[0].find(word), std::string::npos) << kernel.notes[0];
    }
  }
}

// A kernel that begins with a loop, ends with a label, and whose name is part of its head.
TEST(Marks, BeginOnceAndEndAtTheEnd) {
  const std::string text = std::string(kHead) + R"(
.visible .entry
e(.param .u64 e_param_0)
{
  .reg .pred %p; .reg .b32 %r; .reg .b64 %rd;
$again:
  activemask.b32 %r;
  setp.eq.u32 %p, %r, 0;
  @%p bra $again;
  bra $end;
$end:
}
)";
  const auto marked = markModule(text, "e.ptx", MarkLevel::kCoarse, "e.ptx", text);
  const MarkedKernel& kernel = only(marked);
  ASSERT_EQ(kernel.marked_entry, "e_warpscope_marked") << testing::PrintToString(kernel.notes);
  SimulatedProgram program(marked->ptx, "e");
  const Recorded recorded(program);
  const auto result = program.run(kernel.marked_entry, {1, 1, 1}, {64, 1, 1}, {argument(uint64_t{0})});
  ASSERT_TRUE(result) << result.error().message;
  recorded.expectWhole();
  EXPECT_EQ(recorded.masksOf(0, 0), std::vector<uint32_t>{0xFFFFFFFFU});
}

TEST(Marks, StopAtTheLastRegionThatRecordsCanName) {
  std::string text = std::string(kHead) + ".visible .entry many(.param .u64 out)\n{\n.reg .b32 %r<2>;\n";
  for (int i = 0; i < 300; ++i)
    text += "// warpscope mark: part " + std::to_string(i) + "\nmov.u32 %r1, 1;\n";
  text += "ret;\n}\n";
  const auto marked = markModule(text, "many.ptx", MarkLevel::kCoarse, "many.ptx", text);
  const MarkedKernel& kernel = only(marked);
  ASSERT_EQ(kernel.regions.size(), kProbeExitRegion) << testing::PrintToString(kernel.notes);
  EXPECT_EQ(kernel.regions.back().name, "part 253");
  EXPECT_EQ(kernel.notes, std::vector<std::string>{"only its first 255 regions are marked"});
  EXPECT_TRUE(ptx::parseModule(marked->ptx, "many"));
}

TEST(Marks, StayOutsideOfCallSequences) {
  const std::string text = std::string(kHead) + R"(
.file 1 "calls.cu"
.func (.param .b32 result) twice(.param .b32 a)
{
  .reg .b32 %r<3>;
  ld.param.u32 %r1, [a];
  add.u32 %r2, %r1, %r1;
  st.param.b32 [result], %r2;
  ret;
}
.visible .entry calls(.param .u64 out)
{
  .reg .b32 %r<20>; .reg .b64 %rd<4>;
  .loc 1 1 1
  ld.param.u64 %rd1, [out];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, %tid.x;
)" + [] {
    std::string long_block;
    for (int i = 2; i < 20; ++i) long_block += "  add.u32 %r" + std::to_string(i) + ", %r1, 3;\n";
    return long_block;
  }() + R"(
  { // callseq 0, 0
  .param .b32 p0;
  st.param.b32 [p0], %r19;
  .param .b32 r0;
  .loc 1 2 1
  call.uni (r0), twice, (p0);
  .loc 1 3 1
  ld.param.b32 %r2, [r0];
  }
  mad.wide.u32 %rd3, %r1, 4, %rd2;
  st.global.u32 [%rd3], %r2;
  ret;
}
)";
  const auto marked = markModule(text, "calls.ptx", MarkLevel::kFine, "calls.cu", "a\nb\nc\n");
  const MarkedKernel& kernel = only(marked);
  EXPECT_EQ(kernel.notes, std::vector<std::string>{"the functions that it calls are not marked"});
  ASSERT_EQ(kernel.regions.size(), 2U);
  EXPECT_EQ(kernel.regions[1].name, "2: b");
  const std::string copy = marked->ptx.substr(marked->ptx.find(kernel.marked_entry));
  EXPECT_LT(copy.rfind("activemask", copy.find("callseq")), copy.find("callseq"));
  const std::string sequence =
      copy.substr(copy.find("callseq"), copy.find("ld.param.b32") - copy.find("callseq"));
  EXPECT_EQ(sequence.find("activemask"), std::string::npos) << sequence;
  if (hasPtxas()) {
    EXPECT_EQ(ptxasErrors(marked->ptx), "");
  }
}

// What a GPU's driver is given.
TEST(Marks, AreAcceptedByNvidiasAssembler) {
  if (!hasPtxas()) GTEST_SKIP() << "there is no " << kPtxas;
  // Those with the most control flow; at the coarse level a module has fewer marks of the same kinds.
  for (const char* name : {"barriers", "boundary", "divergence", "reduction_across", "warp_primitives"}) {
    const ModuleImage module = findModule(name).value();
    const auto marked = markModule(module.ptx, name, MarkLevel::kFine, std::string(name) + ".cu",
                                   findKernelSource(name).value_or(""));
    ASSERT_TRUE(marked) << marked.error().message;
    for (const MarkedKernel& kernel : marked->kernels) EXPECT_FALSE(kernel.marked_entry.empty()) << name;
    EXPECT_EQ(ptxasErrors(marked->ptx), "") << name;
  }
}

TEST(Marks, RecordNothingUnlessTheyAreAskedTo) {
  const auto marked = markModule(kBranches, "branches.ptx", MarkLevel::kFine, "branches.ptx", kBranches);
  SimulatedProgram program(marked->ptx, "branches");
  const uint64_t out = program.allocate(64 * 4);
  const std::vector<std::vector<std::byte>> arguments{argument(out), argument(uint32_t{50})};
  for (const std::string& entry : {only(marked).entry, only(marked).marked_entry}) {
    std::memset(program.host<uint32_t>(out, 64), 0xFF, 64 * 4);
    const auto result = program.run(entry, {1, 1, 1}, {64, 1, 1}, arguments);
    ASSERT_TRUE(result) << result.error().message;
    for (uint32_t i = 0; i < 64; ++i) {
      EXPECT_EQ(program.host<uint32_t>(out, 64)[i], i < 50 ? i % 2 * 11 + 10 : ~0U) << entry << ' ' << i;
    }
  }
}

struct Variant {
  const Experiment* experiment = nullptr;
  std::string name;
};
void PrintTo(const Variant& variant, std::ostream* out) {
  *out << variant.experiment->info().name << ' ' << variant.name;
}

// The branch around one instruction, which the odd lanes execute, takes no lanes apart.
TEST(Marks, OfShortBranchesSeeAllLanes) {
  std::string text = kBranches;
  text.erase(text.find("  // warpscope mark: store\n"), std::string("  // warpscope mark: store\n").size());
  for (const MarkLevel level : {MarkLevel::kCoarse, MarkLevel::kFine}) {
    const auto marked = markModule(text, "branches.ptx", level, "branches.ptx", text);
    SimulatedProgram program(marked->ptx, "branches");
    const Recorded recorded(program);
    const auto result = program.run(only(marked).marked_entry, {1, 1, 1}, {64, 1, 1},
                                    {argument(program.allocate(64 * 4)), argument(uint32_t{64})});
    ASSERT_TRUE(result) << result.error().message;
    recorded.expectWhole();
    for (uint32_t slot = 0; slot < 2; ++slot) {
      EXPECT_EQ(recorded.masksOf(slot, 0).size(), 2U) << "start, the loop";
      for (const uint32_t mask : recorded.masksOf(slot, 0)) EXPECT_EQ(mask, 0xFFFFFFFFU);
      for (uint32_t lane = 1; lane < 32; ++lane) EXPECT_TRUE(recorded.masksOf(slot, lane).empty()) << lane;
    }
  }
}

// All variants, and those that are not broken on purpose.
class MarkedCatalog : public testing::TestWithParam<Variant> {};
class MarkedResults : public testing::TestWithParam<Variant> {};

TEST_P(MarkedResults, AreTheSame) {
  const FamilyInfo& family = GetParam().experiment->info();
  RunRequest request{.family = family.name, .variant = GetParam().name};
  request.parameters = launchOf(family, GetParam().name, 3001);
  const DeviceDescription device{.limits = {.compute_capability = {9, 0},
                                            .sm_count = 4,
                                            .max_threads_per_block = 1024,
                                            .max_threads_per_sm = 2048,
                                            .max_blocks_per_sm = 32,
                                            .registers_per_sm = 65536,
                                            .registers_per_block = 65536,
                                            .shared_bytes_per_sm = 233472,
                                            .shared_bytes_per_block = 49152,
                                            .shared_bytes_per_block_opt_in = 232448}};
  const auto complete = completeRequest(family, request, DeviceKind::kSimulated);
  ASSERT_TRUE(complete) << complete.error().message;
  auto plan = GetParam().experiment->plan(*complete, device.limits);
  ASSERT_TRUE(plan) << plan.error().message;
  SimulatedPlan bare(*plan, ProbeKind::kBare, Bytes(1));
  const auto expected = bare.run();
  ASSERT_TRUE(expected) << expected.error().message;
  for (const MarkLevel level : {MarkLevel::kCoarse, MarkLevel::kFine}) {
    SCOPED_TRACE(markLevelName(level));
    LaunchPlan changed = markedPlan(*plan, level);
    changed.arguments.erase(changed.arguments.begin());  // SimulatedPlan passes it
    for (FollowingLaunch& next : changed.following) next.arguments.erase(next.arguments.begin());
    SimulatedPlan marked(changed, ProbeKind::kProbed, Bytes(1));
    const Recorded recorded(marked.program());
    const auto result = marked.run();
    ASSERT_TRUE(result) << result.error().message;
    recorded.expectWhole();
    if (!plan->order_is_free) {
      EXPECT_EQ(marked.outputs(), bare.outputs());
      continue;
    }
    std::vector<std::span<const std::byte>> outputs;
    const auto contents = marked.outputs();
    outputs.assign(contents.begin(), contents.end());
    EXPECT_TRUE(plan->verify(outputs).passed) << plan->verify(outputs).detail;
  }
}

Executor& simulated(MarkLevel level) {
  static const OpenedBackend kDevice = openBackend("sim:h100").value();
  static Executor by_hand(kDevice), coarse(kDevice, markedKernels(MarkLevel::kCoarse)),
      fine(kDevice, markedKernels(MarkLevel::kFine));
  return level == MarkLevel::kOff ? by_hand : level == MarkLevel::kCoarse ? coarse : fine;
}

TEST_P(MarkedCatalog, RecordsTheMasksOfHandWrittenMarks) {
  const FamilyInfo& family = GetParam().experiment->info();
  RunRequest request{.family = family.name, .variant = GetParam().name, .warm_ups = 0, .repeats = 1};
  request.parameters = launchOf(family, GetParam().name, 3001);
  const auto complete = completeRequest(family, request, DeviceKind::kSimulated);
  ASSERT_TRUE(complete) << complete.error().message;
  const auto by_hand = simulated(MarkLevel::kOff).run(*complete, {}, {});
  ASSERT_TRUE(by_hand) << by_hand.error().message;
  if (by_hand->streams) GTEST_SKIP() << "launches would share the variable that says where to record";
  // Which block draws the last ticket depends on what marks cost, on a real GPU, too.
  const std::string_view of_any_block = GetParam().name == "last_block" ? "last block" : "";
  for (const MarkLevel level : {MarkLevel::kCoarse, MarkLevel::kFine}) {
    const auto automatic = simulated(level).run(*complete, {}, {});
    ASSERT_TRUE(automatic) << automatic.error().message;
    for (const auto& [region, text] : matchMasks(*by_hand, *automatic, of_any_block).differences)
      ADD_FAILURE() << markLevelName(level) << ": " << text;
  }
}

// The comparison above finds what it is to compare.
TEST(MarkedPlaces, AreWhereTheSourceHasMarks) {
  const Experiment* experiment = *findExperiment("divergence");
  RunRequest request{.family = "divergence", .variant = "even_odd", .warm_ups = 0, .repeats = 1};
  request = completeRequest(experiment->info(), request, DeviceKind::kSimulated).value();
  const auto by_hand = simulated(MarkLevel::kOff).run(request, {}, {});
  const auto automatic = simulated(MarkLevel::kCoarse).run(request, {}, {});
  ASSERT_TRUE(by_hand && automatic);
  EXPECT_EQ(matchMasks(*by_hand, *automatic).places, 3U) << "start, even path, odd path";
  std::set<uint32_t> masks;
  for (const TraceEvent& event : automatic->trace.events) masks.insert(event.mask.bits);
  EXPECT_EQ(masks, (std::set<uint32_t>{0x55555555U, 0xAAAAAAAAU, 0xFFFFFFFFU}));
  EXPECT_EQ(automatic->trace.dropped_events, 0U);
}

std::vector<Variant> allMarkedVariants() {
  std::vector<Variant> all;
  for (const Experiment* experiment : allExperiments()) {
    for (const VariantInfo& variant : experiment->info().variants) all.push_back({experiment, variant.name});
  }
  return all;
}

std::vector<Variant> correctVariants() {
  std::vector<Variant> correct = allMarkedVariants();
  std::erase_if(correct, [](const Variant& variant) {
    return variantInfo(variant.experiment->info(), variant.name)->planted.has_value();
  });
  return correct;
}

std::string nameOf(const testing::TestParamInfo<Variant>& info) {
  return info.param.experiment->info().name + "_" + info.param.name;
}
INSTANTIATE_TEST_SUITE_P(Of, MarkedCatalog, testing::ValuesIn(allMarkedVariants()), nameOf);
INSTANTIATE_TEST_SUITE_P(Of, MarkedResults, testing::ValuesIn(correctVariants()), nameOf);

}  // namespace
}  // namespace warpscope::test
