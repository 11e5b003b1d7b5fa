// Deliberately broken kernels (tests/support/broken_kernels.cu) each give exactly the right report; correct
// ones that look similar give none.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <variant>

#include "kernels/core/json.h"
#include "kernels/sim/ptx/parser.h"
#include "kernels/sim/simt/checks/race_check.h"
#include "kernels/sim/simt/checks/run_checked.h"
#include "kernels/sim/simt/decode.h"

namespace warpscope::sim {
namespace {

const std::string kSource = "tests/support/broken_kernels.cu";

std::string readText(const std::string& path) {
  std::ifstream file(std::string(WARPSCOPE_SOURCE_FOLDER) + "/" + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The line that ends with "HERE name".
uint32_t lineOf(const std::string& name) {
  std::istringstream text(readText(kSource));
  std::string line;
  for (uint32_t number = 1; std::getline(text, line); ++number) {
    if (line.ends_with("HERE " + name)) return number;
  }
  ADD_FAILURE() << "no line is marked " << name;
  return 0;
}

// A device with one module, whose memory is tracked as a backend does it.
class SimChecks : public testing::Test {
 protected:
  void SetUp() override {
    memory_ = std::move(GlobalMemory::create(uint64_t{64} << 20).value());
    auto module = ptx::parseModule(readText("tests/support/broken_kernels.ptx"), "broken_kernels.ptx");
    ASSERT_TRUE(module) << module.error().message;
    auto loaded = loadModule(std::make_shared<const ptx::Module>(std::move(*module)), *memory_);
    ASSERT_TRUE(loaded) << loaded.error().message;
    module_ = std::move(*loaded);
  }

  uint64_t unwritten(uint64_t bytes) {
    const uint64_t address = memory_->allocate(bytes, "buffer " + std::to_string(++buffers_)).value();
    written_.allocated(address, bytes);
    std::memset(memory_->at(address, bytes), 0, bytes);
    return address;
  }
  uint64_t zeros(uint64_t bytes) {
    const uint64_t address = unwritten(bytes);
    written_.written(address, bytes);
    return address;
  }
  uint64_t floats(uint32_t count) {
    const uint64_t address = zeros(uint64_t{count} * 4);
    for (uint32_t i = 0; i < count; ++i) {
      const auto value = static_cast<float>(i + 1);
      std::memcpy(memory_->at(address + uint64_t{i} * 4, 4), &value, 4);
    }
    return address;
  }
  template <class T>
  T value(uint64_t address) {
    T result;
    std::memcpy(&result, memory_->at(address, sizeof result), sizeof result);
    return result;
  }

  using Argument = std::variant<uint32_t, uint64_t>;
  CheckReport run(const std::string& kernel, uint32_t grid, uint32_t block, std::vector<Argument> arguments,
                  uint32_t dynamic_shared = 0, uint64_t step_limit = 2'000'000) {
    auto code = decodeKernel(module_, kernel);
    if (!code) {
      ADD_FAILURE() << code.error().message;
      return {};
    }
    Launch launch;
    launch.code = code->get();
    launch.memory = memory_.get();
    launch.grid = {grid, 1, 1};
    launch.block = {block, 1, 1};
    launch.dynamic_shared_bytes = dynamic_shared;
    launch.sm_count = 8;
    launch.parameters.resize((*code)->parameter_bytes);
    for (size_t i = 0; i < arguments.size(); ++i) {
      std::visit(
          [&](auto argument) {
            std::memcpy(launch.parameters.data() + (*code)->parameters[i].offset, &argument, sizeof argument);
          },
          arguments[i]);
    }
    CheckOptions options;
    options.step_limit = step_limit;
    options.touched = touched_;
    auto report = runChecked(launch, written_, options, {});
    if (!report) {
      ADD_FAILURE() << report.error().message;
      return {};
    }
    return std::move(*report);
  }

  // The single hazard of a report; if there is another number of them, their texts are shown.
  static Hazard only(const CheckReport& report) {
    std::string all;
    for (const Hazard& hazard : report.hazards) all += formatHazard(hazard);
    EXPECT_EQ(report.hazards.size(), 1U) << all;
    return report.hazards.empty() ? Hazard{} : report.hazards.front();
  }
  static void expectNone(const CheckReport& report) {
    EXPECT_TRUE(report.finished);
    for (const Hazard& hazard : report.hazards) ADD_FAILURE() << formatHazard(hazard);
  }
  static void expectAt(const Hazard& hazard, HazardKind kind, const std::string& mark) {
    EXPECT_EQ(hazard.kind, kind) << formatHazard(hazard);
    EXPECT_EQ(hazard.access.source_file, kSource) << formatHazard(hazard);
    EXPECT_EQ(hazard.access.line, lineOf(mark)) << formatHazard(hazard);
    EXPECT_FALSE(hazard.message.empty());
  }

  std::unique_ptr<GlobalMemory> memory_;
  WrittenMemory written_;
  LoadedModule module_;
  uint32_t buffers_ = 0;
  TouchedMemory* touched_ = nullptr;  // what launches touch is added to it
};

TEST_F(SimChecks, MissingBarrierInReduction) {
  const Hazard hazard = only(run("missing_barrier", 2, 256, {floats(512), zeros(8)}));
  expectAt(hazard, HazardKind::kRace, "missing_barrier");
  ASSERT_TRUE(hazard.second);
  EXPECT_EQ(hazard.second->line, lineOf("missing_barrier"));
  EXPECT_NE(hazard.access.thread, hazard.second->thread);
  EXPECT_EQ(hazard.access.block, hazard.second->block);
  EXPECT_EQ(hazard.space, "shared");
  EXPECT_EQ(hazard.allocation, "shared memory (1,024 bytes)");
  EXPECT_TRUE(hazard.access.ptx.find("shared") != std::string::npos) << hazard.access.ptx;
}

TEST_F(SimChecks, EarlyReaderIsARaceNotAnUnwrittenRead) {
  const Hazard hazard = only(run("early_reader", 1, 256, {floats(256), zeros(1024)}));
  EXPECT_EQ(hazard.kind, HazardKind::kRace) << formatHazard(hazard);
  ASSERT_TRUE(hazard.second);
  EXPECT_EQ(std::max(hazard.access.line, hazard.second->line), lineOf("early_reader"));
}

TEST_F(SimChecks, RightReductionsGiveNothing) {
  const uint64_t out = zeros(8);
  expectNone(run("with_barrier", 2, 256, {floats(512), out}));
  EXPECT_EQ(value<float>(out), 256.0F * 257.0F / 2.0F);
  expectNone(run("last_warp_synced", 1, 32, {floats(64), out}));
  EXPECT_EQ(value<float>(out), 64.0F * 65.0F / 2.0F);
}

TEST_F(SimChecks, BarrierUnderDivergence) {
  const Hazard hazard = only(run("divergent_barrier", 1, 64, {floats(64), zeros(256)}));
  expectAt(hazard, HazardKind::kDivergentBarrier, "divergent_barrier");
}

TEST_F(SimChecks, ThreadsMayLeaveEarly) {
  expectNone(run("early_exit", 1, 64, {floats(64), zeros(256), uint32_t{40}}));
}

TEST_F(SimChecks, OutOfBounds) {
  const Hazard read = only(run("read_past_end", 4, 256, {floats(1024), zeros(4096)}));
  expectAt(read, HazardKind::kOutOfBounds, "read_past_end");
  EXPECT_EQ(read.allocation, "buffer 1 (4,096 bytes)");
  EXPECT_EQ(read.offset, 4096);
  EXPECT_EQ(read.count, 1U);
  EXPECT_EQ(read.access.thread.x, 255U);
  EXPECT_EQ(read.access.block.x, 3U);
  EXPECT_TRUE(read.message.find("4 bytes past the end of buffer 1") != std::string::npos) << read.message;

  const Hazard write = only(run("write_past_end", 2, 64, {zeros(256), uint32_t{64}}));
  expectAt(write, HazardKind::kOutOfBounds, "write_past_end");
  EXPECT_EQ(write.access.action, "write");

  const Hazard shared = only(run("shared_past_end", 1, 64, {zeros(256)}, 256));
  expectAt(shared, HazardKind::kOutOfBounds, "shared_past_end");
  EXPECT_EQ(shared.space, "shared");
  EXPECT_EQ(shared.offset, 256);
}

TEST_F(SimChecks, Misaligned) {
  const Hazard hazard = only(run("misaligned", 1, 4, {floats(64), zeros(256)}));
  expectAt(hazard, HazardKind::kMisaligned, "misaligned");
  EXPECT_EQ(hazard.count, 4U);
}

TEST_F(SimChecks, UnwrittenMemory) {
  const Hazard shared = only(run("unwritten_shared", 1, 64, {zeros(256)}));
  expectAt(shared, HazardKind::kUninitialized, "unwritten_shared");
  EXPECT_EQ(shared.access.thread.x, 1U);
  EXPECT_EQ(shared.count, 32U);
  const Hazard global =
      only(run("unwritten_global", 1, 64, {unwritten(256), unwritten(256), unwritten(256)}));
  expectAt(global, HazardKind::kUninitialized, "unwritten_global");
  EXPECT_EQ(global.count, 64U);
}

TEST_F(SimChecks, KernelsWriteForLaterLaunches) {
  const uint64_t between = unwritten(256);
  expectNone(run("copy_values", 1, 64, {floats(64), between}));
  expectNone(run("copy_values", 1, 64, {between, zeros(256)}));
}

TEST_F(SimChecks, UseAfterFree) {
  const uint64_t in = floats(64), out = zeros(256);
  ASSERT_TRUE(memory_->free(in));
  written_.freed(in);
  const Hazard hazard = only(run("copy_values", 1, 64, {in, out}));
  expectAt(hazard, HazardKind::kUseAfterFree, "copy_values");
  EXPECT_EQ(hazard.allocation, "buffer 1 (256 bytes)");
}

TEST_F(SimChecks, MissingSyncwarpInLastWarp) {
  const Hazard hazard = only(run("last_warp_volatile", 1, 32, {floats(64), zeros(4)}));
  EXPECT_EQ(hazard.kind, HazardKind::kRace);
  ASSERT_TRUE(hazard.second);
  EXPECT_EQ(hazard.access.warp, hazard.second->warp);
  EXPECT_TRUE(hazard.message.find("__syncwarp()") != std::string::npos) << hazard.message;
  const uint32_t line = lineOf("last_warp_volatile");
  EXPECT_TRUE(hazard.access.line == line || hazard.second->line == line) << formatHazard(hazard);
}

TEST_F(SimChecks, RaceBetweenBlocks) {
  const Hazard hazard = only(run("block_race", 2, 32, {zeros(4)}));
  expectAt(hazard, HazardKind::kRace, "block_race");
  ASSERT_TRUE(hazard.second);
  EXPECT_NE(hazard.access.block, hazard.second->block);
  EXPECT_EQ(hazard.allocation, "buffer 1 (4 bytes)");

  const Hazard fence = only(run("missing_fence", 2, 32, {zeros(4), zeros(4), zeros(4)}));
  expectAt(fence, HazardKind::kRace, "missing_fence_read");
  EXPECT_EQ(fence.second->line, lineOf("missing_fence_write"));
}

TEST_F(SimChecks, BlocksOrderedByAtomics) {
  expectNone(run("with_fence", 2, 32, {zeros(4), zeros(4), zeros(4)}));
  const uint64_t out = zeros(4);
  expectNone(run("last_block", 40, 128, {floats(40 * 128), unwritten(160), zeros(4), out}));
  EXPECT_EQ(value<float>(out), [] {
    float sum = 0;
    for (int i = 1; i <= 40 * 128; ++i) sum += static_cast<float>(i);
    return sum;
  }());
  expectNone(run("grid_barrier", 12, 64, {unwritten(12 * 256), zeros(4), unwritten(12 * 256)}));
}

TEST_F(SimChecks, OrderedSharedMemory) {
  expectNone(run("double_buffer", 2, 128, {floats(128 * 5), zeros(512), uint32_t{5}}));
  expectNone(run("producer_consumer", 1, 128, {floats(64), zeros(256)}));
  expectNone(run("same_flag", 1, 128, {floats(128), zeros(4)}));
  expectNone(run("shared_histogram", 4, 128, {floats(128), zeros(128)}));
}

TEST_F(SimChecks, PlainReadBesideAtomics) {
  const Hazard hazard = only(run("histogram_read_early", 1, 128, {floats(128), zeros(128)}));
  EXPECT_EQ(hazard.kind, HazardKind::kRace);
  ASSERT_TRUE(hazard.second);
  const auto lines = std::minmax(hazard.access.line, hazard.second->line);
  EXPECT_EQ(lines.first, lineOf("histogram_read_early_atomic"));
  EXPECT_EQ(lines.second, lineOf("histogram_read_early"));
}

TEST_F(SimChecks, LoopsThatDoNotEnd) {
  const Hazard endless = only(run("endless_loop", 1, 32, {zeros(4), uint32_t{1023}}));
  EXPECT_EQ(endless.kind, HazardKind::kEndlessLoop) << formatHazard(endless);
  const uint32_t line = lineOf("endless_loop");
  EXPECT_TRUE(endless.access.line == line || endless.access.line == line - 1) << formatHazard(endless);

  const CheckReport report = run("counting_loop", 1, 32, {zeros(8), ~uint64_t{0} >> 1}, 0, 20'000);
  const Hazard counting = only(report);
  EXPECT_EQ(counting.kind, HazardKind::kStepLimit) << formatHazard(counting);
  EXPECT_FALSE(report.finished);
  const uint32_t counting_line = lineOf("counting_loop");
  EXPECT_TRUE(counting.access.line == counting_line || counting.access.line == counting_line - 1);

  const Hazard spin = only(run("spin_deadlock", 2, 32, {zeros(4), zeros(4)}));
  expectAt(spin, HazardKind::kDeadlock, "spin_deadlock");
}

TEST(Knowledge, JoinsKeepTheLatestClocksAndShare) {
  Knowledge all;
  for (uint32_t block : {7U, 0U, 4096U, 7U}) {
    all = join(all, Knowledge(block, {block + 1, {{3, block + 9}}}));
  }
  ASSERT_NE(all.of(4096), nullptr);
  EXPECT_EQ(all.of(4096)->clockOf(3), 4105U);
  EXPECT_EQ(all.of(4096)->clockOf(4), 4097U);
  EXPECT_EQ(all.of(5), nullptr);
  EXPECT_TRUE(join(all, Knowledge(7, {2, {}})).same(all));
  EXPECT_EQ(all.without(7).of(7), nullptr);
  EXPECT_NE(all.without(7).of(0), nullptr);
}

// A record of lane 0 of warp `warp` of block 0.
CheckedAccess accessOf(uint32_t warp, bool writes, uint32_t bytes, const uint64_t* addresses) {
  CheckedAccess access;
  access.record.mask = 1;
  access.record.warp = warp & 31U;
  access.record.writes = writes ? 1 : 0;
  access.addresses = addresses;
  access.bytes = bytes;
  return access;
}

TEST(RaceCheck, BytesOfAWordAreDifferentPlaces) {
  BlockClocks clocks(64);
  ShadowMemory shadow;
  uint64_t first[32] = {8}, second[32] = {9}, word[32] = {8};
  remember(shadow, clocks, accessOf(0, true, 1, first), 0);
  EXPECT_FALSE(findRace(shadow, clocks, accessOf(1, true, 1, second), 0));
  EXPECT_TRUE(findRace(shadow, clocks, accessOf(1, false, 4, word), 0));
  clocks.wholeBarrier();
  EXPECT_FALSE(findRace(shadow, clocks, accessOf(1, false, 4, word), 0));
}

// Warps that wait ask again and again. What is remembered of them is one record a warp, so that an access
// that nothing orders is found behind any number of questions.
TEST(RaceCheck, ManyQuestionsHideNoRace) {
  BlockClocks clocks(1024);
  ShadowMemory shadow;
  const uint64_t same[32] = {64};
  const auto with = [&](uint32_t warp, Strength strength, bool writes) {
    CheckedAccess access = accessOf(warp, writes, 4, same);
    access.record.strength = static_cast<uint32_t>(strength) & 7U;
    return access;
  };
  remember(shadow, clocks, with(0, Strength::kBlock, false), 0);
  remember(shadow, clocks, with(31, Strength::kPlain, false), 0);
  for (uint32_t turn = 0; turn < 100; ++turn) {
    for (uint32_t warp = 0; warp < 30; ++warp)
      remember(shadow, clocks, with(warp, Strength::kBlock, false), 0);
  }
  size_t records = 0;
  shadow.forCells(64, 4,
                  [&](const Cell& cell) { cell.forAccesses([&](const AccessRecord&) { ++records; }); });
  EXPECT_EQ(records, 31U);
  const auto race = findRace(shadow, clocks, with(30, Strength::kBlock, true), 0);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->earlier.warp, 31U);
}

TEST(RaceCheck, WarpBarriersOrderTheirLanesOnly) {
  BlockClocks clocks(32);
  ShadowMemory shadow;
  uint64_t same[32] = {};
  CheckedAccess access = accessOf(0, true, 4, same);
  remember(shadow, clocks, access, 0);
  clocks.warpBarrier(0, 0x3);
  EXPECT_FALSE(findRace(shadow, clocks, access, 1));
  EXPECT_TRUE(findRace(shadow, clocks, access, 2));
}

TEST(WrittenMemory, CopiesCarryHoles) {
  WrittenMemory memory;
  memory.allocated(256, 100);
  memory.allocated(512, 100);
  memory.written(256, 40);
  memory.copied(512, 256, 50);
  EXPECT_FALSE(memory.firstUnwritten(512, 40));
  EXPECT_EQ(memory.firstUnwritten(512, 50), 552U);
  EXPECT_FALSE(memory.firstUnwritten(4096, 4));  // memory that is not tracked
  memory.copied(515, 256 + 30, 20);
  EXPECT_FALSE(memory.firstUnwritten(515, 10));
  EXPECT_EQ(memory.firstUnwritten(515, 20), 525U);
  memory.copied(512, 256 + 1, 40);  // the last one from a hole
  EXPECT_EQ(memory.firstUnwritten(512, 40), 551U);
}

TEST(HazardForms, JsonHasWhatIsKnownOnly) {
  Hazard hazard;
  hazard.kind = HazardKind::kDeadlock;
  hazard.kernel = "k";
  hazard.message = "m";
  const Json json = toJson(hazard);
  EXPECT_EQ(json.at("kind"), "deadlock");
  EXPECT_EQ(json.at("count"), 1);
  EXPECT_FALSE(json.contains("allocation")) << json;
  EXPECT_FALSE(json.contains("source_file")) << json;
}

// The bytes from `address` on that another operation would race for by doing this; 0: none.
uint64_t racedFor(const TouchedMemory& touched, TouchedMemory::Touch touch, uint64_t address,
                  uint64_t bytes) {
  TouchedMemory other;
  other.add(touch, address, bytes);
  const auto found = TouchedMemory::conflict(touched, other);
  return found && found->address == address ? found->bytes : 0;
}

TEST_F(SimChecks, WhatALaunchTouchesIsNotedAtItsLine) {
  using enum TouchedMemory::Touch;
  TouchedMemory touched;
  touched_ = &touched;
  const uint64_t in = floats(512), out = zeros(4096);
  expectNone(run("copy_values", 2, 128, {in, out}));
  EXPECT_EQ(racedFor(touched, kWrite, in, 2048), 1024U) << "of 256 threads";
  EXPECT_EQ(racedFor(touched, kRead, in, 2048), 0U) << "it reads only";
  EXPECT_EQ(racedFor(touched, kRead, out, 2048), 1024U);
  EXPECT_EQ(racedFor(touched, kWrite, out + 1024, 4), 0U);
  TouchedMemory copy;
  copy.add(kWrite, in, 2048);
  const auto found = TouchedMemory::conflict(touched, copy);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->first.action, "read");
  EXPECT_EQ(found->first.source_file, kSource);
  EXPECT_EQ(found->first.line, lineOf("copy_values"));
}

TEST_F(SimChecks, AtomicsOfALaunchMayMeetOthers) {
  using enum TouchedMemory::Touch;
  TouchedMemory touched;
  touched_ = &touched;
  const uint64_t in = zeros(256 * 4), out = zeros(32 * 4);
  expectNone(run("shared_histogram", 1, 256, {in, out}));
  EXPECT_EQ(racedFor(touched, kStrongWrite, out, 128), 0U);
  EXPECT_EQ(racedFor(touched, kRead, out, 128), 128U);
  EXPECT_EQ(racedFor(touched, kWrite, out, 128), 128U);
  EXPECT_EQ(racedFor(touched, kStrongWrite, in, 1024), 1024U) << "read plainly";
}

TEST_F(SimChecks, HazardsComeBackFromJson) {
  const Hazard race = only(run("missing_barrier", 2, 256, {floats(512), zeros(8)}));
  const Hazard outside = only(run("read_past_end", 4, 256, {floats(1024), zeros(4096)}));
  for (const Hazard& hazard : {race, outside}) {
    const auto back = hazardFromJson(toJson(hazard));
    ASSERT_TRUE(back.has_value()) << back.error().message;
    EXPECT_EQ(formatHazard(*back), formatHazard(hazard));
    EXPECT_EQ(toJson(*back), toJson(hazard));
    Json damaged = toJson(hazard);
    damaged["thread"] = {1, 2};
    EXPECT_FALSE(hazardFromJson(damaged).has_value());
    damaged = toJson(hazard);
    damaged["kind"] = "boredom";
    EXPECT_FALSE(hazardFromJson(damaged).has_value());
  }
}

}  // namespace
}  // namespace warpscope::sim
