// The values of registers and shared memory at any time of a simulated launch: states from the log against
// those of a launch that is made anew and looked at there.
#include "kernels/run/value_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <string>

#include "kernels/device/device.h"
#include "kernels/device/value_recorder.h"
#include "kernels/experiments/experiment.h"

namespace warpscope {
namespace {

constexpr const char* kDevice = "sim:h100";

Device& device() {
  static const auto kOpened = openDevice(kDevice, {});
  return **kOpened;
}

Expected<Run> runOf(const std::string& family, const std::string& variant, ParameterValues parameters = {}) {
  return device().run(
      {.family = family, .variant = variant, .parameters = std::move(parameters), .repeats = 1},
      [](const Progress&) {}, {});
}

uint64_t stepsIn(const ValueLog& log) {
  uint64_t sum = 0;
  for (const WarpValues& warp : log.warps) sum += warp.steps.size();
  return sum;
}

void expectRegisters(const ValueLog& log, const ValueSnapshot& state) {
  const WarpValues& warp = log.warps[state.warp];
  const uint32_t steps = state.steps[state.warp];
  const ValueTime time{.steps = steps};
  size_t registers = 0;
  for (LaneMask rest = warp.live; !rest.empty(); rest.bits &= rest.bits - 1) {
    const int lane = rest.lowest();
    for (const RegisterValue& value : registersAt(log, warp, time, lane)) {
      const LoggedRegister& of = log.registers[value.of];
      const uint32_t* held = state.registers.data() + size_t{value.slot} * kWarpSize;
      const uint32_t words = std::max(1U, of.bits / 32U);
      for (uint32_t i = 0; i < words; ++i) {
        const uint32_t expected =
            of.bits == 1 ? held[0] >> lane & 1U : held[static_cast<uint32_t>(lane) * words + i];
        ASSERT_EQ(value.words[i], expected) << of.name << " of lane " << lane << " after step " << steps;
      }
      ++registers;
    }
  }
  EXPECT_GT(registers, 0U) << "after step " << steps;
}

void expectShared(const ValueLog& log, const ValueSnapshot& state) {
  ASSERT_EQ(state.shared.size(), log.shared_bytes);
  std::vector<ValueTime> times;
  for (const uint32_t steps : state.steps) times.push_back({.steps = steps});
  for (uint32_t word = 0; word * 4 + 4 <= log.shared_bytes; ++word) {
    const SharedWord known = sharedWordAt(log, times, word);
    for (uint32_t i = 0; i < 4; ++i) {
      if ((known.written >> i & 1U) == 0) continue;
      ASSERT_EQ(known.value >> (8 * i) & 0xFFU, std::to_integer<uint32_t>(state.shared[word * 4 + i]))
          << "byte " << word * 4 + i;
    }
  }
}

// How long it takes to have the values that the window shows of a state: a lane's registers, and the block's
// shared memory.
double millisecondsOf(const ValueLog& log, const ValueSnapshot& state) {
  const WarpValues& warp = log.warps[state.warp];
  std::vector<ValueTime> times;
  for (const uint32_t steps : state.steps) times.push_back({.steps = steps});
  const auto began = std::chrono::steady_clock::now();
  size_t known = registersAt(log, warp, times[state.warp], warp.live.lowest()).size();
  for (uint32_t word = 0; word * 4 + 4 <= log.shared_bytes; ++word)
    known += sharedWordAt(log, times, word).written != 0 ? 1 : 0;
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
  EXPECT_GT(known, 0U);
  return took.count();
}

class EveryFamily : public testing::TestWithParam<std::string> {};

TEST_P(EveryFamily, HasTheValuesOfALaunchThatIsStoppedThere) {
  const FamilyInfo& family = (*findExperiment(GetParam()))->info();
  std::mt19937_64 random(7);
  uint64_t compared = 0;
  std::set<std::string> registers_only;
  double slowest_ms = 0;
  for (const VariantInfo& variant : family.variants) {
    SCOPED_TRACE(variant.name);
    // Small, because a log is recorded three times.
    auto run = runOf(family.name, variant.name, {{"size", 1 << 16}});
    if (!run) run = runOf(family.name, variant.name);
    if (!run) continue;  // a planted deadlock
    if (run->trace.warps.empty()) continue;
    const auto& warps = run->trace.warps;
    const uint32_t block = warps[random() % warps.size()].block.value;
    ValueRecorder recorder;
    const auto log = recorder.record(*run, {.block = block}, {});
    ASSERT_TRUE(log) << log.error().message;
    ASSERT_FALSE(log->full);
    if (log->shared_from_outside) registers_only.insert(variant.name);
    for (int i = 0; i < 2; ++i) {
      const uint64_t after = 1 + random() % stepsIn(*log);
      const auto stopped = recorder.record(*run, {.block = block, .snapshot_after = after}, {});
      ASSERT_TRUE(stopped) << stopped.error().message;
      ASSERT_TRUE(stopped->snapshot);
      expectRegisters(*log, *stopped->snapshot);
      expectShared(*log, *stopped->snapshot);
      slowest_ms = std::max(slowest_ms, millisecondsOf(*log, *stopped->snapshot));
      ++compared;
    }
    // At the launch's end every step is done, and none before its beginning.
    for (const WarpValues& warp : log->warps) {
      ASSERT_FALSE(warp.issues.empty());
      EXPECT_EQ(timeAt(warp, static_cast<double>(warp.issues.front().cycle) - 1).steps, 0U);
      EXPECT_EQ(timeAt(warp, 1e18).steps, warp.steps.size());
    }
  }
  const std::map<std::string, std::set<std::string>> written_from_outside = {
      {"clusters", {"distributed", "pushed", "split_barrier"}},
      {"bulk_copy", {"bulk", "bulk_both_ways", "tensor"}},
      {"broken", {"wrong_transaction_count", "right_transaction_count"}}};
  const auto expected = written_from_outside.find(family.name);
  EXPECT_EQ(registers_only,
            expected == written_from_outside.end() ? std::set<std::string>{} : expected->second);
  EXPECT_GE(compared, family.variants.size());
  RecordProperty("slowest_us", static_cast<int>(slowest_ms * 1000));
  EXPECT_LT(slowest_ms, 100) << "a state is there at once, as nothing is replayed";
}

TEST(ValueLog, NamesTheRegisters) {
  const auto run = runOf("mapping", "block_1d");
  ASSERT_TRUE(run) << run.error().message;
  const auto log = ValueRecorder().record(*run, {.block = 0}, {});
  ASSERT_TRUE(log) << log.error().message;
  size_t seen = 0;
  for (uint32_t w = 0; w < log->warps.size(); ++w) {
    const WarpValues& warp = log->warps[w];
    for (const RegisterWrite& write : warp.writes) {
      const std::string& text = (*log->listing)[warp.steps[write.step].listed].text;
      if (!text.ends_with("%tid.x;")) continue;
      const std::string& name = log->registers[write.of].name;
      EXPECT_NE(text.find(" " + name + ","), std::string::npos) << text << " writes " << name;
      const auto value = registerAt(*log, warp, {.steps = write.step + 1}, write.slot, 5);
      ASSERT_TRUE(value);
      EXPECT_EQ(value->words[0], w * 32 + 5);
      EXPECT_FALSE(registerAt(*log, warp, {}, write.slot, 5)) << "before the first step";
      ++seen;
    }
  }
  EXPECT_GE(seen, log->warps.size());
}

TEST(ValueLog, SaysWhyThereIsNone) {
  auto run = runOf("divergence", "even_odd");
  ASSERT_TRUE(run) << run.error().message;
  ValueRecorder recorder;
  const auto far = recorder.record(*run, {.block = 4000}, {});
  ASSERT_FALSE(far);
  EXPECT_NE(far.error().message.find("block 4000"), std::string::npos) << far.error().message;
  run->trace.events[1].mask = {};
  const auto other = recorder.record(*run, {.block = run->trace.warps[0].block.value}, {});
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().message.find("another course"), std::string::npos) << other.error().message;
  run->device.id = "cuda:0";
  run->device.name = "NVIDIA H100";
  const auto measured = recorder.record(*run, {}, {});
  ASSERT_FALSE(measured);
  EXPECT_NE(measured.error().message.find("this one is of NVIDIA H100"), std::string::npos);
}

TEST(ValueLog, FormatsRegistersByTheirType) {
  const auto text = [](const LoggedRegister& of, uint32_t low, uint32_t high = 0) {
    return formatRegister(of, {.words = {low, high}});
  };
  EXPECT_EQ(text({.bits = 32}, 7), "7");
  EXPECT_EQ(text({.bits = 32}, 42), "42 (0x2a)");
  EXPECT_EQ(text({.bits = 32}, 0xFFFFFFFF), "-1 (0xffffffff)");
  EXPECT_EQ(text({.bits = 32}, 0x80000000), "2147483648 (0x80000000)");
  EXPECT_EQ(text({.bits = 32, .is_signed = true}, 0x80000000), "-2147483648 (0x80000000)");
  EXPECT_EQ(text({.bits = 32, .is_float = true}, 0x3E800000), "0.25");
  EXPECT_EQ(text({.bits = 16, .is_float = true}, 0x3400), "0.25");
  EXPECT_EQ(text({.bits = 16}, 0xFFFF), "-1 (0xffff)");
  EXPECT_EQ(text({.bits = 64, .is_float = true}, 0, 0x3FD00000), "0.25");
  EXPECT_EQ(text({.bits = 64}, 0, 1), "4294967296 (0x100000000)");
  EXPECT_EQ(text({.bits = 64}, 0x40, 0x7F00), "0x7f0000000040") << "an address";
  EXPECT_EQ(text({.bits = 64}, 0xFFFFFFFE, 0xFFFFFFFF), "-2 (0xfffffffffffffffe)");
  EXPECT_EQ(text({.bits = 1}, 1), "true");
}

INSTANTIATE_TEST_SUITE_P(ValueLog, EveryFamily, testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const Experiment* experiment : allExperiments())
                             names.push_back(experiment->info().name);
                           return names;
                         }()),
                         [](const auto& name) { return name.param; });

}  // namespace
}  // namespace warpscope
