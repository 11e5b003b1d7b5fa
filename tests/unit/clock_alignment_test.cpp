// SM clocks on one axis: the true offset must be within the stated uncertainty, whatever the timer's step and
// the gap between the two reads; what cannot be known must be absent.
#include "kernels/execute/clock_alignment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <random>
#include <sstream>
#include <string>

#include "kernels/execute/merge.h"
#include "tests/support/synthetic_trace.h"

namespace warpscope {
namespace {

struct Machine {
  double cycles_per_ns = 1.755;
  uint32_t step_ns = 32;
  double gap_cycles = 40;  // between the two reads of a pair
  std::vector<double> start_clock;
  std::mt19937 random{7};

  // A reading whose clock is read at `cycles` of the launch.
  ClockReading read(uint32_t sm, double cycles, ClockReading::Order order) {
    const double gap = gap_cycles * (0.8 + 0.4 * static_cast<double>(random() % 1000) / 1000);
    const double timer_cycles = order == ClockReading::Order::kClockFirst ? cycles + gap : cycles - gap;
    const double ns = 1e15 + timer_cycles / cycles_per_ns;
    return {SmId{sm}, order, static_cast<uint64_t>(start_clock[sm] + cycles),
            static_cast<uint64_t>(ns) / step_ns * step_ns};
  }

  // Warps of several blocks, one after another on each SM, as in a launch.
  std::vector<ClockReading> launch(uint32_t sms, int warps, double length_cycles) {
    std::vector<ClockReading> readings;
    for (uint32_t sm = 0; sm < sms; ++sm) {
      start_clock.push_back(1e10 + 5'000'000.0 * (sm * sm + 1));
      for (int i = 0; i < warps; ++i) {
        const double begin = 100 + length_cycles * i / warps * 0.9 + static_cast<double>(random() % 100);
        readings.push_back(read(sm, begin, ClockReading::Order::kTimerFirst));
        readings.push_back(read(sm, begin + length_cycles * 0.1, ClockReading::Order::kClockFirst));
      }
    }
    return readings;
  }

  std::vector<SmId> sms() const {
    std::vector<SmId> ids;
    for (uint32_t sm = 0; sm < start_clock.size(); ++sm) ids.push_back(SmId{sm});
    return ids;
  }
};

// Between any two SMs the error of the alignment must be within their stated uncertainties.
void expectHonest(const AlignedClocks& aligned, const Machine& machine) {
  ASSERT_EQ(aligned.clocks.sms.size(), machine.start_clock.size());
  for (size_t a = 0; a < machine.start_clock.size(); ++a) {
    ASSERT_TRUE(aligned.clocks.sms[a].uncertainty_ns.has_value());
    for (size_t b = 0; b < a; ++b) {
      const auto& first = aligned.clocks.sms[a];
      const auto& second = aligned.clocks.sms[b];
      const double error_cycles = static_cast<double>(first.offset_cycles - second.offset_cycles) +
                                  (machine.start_clock[a] - machine.start_clock[b]);
      const double stated_ns = *first.uncertainty_ns + *second.uncertainty_ns;
      EXPECT_LE(std::abs(error_cycles) / machine.cycles_per_ns, stated_ns + 2) << "SMs " << a << " and " << b;
      EXPECT_LE(stated_ns, *aligned.clocks.uncertainty_ns + 1e-9);
    }
  }
}

TEST(AlignClocks, TheTruthIsWithinTheStatedUncertainty) {
  for (const uint32_t step : {1U, 32U, 1000U, 1024U}) {
    for (const double gap : {0.0, 40.0, 100.0}) {
      for (const double length : {4'000.0, 100'000.0, 20'000'000.0}) {
        Machine machine{.step_ns = step, .gap_cycles = gap};
        const auto readings = machine.launch(6, 24, length);
        const auto sms = machine.sms();
        const auto aligned = alignClocks(readings, sms, 1.755, step);
        SCOPED_TRACE(fmt::format("step {} gap {} length {}", step, gap, length));
        expectHonest(aligned, machine);
        EXPECT_TRUE(aligned.problems.empty()) << aligned.problems.front().cause;
      }
    }
  }
}

TEST(AlignClocks, IsUsefullyTightOnAnH100LikeTimer) {
  Machine machine;
  const auto readings = machine.launch(2, 128, 200'000);
  const auto aligned = alignClocks(readings, machine.sms(), 1.755, 32);
  EXPECT_EQ(aligned.timer_step_ns, 32U);
  EXPECT_NEAR(aligned.clocks.cycles_per_ns, 1.755, 0.01);
  // Two gaps of 40 cycles are 46 ns; two ticks would be 64.
  EXPECT_LT(aligned.clocks.uncertainty_ns.value(), 64);
}

TEST(AlignClocks, FindsTheTimersStep) {
  for (const uint32_t step : {32U, 1000U, 1024U}) {
    Machine machine{.step_ns = step};
    const auto readings = machine.launch(4, 64, 1'000'000);
    EXPECT_EQ(alignClocks(readings, machine.sms(), 0, 7).timer_step_ns, step);
  }
  // Two readings are not enough to determine it.
  Machine machine;
  EXPECT_EQ(alignClocks(machine.launch(1, 1, 1000), machine.sms(), 1.7, 1000).timer_step_ns, 1000U);
}

TEST(AlignClocks, MeasuresAFrequencyThatIsNotTheNominalOne) {
  Machine machine{.cycles_per_ns = 1.2};
  const auto readings = machine.launch(4, 64, 1'000'000);
  const auto aligned = alignClocks(readings, machine.sms(), 1.98, 32);
  EXPECT_NEAR(aligned.clocks.cycles_per_ns, 1.2, 0.001);
  expectHonest(aligned, machine);
}

TEST(AlignClocks, InterruptedReadingsOfAFewSmsDoNotSpoilTheFrequency) {
  Machine machine;
  using Order = ClockReading::Order;
  auto readings = machine.launch(2, 48, 600'000);
  // The other 30 SMs have only two anchors each; in five of them a read was delayed for thousands of cycles.
  for (uint32_t sm = 2; sm < 32; ++sm) {
    machine.start_clock.push_back(3e9 * sm);
    readings.push_back(machine.read(sm, 50, Order::kClockFirst));
    if (sm % 6 == 0) readings.back().globaltimer_ns += 3200;
    readings.push_back(machine.read(sm, 590'000 + sm, Order::kClockFirst));
  }
  machine.start_clock.resize(2);
  const auto aligned = alignClocks(readings, machine.sms(), 1.98, 32);
  EXPECT_NEAR(aligned.clocks.cycles_per_ns, 1.755, 0.001);
  EXPECT_TRUE(aligned.problems.empty());
  expectHonest(aligned, machine);
  EXPECT_LT(aligned.clocks.uncertainty_ns.value(), 200);
}

TEST(AlignClocks, SmsReadEarlyInALongLaunchAreTightToEachOther) {
  // Only the first warps of two SMs were recorded; the launch continued for 300 us.
  Machine machine;
  auto readings = machine.launch(2, 32, 20'000);
  for (uint32_t sm = 0; sm < 2; ++sm)
    readings.push_back(machine.read(sm, 600'000, ClockReading::Order::kClockFirst));
  const auto aligned = alignClocks(readings, machine.sms(), 1.98, 32);
  expectHonest(aligned, machine);
  EXPECT_LT(aligned.clocks.uncertainty_ns.value(), 200);
}

TEST(AlignClocks, ZeroIsTheEarliestReadingAndDurationReachesTheLatest) {
  Machine machine;
  const auto readings = machine.launch(3, 32, 100'000);
  const auto sms = machine.sms();
  const auto aligned = alignClocks(readings, sms, 1.755, 32);
  int64_t earliest = INT64_MAX, latest = INT64_MIN;
  for (const ClockReading& reading : readings) {
    const int64_t at =
        static_cast<int64_t>(reading.clock) + aligned.clocks.sms[reading.sm.value].offset_cycles;
    earliest = std::min(earliest, at);
    latest = std::max(latest, at);
  }
  EXPECT_EQ(earliest, 0);
  EXPECT_EQ(latest, aligned.duration_cycles);
}

TEST(AlignClocks, OtherSmsTellWhenTheLaunchBeganAndEnded) {
  Machine machine;
  machine.launch(2, 1, 100);
  std::vector<ClockReading> readings;
  using Order = ClockReading::Order;
  for (int i = 0; i < 20; ++i) {
    readings.push_back(machine.read(0, 10'000 + i * 100, Order::kTimerFirst));
    readings.push_back(machine.read(0, 10'050 + i * 100, Order::kClockFirst));
  }
  readings.push_back(machine.read(1, 0, Order::kClockFirst));
  readings.push_back(machine.read(1, 50'000, Order::kClockFirst));
  const std::vector<SmId> recorded{SmId{0}};
  const auto aligned = alignClocks(readings, recorded, 1.755, 32);
  ASSERT_EQ(aligned.clocks.sms.size(), 1U);
  EXPECT_NEAR(static_cast<double>(aligned.duration_cycles), 50'000, 300);
  const double first =
      machine.start_clock[0] + 10'000 + static_cast<double>(aligned.clocks.sms[0].offset_cycles);
  EXPECT_NEAR(first, 10'000, 300);
  EXPECT_EQ(aligned.clocks.uncertainty_ns, 0);
}

TEST(AlignClocks, AnSmWithoutTimerReadingsIsNotAligned) {
  Machine machine;
  auto readings = machine.launch(3, 16, 100'000);
  for (ClockReading& reading : readings) {
    if (reading.sm.value == 1) reading.globaltimer_ns = 0;
  }
  const auto sms = machine.sms();
  const auto aligned = alignClocks(readings, sms, 1.755, 32);
  EXPECT_TRUE(aligned.clocks.sms[0].uncertainty_ns.has_value());
  EXPECT_FALSE(aligned.clocks.sms[1].uncertainty_ns.has_value());
  EXPECT_FALSE(aligned.clocks.uncertainty_ns.has_value());
  ASSERT_EQ(aligned.problems.size(), 1U);
  EXPECT_EQ(aligned.problems[0].count, 1U);
  // Its rows are drawn from the launch's start.
  uint64_t earliest = UINT64_MAX;
  for (const ClockReading& reading : readings) {
    if (reading.sm.value == 1) earliest = std::min(earliest, reading.clock);
  }
  EXPECT_EQ(static_cast<int64_t>(earliest) + aligned.clocks.sms[1].offset_cycles, 0);
}

TEST(AlignClocks, NothingKnownIsNothingClaimed) {
  // No timer at all, and no nominal clock.
  Machine machine;
  auto readings = machine.launch(2, 4, 1000);
  for (ClockReading& reading : readings) reading.globaltimer_ns = 0;
  const auto aligned = alignClocks(readings, machine.sms(), 0, 32);
  EXPECT_EQ(aligned.clocks.cycles_per_ns, 0);
  EXPECT_FALSE(aligned.clocks.uncertainty_ns.has_value());
  EXPECT_FALSE(aligned.clocks.sms[0].uncertainty_ns.has_value());
  EXPECT_GT(aligned.duration_cycles, 0);
}

TEST(AlignClocks, AClockThatChangesDuringTheLaunchIsReported) {
  Machine machine;
  std::vector<ClockReading> readings;
  machine.start_clock = {1e9, 7e9};
  for (uint32_t sm = 0; sm < 2; ++sm) {
    for (int i = 0; i < 64; ++i) {
      // SM 1 loses 30,000 cycles in the middle.
      auto reading = machine.read(sm, 1000.0 * i, ClockReading::Order::kTimerFirst);
      auto exit = machine.read(sm, 1000.0 * i + 500, ClockReading::Order::kClockFirst);
      if (sm == 1 && i > 32) {
        reading.clock -= 30'000;
        exit.clock -= 30'000;
      }
      readings.push_back(reading);
      readings.push_back(exit);
    }
  }
  const auto aligned = alignClocks(readings, machine.sms(), 1.755, 32);
  EXPECT_FALSE(aligned.problems.empty());
  // Half of what was lost.
  EXPECT_GT(aligned.clocks.uncertainty_ns.value(), 30'000 / 1.755 / 2 - 32);
}

TEST(AlignClocks, MergedTracesOfManyDevicesAreHonest) {
  for (const uint32_t step : {32U, 1000U}) {
    const auto made = testing::makeSyntheticTrace({.sms = 5, .blocks = 60, .globaltimer_step_ns = step});
    const auto merged = mergeTrace(made.raw);
    ASSERT_TRUE(merged.has_value());
    const auto& sms = merged->clocks.sms;
    for (size_t sm = 1; sm < sms.size(); ++sm) {
      const double error = static_cast<double>((sms[sm].offset_cycles - sms[0].offset_cycles) +
                                               (made.clock_of_start[sm] - made.clock_of_start[0])) /
                           1.755;
      EXPECT_LE(std::abs(error), merged->clocks.uncertainty_ns.value() + 1) << "SM " << sm;
    }
    EXPECT_EQ(merged->clock_quantum_cycles, 1U);
  }
}

// A machine whose common clock varies: `slow_share` slower at the start, steady later, with a dip in between.
struct VaryingMachine {
  uint32_t step_ns = 32;
  double slow_share = 0.01;
  double held_share = 0;  // share of the readings in which the warp had to wait between the two reads
  std::mt19937 random{7};
  std::vector<double> start_clock;

  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  }
  // Cycles from the beginning of the launch until `ns`: the integral of the frequency.
  double cyclesAt(double ns) const {
    const double steady = 1.98, onset_ns = 30'000;
    const double dip_ns = std::clamp(ns - 120'000, 0.0, 20'000.0);
    return steady * (ns - slow_share * onset_ns * (1 - std::exp(-ns / onset_ns)) - slow_share * dip_ns / 2);
  }
  ClockReading read(uint32_t sm, double ns, ClockReading::Order order) {
    double gap_ns = uniform(2, 20);
    if (uniform(0, 1) < held_share) gap_ns += uniform(50, 1500);
    const bool clock_first = order == ClockReading::Order::kClockFirst;
    const double clock_ns = clock_first ? ns : ns + gap_ns, timer_ns = clock_first ? ns + gap_ns : ns;
    return {SmId{sm}, order, static_cast<uint64_t>(start_clock[sm] + cyclesAt(clock_ns)),
            (uint64_t{1'795'255'900'974'998'336} + static_cast<uint64_t>(timer_ns)) / step_ns * step_ns};
  }
  // Warps of `sms` SMs, each from a begin to an exit within `from_ns` and `to_ns`.
  std::vector<ClockReading> launch(uint32_t sms, int warps, double from_ns, double to_ns) {
    std::vector<ClockReading> readings;
    for (uint32_t sm = 0; sm < sms; ++sm) {
      if (start_clock.size() <= sm) start_clock.push_back(std::floor(uniform(1e9, 4e10)));
      for (int i = 0; i < warps; ++i) {
        const double begin = uniform(from_ns, from_ns + (to_ns - from_ns) * 0.95);
        readings.push_back(read(sm, begin, ClockReading::Order::kTimerFirst));
        readings.push_back(read(sm, uniform(begin, to_ns), ClockReading::Order::kClockFirst));
      }
    }
    return readings;
  }
  std::vector<SmId> sms() const {
    std::vector<SmId> ids;
    for (uint32_t sm = 0; sm < start_clock.size(); ++sm) ids.push_back(SmId{sm});
    return ids;
  }
  AlignedClocks align(const std::vector<ClockReading>& readings) const {
    return alignClocks(readings, sms(), 1.98, step_ns);
  }
  void expectHonest(const AlignedClocks& aligned) const {
    for (size_t a = 0; a < start_clock.size(); ++a) {
      for (size_t b = 0; b < a; ++b) {
        const auto &first = aligned.clocks.sms[a], &second = aligned.clocks.sms[b];
        const double error_cycles = static_cast<double>(first.offset_cycles - second.offset_cycles) +
                                    (start_clock[a] - start_clock[b]);
        EXPECT_LE(std::abs(error_cycles) / 1.98,
                  first.uncertainty_ns.value() + second.uncertainty_ns.value() + 2)
            << "SMs " << a << " and " << b;
      }
    }
  }
};

TEST(AlignClocks, AVaryingCommonClockKeepsSmsTight) {
  for (uint32_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    VaryingMachine machine{.random = std::mt19937{seed}, .start_clock = {}};
    const auto aligned = machine.align(machine.launch(3, 1600, 0, 250'000));
    machine.expectHonest(aligned);
    EXPECT_LT(aligned.clocks.uncertainty_ns.value(), 80);
    ASSERT_EQ(aligned.problems.size(), 1U);
    EXPECT_EQ(aligned.problems[0].severity, TraceProblem::Severity::kInfo);
    EXPECT_NE(aligned.problems[0].cause.find("the ns axis uses the mean"), std::string::npos);
    EXPECT_NEAR(aligned.clocks.cycles_per_ns, machine.cyclesAt(250'000) / 250'000, 0.01);
  }
}

TEST(AlignClocks, ASteadyClockIsNotSaidToVary) {
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    VaryingMachine machine{.slow_share = 0, .random = std::mt19937{seed}, .start_clock = {}};
    EXPECT_TRUE(machine.align(machine.launch(3, 1600, 0, 250'000)).problems.empty());
  }
}

TEST(AlignClocks, FewOrHeldUpReadingsOfAVaryingClockStayWithinTheirUncertainty) {
  for (const uint32_t step : {32U, 1000U, 1024U}) {
    for (const int warps : {12, 40, 400}) {
      for (const double length_ns : {8'000.0, 40'000.0, 250'000.0}) {
        for (uint32_t seed = 1; seed <= 40; ++seed) {
          SCOPED_TRACE(fmt::format("step {} warps {} length {} seed {}", step, warps, length_ns, seed));
          VaryingMachine machine{
              .step_ns = step, .held_share = 0.2, .random = std::mt19937{seed}, .start_clock = {}};
          machine.expectHonest(machine.align(machine.launch(3, warps, 0, length_ns)));
        }
      }
    }
  }
}

TEST(AlignClocks, SmsReadOnOneSideOnlyStayWithinTheirUncertainty) {
  for (uint32_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    VaryingMachine machine{.random = std::mt19937{seed}, .start_clock = {}};
    auto readings = machine.launch(4, 200, 0, 250'000);
    std::erase_if(readings, [](const ClockReading& reading) {
      return (reading.sm.value == 2 && reading.order == ClockReading::Order::kClockFirst) ||
             (reading.sm.value == 3 && reading.order == ClockReading::Order::kTimerFirst);
    });
    const auto aligned = machine.align(readings);
    machine.expectHonest(aligned);
    EXPECT_LT(aligned.clocks.uncertainty_ns.value(), 250);
  }
}

TEST(AlignClocks, SmsNeverReadAtTheSameTimeAreLessCertainAndHonest) {
  for (uint32_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    VaryingMachine machine{.random = std::mt19937{seed}, .start_clock = {}};
    auto readings = machine.launch(1, 300, 60'000, 250'000);
    machine.launch(2, 1, 0, 1);
    for (int i = 0; i < 40; ++i) {
      readings.push_back(machine.read(1, machine.uniform(0, 3'000), ClockReading::Order::kTimerFirst));
      readings.push_back(machine.read(1, machine.uniform(2'000, 6'000), ClockReading::Order::kClockFirst));
    }
    machine.expectHonest(machine.align(readings));
  }
}

TEST(AlignClocks, OneReadingOfGarbageIsReportedAndHarmless) {
  for (uint32_t seed = 1; seed <= 50; ++seed) {
    for (const bool timer : {false, true}) {
      SCOPED_TRACE(fmt::format("seed {} timer {}", seed, timer));
      VaryingMachine machine{.random = std::mt19937{seed}, .start_clock = {}};
      auto readings = machine.launch(3, 400, 0, 250'000);
      ClockReading& broken = readings[machine.random() % readings.size()];
      (timer ? broken.globaltimer_ns : broken.clock) = machine.random();
      const auto aligned = machine.align(readings);
      machine.expectHonest(aligned);
      EXPECT_NEAR(aligned.clocks.cycles_per_ns, 1.98, 0.02);
      ASSERT_FALSE(aligned.problems.empty());
      EXPECT_EQ(aligned.problems[0].severity, TraceProblem::Severity::kWarning);
      EXPECT_EQ(aligned.problems[0].count, 1U);
    }
  }
}

std::vector<ClockReading> readingsOfAnH100() {
  std::ifstream file(WARPSCOPE_TEST_GOLDEN "/clock_readings_h100.txt");
  std::vector<ClockReading> readings;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream fields(line);
    ClockReading reading;
    int timer_first = 0;
    fields >> reading.sm.value >> timer_first >> reading.clock >> reading.globaltimer_ns;
    reading.order = timer_first == 1 ? ClockReading::Order::kTimerFirst : ClockReading::Order::kClockFirst;
    readings.push_back(reading);
  }
  return readings;
}

TEST(AlignClocks, HalvesOfRealReadingsAgree) {
  const auto all = readingsOfAnH100();
  ASSERT_GT(all.size(), 500U);
  const auto [first, last] = std::ranges::minmax_element(all, {}, &ClockReading::globaltimer_ns);
  const uint64_t middle = first->globaltimer_ns + (last->globaltimer_ns - first->globaltimer_ns) / 2;
  std::vector<ClockReading> early, late;
  for (const ClockReading& reading : all) (reading.globaltimer_ns < middle ? early : late).push_back(reading);
  const std::vector<SmId> sms{SmId{0}, SmId{1}};
  struct Offset {
    double ns, uncertainty_ns;
  };
  std::vector<Offset> offsets;
  for (const auto& readings : {early, late, all}) {
    const auto aligned = alignClocks(readings, sms, 1.98, 32);
    const auto& clocks = aligned.clocks.sms;
    offsets.push_back({static_cast<double>(clocks[1].offset_cycles - clocks[0].offset_cycles) / 1.98,
                       aligned.clocks.uncertainty_ns.value()});
    EXPECT_EQ(aligned.timer_step_ns, 32U);
    EXPECT_LT(offsets.back().uncertainty_ns, 50);
  }
  EXPECT_LE(std::abs(offsets[0].ns - offsets[1].ns), offsets[0].uncertainty_ns + offsets[1].uncertainty_ns);
  EXPECT_LE(std::abs(offsets[0].ns - offsets[2].ns), offsets[0].uncertainty_ns + offsets[2].uncertainty_ns);
}

}  // namespace
}  // namespace warpscope
