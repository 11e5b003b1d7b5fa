#include "app/gui/model/background_sweep.h"

#include <algorithm>
#include <set>
#include <utility>

#include "app/gui/model/sweep_plan.h"

namespace warpscope {
namespace {

constexpr size_t kMostKnown = 2048;       // each takes some kilobytes if it has counters
constexpr double kWeightOfTheLast = 0.4;  // in the running mean: larger sizes come later and take longer

SweptRun keptOf(const Arrival& arrival) {
  SweptRun kept{.request = arrival.result.request};
  if (!arrival.result.run) {
    kept.problem = arrival.result.run.error().message;
    return kept;
  }
  const Run& run = **arrival.result.run;
  kept.block_threads = static_cast<uint32_t>(run.block.count());
  kept.occupancy = run.occupancy;
  kept.metrics = arrival.metrics;
  kept.timing = run.timing;
  kept.bandwidth = run.bandwidth;
  kept.verified = !run.verification.failed();
  kept.counters = run.counters;
  kept.bytes_in_flight = bytesInFlight(run, arrival.metrics.value("achieved"));
  return kept;
}

}  // namespace

BackgroundSweep::Key BackgroundSweep::keyOf(const RunRequest& request) {
  return {request.family, request.variant, request.parameters};
}

void BackgroundSweep::want(std::vector<RunRequest> wanted) {
  const bool same = std::ranges::equal(wanted, wanted_, {}, keyOf, keyOf);
  wanted_ = std::move(wanted);
  countMissing();
  if (!same) agreed_ = false;
  if (!same || missing_ == 0) paused_ = asks_ = false;
  askIfLong();
}

void BackgroundSweep::resume() {
  paused_ = asks_ = false;
  agreed_ = true;
}

void BackgroundSweep::askIfLong() {
  if (agreed_ || paused_ || expectedSeconds().value_or(0) < kLongSweep_s) return;
  paused_ = asks_ = true;
}

std::optional<double> BackgroundSweep::expectedSeconds() const {
  const std::optional<double>& each_s = each_s_ ? each_s_ : foreground_s_;
  if (!each_s || missing_ == 0) return std::nullopt;
  return *each_s * static_cast<double>(missing_);
}

void BackgroundSweep::take(const Arrival& arrival, double now_s) {
  const bool cancelled = !arrival.result.run && arrival.result.run.error().kind == ErrorKind::kCancelled;
  if (!cancelled) {
    // Runs for bars, and those that are shown, recorded what the device chose.
    const bool swept = !arrival.result.foreground && arrival.result.request.sampling == kSweptSampling;
    const bool whole = swept || arrival.metrics.value("achieved") || !arrival.result.run;
    const auto [at, is_new] = known_.try_emplace(keyOf(arrival.result.request));
    // Showing the same settings again must not change the plotted numbers.
    const bool better = whole || !at->second.whole || !at->second.run.problem.empty();
    if (is_new || better) at->second = {keptOf(arrival), whole, next_age_++};
    if (known_.size() > kMostKnown) dropOldest();
    countMissing();
    if (!arrival.result.foreground) {
      const double took_s = std::max(0.0, now_s - last_s_);
      each_s_ = each_s_ ? *each_s_ + kWeightOfTheLast * (took_s - *each_s_) : took_s;
    } else if (arrival.result.run && arrival.result.elapsed_ms > 0) {
      foreground_s_ = arrival.result.elapsed_ms * 1e-3;
    }
  }
  last_s_ = now_s;
  if (missing_ == 0) paused_ = asks_ = false;
  askIfLong();
}

std::vector<RunRequest> BackgroundSweep::toLaunch(double now_s) {
  std::vector<RunRequest> requests;
  if (paused_) return requests;
  last_s_ = now_s;
  for (const RunRequest& request : wanted_) {
    const auto found = known_.find(keyOf(request));
    if (found == known_.end() || !found->second.whole) requests.push_back(request);
  }
  return requests;
}

const SweptRun* BackgroundSweep::find(const RunRequest& request) const {
  const auto found = known_.find(keyOf(request));
  return found == known_.end() ? nullptr : &found->second.run;
}

std::optional<double> BackgroundSweep::secondsLeft() const {
  if (!each_s_ || missing_ == 0) return std::nullopt;
  return *each_s_ * static_cast<double>(missing_);
}

void BackgroundSweep::forget() {
  *this = {};
}

void BackgroundSweep::countMissing() {
  missing_ = static_cast<size_t>(std::ranges::count_if(wanted_, [this](const RunRequest& request) {
    const auto found = known_.find(keyOf(request));
    return found == known_.end() || !found->second.whole;
  }));
}

// Runs that are wanted now are kept: they would otherwise be run again and again.
void BackgroundSweep::dropOldest() {
  std::set<Key> wanted;
  for (const RunRequest& request : wanted_) wanted.insert(keyOf(request));
  auto oldest = known_.end();
  for (auto at = known_.begin(); at != known_.end(); ++at) {
    if (wanted.contains(at->first)) continue;
    if (oldest == known_.end() || at->second.age < oldest->second.age) oldest = at;
  }
  if (oldest != known_.end()) known_.erase(oldest);
}

}  // namespace warpscope
