#include "kernels/execute/clock_alignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/execute/clock_readings.h"

namespace warpscope {
namespace {

constexpr double kVaryingShare = 0.002;  // less is not worth reporting
constexpr double kEnoughBinsForVariation = 8;
// In wider bins the clock may change and change back between neighbours that look alike (the H100's settles
// in 30 us).
constexpr double kWidestFollowed_ns = 20'000;
// Widths of the bins, in steps of the timer: the narrowest, and the factor from each pass to the next.
constexpr double kNarrowestBinSteps = 8, kBinGrowth = 8;
// The scatter of equal readings of the H100 (see the header) from bin to bin while its clock was steady.
constexpr double kReadJitterCycles = 16;
// In a bin, one side is concluded from the other only where this many readings take part: one of a few may
// have been delayed for long.
constexpr uint32_t kEnoughToComplete = 8;

// The bounds on an SM's phase from its readings within one bin of time.
struct Bin {
  double index = 0;  // time / width, rounded down
  Interval phase;
  uint32_t timer_first = 0, clock_first = 0;
  double low_ns = 0, high_ns = 0;  // when the readings were taken that determine the bounds
  bool twoSided() const { return timer_first > 0 && clock_first > 0; }
  // The clock drifted at least this far within the bin.
  double seenDrift() const { return twoSided() ? std::max(0.0, phase.low - phase.high) : 0; }
};

// The bins of one SM in ascending time. `bins` is reused.
void fillBins(const SmReadings& sm, double cycles_per_ns, double step_ns, double width_ns,
              std::vector<Bin>& bins) {
  bins.clear();
  const double per_width = 1 / width_ns;
  for (const Point& point : sm.points) {
    const double index = std::floor(point.time_ns * per_width);
    if (bins.empty() || bins.back().index != index) bins.push_back({.index = index, .phase = {}});
    Bin& bin = bins.back();
    const double earliest = point.clock - cycles_per_ns * point.time_ns;
    const double latest = earliest - cycles_per_ns * step_ns;
    if (point.clock_first) {
      ++bin.clock_first;
      if (latest <= bin.phase.low) continue;
      bin.phase.low = latest;
      bin.low_ns = point.time_ns;
    } else {
      ++bin.timer_first;
      if (earliest >= bin.phase.high) continue;
      bin.phase.high = earliest;
      bin.high_ns = point.time_ns;
    }
  }
}

void completeBin(Bin& bin, uint32_t enough, double cycles_per_ns, double step_ns) {
  const double widest = cycles_per_ns * step_ns + kReadingGapCycles;
  const Bin seen = bin;
  if (seen.timer_first >= enough && seen.phase.low < seen.phase.high - widest) {
    bin.phase.low = seen.phase.high - widest;
    bin.low_ns = seen.high_ns;
  }
  if (seen.clock_first >= enough && seen.phase.high > seen.phase.low + widest) {
    bin.phase.high = seen.phase.low + widest;
    bin.high_ns = seen.low_ns;
  }
}

// The rate at which the common clock drifts away from the mean around a bin of the reference, judged by its
// neighbours: at least `sure`, and more than `likely` only where it changes within the bin. Where the
// neighbours do not determine it, 0 and infinity.
struct DriftRate {
  double sure = 0, likely = kInfinity;
};

DriftRate driftRate(const std::vector<Bin>& bins, size_t at, double width_ns) {
  DriftRate rate{0, 0};
  int neighbors = 0;
  for (const size_t near : {at - 1, at + 1}) {
    if (near >= bins.size() || std::abs(bins[near].index - bins[at].index) != 1) continue;
    if (!bins[near].twoSided() || !bins[at].twoSided()) continue;
    ++neighbors;
    const double moved = std::abs(bins[near].phase.middle() - bins[at].phase.middle());
    const double error = bins[near].phase.half() + bins[at].phase.half();
    rate.sure = std::max(rate.sure, (moved - error) / width_ns);
    rate.likely = std::max(rate.likely, (moved + error) / width_ns);
  }
  if (neighbors == 0) return {};
  if (neighbors == 1) rate.likely *= 2;  // it may well be faster on the other side
  return rate;
}

// The most that the phase moved, by bins that have bounds on both sides; infinite where there are too few
// of them.
double driftRange(const std::vector<Bin>& bins) {
  constexpr int kEnough = 8;
  Interval range{kInfinity, -kInfinity};
  int found = 0;
  for (const Bin& bin : bins) {
    if (!bin.twoSided()) continue;
    ++found;
    range.low = std::min({range.low, bin.phase.low, bin.phase.high});
    range.high = std::max({range.high, bin.phase.low, bin.phase.high});
  }
  return found >= kEnough ? range.high - range.low : kInfinity;
}

class Aligner {
 public:
  Aligner(std::span<const ClockReading> readings, std::span<const SmId> sms)
      : readings_(readings), sms_(sms) {}

  AlignedClocks align(double nominal, uint32_t resolution_ns) {
    result_.timer_step_ns = timerStep(readings_, resolution_ns);
    step_ns_ = result_.timer_step_ns;
    groups_ = groupBySm(readings_);
    if (const uint64_t dropped = dropImpossible(groups_); dropped > 0) {
      result_.problems.push_back(
          {TraceProblem::Severity::kWarning, dropped,
           fmt::format(
               "{} clock reading{} wrong by more than the launch lasted: left out of the alignment of SMs",
               dropped, dropped == 1 ? " is" : "s are")});
    }
    findReference();
    if (reference_ != nullptr) {
      frequency_ = findFrequency(groups_, *reference_, nominal, step_ns_, result_.problems);
    } else {
      frequency_.cycles_per_ns = plausibleOrUnknown(nominal);
    }
    result_.clocks.cycles_per_ns = frequency_.cycles_per_ns;
    if (reference_ != nullptr && frequency_.cycles_per_ns > 0) placeSms();
    shiftToLaunch();
    summarize();
    return std::move(result_);
  }

 private:
  const SmReadings* groupOf(SmId sm) const {
    const auto found = std::ranges::lower_bound(groups_, sm, {}, &SmReadings::sm);
    return found != groups_.end() && found->sm == sm ? &*found : nullptr;
  }

  // The requested SM with the most readings.
  void findReference() {
    for (const SmId sm : sms_) {
      const SmReadings* group = groupOf(sm);
      if (group == nullptr) continue;
      if (reference_ == nullptr || group->points.size() > reference_->points.size()) reference_ = group;
    }
  }

  // Phases of the requested SMs relative to the reference's, from bins of all widths up to the whole launch.
  std::vector<Interval> relativePhases() {
    double begin = 0, end = 0;
    for (const SmReadings& group : groups_) {
      begin = std::min(begin, group.begin_ns);
      end = std::max(end, group.end_ns);
    }
    std::vector<Interval> relative(sms_.size());
    std::vector<Bin> reference_bins, bins;
    double width = kNarrowestBinSteps * step_ns_;
    for (bool last = false; !last; width *= kBinGrowth) {
      last = width >= end - begin;
      if (last) width = kInfinity;  // one bin
      fillBins(*reference_, frequency_.cycles_per_ns, step_ns_, width, reference_bins);
      completeBins(reference_bins, width);
      if (!std::isfinite(drift_range_)) drift_range_ = driftRange(reference_bins);
      if (width * kEnoughBinsForVariation <= reference_->span_ns()) noteVariation(reference_bins, width);
      for (size_t s = 0; s < sms_.size(); ++s) {
        const SmReadings* group = groupOf(sms_[s]);
        if (group == nullptr || group == reference_) continue;
        fillBins(*group, frequency_.cycles_per_ns, step_ns_, width, bins);
        completeBins(bins, width);
        intersectBins(reference_bins, bins, width, relative[s]);
      }
    }
    return relative;
  }

  // This is not done in the narrowest bins: after the last exits one may hold nothing but readings that were
  // delayed.
  void completeBins(std::vector<Bin>& bins, double width_ns) const {
    if (width_ns <= kNarrowestBinSteps * step_ns_) return;
    const uint32_t enough = std::isfinite(width_ns) ? kEnoughToComplete : 1;
    for (Bin& bin : bins) completeBin(bin, enough, frequency_.cycles_per_ns, step_ns_);
  }

  // Narrows `relative` by each bin that both SMs have.
  void intersectBins(const std::vector<Bin>& reference, const std::vector<Bin>& bins, double width_ns,
                     Interval& relative) const {
    size_t r = 0;
    for (const Bin& bin : bins) {
      while (r < reference.size() && reference[r].index < bin.index) ++r;
      if (r == reference.size()) return;
      if (reference[r].index != bin.index) continue;
      const Bin& other = reference[r];
      const DriftRate rate = width_ns <= kWidestFollowed_ns ? driftRate(reference, r, width_ns) : DriftRate{};
      const double seen = std::max(bin.seenDrift(), other.seenDrift());
      const double below = std::max(seen, drift(other.high_ns, bin.low_ns, rate));
      const double above = std::max(seen, drift(bin.high_ns, other.low_ns, rate));
      relative.low = std::max(relative.low, bin.phase.low - other.phase.high - below);
      relative.high = std::min(relative.high, bin.phase.high - other.phase.low + above);
    }
  }

  // The most that the phase of all SMs may have risen from one time to another.
  double drift(double from_ns, double to_ns, const DriftRate& rate) const {
    const double f = frequency_.cycles_per_ns;
    const double unseen = std::max(0.0, to_ns >= from_ns ? frequency_.high - f : f - frequency_.low);
    const double drifted = std::max(rate.sure, std::min(rate.likely, unseen)) * std::abs(to_ns - from_ns);
    // The reference's drift is doubled to allow for changes that bins hide; it says nothing about times when
    // it was not read.
    const auto [first, last] = std::minmax(from_ns, to_ns);
    const bool seen = first >= reference_->begin_ns && last <= reference_->end_ns;
    return seen ? std::min(drifted, 2 * drift_range_) : drifted;
  }

  // Records the slowest and the fastest that the clock surely or likely ran between neighbouring bins. Wider
  // bins overwrite.
  void noteVariation(const std::vector<Bin>& bins, double width_ns) {
    Interval rates{kInfinity, -kInfinity};
    double slowest_at_most = kInfinity, fastest_at_least = -kInfinity;
    for (size_t i = 1; i < bins.size(); ++i) {
      const Bin &before = bins[i - 1], &after = bins[i];
      if (after.index != before.index + 1 || !before.twoSided() || !after.twoSided()) continue;
      const double rate =
          frequency_.cycles_per_ns + (after.phase.middle() - before.phase.middle()) / width_ns;
      const double error = (before.phase.half() + after.phase.half()) / width_ns;
      rates = {std::min(rates.low, rate), std::max(rates.high, rate)};
      slowest_at_most = std::min(slowest_at_most, rate + error);
      fastest_at_least = std::max(fastest_at_least, rate - error);
    }
    const bool varied = fastest_at_least - slowest_at_most > kVaryingShare * frequency_.cycles_per_ns;
    variation_ = varied ? rates : Interval{};
  }

  // Finds each SM's offset to an axis whose zero is the median of the readings' times.
  void placeSms() {
    const double f = frequency_.cycles_per_ns;
    const std::vector<Interval> relative = relativePhases();
    std::vector<Bin> whole;
    fillBins(*reference_, f, step_ns_, kInfinity, whole);
    completeBins(whole, kInfinity);
    const double reference_phase = whole.front().phase.middle();
    uint64_t disagreeing = 0;
    for (size_t s = 0; s < sms_.size(); ++s) {
      SmClock placed;
      placed.sm = sms_[s];
      if (const SmReadings* group = groupOf(sms_[s])) {
        const Interval phase = group == reference_ ? Interval{0, 0} : relative[s];
        // Where bins contradict each other by e, some bound is wrong by e / 2 or more, and others may be too.
        const double excess = std::max(0.0, phase.low - phase.high);
        if (excess > f * step_ns_) ++disagreeing;
        placed.offset_cycles =
            -static_cast<int64_t>(group->first_clock) - std::llround(reference_phase + phase.middle());
        placed.uncertainty_ns = group == reference_ ? 0 : (phase.half() + excess / 2 + kReadJitterCycles) / f;
      }
      result_.clocks.sms.push_back(placed);
    }
    reportClocks(disagreeing);
    // SMs that were not requested contribute to the launch's begin and end by the timer alone.
    for (const SmReadings& group : groups_) {
      if (std::ranges::binary_search(sms_, group.sm)) continue;
      observe(std::llround(f * (group.begin_ns + step_ns_ / 2)));
      observe(std::llround(f * (group.end_ns + step_ns_ / 2)));
    }
  }

  void reportClocks(uint64_t disagreeing) {
    if (disagreeing > 0) {
      result_.problems.push_back(
          {TraceProblem::Severity::kWarning, disagreeing,
           fmt::format("the clock readings of {} SM{} contradict each other: their uncertainty is wider (did "
                       "these SMs' clocks change during the launch?)",
                       disagreeing, disagreeing == 1 ? "" : "s")});
    }
    if (std::isfinite(variation_.low)) {
      result_.problems.push_back(
          {TraceProblem::Severity::kInfo, 1,
           fmt::format("the SM clock ran between {:.2f} and {:.2f} cycles/ns during this launch: the ns axis "
                       "uses the mean",
                       variation_.low, variation_.high)});
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
      // Readings of one SM follow each other: the index found last is mostly right.
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
    if (begin_ <= end_ && frequency_.cycles_per_ns > 0) {
      result_.zero_globaltimer_ns = static_cast<int64_t>(medianTime(readings_)) +
                                    std::llround(static_cast<double>(zero) / frequency_.cycles_per_ns);
    }
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
  const SmReadings* reference_ = nullptr;  // in groups_
  double drift_range_ =
      kInfinity;        // of the common clock over the launch in cycles, where there are enough bins
  Interval variation_;  // of the clock in cycles per ns; infinite: not seen
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
