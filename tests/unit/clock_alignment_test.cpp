// SM clocks on one axis: the true offset must lie within the stated uncertainty, whatever the timer's step
// and the gap between the two reads; what cannot be known must be absent.
#include "kernels/trace/clock_alignment.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "kernels/trace/raw_trace.h"
#include "tests/support/synthetic_trace.h"

namespace warpscope {
namespace {

struct Machine {
  double cycles_per_ns = 1.755;
  uint32_t step_ns = 32;
  double gap_cycles = 40;  // between the two reads of a pair
  std::vector<double> start_clock;
  std::mt19937 random{7};

  // A reading of which the clock is read at `cycles` of the launch.
  ClockReading read(uint32_t sm, double cycles, ClockReading::Order order) {
    const double gap = gap_cycles * (0.8 + 0.4 * static_cast<double>(random() % 1000) / 1000);
    const double timer_cycles = order == ClockReading::Order::kClockFirst ? cycles + gap : cycles - gap;
    const double ns = 1e15 + timer_cycles / cycles_per_ns;
    return {SmId{sm}, order, static_cast<uint64_t>(start_clock[sm] + cycles),
            static_cast<uint64_t>(ns) / step_ns * step_ns};
  }

  // Warps of several blocks one after another on each SM, as a launch does.
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

// Between every two SMs the error of the alignment is within what the two state.
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
  // Two readings say nothing about it.
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
  // 30 more SMs have but two anchors each; in five of them a read was held up for thousands of cycles.
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
  // Only the first warps of two SMs were recorded; the launch went on for 300 us.
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
  // No timer at all and no nominal clock.
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

}  // namespace
}  // namespace warpscope
