#include "kernels/backend/cuda/streams/stream_runner.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "kernels/backend/cuda/streams/activity_log.h"
#include "kernels/backend/cuda/streams/graph_nodes.h"
#include "kernels/backend/cuda/streams/stream_set.h"
#include "kernels/backend/stream_allocations.h"
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

// A GPU of the run, and what relates its timer to other clocks.
struct RunningGpu {
  Session* session = nullptr;
  Hold* hold = nullptr;
  TimerProbe* probe = nullptr;
  std::vector<ClockSample> host_before{}, host_after{}, stamps_before{}, stamps_after{};
  std::vector<EventPair> pairs_before{}, pairs_after{};
  std::vector<Activity> activity_before{}, activity_after{};

  // The step of its timer.
  int64_t step() const {
    std::vector<ClockSample> all;
    for (const auto* samples : {&host_before, &stamps_before, &stamps_after, &host_after})
      all.insert(all.end(), samples->begin(), samples->end());
    return timerStepNs(all);
  }
  ClockRelation ofHost() const { return {host_before, host_after, step()}; }
};

std::vector<Session*> sessionsOf(const std::vector<RunningGpu>& gpus) {
  std::vector<Session*> sessions;
  sessions.reserve(gpus.size());
  for (const RunningGpu& gpu : gpus) sessions.push_back(gpu.session);
  return sessions;
}

// One run. Enqueues, waits, and puts all times on one axis.
class StreamRun {
 public:
  StreamRun(std::vector<RunningGpu> gpus, ManagedMemory& managed, const StreamRunner::Launch& launch,
            const GraphSet::AddNode& add_node, const StreamWork& work)
      : gpus_(std::move(gpus)),
        session_(*gpus_.front().session),
        managed_(managed),
        launch_(launch),
        add_node_(add_node),
        work_(work),
        prefetches_(std::ranges::any_of(work.operations, isPrefetch)),
        conditions_(hasConditions(work)),
        advice_(managed, session_),
        graphs_(session_),
        set_(sessionsOf(gpus_)),
        calls_(work.operations.size()),
        host_calls_(work.operations.size()),
        pairs_(work.operations.size()),
        allocated_(work.operations.size()) {}

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
                    .and_then([&] { return keepPools(); })
                    .and_then([&] { return askHost(&RunningGpu::host_before); })
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
    freeRest();
    if (done) done = stampAgain();
    activity_.end();
    if (done) done = askHost(&RunningGpu::host_after);
    if (!done) return tl::unexpected(done.error());
    set_.copyBack();
    auto made = report();
    if (auto back = session_.enter(); !back) return tl::unexpected(back.error());
    return made;
  }

 private:
  // A pool gives its memory back whenever the host waits for a stream, also while another stream uses what
  // was freed too early: that is a fault, which ends this process's use of the GPU (H100, driver 580.159.04).
  // So pools keep what is freed, as programs that allocate often let them.
  Expected<void> keepPools() {
    constexpr auto kind = [](const EnqueuedOperation& each) { return each.kind; };
    if (std::ranges::find(work_.operations, OperationKind::kAllocate, kind) == work_.operations.end())
      return {};
    return onEach([&](RunningGpu& gpu) {
      constexpr int kReleaseThreshold = 4;  // CU_MEMPOOL_ATTR_RELEASE_THRESHOLD
      const DriverApi& api = gpu.session->api();
      MemoryPool pool = nullptr;
      uint64_t all = UINT64_MAX;
      return gpu.session
          ->check(api.deviceGetDefaultMemPool(&pool, gpu.session->ordinal()), "finding the pool of memory")
          .and_then([&] {
            return gpu.session->check(api.memPoolSetAttribute(pool, kReleaseThreshold, &all),
                                      "letting the pool keep its memory");
          });
    });
  }

  // Frees what the work has allocated and not freed, also after an error.
  void freeRest() {
    if (session_.poisoned()) return;
    for (DeviceAddress& address : allocated_) {
      if (address != 0) session_.api().memFree(std::exchange(address, DeviceAddress{0}));
    }
  }

  bool timesWhole() const {
    return work_.clocks == StreamWork::Clocks::kWhole && work_.streams.size() <= TimerProbe::kMostStamps;
  }
  // CUPTI does not record prefetches: events time these.
  bool usesEvents() const { return !timesWhole() && (timesAllByEvents() || prefetches_); }
  bool timesAllByEvents() const { return !activity_on_ || work_.clocks == StreamWork::Clocks::kBoth; }

  // `work(gpu)` for each GPU, whose context is current then; that of the first is behind it.
  template <class Work>
  Expected<void> onEach(const Work& work) {
    Expected<void> done;
    for (RunningGpu& gpu : gpus_) {
      if (done) done = gpu.session->enter().and_then([&] { return work(gpu); });
    }
    return done && gpus_.size() > 1 ? session_.enter() : done;
  }

  Expected<void> askHost(std::vector<ClockSample> RunningGpu::*samples) {
    return onEach([&](RunningGpu& gpu) {
      return gpu.probe->askFromHost().map(
          [&](std::vector<ClockSample>&& asked) { gpu.*samples = std::move(asked); });
    });
  }

  uint32_t gpuOfStream(const EnqueuedOperation& operation) const {
    return work_.streams[operation.stream].gpu;
  }

  // All are created before the first operation, so that this takes no time between them.
  Expected<void> createEvents() {
    for (const OperationKind kind : {OperationKind::kEvent, OperationKind::kWait}) {
      for (const EnqueuedOperation& operation : work_.operations) {
        if (operation.kind != kind) continue;
        const auto event = set_.ordering(operation.event, gpuOfStream(operation));
        if (!event) return tl::unexpected(event.error());
      }
    }
    return {};
  }

  Expected<void> createPair(EventPair& pair, uint32_t gpu) {
    for (Event* event : {&pair.before, &pair.after}) {
      const auto made = set_.timing(gpu);
      if (!made) return tl::unexpected(made.error());
      *event = *made;
    }
    return {};
  }

  // CUPTI is tried on the stamps that are needed anyway: where it does not record exactly these, it is not
  // used. Of a graph with conditional nodes it records the conditional ones alone, and not all of these
  // (H100, driver 580.159.04).
  Expected<void> chooseClocks() {
    if (timesWhole()) return {};
    if (conditions_) {
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
    if (!usesEvents()) return {};
    for (uint32_t i = 0; i < pairs_.size(); ++i) {
      // Within a graph, no event can be recorded between launches: one pair is around all of it.
      const bool timed = work_.operations[i].graph ? firstOfCall(i) == i : isActivity(work_.operations[i]);
      if (!timed || !(timesAllByEvents() || isPrefetch(work_.operations[i]))) continue;
      if (const auto primary = primaryOf(work_, i)) {
        pairs_[i] = pairs_[*primary];
        continue;
      }
      if (auto made = createPair(pairs_[i], gpuOfStream(work_.operations[i])); !made) return made;
    }
    return {};
  }

  Expected<void> stampBefore() {
    return onEach([&](RunningGpu& gpu) {
      return stamp(gpu, gpu.stamps_before, gpu.pairs_before).and_then([&]() -> Expected<void> {
        return activity_on_ ? takeStampActivity(gpu.activity_before) : Expected<void>{};
      });
    });
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
      RunningGpu& gpu = gpus_[work_.streams[i].gpu];
      auto woken = gpu.session->enter().and_then([&] { return gpu.probe->enqueueCopies(set_.stream(i)); });
      if (!woken) return woken;
    }
    return set_.synchronize();
  }

  Expected<void> stamp(RunningGpu& gpu, std::vector<ClockSample>& samples, std::vector<EventPair>& pairs) {
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
    for (uint32_t i = 0; i < work_.streams.size() && done; ++i) {
      RunningGpu& gpu = gpus_[work_.streams[i].gpu];
      done = gpu.session->enter().and_then([&] { return gpu.probe->enqueueStamp(i, set_.stream(i)); });
    }
    return done;
  }

  Expected<void> stampAgain() {
    if (timesWhole()) {
      return onEach([&](RunningGpu& gpu) {
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
    return onEach([&](RunningGpu& gpu) {
      return stamp(gpu, gpu.stamps_after, gpu.pairs_after).and_then([&]() -> Expected<void> {
        return activity_on_ ? takeStampActivity(gpu.activity_after) : Expected<void>{};
      });
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
    uint32_t current = 0;  // the GPU whose context is
    for (uint32_t i = 0; i < work_.operations.size(); i += operationsOfCall(work_, i)) {
      if (stop.stop_requested()) return fail(ErrorKind::kCancelled, "the operations were stopped");
      const EnqueuedOperation& operation = work_.operations[i];
      const auto& graph = operation.graph;
      const Stream stream = set_.stream(graph ? work_.graphs[*graph].stream : operation.stream);
      if (const uint32_t gpu = gpuOfStream(operation); gpu != current) {
        if (auto entered = gpus_[gpu].session->enter(); !entered) return entered;
        current = gpu;
      }
      if (operation.kind == OperationKind::kHostFunction) host_calls_[i] = &set_.addCall(operation);
      if (auto recorded = recordAround(i, false); !recorded) return recorded;
      calls_[i].begin_ns = hostNowNs();
      auto enqueued = graph ? graphs_.launch(*graph, stream) : enqueue(i, stream);
      calls_[i].end_ns = hostNowNs();
      std::fill_n(calls_.begin() + i, operationsOfCall(work_, i), calls_[i]);
      if (enqueued) enqueued = recordAround(i, true);
      if (!enqueued) return enqueued;
    }
    return current == 0 ? Expected<void>{} : session_.enter();
  }

  Expected<void> enqueue(uint32_t index, Stream stream) {
    const EnqueuedOperation& operation = work_.operations[index];
    const DriverApi& api = session_.api();
    const std::string& on = work_.streams[operation.stream].name;
    const auto place = [&] { return set_.placeOf(operation.host, operation.bytes); };
    switch (operation.kind) {
      case OperationKind::kLaunch:
        return operation.allocated.empty() ? launch_(operation.launch, stream)
                                           : launch_(withAllocated(operation, allocated_), stream);
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
      case OperationKind::kPeerCopy:
        if (operation.bytes == 0) return {};
        return session_.check(
            api.memcpyPeerAsync(operation.device, gpus_[operation.to_gpu].session->context(), operation.from,
                                gpus_[operation.from_gpu].session->context(), operation.bytes, stream),
            "operation {}: copying {} bytes from GPU {} to GPU {} on {}", index, operation.bytes,
            operation.from_gpu, operation.to_gpu, on);
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
      case OperationKind::kAllocate:
        return allocate(index, stream);
      case OperationKind::kFree:
        return session_.check(
            api.memFreeAsync(std::exchange(allocated_[operation.allocation], DeviceAddress{0}), stream),
            "operation {}: freeing memory on {}", index, on);
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

  Expected<void> allocate(uint32_t index, Stream stream) {
    const EnqueuedOperation& operation = work_.operations[index];
    Address given = 0;
    auto done = session_.check(session_.api().memAllocAsync(&given, operation.bytes, stream),
                               "operation {}: allocating {} bytes on {}", index, operation.bytes,
                               work_.streams[operation.stream].name);
    allocated_[index] = given;
    return done;
  }

  tl::unexpected<Error> recordsDoNotTell(size_t operation) const {
    return fail(ErrorKind::kWorkFailed,
                "{}: CUPTI's records do not tell when operation {}, a {}, ran: run it again",
                session_.description().id, operation, operationKindName(work_.operations[operation].kind));
  }

  // CUPTI's records of a graph's launches, at the beginning of `records`; nullopt: they cannot be these.
  static std::optional<std::span<const Activity>> recordsOf(const GraphLaunches& launches,
                                                            std::span<const Activity> records) {
    const size_t count = launches.operations.size();
    if (records.size() < count) return std::nullopt;
    const auto launch = [](const Activity& record) { return record.kind == OperationKind::kLaunch; };
    return std::ranges::all_of(records.first(count), launch) ? std::optional(records.first(count))
                                                             : std::nullopt;
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

  static bool fits(const Activity& record, const EnqueuedOperation& operation) {
    if (operation.kind == OperationKind::kLaunch) return record.kind == operation.kind;
    // CUPTI records a copy that the driver takes through the host as copies to the host and from there.
    if (operation.kind == OperationKind::kPeerCopy) return record.kind != OperationKind::kLaunch;
    return record.kind == operation.kind && record.bytes == operation.bytes;
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
        if (launches.operations.front() != i) continue;
        const auto records = recordsOf(launches, std::span(next, activity_of_operations_.end()));
        if (!records) return recordsDoNotTell(i);
        takeNodes(launches, *records, times);
        next += static_cast<std::ptrdiff_t>(records->size());
        continue;
      }
      if (next == activity_of_operations_.end() || !fits(*next, operation)) return recordsDoNotTell(i);
      times[i] = {next->begin_ns, next->end_ns};
      ++next;
    }
    return times;
  }

  // Nanoseconds since the first timing event of its GPU.
  Expected<int64_t> eventTime(const RunningGpu& gpu, Event event) const {
    float ms = 0;
    auto read = gpu.session->enter().and_then([&] {
      return gpu.session->check(
          gpu.session->api().eventElapsedTime(&ms, gpu.pairs_before.front().before, event),
          "reading a timing event");
    });
    if (!read) return tl::unexpected(read.error());
    return std::llround(double{ms} * 1e6);
  }
  Expected<Interval> eventTimes(const RunningGpu& gpu, const EventPair& pair) const {
    const auto begin = eventTime(gpu, pair.before);
    const auto end = begin ? eventTime(gpu, pair.after) : begin;
    if (!end) return tl::unexpected(end.error());
    return Interval{*begin, *end};
  }

  // An event before a copy is passed once the copy may begin, not when its engine is free. One engine does
  // the copies of a direction, so that a copy did not begin before the one that ended last before it.
  void waitForEngines(Intervals& times) const {
    for (uint32_t gpu = 0; gpu < gpus_.size(); ++gpu) {
      for (const OperationKind kind : {OperationKind::kCopyToDevice, OperationKind::kCopyToHost})
        waitForEngine(kind, gpu, times);
    }
  }
  void waitForEngine(OperationKind kind, uint32_t gpu, Intervals& times) const {
    std::vector<Interval*> copies;
    for (size_t i = 0; i < times.size(); ++i) {
      const EnqueuedOperation& operation = work_.operations[i];
      if (operation.kind == kind && gpuOfStream(operation) == gpu && isActivity(operation))
        copies.push_back(&times[i]);
    }
    std::ranges::stable_sort(copies, {}, &Interval::end_ns);
    for (size_t i = 1; i < copies.size(); ++i)
      copies[i]->begin_ns = std::clamp(copies[i - 1]->end_ns, copies[i]->begin_ns, copies[i]->end_ns);
  }

  Expected<Intervals> timesByEvents() const {
    Intervals times(work_.operations.size());
    for (uint32_t i = 0; i < times.size(); ++i) {
      const EventPair& pair = pairs_[firstOfCall(i)];
      if (pair.before == nullptr) continue;
      const auto read = eventTimes(gpus_[gpuOfStream(work_.operations[i])], pair);
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
  Expected<std::vector<ClockSample>> ofEvents(const RunningGpu& gpu, const std::vector<ClockSample>& stamps,
                                              const std::vector<EventPair>& pairs) const {
    Intervals outer;
    for (const EventPair& pair : pairs) {
      const auto read = eventTimes(gpu, pair);
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

  Expected<StreamReport> report() {
    const ClockRelation host = gpus_.front().ofHost();
    StreamReport report;
    report.globaltimer_ns =
        static_cast<uint64_t>(calls_.empty() ? gpus_.front().host_before.front().inner_begin_ns
                                             : host.timerAt(calls_.front().begin_ns));
    report.timing.host_uncertainty_ns = host.uncertaintyNs();
    relateByHost(host, report);
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

  // How far ahead of the first GPU's timer the others are, at the time `at_ns` of the clock that all are
  // related to.
  static void relateTimers(const std::vector<ClockRelation>& relations, int64_t at_ns, StreamReport& report) {
    report.timer_ahead_ns.assign(1, 0);
    report.timing.gpu_uncertainty_ns = 0;
    for (size_t gpu = 1; gpu < relations.size(); ++gpu) {
      report.timer_ahead_ns.push_back(relations[gpu].timerAt(at_ns) - relations.front().timerAt(at_ns));
      report.timing.gpu_uncertainty_ns =
          std::max(report.timing.gpu_uncertainty_ns,
                   relations[gpu].uncertaintyNs() + relations.front().uncertaintyNs());
    }
  }

  void relateByHost(const ClockRelation& host, StreamReport& report) const {
    if (gpus_.size() < 2) return;
    std::vector<ClockRelation> relations{host};
    for (size_t gpu = 1; gpu < gpus_.size(); ++gpu) relations.push_back(gpus_[gpu].ofHost());
    relateTimers(relations, calls_.empty() ? hostNowNs() : calls_.back().end_ns, report);
  }

  // The GPU's timer at `timer_ns` as one on the axis, which is that of the first one's.
  static double onAxis(int64_t timer_ns, uint32_t gpu, const StreamReport& report) {
    const int64_t ahead = gpu < report.timer_ahead_ns.size() ? report.timer_ahead_ns[gpu] : 0;
    return static_cast<double>(timer_ns - ahead - static_cast<int64_t>(*report.globaltimer_ns));
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
    for (size_t i = 0; i < work_.streams.size(); ++i) {
      const uint32_t gpu = work_.streams[i].gpu;
      report.total_ns =
          std::max(report.total_ns, onAxis(gpus_[gpu].stamps_after[i].inner_begin_ns, gpu, report));
    }
    for (size_t i = 0; i < calls_.size(); ++i) {
      OperationTimes& times = report.operations.emplace_back();
      times.gpu = gpuOf(work_, work_.operations[i]);
      times.enqueue_ns = onAxis(host.timerAt(calls_[i].begin_ns), 0, report);
      times.enqueued_ns = onAxis(host.timerAt(calls_[i].end_ns), 0, report);
    }
    report.graph_make_ns = graphs_.makeNs();
  }

  Expected<std::vector<OperationTimes>> timesOf(StreamClock clock, const ClockRelation& host,
                                                StreamReport& report) {
    const bool activity = clock == StreamClock::kActivity;
    const auto measured = activity ? activityTimes() : timesByEvents();
    if (!measured) return tl::unexpected(measured.error());
    std::vector<ClockRelation> devices;
    for (const RunningGpu& gpu : gpus_) {
      const auto relation = relationOf(gpu, activity);
      if (!relation) return tl::unexpected(relation.error());
      devices.push_back(*relation);
    }
    // Timing events of two GPUs have nothing in common, CUPTI's records have one clock.
    if (activity && gpus_.size() > 1) relateTimers(devices, middleOf(*measured), report);
    report.timing.clock = clock;
    report.timing.uncertainty_ns = 0;
    for (const ClockRelation& device : devices)
      report.timing.uncertainty_ns = std::max(report.timing.uncertainty_ns, device.uncertaintyNs());
    report.timing.uncertainty_ns += activity ? 0 : kEventDelay_ns;
    return placed(*measured, host, devices, report);
  }

  Expected<ClockRelation> relationOf(const RunningGpu& gpu, bool activity) const {
    if (activity) {
      return ClockRelation(ofActivity(gpu.stamps_before, gpu.activity_before),
                           ofActivity(gpu.stamps_after, gpu.activity_after), gpu.step());
    }
    const auto before = ofEvents(gpu, gpu.stamps_before, gpu.pairs_before);
    const auto after = before ? ofEvents(gpu, gpu.stamps_after, gpu.pairs_after) : before;
    if (!after) return tl::unexpected(after.error());
    return ClockRelation(*before, *after, gpu.step());
  }

  // Between the first begin and the last end.
  int64_t middleOf(const Intervals& measured) const {
    int64_t first = gpus_.front().activity_before.back().end_ns, last = first;
    for (const Interval& each : measured) last = std::max(last, each.end_ns);
    return first + (last - first) / 2;
  }

  std::vector<OperationTimes> placed(const Intervals& measured, const ClockRelation& host,
                                     const std::vector<ClockRelation>& devices,
                                     const StreamReport& report) const {
    std::vector<OperationTimes> times(measured.size());
    for (size_t i = 0; i < times.size(); ++i) {
      OperationTimes& of = times[i];
      const uint32_t gpu = gpuOfStream(work_.operations[i]);
      const auto of_host = [&](int64_t ns) { return onAxis(host.timerAt(ns), 0, report); };
      const auto of_device = [&](int64_t ns) { return onAxis(devices[gpu].timerAt(ns), gpu, report); };
      of.enqueue_ns = of_host(calls_[i].begin_ns);
      of.enqueued_ns = of_host(calls_[i].end_ns);
      if (isActivity(work_.operations[i])) {
        of.begin_ns = of_device(measured[i].begin_ns);
        of.end_ns = of_device(measured[i].end_ns);
      } else if (host_calls_[i] != nullptr) {
        of.begin_ns = of_host(host_calls_[i]->begin_ns);
        of.end_ns = of_host(host_calls_[i]->end_ns);
      }
    }
    explainMeasured(work_, times);
    return times;
  }

  std::vector<RunningGpu> gpus_;
  Session& session_;  // of the first
  ManagedMemory& managed_;
  const StreamRunner::Launch& launch_;
  const GraphSet::AddNode& add_node_;
  const StreamWork& work_;
  const bool prefetches_, conditions_;
  GivenAdvice advice_;  // until all has ended
  ActivityLog activity_;
  bool activity_on_ = false;
  std::string problem_;  // why it is not, or does not tell all
  GraphSet graphs_;      // released after set_, which waits for the streams
  StreamSet set_;
  Intervals calls_;                    // the host's, by operation
  std::vector<HostCall*> host_calls_;  // by operation; null for others
  std::vector<EventPair> pairs_;       // by operation; null where none are needed
  std::vector<Activity> activity_of_operations_;
  std::vector<DeviceAddress> allocated_;  // by operation: what has not been freed yet; 0 for others
};

}  // namespace

namespace {

bool usesPeer(const StreamWork& work) {
  const auto on_peer = [](const StreamInfo& stream) { return stream.gpu != 0; };
  const auto copies = [](const EnqueuedOperation& each) { return each.kind == OperationKind::kPeerCopy; };
  return std::ranges::any_of(work.streams, on_peer) || std::ranges::any_of(work.operations, copies);
}

}  // namespace

Expected<StreamReport> StreamRunner::run(const StreamWork& work, const std::stop_token& stop) {
  if (auto possible = checkGraphs(work); !possible) return tl::unexpected(possible.error());
  if (auto possible = checkAllocations(work); !possible) return tl::unexpected(possible.error());
  const auto ready = [](std::unique_ptr<TimerProbe>& probe, Session& session) -> Expected<void> {
    if (probe != nullptr) return {};
    auto made = session.enter().and_then([&] { return TimerProbe::create(session); });
    if (!made) return tl::unexpected(made.error());
    probe = std::move(*made);
    return {};
  };
  if (auto made = ready(probe_, session_); !made) return tl::unexpected(made.error());
  std::vector<RunningGpu> gpus{{&session_, &hold_, probe_.get()}};
  if (usesPeer(work)) {
    const auto peer = peer_();
    if (!peer) return tl::unexpected(peer.error());
    Session& session = (*peer)->session();
    auto made = ready(peer_probe_, session).and_then([&] { return session_.enter(); });
    if (!made) return tl::unexpected(made.error());
    gpus.push_back({&session, &(*peer)->hold(), peer_probe_.get()});
  }
  return StreamRun(std::move(gpus), managed_, launch_, add_node_, work).run(pinned_, stop);
}

}  // namespace warpscope::cuda
