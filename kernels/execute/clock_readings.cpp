#include "kernels/execute/clock_readings.h"

#include <fmt/format.h>

#include <numeric>
#include <utility>

namespace warpscope {
namespace {

// No GPU's SM clock is outside this range; a frequency outside it means that the readings are wrong.
constexpr double kMinCyclesPerNs = 0.05, kMaxCyclesPerNs = 10;
// A frequency from readings is used as it is if it is known to this share; else the nominal one is preferred.
constexpr double kGoodFrequencyShare = 0.01;
// The nominal clock is the device's highest; PLL and timer may differ by this share.
constexpr double kAboveNominalShare = 0.005;
// The largest deviation from the mean that the frequency may have where no reading shows it: the H100 (see
// the header) begins some 2 % below its later clock.
constexpr double kUnseenDriftShare = 0.03;

}  // namespace

namespace {

uint64_t smallestDifference(std::span<const ClockReading> readings) {
  std::vector<uint64_t> times;
  times.reserve(readings.size());
  for (const ClockReading& reading : readings) {
    if (reading.globaltimer_ns != 0) times.push_back(reading.globaltimer_ns);
  }
  std::ranges::sort(times);
  uint64_t smallest = UINT64_MAX;
  for (size_t i = 1; i < times.size(); ++i) {
    if (times[i] != times[i - 1]) smallest = std::min(smallest, times[i] - times[i - 1]);
  }
  return smallest;
}

}  // namespace

// A step of a few ns (an irregular timer: no common divisor) is replaced by the smallest difference seen.
// With few different values neither says much, and a wrong value, far away, says nothing.
uint32_t timerStep(std::span<const ClockReading> readings, uint32_t fallback_ns) {
  constexpr int kEnoughDifferences = 16;
  constexpr uint64_t kRegularStep_ns = 8, kFarAway_ns = 10'000'000'000;
  int differences = 0;
  uint64_t divisor = 0, before = 0;
  for (const ClockReading& reading : readings) {
    const uint64_t now = reading.globaltimer_ns;
    if (now == 0) continue;
    const uint64_t apart = now > before ? now - before : before - now;
    before = now;
    if (apart == 0 || apart > kFarAway_ns) continue;
    divisor = std::gcd(divisor, apart);
    ++differences;
  }
  const uint32_t fallback = std::max(fallback_ns, 1U);
  if (differences < kEnoughDifferences) return fallback;
  const uint64_t step = divisor >= kRegularStep_ns ? divisor : smallestDifference(readings);
  return step > 1'000'000 ? fallback : static_cast<uint32_t>(step);
}

uint64_t medianTime(std::span<const ClockReading> readings) {
  std::vector<uint64_t> times;
  times.reserve(readings.size());
  for (const ClockReading& reading : readings) {
    if (reading.globaltimer_ns != 0) times.push_back(reading.globaltimer_ns);
  }
  if (times.empty()) return 0;
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::ranges::nth_element(times, middle);
  return *middle;
}

std::vector<SmReadings> groupBySm(std::span<const ClockReading> readings) {
  const uint64_t origin_ns = medianTime(readings);
  uint32_t highest = 0;
  for (const ClockReading& reading : readings) highest = std::max(highest, reading.sm.value);
  std::vector<SmReadings> groups(readings.empty() ? 0 : size_t{highest} + 1);
  for (const ClockReading& reading : readings) {
    if (reading.globaltimer_ns == 0) continue;
    SmReadings& group = groups[reading.sm.value];
    if (group.points.empty()) group.first_clock = reading.clock;
    const double time = static_cast<double>(static_cast<int64_t>(reading.globaltimer_ns - origin_ns));
    group.points.push_back({static_cast<double>(static_cast<int64_t>(reading.clock - group.first_clock)),
                            time, reading.order == ClockReading::Order::kClockFirst});
    group.sm = reading.sm;
    group.begin_ns = std::min(group.begin_ns, time);
    group.end_ns = std::max(group.end_ns, time);
  }
  std::erase_if(groups, [](const SmReadings& group) { return group.points.empty(); });
  for (SmReadings& group : groups) std::ranges::sort(group.points, {}, &Point::time_ns);
  return groups;
}

namespace {

// The phase that the readings between two times allow (see the header). A side without bounds, or with
// distant ones, follows from the best reading of the other side if that side has `enough` readings.
Interval phaseBetween(const SmReadings& sm, double cycles_per_ns, double step_ns, Interval times,
                      int enough) {
  Interval phase;
  int clock_first = 0, timer_first = 0;
  for (const Point& point : sm.points) {
    if (point.time_ns < times.low || point.time_ns > times.high) continue;
    const double earliest = point.clock - cycles_per_ns * point.time_ns;
    if (point.clock_first) {
      ++clock_first;
      phase.low = std::max(phase.low, earliest - cycles_per_ns * step_ns);
    } else {
      ++timer_first;
      phase.high = std::min(phase.high, earliest);
    }
  }
  const double widest = cycles_per_ns * step_ns + kReadingGapCycles;
  Interval both = phase;
  if (timer_first >= enough) both.low = std::max(phase.low, phase.high - widest);
  if (clock_first >= enough) both.high = std::min(phase.high, phase.low + widest);
  if (both.empty()) std::swap(both.low, both.high);
  return both;
}

// Reorders `values`, which must not be empty. For an even number of values, the lower of the two in the
// middle.
double lowerMedian(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

double usualSpan(const std::vector<SmReadings>& sms) {
  std::vector<double> spans;
  spans.reserve(sms.size());
  for (const SmReadings& sm : sms) spans.push_back(sm.span_ns());
  return spans.empty() ? 0 : lowerMedian(spans);
}

// Cycles per ns by the first and last reading of each SM, exact to about one step over the span. The median
// of those SMs that saw much of the launch: a single one with wrong values changes little.
double roughFrequency(const std::vector<SmReadings>& sms) {
  const double usual_ns = usualSpan(sms);
  std::vector<double> found;
  for (const SmReadings& sm : sms) {
    if (sm.span_ns() <= 0 || sm.span_ns() < usual_ns / 2) continue;
    found.push_back((sm.points.back().clock - sm.points.front().clock) / sm.span_ns());
  }
  if (found.empty()) return 0;
  const auto middle = found.begin() + static_cast<std::ptrdiff_t>(found.size() / 2);
  std::ranges::nth_element(found, middle);
  return *middle;
}

// The bounds that one SM puts on the frequency: its early and late phases, found with a rough frequency, must
// agree.
Interval frequencyBounds(const SmReadings& sm, double rough, double step_ns, int enough) {
  constexpr double kEdgeShare = 0.125;
  const double edge = sm.span_ns() * kEdgeShare;
  if (sm.span_ns() < 4 * step_ns) return {};
  const Interval early = phaseBetween(sm, rough, step_ns, {-kInfinity, sm.begin_ns + edge}, enough);
  const Interval late = phaseBetween(sm, rough, step_ns, {sm.end_ns - edge, kInfinity}, enough);
  // The phases moved for at least the time between the windows' inner edges, and at most that between their
  // outer edges.
  const double least_ns = sm.span_ns() - 2 * edge, most_ns = sm.span_ns();
  const double down = late.low - early.high, up = late.high - early.low;
  return {rough + down / (down < 0 ? least_ns : most_ns), rough + up / (up < 0 ? most_ns : least_ns)};
}

// The mean frequency is certainly not less, however long reads were delayed: from a timer-first reading to a
// later clock-first one no more time passed than the timer says.
double sureLowerBound(const SmReadings& sm, double rough, double step_ns) {
  const double middle_ns = (sm.begin_ns + sm.end_ns) / 2;
  const Point *first = nullptr, *last = nullptr;
  const auto phase = [rough](const Point& point) { return point.clock - rough * point.time_ns; };
  for (const Point& point : sm.points) {
    if (!point.clock_first && point.time_ns < middle_ns &&
        (first == nullptr || phase(point) < phase(*first))) {
      first = &point;
    } else if (point.clock_first && point.time_ns >= middle_ns &&
               (last == nullptr || phase(point) > phase(*last))) {
      last = &point;
    }
  }
  if (first == nullptr || last == nullptr) return 0;
  return (last->clock - first->clock) / (last->time_ns + step_ns - first->time_ns);
}

// The value on which most SMs agree. A few SMs may be wrong: a pair of reads that was interrupted (by a miss
// of the instruction cache, say) on an SM with few readings. The true value lies in the bounds of all others,
// so those values are kept that nearly as many SMs allow as allow the most popular one.
struct Agreement {
  Interval bounds;
  size_t sms = 0, agreeing = 0;
};

Agreement pooledFrequencyBounds(const std::vector<SmReadings>& sms, double rough, double step_ns) {
  constexpr double kHonestShare = 0.8;
  // A few SMs cannot outvote a reading that was delayed, so each then needs several readings.
  const int enough = sms.size() >= 16 ? 1 : 6;
  Agreement agreement;
  std::vector<std::pair<double, int>> ends;
  for (const SmReadings& sm : sms) {
    const Interval bounds = frequencyBounds(sm, rough, step_ns, enough);
    if (bounds.empty() || !std::isfinite(bounds.low) || !std::isfinite(bounds.high)) continue;
    ends.emplace_back(bounds.low, -1);  // before the end of another at the same value
    ends.emplace_back(bounds.high, 1);
    ++agreement.sms;
  }
  std::ranges::sort(ends);
  size_t here = 0;
  for (const auto& [value, end] : ends) {
    here = end < 0 ? here + 1 : here - 1;
    agreement.agreeing = std::max(agreement.agreeing, here);
  }
  const double needed = kHonestShare * static_cast<double>(agreement.agreeing);
  bool found = false;
  for (const auto& [value, end] : ends) {
    const bool was_enough = here > 0 && static_cast<double>(here) >= needed;
    here = end < 0 ? here + 1 : here - 1;
    const bool is_enough = here > 0 && static_cast<double>(here) >= needed;
    if (is_enough && !found) {
      agreement.bounds.low = value;
      found = true;
    }
    if (was_enough && !is_enough) agreement.bounds.high = value;
  }
  return agreement;
}

bool plausible(double cycles_per_ns) {
  return cycles_per_ns >= kMinCyclesPerNs && cycles_per_ns <= kMaxCyclesPerNs;
}

}  // namespace

Frequency findFrequency(const std::vector<SmReadings>& sms, const SmReadings& reference, double nominal,
                        double step_ns, std::vector<TraceProblem>& problems) {
  if (!plausible(nominal)) nominal = 0;
  // Without anything better the clock may be anything from idle to boost.
  const Frequency assumed{nominal, nominal / 2, nominal * 3 / 2};
  const double rough = roughFrequency(sms);
  if (!plausible(rough)) {
    if (rough != 0) {
      problems.push_back(
          {TraceProblem::Severity::kWarning, 1,
           fmt::format("SM clocks and globaltimer give {:.3g} cycles per ns, which no GPU has: "
                       "the device's nominal clock is used",
                       rough)});
    }
    return assumed;
  }
  const Agreement agreement = pooledFrequencyBounds(sms, rough, step_ns);
  Interval bounds = agreement.bounds;
  if (agreement.sms == 0) {
    const double guess = nominal > 0 ? nominal : rough;
    bounds = {guess / 2, guess * 3 / 2};
  }
  if (agreement.agreeing * 4 < agreement.sms * 3) {
    bounds = {std::min(bounds.low, rough), std::max(bounds.high, rough)};
    problems.push_back(
        {TraceProblem::Severity::kWarning, agreement.sms - agreement.agreeing,
         fmt::format("only {} of {} SMs agree on a clock frequency: times of different SMs are less "
                     "certain (did the GPU change its clock during the launch?)",
                     agreement.agreeing, agreement.sms)});
  }
  // The highest clock bounds what short launches leave open, unless the readings contradict it.
  const double highest = nominal * (1 + kAboveNominalShare);
  const bool obeyed = bounds.low < highest;
  if (obeyed) bounds.high = std::min(bounds.high, highest);
  // The reference's many readings also bound it below better than the most popular value of all SMs does.
  if (bounds.half() > kGoodFrequencyShare * rough) {
    const double lowest = sureLowerBound(reference, rough, step_ns);
    if (lowest < bounds.high) bounds.low = std::max(bounds.low, lowest);
  }
  bounds = {std::max(bounds.low, kMinCyclesPerNs), std::min(bounds.high, kMaxCyclesPerNs)};
  if (bounds.empty()) return assumed;
  Frequency found{bounds.middle(), bounds.low * (1 - kUnseenDriftShare),
                  obeyed ? highest : bounds.high * (1 + kUnseenDriftShare)};
  if (bounds.half() > kGoodFrequencyShare * found.cycles_per_ns && nominal > 0) {
    found.cycles_per_ns = std::clamp(nominal, bounds.low, bounds.high);
  }
  return found;
}

uint64_t dropImpossible(std::vector<SmReadings>& sms) {
  const double rough = roughFrequency(sms);
  if (!plausible(rough)) return 0;
  std::vector<double> values;
  const double farthest = kMaxCyclesPerNs * usualSpan(sms) + kReadingGapCycles;
  uint64_t dropped = 0;
  for (SmReadings& sm : sms) {
    values.clear();
    for (const Point& point : sm.points) values.push_back(point.clock - rough * point.time_ns);
    const double usual = lowerMedian(values);
    dropped += std::erase_if(sm.points, [&](const Point& point) {
      return std::abs(point.clock - rough * point.time_ns - usual) > farthest;
    });
    sm.begin_ns = sm.points.front().time_ns;
    sm.end_ns = sm.points.back().time_ns;
  }
  return dropped;
}

double plausibleOrUnknown(double cycles_per_ns) {
  return plausible(cycles_per_ns) ? cycles_per_ns : 0;
}

}  // namespace warpscope
