#include "kernels/execute/place_samples.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "kernels/sim/listing.h"

namespace warpscope {
namespace {

// Samples this long before and after the launch show that it begins and ends.
constexpr double kMarginIntervals = 2;
constexpr size_t kMostActivitySamples = 4096;
constexpr double kBusy = 0.05;  // as a share of the busiest sample

// A sample that the launch begins in is busy for part of it, and the next one for all of it.
std::optional<double> beginOfLaunch(std::span<const TimedActivity::Sample> samples) {
  const auto busy = [](const TimedActivity::Sample& sample) {
    return sample.percent[static_cast<size_t>(ActivityKind::kSmActive)];
  };
  double most = 0;
  for (const auto& sample : samples) most = std::max(most, busy(sample));
  if (most <= 0) return std::nullopt;
  const auto first =
      std::ranges::find_if(samples, [&](const auto& sample) { return busy(sample) >= kBusy * most; });
  const double next = first + 1 == samples.end() ? most : std::max(busy(*first), busy(*(first + 1)));
  const auto length = static_cast<double>(first->end_ns - first->begin_ns);
  return static_cast<double>(first->end_ns - samples.front().begin_ns) - length * busy(*first) / next;
}

}  // namespace

std::shared_ptr<const Listing> placeWaits(const WaitsByPtxLine& waits, std::string_view ptx,
                                          const std::string& entry, WaitSamples& samples) {
  const sim::PtxListing listing = sim::listPtx(ptx, entry);
  samples = {.interval_cycles = waits.interval_cycles,
             .launches = waits.launches,
             .taken = waits.taken,
             .dropped = waits.dropped};
  std::map<std::pair<uint32_t, WarpState>, uint64_t> placed;
  uint64_t placed_samples = 0;
  for (const WaitsByPtxLine::Place& place : waits.places) {
    const auto listed = listing.instructionAt(place.ptx_line);
    if (!listed) continue;
    placed[{*listed, place.state}] += place.samples;
    placed_samples += place.samples;
  }
  samples.elsewhere = samples.taken - std::min(samples.taken, samples.dropped + placed_samples);
  for (const auto& [at, count] : placed) samples.places.push_back({at.first, at.second, count});
  return std::make_shared<const Listing>(listing.instructions);
}

void addActivity(const TimedActivity& activity, double duration_ns, ActivitySamples& samples) {
  // The first sample of all is the mean since the sampler was last on.
  std::span<const TimedActivity::Sample> whole(activity.samples);
  while (!whole.empty() && whole.front().end_ns - whole.front().begin_ns >= 2 * activity.interval_ns)
    whole = whole.subspan(1);
  const auto zero = beginOfLaunch(whole);
  if (!zero) return;
  samples.interval_ns = samples.uncertainty_ns = static_cast<double>(activity.interval_ns);
  ++samples.launches;
  const double margin = kMarginIntervals * samples.interval_ns;
  for (const TimedActivity::Sample& sample : whole) {
    const double begin = static_cast<double>(sample.begin_ns - whole.front().begin_ns) - *zero;
    const double end = begin + static_cast<double>(sample.end_ns - sample.begin_ns);
    if (end > -margin && begin < duration_ns + margin && samples.samples.size() < kMostActivitySamples)
      samples.samples.push_back({begin, end, sample.percent});
  }
  std::ranges::sort(samples.samples, {}, &ActivitySample::begin_ns);
}

}  // namespace warpscope
