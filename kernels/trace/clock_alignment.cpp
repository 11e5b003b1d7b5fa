#include "kernels/trace/clock_alignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

namespace warpscope {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// No GPU's SM clock is outside; a frequency found there means that the readings are wrong.
constexpr double kMinCyclesPerNs = 0.05, kMaxCyclesPerNs = 10;
// A frequency from readings is taken as it is when known to this share; else the nominal one is preferred.
constexpr double kGoodFrequencyShare = 0.01;

// A reading relative to its SM's first clock and to the middle of the launch, so that doubles are exact
// enough.
struct Point {
  double clock = 0;
  double time_ns = 0;
  bool clock_first = true;
};

struct SmReadings {
  SmId sm;
  uint64_t first_clock = 0;
  std::vector<Point> points;
  double begin_ns = kInfinity, end_ns = -kInfinity;
  double span_ns() const { return points.empty() ? 0 : end_ns - begin_ns; }
};

struct Interval {
  double low = -kInfinity, high = kInfinity;
  bool empty() const { return low > high; }
  double middle() const { return (low + high) / 2; }
  double half() const { return std::abs(high - low) / 2; }
};

// The phases that an SM's readings allow, and when the two readings that bind them were taken.
struct Phase {
  Interval bounds;
  double low_ns = 0, high_ns = 0;
};

struct Frequency {
  double cycles_per_ns = 0;
  double error = 0;  // +-
};

// The timer's step: what all differences are multiples of. A step of a few ns (an irregular timer: no common
// divisor) is replaced by the smallest difference seen. With few distinct values neither says much.
uint32_t timerStep(std::span<const ClockReading> readings, uint32_t fallback_ns) {
  constexpr size_t kEnoughValues = 16;
  constexpr uint64_t kRegularStep_ns = 8;
  std::vector<uint64_t> times;
  times.reserve(readings.size());
  for (const ClockReading& reading : readings) {
    if (reading.globaltimer_ns != 0) times.push_back(reading.globaltimer_ns);
  }
  std::ranges::sort(times);
  times.erase(std::ranges::unique(times).begin(), times.end());
  const uint32_t fallback = std::max(fallback_ns, 1U);
  if (times.size() < kEnoughValues) return fallback;
  uint64_t divisor = 0, smallest = UINT64_MAX;
  for (size_t i = 1; i < times.size(); ++i) {
    divisor = std::gcd(divisor, times[i] - times[i - 1]);
    smallest = std::min(smallest, times[i] - times[i - 1]);
  }
  const uint64_t step = divisor >= kRegularStep_ns ? divisor : smallest;
  return step > 1'000'000 ? fallback : static_cast<uint32_t>(step);
}

// One entry per SM that has readings with a timer value, ascending.
std::vector<SmReadings> groupBySm(std::span<const ClockReading> readings, uint64_t middle_ns) {
  uint32_t highest = 0;
  for (const ClockReading& reading : readings) highest = std::max(highest, reading.sm.value);
  std::vector<SmReadings> groups(readings.empty() ? 0 : size_t{highest} + 1);
  for (const ClockReading& reading : readings) {
    if (reading.globaltimer_ns == 0) continue;
    SmReadings& group = groups[reading.sm.value];
    if (group.points.empty()) group.first_clock = reading.clock;
    const double time = static_cast<double>(static_cast<int64_t>(reading.globaltimer_ns - middle_ns));
    group.points.push_back({static_cast<double>(static_cast<int64_t>(reading.clock - group.first_clock)),
                            time, reading.order == ClockReading::Order::kClockFirst});
    group.sm = reading.sm;
    group.begin_ns = std::min(group.begin_ns, time);
    group.end_ns = std::max(group.end_ns, time);
  }
  std::erase_if(groups, [](const SmReadings& group) { return group.points.empty(); });
  return groups;
}

// The phase that the readings between two times allow (see the header). A side without bounds, or with
// distant ones, follows from the best reading of the other side.
Phase phaseBetween(const SmReadings& sm, double cycles_per_ns, double step_ns, double from_ns, double to_ns) {
  Phase phase;
  Interval& bounds = phase.bounds;
  for (const Point& point : sm.points) {
    if (point.time_ns < from_ns || point.time_ns > to_ns) continue;
    const double earliest = point.clock - cycles_per_ns * point.time_ns;
    const double latest = earliest - cycles_per_ns * step_ns;
    if (point.clock_first && latest > bounds.low) {
      bounds.low = latest;
      phase.low_ns = point.time_ns;
    } else if (!point.clock_first && earliest < bounds.high) {
      bounds.high = earliest;
      phase.high_ns = point.time_ns;
    }
  }
  const double widest = cycles_per_ns * step_ns + kReadingGapCycles;
  if (bounds.low < bounds.high - widest) {
    if (std::isfinite(bounds.low) && std::isfinite(bounds.high)) {
      bounds = {bounds.high - widest, bounds.low + widest};
      if (bounds.empty()) std::swap(bounds.low, bounds.high);
    } else if (std::isfinite(bounds.high)) {
      bounds.low = bounds.high - widest;
      phase.low_ns = phase.high_ns;
    } else {
      bounds.high = bounds.low + widest;
      phase.high_ns = phase.low_ns;
    }
  }
  return phase;
}

Phase wholePhase(const SmReadings& sm, double cycles_per_ns, double step_ns) {
  return phaseBetween(sm, cycles_per_ns, step_ns, -kInfinity, kInfinity);
}

// Cycles per ns by the first and last reading of each SM: good to about a step over the span.
double roughFrequency(const std::vector<SmReadings>& sms) {
  double cycles = 0, time_ns = 0;
  for (const SmReadings& sm : sms) {
    const auto [first, last] = std::ranges::minmax_element(sm.points, {}, &Point::time_ns);
    cycles += last->clock - first->clock;
    time_ns += last->time_ns - first->time_ns;
  }
  return time_ns > 0 ? cycles / time_ns : 0;
}

// What one SM says about the frequency: its early and late phases, found with a rough frequency, must agree.
Interval frequencyBounds(const SmReadings& sm, double rough, double step_ns) {
  constexpr double kEdgeShare = 0.125;
  const double edge = sm.span_ns() * kEdgeShare;
  const Interval early = phaseBetween(sm, rough, step_ns, -kInfinity, sm.begin_ns + edge).bounds;
  const Interval late = phaseBetween(sm, rough, step_ns, sm.end_ns - edge, kInfinity).bounds;
  const double apart_ns = sm.span_ns() - edge;
  return {rough + (late.low - early.high) / apart_ns, rough + (late.high - early.low) / apart_ns};
}

// What most SMs agree on. A few SMs may be wrong: a pair of reads that was interrupted (by a miss of the
// instruction cache, say) on an SM with few readings. The truth lies in the bounds of all others, so the
// values that nearly as many SMs allow as the most popular one are kept.
struct Agreement {
  Interval bounds;
  size_t sms = 0, agreeing = 0;
};

Agreement pooledFrequencyBounds(const std::vector<SmReadings>& sms, double rough, double step_ns) {
  constexpr double kHonestShare = 0.8;
  Agreement agreement;
  std::vector<std::pair<double, int>> ends;
  for (const SmReadings& sm : sms) {
    if (sm.span_ns() < 4 * step_ns) continue;
    const Interval bounds = frequencyBounds(sm, rough, step_ns);
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

Frequency findFrequency(const std::vector<SmReadings>& sms, double nominal, double step_ns,
                        std::vector<TraceProblem>& problems) {
  if (!plausible(nominal)) nominal = 0;
  // Without anything better the clock may be anything from idle to boost.
  const Frequency assumed{nominal, nominal / 2};
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
  if (agreement.sms == 0) return nominal > 0 ? assumed : Frequency{rough, rough / 2};
  if (agreement.agreeing * 4 < agreement.sms * 3) {
    bounds = {std::min(bounds.low, rough), std::max(bounds.high, rough)};
    problems.push_back(
        {TraceProblem::Severity::kWarning, agreement.sms - agreement.agreeing,
         fmt::format("only {} of {} SMs agree on a clock frequency: times of different SMs are less "
                     "certain (did the GPU change its clock during the launch?)",
                     agreement.agreeing, agreement.sms)});
  }
  bounds = {std::max(bounds.low, kMinCyclesPerNs), std::min(bounds.high, kMaxCyclesPerNs)};
  if (bounds.empty()) return assumed;
  Frequency found{bounds.middle(), bounds.half()};
  if (found.error > kGoodFrequencyShare * found.cycles_per_ns && nominal > 0) {
    found.cycles_per_ns = std::clamp(nominal, bounds.low, bounds.high);
    found.error = std::max(bounds.high - found.cycles_per_ns, found.cycles_per_ns - bounds.low);
  }
  return found;
}

class Aligner {
 public:
  Aligner(std::span<const ClockReading> readings, std::span<const SmId> sms)
      : readings_(readings), sms_(sms) {}

  AlignedClocks align(double nominal, uint32_t resolution_ns) {
    result_.timer_step_ns = timerStep(readings_, resolution_ns);
    step_ns_ = result_.timer_step_ns;
    uint64_t first = UINT64_MAX, last = 0;
    for (const ClockReading& reading : readings_) {
      if (reading.globaltimer_ns == 0) continue;
      first = std::min(first, reading.globaltimer_ns);
      last = std::max(last, reading.globaltimer_ns);
    }
    if (first <= last) groups_ = groupBySm(readings_, first + (last - first) / 2);
    frequency_ = findFrequency(groups_, nominal, step_ns_, result_.problems);
    result_.clocks.cycles_per_ns = frequency_.cycles_per_ns;
    if (frequency_.cycles_per_ns > 0) placeSms();
    shiftToLaunch();
    summarize();
    return std::move(result_);
  }

 private:
  const SmReadings* groupOf(SmId sm) const {
    const auto found = std::ranges::lower_bound(groups_, sm, {}, &SmReadings::sm);
    return found != groups_.end() && found->sm == sm ? &*found : nullptr;
  }

  // Finds offsets to an axis whose zero is the middle of the launch, and the launch's begin and end on it. An
  // error of the frequency moves an SM's phase by that error times the time of the readings that bind it: SMs
  // that were read at the same time move alike, so only the distance from their common middle counts.
  void placeSms() {
    std::vector<std::optional<Phase>> phases;
    Interval times{kInfinity, -kInfinity};
    for (const SmId sm : sms_) {
      const SmReadings* group = groupOf(sm);
      if (group == nullptr) {
        phases.emplace_back();
        continue;
      }
      const Phase phase = wholePhase(*group, frequency_.cycles_per_ns, step_ns_);
      const double middle_ns = (phase.low_ns + phase.high_ns) / 2;
      times = {std::min(times.low, middle_ns), std::max(times.high, middle_ns)};
      phases.emplace_back(phase);
    }
    uint64_t disagreeing = 0;
    for (size_t i = 0; i < sms_.size(); ++i) {
      SmClock placed{.sm = sms_[i]};
      if (const auto& phase = phases[i]) {
        const double apart_ns = std::abs(phase->high_ns - phase->low_ns);
        const double from_middle_ns = std::abs((phase->low_ns + phase->high_ns) / 2 - times.middle());
        if (phase->bounds.low - phase->bounds.high > frequency_.error * apart_ns + 1) ++disagreeing;
        placed.offset_cycles =
            -static_cast<int64_t>(groupOf(sms_[i])->first_clock) - std::llround(phase->bounds.middle());
        placed.uncertainty_ns = (phase->bounds.half() + frequency_.error * (from_middle_ns + apart_ns / 2)) /
                                frequency_.cycles_per_ns;
      }
      result_.clocks.sms.push_back(placed);
    }
    if (disagreeing > 0) {
      result_.problems.push_back(
          {TraceProblem::Severity::kWarning, disagreeing,
           fmt::format(
               "the clock readings of {} SM{} do not fit one constant frequency: their uncertainty is "
               "wider (did the GPU change its clock during the launch?)",
               disagreeing, disagreeing == 1 ? "" : "s")});
    }
    // SMs that are not asked for take part in the launch's begin and end by the timer alone.
    for (const SmReadings& group : groups_) {
      if (std::ranges::binary_search(sms_, group.sm)) continue;
      observe(std::llround(frequency_.cycles_per_ns * (group.begin_ns + step_ns_ / 2)));
      observe(std::llround(frequency_.cycles_per_ns * (group.end_ns + step_ns_ / 2)));
    }
  }

  void observe(int64_t cycles) {
    begin_ = std::min(begin_, cycles);
    end_ = std::max(end_, cycles);
  }

  // Moves zero to the earliest instant. SMs that nothing ties to the others begin there.
  void shiftToLaunch() {
    if (result_.clocks.sms.empty()) {
      for (const SmId sm : sms_) result_.clocks.sms.push_back({.sm = sm});
    }
    std::vector<std::pair<uint64_t, uint64_t>> extent(sms_.size(), {UINT64_MAX, 0});
    size_t i = 0;
    for (const ClockReading& reading : readings_) {
      // Readings come in runs of one SM: the index found last is mostly right.
      if (i >= sms_.size() || sms_[i] != reading.sm) {
        i = static_cast<size_t>(std::ranges::lower_bound(sms_, reading.sm) - sms_.begin());
        if (i >= sms_.size() || sms_[i] != reading.sm) continue;
      }
      extent[i].first = std::min(extent[i].first, reading.clock);
      extent[i].second = std::max(extent[i].second, reading.clock);
    }
    for (size_t s = 0; s < sms_.size(); ++s) {
      const SmClock& placed = result_.clocks.sms[s];
      if (!placed.uncertainty_ns || extent[s].first > extent[s].second) continue;
      observe(static_cast<int64_t>(extent[s].first) + placed.offset_cycles);
      observe(static_cast<int64_t>(extent[s].second) + placed.offset_cycles);
    }
    const int64_t zero = begin_ <= end_ ? begin_ : 0;
    int64_t duration = begin_ <= end_ ? end_ - begin_ : 0;
    for (size_t s = 0; s < sms_.size(); ++s) {
      SmClock& placed = result_.clocks.sms[s];
      if (placed.uncertainty_ns) {
        placed.offset_cycles -= zero;
      } else if (extent[s].first <= extent[s].second) {
        placed.offset_cycles = -static_cast<int64_t>(extent[s].first);
        duration = std::max(duration, static_cast<int64_t>(extent[s].second - extent[s].first));
      }
    }
    result_.duration_cycles = duration;
  }

  void summarize() {
    auto& clocks = result_.clocks;
    if (clocks.sms.size() == 1) {
      clocks.sms.front().uncertainty_ns = clocks.sms.front().uncertainty_ns.value_or(0);
      clocks.uncertainty_ns = 0;
      return;
    }
    // The two worst SMs against each other.
    double worst = 0, second = 0;
    uint64_t unplaced = 0;
    for (const SmClock& sm : clocks.sms) {
      if (!sm.uncertainty_ns) {
        ++unplaced;
      } else if (*sm.uncertainty_ns > worst) {
        second = std::exchange(worst, *sm.uncertainty_ns);
      } else {
        second = std::max(second, *sm.uncertainty_ns);
      }
    }
    if (unplaced > 0) {
      result_.problems.push_back(
          {TraceProblem::Severity::kWarning, unplaced,
           fmt::format(
               "{} SM{} no clock reading that ties {} to the others: do not compare {} with other SMs",
               unplaced, unplaced == 1 ? " has" : "s have", unplaced == 1 ? "it" : "them",
               unplaced == 1 ? "its rows" : "their rows")});
    } else if (!clocks.sms.empty()) {
      clocks.uncertainty_ns = worst + second;
    }
  }

  std::span<const ClockReading> readings_;
  std::span<const SmId> sms_;
  std::vector<SmReadings> groups_;
  Frequency frequency_;
  double step_ns_ = 1;
  int64_t begin_ = INT64_MAX, end_ = INT64_MIN;
  AlignedClocks result_;
};

}  // namespace

AlignedClocks alignClocks(std::span<const ClockReading> readings, std::span<const SmId> sms,
                          double nominal_cycles_per_ns, uint32_t timer_resolution_ns) {
  return Aligner(readings, sms).align(nominal_cycles_per_ns, timer_resolution_ns);
}

}  // namespace warpscope
