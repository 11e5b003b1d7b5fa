#include "kernels/backend/cuda/streams/operation_clocks.h"

#include <algorithm>
#include <utility>

#include "kernels/backend/cuda/streams/measured_times.h"
#include "kernels/backend/cuda/streams/stream_axis.h"
#include "kernels/backend/stream_graphs.h"
#include "kernels/backend/stream_times.h"

namespace warpscope::cuda {

OperationClocks::OperationClocks(const StreamWork& work, std::span<RunningGpu> gpus, StreamSet& set)
    : work_(work),
      gpus_(gpus),
      session_(*gpus.front().session),
      set_(set),
      prefetches_(std::ranges::any_of(work.operations, isPrefetch)),
      pairs_(work.operations.size()) {}

Expected<void> OperationClocks::askHost(std::vector<ClockSample> RunningGpu::*samples) {
  return onEach(gpus_, [&](RunningGpu& gpu) {
    return gpu.probe->askFromHost().map(
        [&](std::vector<ClockSample>&& asked) { gpu.*samples = std::move(asked); });
  });
}

bool OperationClocks::timesWhole() const {
  return work_.clocks == StreamWork::Clocks::kWhole && work_.streams.size() <= TimerProbe::kMostStamps;
}

// CUPTI is tried on the stamps that are needed anyway: where it does not record exactly these, it is not
// used. Of a graph with conditional nodes it records the conditional ones alone, and not all of these
// (H100, driver 580.159.04).
Expected<void> OperationClocks::choose() {
  if (timesWhole()) return {};
  if (hasConditions(work_)) {
    problem_ =
        "CUPTI does not record all nodes of a graph with conditions, so that marks tell when these ran";
  } else if (work_.clocks != StreamWork::Clocks::kEvents) {
    const auto begun = activity_.begin();
    activity_on_ = begun.has_value();
    if (!begun) problem_ = begun.error().message;
  }
  if (auto stamped = stampBefore(); !stamped) {
    if (!activity_on_ || stamped.error().kind != ErrorKind::kNoDevice) return stamped;
    problem_ = stamped.error().message;
    activity_.end();
    activity_on_ = false;
    if (auto again = stampBefore(); !again) return again;
  }
  return usesEvents() ? createPairs() : Expected<void>{};
}

Expected<void> OperationClocks::createPairs() {
  for (uint32_t i = 0; i < pairs_.size(); ++i) {
    // Within a graph, no event can be recorded between launches: one pair is around all of it.
    const bool timed =
        work_.operations[i].graph ? firstOfCall(work_, i) == i : isActivity(work_.operations[i]);
    if (!timed || !(timesAllByEvents() || isPrefetch(work_.operations[i]))) continue;
    if (const auto primary = primaryOf(work_, i)) {
      pairs_[i] = pairs_[*primary];
      continue;
    }
    if (auto made = createPair(pairs_[i], work_.streams[work_.operations[i].stream].gpu); !made) return made;
  }
  return {};
}

Expected<void> OperationClocks::forgetRecords() {
  if (!activity_on_) return {};
  const auto dropped = activity_.take();
  return dropped ? Expected<void>{} : tl::unexpected(dropped.error());
}

Expected<void> OperationClocks::stampBefore() {
  return onEach(gpus_, [&](RunningGpu& gpu) {
    return stamp(gpu, gpu.stamps_before, gpu.pairs_before).and_then([&]() -> Expected<void> {
      return activity_on_ ? takeStampActivity(gpu.activity_before) : Expected<void>{};
    });
  });
}

Expected<void> OperationClocks::stamp(RunningGpu& gpu, std::vector<ClockSample>& samples,
                                      std::vector<EventPair>& pairs) {
  pairs.clear();
  if (usesEvents()) {
    pairs.resize(TimerProbe::kStamps);
    for (EventPair& pair : pairs) {
      if (auto made = createPair(pair, static_cast<uint32_t>(&gpu - gpus_.data())); !made) return made;
    }
  }
  const auto around = [&](uint32_t i, bool after) -> Expected<void> {
    if (pairs.empty()) return {};
    return recordTime(after ? pairs[i].after : pairs[i].before, gpu.session->stream());
  };
  return gpu.session->enter()
      .and_then([&] { return gpu.probe->enqueueStamps(*gpu.hold, around); })
      .and_then([&] { return gpu.probe->stamps(); })
      .map([&](std::vector<ClockSample>&& read) { samples = std::move(read); });
}

Expected<void> OperationClocks::recordTime(Event event, Stream stream) {
  return session_.check(session_.api().eventRecord(event, stream), "recording a timing event");
}

// The stamps' kernels, behind the one that held the stream back, and the copy that fetched what they wrote.
Expected<void> OperationClocks::takeStampActivity(std::vector<Activity>& stamps) {
  auto all = activity_.take();
  if (!all) return tl::unexpected(all.error());
  stamps = std::move(*all);
  const bool counted = stamps.size() == 2 + TimerProbe::kStamps;
  const bool known = counted && stamps.back().kind == OperationKind::kCopyToHost &&
                     std::all_of(stamps.begin(), stamps.end() - 1,
                                 [](const Activity& each) { return each.kind == OperationKind::kLaunch; });
  if (!known) {
    return fail(ErrorKind::kNoDevice, "CUPTI recorded {} activities where {} were expected", stamps.size(),
                2 + TimerProbe::kStamps);
  }
  stamps.erase(stamps.begin());
  stamps.pop_back();
  return {};
}

Expected<void> OperationClocks::createPair(EventPair& pair, uint32_t gpu) {
  for (Event* event : {&pair.before, &pair.after}) {
    const auto made = set_.timing(gpu);
    if (!made) return tl::unexpected(made.error());
    *event = *made;
  }
  return {};
}

// The first call behind a flush of CUPTI's records takes 0.2 to 0.3 ms longer than those after it (H100,
// driver 580.159.04), so a small copy in each direction goes first on each stream. Their records stay with
// those of the operations: fetching them would be another flush.
Expected<void> OperationClocks::wakeStreams() {
  for (uint32_t i = 0; i < work_.streams.size(); ++i) {
    RunningGpu& gpu = gpus_[work_.streams[i].gpu];
    auto woken = gpu.session->enter().and_then([&] { return gpu.probe->enqueueCopies(set_.stream(i)); });
    if (!woken) return woken;
  }
  return set_.synchronize();
}

// An event between a launch and the one that it triggers would keep the two apart: the events of such a
// chain are recorded before its first launch and after its last, and say of each launch between when the
// chain began and ended.
Expected<void> OperationClocks::recordAround(uint32_t index, bool after) {
  const EventPair& pair = pairs_[index];
  if (pair.before == nullptr) return {};
  const auto same = [&](const EventPair& other) { return other.before == pair.before; };
  const bool earlier = std::any_of(pairs_.begin(), pairs_.begin() + index, same);
  const bool later = std::any_of(pairs_.begin() + index + 1, pairs_.end(), same);
  if (after ? later : earlier) return {};
  return recordTime(after ? pair.after : pair.before, set_.stream(work_.operations[index].stream));
}

// Behind the last operation of each stream.
Expected<void> OperationClocks::stampEnds() {
  if (!timesWhole()) return {};
  Expected<void> done;
  for (uint32_t i = 0; i < work_.streams.size() && done; ++i) {
    RunningGpu& gpu = gpus_[work_.streams[i].gpu];
    done = gpu.session->enter().and_then([&] { return gpu.probe->enqueueStamp(i, set_.stream(i)); });
  }
  return done;
}

Expected<void> OperationClocks::readAgain() {
  if (timesWhole()) {
    return onEach(gpus_, [&](RunningGpu& gpu) {
      return gpu.probe->stamps(static_cast<uint32_t>(work_.streams.size()))
          .map([&](std::vector<ClockSample>&& read) { gpu.stamps_after = std::move(read); });
    });
  }
  if (activity_on_) {
    auto all = activity_.take();
    if (!all) return tl::unexpected(all.error());
    const size_t waking = std::min<size_t>(all->size(), size_t{2} * work_.streams.size());
    activity_of_operations_.assign(all->begin() + static_cast<std::ptrdiff_t>(waking), all->end());
  }
  return onEach(gpus_, [&](RunningGpu& gpu) {
    return stamp(gpu, gpu.stamps_after, gpu.pairs_after).and_then([&]() -> Expected<void> {
      return activity_on_ ? takeStampActivity(gpu.activity_after) : Expected<void>{};
    });
  });
}

Expected<StreamReport> OperationClocks::report(const Intervals& calls,
                                               const std::vector<HostCall*>& host_calls) {
  StreamAxis axis(work_, gpus_, calls, host_calls);
  StreamReport& report = axis.report();
  if (timesWhole()) {
    axis.placeWhole();
    return std::move(report);
  }
  std::vector<OperationTimes> by_events, by_activity;
  if (usesEvents()) {
    auto times = eventTimes(work_, gpus_, pairs_).and_then([&](const Intervals& measured) {
      return axis.place(StreamClock::kEvents, measured);
    });
    if (!times) return tl::unexpected(times.error());
    by_events = std::move(*times);
  }
  if (activity_on_) {
    auto times = placeActivity(axis);
    if (!times) return tl::unexpected(times.error());
    by_activity = std::move(*times);
    takePrefetches(by_events, by_activity);
  }
  report.timing.problem = problem_;
  if (activity_on_ && timesAllByEvents()) report.by_events = by_events;
  report.operations = activity_on_ ? std::move(by_activity) : std::move(by_events);
  for (const OperationTimes& times : report.operations)
    report.total_ns = std::max(report.total_ns, times.end_ns);
  return std::move(report);
}

Expected<std::vector<OperationTimes>> OperationClocks::placeActivity(StreamAxis& axis) {
  const auto measured = activityTimes(work_, activity_of_operations_, session_.description().id);
  if (!measured) return tl::unexpected(measured.error());
  if (!measured->tell_nodes) problem_ = "CUPTI's records do not tell which launch of a graph is which";
  return axis.place(StreamClock::kActivity, measured->of);
}

// Both are on the run's axis.
void OperationClocks::takePrefetches(const std::vector<OperationTimes>& by_events,
                                     std::vector<OperationTimes>& times) const {
  if (!prefetches_) return;
  for (size_t i = 0; i < times.size(); ++i) {
    if (!isPrefetch(work_.operations[i])) continue;
    times[i].begin_ns = by_events[i].begin_ns;
    times[i].end_ns = by_events[i].end_ns;
  }
  explainMeasured(work_, times);
}

}  // namespace warpscope::cuda
