#include "kernels/backend/cuda/streams/stream_runner.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "kernels/backend/cuda/streams/activity_log.h"
#include "kernels/backend/cuda/streams/graph_nodes.h"
#include "kernels/backend/cuda/streams/stream_set.h"
#include "kernels/backend/stream_graphs.h"
#include "kernels/backend/stream_times.h"

namespace warpscope::cuda {
namespace {

struct EventPair {
  Event before = nullptr, after = nullptr;
};
struct Interval {
  int64_t begin_ns = 0, end_ns = 0;
};
using Intervals = std::vector<Interval>;  // by operation; zeros for what is no activity

// One run. Enqueues, waits, and puts all times on one axis.
class StreamRun {
 public:
  StreamRun(Session& session, Hold& hold, ManagedMemory& managed, TimerProbe& probe,
            const StreamRunner::Launch& launch, const GraphSet::AddNode& add_node, const StreamWork& work)
      : session_(session),
        hold_(hold),
        managed_(managed),
        probe_(probe),
        launch_(launch),
        add_node_(add_node),
        work_(work),
        prefetches_(std::ranges::any_of(work.operations, isPrefetch)),
        advice_(managed, session),
        graphs_(session),
        set_(session),
        calls_(work.operations.size()),
        host_calls_(work.operations.size()),
        pairs_(work.operations.size()) {}

  Expected<StreamReport> run(PinnedBuffers& pinned, const std::stop_token& stop) {
    auto done = session_.synchronize("waiting for earlier work")
                    .and_then([&] { return set_.create(work_.streams); })
                    .and_then([&] { return set_.pin(work_.pinned, pinned); })
                    .and_then([&] { return advice_.give(work_.managed); })
                    .and_then([&]() -> Expected<void> {
                      set_.manage(work_.managed);
                      return {};
                    })
                    .and_then([&] { return createEvents(); })
                    .and_then([&] { return askHost(host_before_); })
                    .and_then([&] { return chooseClocks(); })
                    .and_then([&] { return makeGraphs(); })
                    .and_then([&] { return wakeStreams(); })
                    .and_then([&] { return enqueueAll(stop); })
                    .and_then([&] { return stampEnds(); });
    // Also after an error: what has been enqueued uses the memory until then.
    if (!session_.poisoned()) {
      const auto ended = set_.synchronize();
      if (done) done = ended;
    }
    if (done) done = stampAgain();
    activity_.end();
    if (done) done = askHost(host_after_);
    if (!done) return tl::unexpected(done.error());
    set_.copyBack();
    return report();
  }

 private:
  bool timesWhole() const {
    return work_.clocks == StreamWork::Clocks::kWhole && work_.streams.size() <= TimerProbe::kMostStamps;
  }
  // CUPTI does not record prefetches: events time these.
  bool usesEvents() const { return !timesWhole() && (timesAllByEvents() || prefetches_); }
  bool timesAllByEvents() const { return !activity_on_ || work_.clocks == StreamWork::Clocks::kBoth; }

  Expected<void> askHost(std::vector<ClockSample>& samples) {
    return probe_.askFromHost().map([&](std::vector<ClockSample>&& asked) { samples = std::move(asked); });
  }

  // All are created before the first operation, so that this takes no time between them.
  Expected<void> createEvents() {
    for (const EnqueuedOperation& operation : work_.operations) {
      if (operation.kind != OperationKind::kEvent && operation.kind != OperationKind::kWait) continue;
      if (const auto event = set_.ordering(operation.event); !event) return tl::unexpected(event.error());
    }
    return {};
  }

  Expected<void> createPair(EventPair& pair) {
    for (Event* event : {&pair.before, &pair.after}) {
      const auto made = set_.timing();
      if (!made) return tl::unexpected(made.error());
      *event = *made;
    }
    return {};
  }

  // CUPTI is tried on the stamps that are needed anyway: where it does not record exactly these, it is not
  // used.
  Expected<void> chooseClocks() {
    if (timesWhole()) return {};
    if (work_.clocks != StreamWork::Clocks::kEvents) {
      const auto begun = activity_.begin();
      activity_on_ = begun.has_value();
      if (!begun) problem_ = begun.error().message;
    }
    if (auto stamped = stamp(stamps_before_, stamp_pairs_before_); !stamped) return stamped;
    if (activity_on_) {
      auto recorded = takeStampActivity(activity_before_);
      if (!recorded) {
        if (recorded.error().kind != ErrorKind::kNoDevice) return recorded;
        problem_ = recorded.error().message;
        activity_.end();
        activity_on_ = false;
        if (auto again = stamp(stamps_before_, stamp_pairs_before_); !again) return again;
      }
    }
    if (!usesEvents()) return {};
    for (uint32_t i = 0; i < pairs_.size(); ++i) {
      // Within a graph, no event can be recorded between launches: one pair is around all of it.
      const bool timed = work_.operations[i].graph ? firstOfCall(i) == i : isActivity(work_.operations[i]);
      if (!timed || !(timesAllByEvents() || isPrefetch(work_.operations[i]))) continue;
      if (const auto primary = primaryOf(work_, i)) {
        pairs_[i] = pairs_[*primary];
        continue;
      }
      if (auto made = createPair(pairs_[i]); !made) return made;
    }
    return {};
  }

  uint32_t firstOfCall(uint32_t operation) const {
    const auto& graph = work_.operations[operation].graph;
    while (graph && operation > 0 && work_.operations[operation - 1].graph == graph) --operation;
    return operation;
  }

  // With CUPTI's records on, so that it knows the nodes. What the driver copied for them is not recorded
  // among the operations.
  Expected<void> makeGraphs() {
    if (work_.graphs.empty()) return {};
    const auto enqueue_one = [&](uint32_t i) { return enqueue(i, set_.stream(work_.operations[i].stream)); };
    auto made = graphs_.make(work_, set_, enqueue_one, add_node_);
    if (!made || !activity_on_) return made;
    const auto dropped = activity_.take();
    return dropped ? Expected<void>{} : tl::unexpected(dropped.error());
  }

  // The first call behind a flush of CUPTI's records takes 0.2 to 0.3 ms longer than those after it (H100,
  // driver 580.159.04), so a small copy in each direction goes first on each stream. Their records stay with
  // those of the operations: fetching them would be another flush.
  Expected<void> wakeStreams() {
    for (uint32_t i = 0; i < work_.streams.size(); ++i) {
      if (auto woken = probe_.enqueueCopies(set_.stream(i)); !woken) return woken;
    }
    return set_.synchronize();
  }

  Expected<void> stamp(std::vector<ClockSample>& samples, std::vector<EventPair>& pairs) {
    pairs.clear();
    if (usesEvents()) {
      pairs.resize(TimerProbe::kStamps);
      for (EventPair& pair : pairs) {
        if (auto made = createPair(pair); !made) return made;
      }
    }
    const auto around = [&](uint32_t i, bool after) -> Expected<void> {
      if (pairs.empty()) return {};
      return recordTime(after ? pairs[i].after : pairs[i].before, session_.stream());
    };
    return probe_.enqueueStamps(hold_, around)
        .and_then([&] { return probe_.stamps(); })
        .map([&](std::vector<ClockSample>&& read) { samples = std::move(read); });
  }

  Expected<void> recordTime(Event event, Stream stream) {
    return session_.check(session_.api().eventRecord(event, stream), "recording a timing event");
  }

  // The stamps' kernels, behind the one that held the stream back, and the copy that fetched what they wrote.
  Expected<void> takeStampActivity(std::vector<Activity>& stamps) {
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

  // Behind the last operation of each stream.
  Expected<void> stampEnds() {
    if (!timesWhole()) return {};
    Expected<void> done;
    for (uint32_t i = 0; i < work_.streams.size() && done; ++i) done = probe_.enqueueStamp(i, set_.stream(i));
    return done;
  }

  Expected<void> stampAgain() {
    if (timesWhole()) {
      return probe_.stamps(static_cast<uint32_t>(work_.streams.size()))
          .map([&](std::vector<ClockSample>&& read) { stamps_after_ = std::move(read); });
    }
    if (activity_on_) {
      auto all = activity_.take();
      if (!all) return tl::unexpected(all.error());
      const size_t waking = std::min<size_t>(all->size(), size_t{2} * work_.streams.size());
      activity_of_operations_.assign(all->begin() + static_cast<std::ptrdiff_t>(waking), all->end());
    }
    return stamp(stamps_after_, stamp_pairs_after_).and_then([&]() -> Expected<void> {
      return activity_on_ ? takeStampActivity(activity_after_) : Expected<void>{};
    });
  }

  // An event between a launch and the one that it triggers would keep the two apart: the events of such a
  // chain are recorded before its first launch and after its last, and say of each launch between when the
  // chain began and ended.
  Expected<void> recordAround(uint32_t index, bool after) {
    const EventPair& pair = pairs_[index];
    if (pair.before == nullptr) return {};
    const auto same = [&](const EventPair& other) { return other.before == pair.before; };
    const bool earlier = std::any_of(pairs_.begin(), pairs_.begin() + index, same);
    const bool later = std::any_of(pairs_.begin() + index + 1, pairs_.end(), same);
    if (after ? later : earlier) return {};
    return recordTime(after ? pair.after : pair.before, set_.stream(work_.operations[index].stream));
  }

  Expected<void> enqueueAll(const std::stop_token& stop) {
    for (uint32_t i = 0; i < work_.operations.size(); i += operationsOfCall(work_, i)) {
      if (stop.stop_requested()) return fail(ErrorKind::kCancelled, "the operations were stopped");
      const EnqueuedOperation& operation = work_.operations[i];
      const auto& graph = operation.graph;
      const Stream stream = set_.stream(graph ? work_.graphs[*graph].stream : operation.stream);
      if (operation.kind == OperationKind::kHostFunction) host_calls_[i] = &set_.addCall(operation);
      if (auto recorded = recordAround(i, false); !recorded) return recorded;
      calls_[i].begin_ns = hostNowNs();
      auto enqueued = graph ? graphs_.launch(*graph, stream) : enqueue(i, stream);
      calls_[i].end_ns = hostNowNs();
      std::fill_n(calls_.begin() + i, operationsOfCall(work_, i), calls_[i]);
      if (enqueued) enqueued = recordAround(i, true);
      if (!enqueued) return enqueued;
    }
    return {};
  }

  Expected<void> enqueue(uint32_t index, Stream stream) {
    const EnqueuedOperation& operation = work_.operations[index];
    const DriverApi& api = session_.api();
    const std::string& on = work_.streams[operation.stream].name;
    const auto place = [&] { return set_.placeOf(operation.host, operation.bytes); };
    switch (operation.kind) {
      case OperationKind::kLaunch:
        return launch_(operation.launch, stream);
      case OperationKind::kCopyToDevice:
        if (operation.bytes == 0) return {};
        return session_.check(api.memcpyHtoDAsync(operation.device, place(), operation.bytes, stream),
                              "operation {}: copying {} bytes to the device on {}", index, operation.bytes,
                              on);
      case OperationKind::kCopyToHost:
        if (operation.bytes == 0) return {};
        return session_.check(api.memcpyDtoHAsync(place(), operation.device, operation.bytes, stream),
                              "operation {}: copying {} bytes to the host on {}", index, operation.bytes, on);
      case OperationKind::kCopyOnDevice:
        if (operation.bytes == 0) return {};
        return session_.check(api.memcpyDtoDAsync(operation.device, operation.from, operation.bytes, stream),
                              "operation {}: copying {} bytes on the device on {}", index, operation.bytes,
                              on);
      case OperationKind::kFill:
        if (operation.bytes == 0) return {};
        return session_.check(api.memsetD8Async(operation.device, operation.value, operation.bytes, stream),
                              "operation {}: filling {} bytes on {}", index, operation.bytes, on);
      case OperationKind::kPrefetchToDevice:
      case OperationKind::kPrefetchToHost:
        if (operation.bytes == 0) return {};
        return managed_.prefetch(
            operation.device, operation.bytes,
            operation.kind == OperationKind::kPrefetchToHost ? MemoryPlace::kHost : MemoryPlace::kDevice,
            stream);
      case OperationKind::kHostFunction:
        return session_.check(api.launchHostFunc(stream, HostCall::run, host_calls_[index]),
                              "operation {}: enqueuing a host function on {}", index, on);
      case OperationKind::kEvent:
        return session_.check(api.eventRecord(*set_.ordering(operation.event), stream),
                              "operation {}: recording event {} on {}", index, operation.event, on);
      case OperationKind::kWait:
        return session_.check(api.streamWaitEvent(stream, *set_.ordering(operation.event), 0),
                              "operation {}: letting {} wait for event {}", index, on, operation.event);
    }
    return {};
  }

  tl::unexpected<Error> recordsDoNotTell(size_t operation) const {
    return fail(ErrorKind::kWorkFailed,
                "{}: CUPTI's records do not tell when operation {}, a {}, ran: run it again",
                session_.description().id, operation, operationKindName(work_.operations[operation].kind));
  }

  // The launches of a graph, by CUPTI's records of them; if these do not tell which is which, all have the
  // time of the whole, and their marks tell more.
  void takeNodes(const GraphLaunches& launches, std::span<const Activity> records, Intervals& times) {
    const auto record_of = matchNodes(records, launches.after);
    if (!record_of) problem_ = "CUPTI's records do not tell which launch of a graph is which";
    const Interval whole{std::ranges::min_element(records, {}, &Activity::begin_ns)->begin_ns,
                         std::ranges::max_element(records, {}, &Activity::end_ns)->end_ns};
    for (size_t i = 0; i < records.size(); ++i) {
      Interval& time = times[launches.operations[i]];
      time = whole;
      if (record_of) time = {records[(*record_of)[i]].begin_ns, records[(*record_of)[i]].end_ns};
    }
  }

  // When each operation ran, by CUPTI's records.
  Expected<Intervals> activityTimes() {
    Intervals times(work_.operations.size());
    auto next = activity_of_operations_.begin();
    for (size_t i = 0; i < times.size(); ++i) {
      const EnqueuedOperation& operation = work_.operations[i];
      if (!isActivity(operation) || isPrefetch(operation)) continue;
      if (operation.graph) {
        const GraphLaunches launches = launchesOfGraph(work_, firstOfCall(static_cast<uint32_t>(i)));
        const size_t nodes = launches.operations.size();
        if (launches.operations.front() != i) continue;
        const std::span records(next, activity_of_operations_.end());
        const bool enough =
            records.size() >= nodes && std::ranges::all_of(records.first(nodes), [](const Activity& each) {
              return each.kind == OperationKind::kLaunch;
            });
        if (!enough) return recordsDoNotTell(i);
        takeNodes(launches, records.first(nodes), times);
        next += static_cast<std::ptrdiff_t>(nodes);
        continue;
      }
      const bool fits = next != activity_of_operations_.end() && next->kind == operation.kind &&
                        (operation.kind == OperationKind::kLaunch || next->bytes == operation.bytes);
      if (!fits) return recordsDoNotTell(i);
      times[i] = {next->begin_ns, next->end_ns};
      ++next;
    }
    return times;
  }

  // Nanoseconds since the first timing event of all.
  Expected<int64_t> eventTime(Event event) const {
    float ms = 0;
    auto read =
        session_.check(session_.api().eventElapsedTime(&ms, stamp_pairs_before_.front().before, event),
                       "reading a timing event");
    if (!read) return tl::unexpected(read.error());
    return std::llround(double{ms} * 1e6);
  }
  Expected<Interval> eventTimes(const EventPair& pair) const {
    const auto begin = eventTime(pair.before);
    const auto end = begin ? eventTime(pair.after) : begin;
    if (!end) return tl::unexpected(end.error());
    return Interval{*begin, *end};
  }

  // An event before a copy is passed once the copy may begin, not when its engine is free. One engine does
  // the copies of a direction, so that a copy did not begin before the one that ended last before it.
  void waitForEngines(Intervals& times) const {
    for (const OperationKind kind : {OperationKind::kCopyToDevice, OperationKind::kCopyToHost}) {
      std::vector<Interval*> copies;
      for (size_t i = 0; i < times.size(); ++i) {
        if (work_.operations[i].kind == kind && isActivity(work_.operations[i])) copies.push_back(&times[i]);
      }
      std::ranges::stable_sort(copies, {}, &Interval::end_ns);
      for (size_t i = 1; i < copies.size(); ++i)
        copies[i]->begin_ns = std::clamp(copies[i - 1]->end_ns, copies[i]->begin_ns, copies[i]->end_ns);
    }
  }

  Expected<Intervals> timesByEvents() const {
    Intervals times(work_.operations.size());
    for (uint32_t i = 0; i < times.size(); ++i) {
      const EventPair& pair = pairs_[firstOfCall(i)];
      if (pair.before == nullptr) continue;
      const auto read = eventTimes(pair);
      if (!read) return tl::unexpected(read.error());
      times[i] = *read;
    }
    waitForEngines(times);
    return times;
  }

  static std::vector<ClockSample> between(std::vector<ClockSample> stamps, const Intervals& outer) {
    for (size_t i = 0; i < stamps.size(); ++i) {
      stamps[i].outer_begin_ns = outer[i].begin_ns;
      stamps[i].outer_end_ns = outer[i].end_ns;
    }
    return stamps;
  }
  Expected<std::vector<ClockSample>> ofEvents(const std::vector<ClockSample>& stamps,
                                              const std::vector<EventPair>& pairs) const {
    Intervals outer;
    for (const EventPair& pair : pairs) {
      const auto read = eventTimes(pair);
      if (!read) return tl::unexpected(read.error());
      outer.push_back(*read);
    }
    return between(stamps, outer);
  }
  static std::vector<ClockSample> ofActivity(const std::vector<ClockSample>& stamps,
                                             const std::vector<Activity>& activity) {
    Intervals outer;
    for (const Activity& each : activity) outer.push_back({each.begin_ns, each.end_ns});
    return between(stamps, outer);
  }

  int64_t step() const {
    std::vector<ClockSample> all;
    for (const auto* samples : {&host_before_, &stamps_before_, &stamps_after_, &host_after_})
      all.insert(all.end(), samples->begin(), samples->end());
    return timerStepNs(all);
  }

  Expected<StreamReport> report() {
    const ClockRelation host(host_before_, host_after_, step());
    StreamReport report;
    report.globaltimer_ns = static_cast<uint64_t>(calls_.empty() ? host_before_.front().inner_begin_ns
                                                                 : host.timerAt(calls_.front().begin_ns));
    report.timing.host_uncertainty_ns = host.uncertaintyNs();
    if (timesWhole()) {
      reportWhole(host, report);
      return report;
    }
    std::vector<OperationTimes> by_events, by_activity;
    if (usesEvents()) {
      auto times = timesOf(StreamClock::kEvents, host, report);
      if (!times) return tl::unexpected(times.error());
      by_events = std::move(*times);
    }
    if (activity_on_) {
      auto times = timesOf(StreamClock::kActivity, host, report);
      if (!times) return tl::unexpected(times.error());
      by_activity = std::move(*times);
      takePrefetches(by_events, by_activity);
    }
    report.timing.problem = problem_;
    report.graph_make_ns = graphs_.makeNs();
    if (activity_on_ && timesAllByEvents()) report.by_events = by_events;
    report.operations = activity_on_ ? std::move(by_activity) : std::move(by_events);
    for (const OperationTimes& times : report.operations)
      report.total_ns = std::max(report.total_ns, times.end_ns);
    return report;
  }

  // Both are on the run's axis.
  void takePrefetches(const std::vector<OperationTimes>& by_events,
                      std::vector<OperationTimes>& times) const {
    if (!prefetches_) return;
    for (size_t i = 0; i < times.size(); ++i) {
      if (!isPrefetch(work_.operations[i])) continue;
      times[i].begin_ns = by_events[i].begin_ns;
      times[i].end_ns = by_events[i].end_ns;
    }
    explainMeasured(work_, times);
  }

  // A stamp begins a little after what is before it on its stream has ended: on an H100 1.1 us after a
  // launch, 2 to 9 us after a copy (calibrate; driver 580.159.04, 2026-11-26).
  void reportWhole(const ClockRelation& host, StreamReport& report) const {
    const auto zero = static_cast<int64_t>(*report.globaltimer_ns);
    for (const ClockSample& stamp : stamps_after_)
      report.total_ns = std::max(report.total_ns, static_cast<double>(stamp.inner_begin_ns - zero));
    for (const Interval& call : calls_) {
      OperationTimes& times = report.operations.emplace_back();
      times.enqueue_ns = static_cast<double>(host.timerAt(call.begin_ns) - zero);
      times.enqueued_ns = static_cast<double>(host.timerAt(call.end_ns) - zero);
    }
    report.graph_make_ns = graphs_.makeNs();
  }

  Expected<std::vector<OperationTimes>> timesOf(StreamClock clock, const ClockRelation& host,
                                                StreamReport& report) {
    const bool activity = clock == StreamClock::kActivity;
    const auto measured = activity ? activityTimes() : timesByEvents();
    if (!measured) return tl::unexpected(measured.error());
    std::vector<ClockSample> before, after;
    if (activity) {
      before = ofActivity(stamps_before_, activity_before_);
      after = ofActivity(stamps_after_, activity_after_);
    } else {
      auto first = ofEvents(stamps_before_, stamp_pairs_before_);
      auto last = first ? ofEvents(stamps_after_, stamp_pairs_after_) : first;
      if (!last) return tl::unexpected(last.error());
      before = std::move(*first);
      after = std::move(*last);
    }
    const ClockRelation device(before, after, step());
    report.timing.clock = clock;
    report.timing.uncertainty_ns = device.uncertaintyNs() + (activity ? 0 : kEventDelay_ns);
    return onAxis(*measured, host, device, static_cast<int64_t>(*report.globaltimer_ns));
  }

  std::vector<OperationTimes> onAxis(const Intervals& measured, const ClockRelation& host,
                                     const ClockRelation& device, int64_t zero) const {
    const auto at = [zero](const ClockRelation& clock, int64_t ns) {
      return static_cast<double>(clock.timerAt(ns) - zero);
    };
    std::vector<OperationTimes> times(measured.size());
    for (size_t i = 0; i < times.size(); ++i) {
      OperationTimes& of = times[i];
      of.enqueue_ns = at(host, calls_[i].begin_ns);
      of.enqueued_ns = at(host, calls_[i].end_ns);
      if (isActivity(work_.operations[i])) {
        of.begin_ns = at(device, measured[i].begin_ns);
        of.end_ns = at(device, measured[i].end_ns);
      } else if (host_calls_[i] != nullptr) {
        of.begin_ns = at(host, host_calls_[i]->begin_ns);
        of.end_ns = at(host, host_calls_[i]->end_ns);
      }
    }
    explainMeasured(work_, times);
    return times;
  }

  Session& session_;
  Hold& hold_;
  ManagedMemory& managed_;
  TimerProbe& probe_;
  const StreamRunner::Launch& launch_;
  const GraphSet::AddNode& add_node_;
  const StreamWork& work_;
  const bool prefetches_;
  GivenAdvice advice_;  // until all has ended
  ActivityLog activity_;
  bool activity_on_ = false;
  std::string problem_;  // why it is not, or does not tell all
  GraphSet graphs_;      // released after set_, which waits for the streams
  StreamSet set_;
  Intervals calls_;                    // the host's, by operation
  std::vector<HostCall*> host_calls_;  // by operation; null for others
  std::vector<EventPair> pairs_;       // by operation; null where none are needed
  std::vector<ClockSample> host_before_, host_after_, stamps_before_, stamps_after_;
  std::vector<EventPair> stamp_pairs_before_, stamp_pairs_after_;
  std::vector<Activity> activity_before_, activity_of_operations_, activity_after_;
};

}  // namespace

Expected<StreamReport> StreamRunner::run(const StreamWork& work, const std::stop_token& stop) {
  if (probe_ == nullptr) {
    auto probe = TimerProbe::create(session_);
    if (!probe) return tl::unexpected(probe.error());
    probe_ = std::move(*probe);
  }
  if (auto possible = checkGraphs(work); !possible) return tl::unexpected(possible.error());
  return StreamRun(session_, hold_, managed_, *probe_, launch_, add_node_, work).run(pinned_, stop);
}

}  // namespace warpscope::cuda
