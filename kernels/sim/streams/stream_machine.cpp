#include "kernels/sim/streams/stream_machine.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "kernels/backend/stream_graphs.h"
#include "kernels/backend/stream_times.h"
#include "kernels/run/stream_waits.h"
#include "kernels/sim/streams/block_scheduler.h"
#include "kernels/sim/streams/managed_pages.h"

namespace warpscope::sim {
namespace {

constexpr uint64_t kLater = ~uint64_t{0};

class StreamMachine {
 public:
  StreamMachine(const StreamWork& work, const DeviceProfile& profile, const StreamActions& actions,
                const std::stop_token& stop)
      : work_(work),
        profile_(profile),
        actions_(actions),
        stop_(stop),
        cycles_per_ns_(std::max(profile.sm_clock_mhz, 1U) / 1e3),
        pages_(work.managed, profile),
        operations_(work.operations.size()),
        after_(dependenciesOf(work)) {
    uint32_t gpus = 1;
    for (const EnqueuedOperation& operation : work.operations) {
      gpus_.push_back(gpuOf(work, operation));
      gpus = std::max(gpus, gpus_.back() + 1);
    }
    for (uint32_t gpu = 0; gpu < gpus; ++gpu) schedulers_.emplace_back(profile);
    engines_.resize(gpus);
  }

  Expected<StreamReport> run() {
    while (unfinished_ > 0) {
      if (stop_.stop_requested()) return fail(ErrorKind::kCancelled, "the operations were stopped");
      const uint64_t next = nextMoment();
      if (next == kLater) {
        return fail(ErrorKind::kWorkFailed, "{} operations wait for one another and would never begin",
                    unfinished_);
      }
      now_ = std::max(now_, next);
      if (auto done = step(); !done) return tl::unexpected(done.error());
    }
    return report();
  }

 private:
  struct Operation {
    uint64_t called = 0, returned = 0, seen = kLater;  // by the host, and from when on by the GPU
    uint64_t ready = kLater, begin = kLater, end = kLater;
    uint64_t blocks_end = kLater;  // of a launch: when its last block has ended
    std::optional<uint32_t> primary;
    bool started = false, done = false, skipped = false;
  };
  // What works on one operation at a time.
  struct Engine {
    std::deque<uint32_t> queue;
    std::optional<uint32_t> busy_with;
  };
  enum EngineIndex : size_t { kToDevice, kToHost, kFromPeer, kHost, kEngines };
  using Engines = std::array<Engine, kEngines>;

  uint64_t cycles(double ns) const { return static_cast<uint64_t>(std::llround(ns * cycles_per_ns_)); }
  double ns(uint64_t cycles) const { return static_cast<double>(cycles) / cycles_per_ns_; }
  const EnqueuedOperation& of(uint32_t index) const { return work_.operations[index]; }
  BlockScheduler& schedulerOf(uint32_t index) { return schedulers_[gpus_[index]]; }
  const BlockScheduler& schedulerOf(uint32_t index) const { return schedulers_[gpus_[index]]; }
  Engine& engineOf(uint32_t index, EngineIndex which) { return engines_[gpus_[index]][which]; }
  int32_t priorityOf(uint32_t index) const { return work_.streams[of(index).stream].priority; }

  bool hostMayCall() const { return next_ < operations_.size() && !blocked_on_; }

  uint64_t nextMoment() {
    uint64_t next = hostMayCall() ? host_free_ : kLater;
    for (BlockScheduler& scheduler : schedulers_) next = std::min(next, scheduler.nextChange());
    next = std::min(next, pages_.nextChange());
    for (size_t i = first_undone_; i < next_; ++i) {
      const Operation& operation = operations_[i];
      if (operation.done) continue;
      if (operation.started) {
        next = std::min(next, operation.end);  // kLater for a kernel
      } else if (const uint64_t ready = readyAt(operation, static_cast<uint32_t>(i)); !isQueued(operation)) {
        next = std::min(next, ready);
      }
    }
    return next;
  }

  static bool isQueued(const Operation& operation) { return operation.ready != kLater; }

  // kLater while something that it waits for has not ended.
  uint64_t readyAt(const Operation& operation, uint32_t index) const {
    uint64_t ready = operation.seen, triggered = 0;
    for (const StreamDependency& before : after_[index]) {
      if (before.kind == StreamWait::kTrigger) {
        triggered = schedulerOf(before.operation).triggeredAt(before.operation);
        if (triggered == BlockScheduler::kNoBlock) return kLater;
        triggered += cycles(profile_.dependent_launch_ns);
        continue;
      }
      if (!operations_[before.operation].done) return kLater;
      ready = std::max(ready, operations_[before.operation].end);
    }
    const OperationKind kind = of(index).kind;
    const bool passes = kind == OperationKind::kEvent || kind == OperationKind::kWait;
    if (passes || ready == kLater) return ready;
    return std::max(ready + latencyOf(index), triggered);
  }

  // From the end of what it waits for to its begin. Of a skipped one, the node's time is behind its begin.
  uint64_t latencyOf(uint32_t index) const {
    if (!followsNode(after_[index])) return cycles(profile_.stream_latency_ns);
    if (isSkipped(index)) return 0;
    const double condition_ns = of(index).only_if ? profile_.graph_condition_ns : 0;
    return cycles(profile_.graph_latency_ns + condition_ns);
  }

  // Conditions are 0 until a launch sets them; one that was skipped sets none.
  bool isSkipped(uint32_t index) const {
    const auto& decider = of(index).only_if;
    if (!decider) return false;
    const auto alone = alone_.find(*decider);
    return alone == alone_.end() || !alone->second.continues;
  }

  Expected<void> step() {
    while (hostMayCall() && host_free_ <= now_) callNext();
    // What ends now lets others begin now, which may be over at once, too.
    for (bool changed = true; changed;) {
      changed = false;
      for (BlockScheduler& scheduler : schedulers_) {
        for (const auto& [ended, cycle] : scheduler.release(now_)) operations_[ended].blocks_end = cycle;
      }
      for (size_t i = first_undone_; i < next_; ++i) {
        Operation& operation = operations_[i];
        const auto index = static_cast<uint32_t>(i);
        if (operation.done) continue;
        takeEnd(operation);
        if (operation.started && operation.end <= now_) {
          if (auto done = finish(index); !done) return done;
          changed = true;
        } else if (!isQueued(operation) && readyAt(operation, index) <= now_) {
          if (auto done = becomeReady(index); !done) return done;
          changed = true;
        }
      }
      for (Engines& of_gpu : engines_) {
        for (Engine& engine : of_gpu) changed = startNext(engine) || changed;
      }
      changed = servePages() || changed;
      for (BlockScheduler& scheduler : schedulers_) scheduler.place(now_);
    }
    while (first_undone_ < operations_.size() && operations_[first_undone_].done) ++first_undone_;
    return {};
  }

  // True: blocks go on. Managed memory is for launches on GPU 0.
  bool servePages() {
    BlockScheduler& scheduler = schedulers_.front();
    for (const auto& [operation, block, since] : scheduler.takeStanding()) {
      const auto blocks = static_cast<uint32_t>(alone_.at(operation).stays.size());
      pages_.touch({operation, block, blocks}, of(operation).launch, since);
    }
    const auto go_on = pages_.advance(now_);
    for (const auto& [operation, block, at] : go_on) scheduler.goOn(operation, block, at);
    return !go_on.empty();
  }

  // A launch whose blocks have ended has to wait for its primary, too, if it did not do so itself.
  void takeEnd(Operation& operation) {
    if (operation.blocks_end == kLater || operation.end != kLater) return;
    const Operation* primary = operation.primary ? &operations_[*operation.primary] : nullptr;
    if (primary != nullptr && !primary->done) return;
    operation.end = std::max(operation.blocks_end, primary == nullptr ? 0 : primary->end);
  }

  // A graph's operations are enqueued by one call.
  void callNext() {
    const uint32_t index = next_;
    const EnqueuedOperation& enqueued = of(index);
    const uint64_t called = host_free_;
    host_free_ += cycles(enqueued.graph ? profile_.graph_launch_ns + profile_.graph_launch_node_ns *
                                                                         launchesOf(work_, *enqueued.graph)
                                        : profile_.enqueue_ns);
    next_ += operationsOfCall(work_, index);
    for (Operation& operation : std::span(operations_).subspan(index, next_ - index)) {
      operation.called = called;
      operation.seen = operation.returned = host_free_;
    }
    operations_[index].primary = primaryAmong(after_[index]);
    const bool copy =
        enqueued.kind == OperationKind::kCopyToDevice || enqueued.kind == OperationKind::kCopyToHost;
    if (copy && enqueued.memory == HostMemory::kPageable) blocked_on_ = index;
  }

  Expected<void> becomeReady(uint32_t index) {
    Operation& operation = operations_[index];
    const EnqueuedOperation& enqueued = of(index);
    operation.ready = now_;
    switch (enqueued.kind) {
      case OperationKind::kLaunch:
        if (!isSkipped(index)) return launch(index);
        operation.skipped = true;
        begin(operation, cycles(profile_.graph_skip_ns));
        return {};
      case OperationKind::kCopyToDevice:
      case OperationKind::kPrefetchToDevice:
        return queue(engineOf(index, kToDevice), index);
      case OperationKind::kCopyToHost:
      case OperationKind::kPrefetchToHost:
        return queue(engineOf(index, kToHost), index);
      case OperationKind::kPeerCopy:
        return queue(engineOf(index, kFromPeer), index);
      case OperationKind::kHostFunction:
        return queue(engineOf(index, kHost), index);
      case OperationKind::kCopyOnDevice:
      case OperationKind::kFill:
      case OperationKind::kAllocate:
      case OperationKind::kFree:
      case OperationKind::kEvent:
      case OperationKind::kWait:
        begin(operation, durationOf(index));
        return {};
    }
    return {};
  }

  Expected<void> launch(uint32_t index) {
    const bool managed = pages_.usedBy(of(index).launch);
    if (managed && operations_[index].primary) {
      return fail(ErrorKind::kBadRequest,
                  "operation {}: a programmatic dependent launch that uses managed memory is not modelled",
                  index);
    }
    auto alone = actions_.launch(index);
    if (!alone) return tl::unexpected(alone.error());
    QueuedKernel kernel{.operation = index,
                        .priority = priorityOf(index),
                        .block_cycles = {},
                        .needs = std::move(alone->needs),
                        .blocks_per_sm = alone->blocks_per_sm,
                        .controls = {},
                        .primary = operations_[index].primary,
                        .demand = alone->demand,
                        .stands_by_block = managed};
    kernel.block_cycles.reserve(alone->stays.size());
    for (const BlockStay& stay : alone->stays) {
      kernel.block_cycles.push_back(stay.end - stay.begin);
      if (stay.triggered == 0 && stay.waits.empty() && !managed) continue;
      kernel.controls.resize(alone->stays.size());
      kernel.controls[kernel.block_cycles.size() - 1] = managed ? untilFirstLoad(stay) : controlOf(stay);
    }
    schedulerOf(index).add(std::move(kernel));
    alone_.emplace(index, std::move(*alone));
    operations_[index].started = true;
    return {};
  }

  // The block stands until the pages that it touches are there; a launch that is not programmatic does not
  // wait for another one, and triggers none by itself.
  static GridControl untilFirstLoad(const BlockStay& stay) {
    const uint64_t since = stay.first_load == 0 ? 0 : stay.first_load - stay.begin;
    return {.first_wait = since, .last_wait = since};
  }

  static GridControl controlOf(const BlockStay& stay) {
    GridControl control;
    if (stay.triggered != 0) control.triggered = stay.triggered - stay.begin;
    for (const uint64_t wait : stay.waits) {
      if (wait == 0) continue;
      const uint64_t since = wait - stay.begin;
      control.last_wait = control.waits() ? std::max(control.last_wait, since) : since;
      control.first_wait = std::min(control.first_wait, since);
    }
    if (stay.went_on != 0) control.last_wait = std::max(control.last_wait, stay.went_on - stay.begin);
    return control;
  }

  // Behind what is of the same or a higher priority.
  Expected<void> queue(Engine& engine, uint32_t index) {
    const auto behind = std::ranges::find_if(
        engine.queue, [&](uint32_t other) { return priorityOf(other) > priorityOf(index); });
    engine.queue.insert(behind, index);
    return {};
  }

  bool startNext(Engine& engine) {
    if (engine.busy_with || engine.queue.empty()) return false;
    const uint32_t index = engine.queue.front();
    engine.queue.pop_front();
    Operation& operation = operations_[index];
    engine.busy_with = index;
    begin(operation, durationOf(index));
    return true;
  }

  void begin(Operation& operation, uint64_t duration) {
    operation.started = true;
    operation.begin = now_;
    operation.end = now_ + duration;
  }

  // From now on; what it touches of managed memory moves.
  uint64_t durationOf(uint32_t index) {
    const EnqueuedOperation& enqueued = of(index);
    const auto bytes = static_cast<double>(enqueued.bytes);
    const bool pageable = enqueued.memory == HostMemory::kPageable;
    const auto over = [&](double bytes_per_ns) {
      const double rate =
          pageable ? std::min(bytes_per_ns, profile_.copy_pageable_bytes_per_ns) : bytes_per_ns;
      return cycles(profile_.copy_latency_ns + bytes / rate);
    };
    switch (enqueued.kind) {
      case OperationKind::kCopyToDevice:
        return over(profile_.copy_to_device_bytes_per_ns);
      case OperationKind::kCopyToHost:
        return over(profile_.copy_to_host_bytes_per_ns);
      case OperationKind::kPeerCopy:
        return cycles(profile_.peer_copy_latency_ns + bytes / profile_.peer_copy_bytes_per_ns);
      case OperationKind::kCopyOnDevice:
        return static_cast<uint64_t>(2 * bytes / profile_.dram_bytes_per_cycle) +
               profile_.dram_latency_cycles;
      case OperationKind::kFill:
        return static_cast<uint64_t>(bytes / profile_.dram_bytes_per_cycle) + profile_.dram_latency_cycles;
      case OperationKind::kPrefetchToDevice:
        return prefetching(enqueued, MemoryPlace::kDevice);
      case OperationKind::kPrefetchToHost:
        return prefetching(enqueued, MemoryPlace::kHost);
      case OperationKind::kHostFunction:
        return calling(index);
      case OperationKind::kLaunch:
      case OperationKind::kAllocate:
      case OperationKind::kFree:
      case OperationKind::kEvent:
      case OperationKind::kWait:
        break;
    }
    return 0;
  }

  uint64_t prefetching(const EnqueuedOperation& enqueued, MemoryPlace to) {
    const auto bytes = static_cast<double>(pages_.prefetch(enqueued.device, enqueued.bytes, to));
    const double rate =
        to == MemoryPlace::kHost ? profile_.prefetch_to_host_bytes_per_ns : profile_.prefetch_bytes_per_ns;
    return cycles(profile_.copy_latency_ns + bytes / rate);
  }

  uint64_t calling(uint32_t index) {
    const EnqueuedOperation& enqueued = of(index);
    const uint64_t called = cycles(profile_.host_function_ns);
    const uint64_t faults = enqueued.work.usesMemory()
                                ? pages_.hostTouches(index, enqueued.device, enqueued.bytes, now_ + called)
                                : 0;
    return called + faults + cycles(enqueued.work.busy_ns);
  }

  Expected<void> finish(uint32_t index) {
    Operation& operation = operations_[index];
    operation.done = true;
    --unfinished_;
    for (Engines& of_gpu : engines_) {
      for (Engine& engine : of_gpu) {
        if (engine.busy_with == index) engine.busy_with.reset();
      }
    }
    if (blocked_on_ == index) {
      blocked_on_.reset();
      operation.returned = host_free_ = std::max(host_free_, operation.end);
    }
    if (of(index).kind != OperationKind::kLaunch) return actions_.effect(index);
    if (operation.skipped) return {};
    schedulerOf(index).complete(index, operation.end + cycles(profile_.dependent_wait_ns));
    return {};
  }

  StreamReport report() {
    StreamReport report;
    std::vector<PlacedStay> stays;
    for (const BlockScheduler& scheduler : schedulers_)
      stays.insert(stays.end(), scheduler.stays().begin(), scheduler.stays().end());
    std::ranges::sort(stays, {},
                      [](const PlacedStay& stay) { return std::pair(stay.operation, stay.block); });
    for (const PlacedStay& stay : stays) {
      Operation& operation = operations_[stay.operation];
      operation.begin = std::min(operation.begin, stay.begin);
      const LaunchedAlone& alone = alone_.at(stay.operation);
      const uint64_t read = alone.begin_cycle + alone.stays[stay.block].begin;
      auto& placed = report.placed.emplace_back();
      placed = {.operation = stay.operation,
                .block = stay.block,
                .sm = smOf(profile_.limits, {gpus_[stay.operation], stay.sm}),
                .later_cycles = static_cast<int64_t>(stay.begin) - static_cast<int64_t>(read)};
      for (const BlockLife::Point& point : stay.points)
        placed.points.push_back({static_cast<double>(read) + point.own, static_cast<int64_t>(point.at)});
      if (stay.held_until == 0) continue;
      placed.held_until = static_cast<int64_t>(stay.held_until);
      for (const uint64_t wait : alone.stays[stay.block].waits)
        placed.waits.push_back(wait == 0 ? 0 : alone.begin_cycle + wait);
    }
    const std::vector<WaitCause> causes = explain(stays);
    for (uint32_t index = 0; index < operations_.size(); ++index) {
      const Operation& operation = operations_[index];
      OperationTimes times{.enqueue_ns = ns(operation.called),
                           .enqueued_ns = ns(operation.returned),
                           .begin_ns = ns(operation.begin),
                           .end_ns = ns(operation.end),
                           .after = {},
                           .waited_for = causes[index].kind,
                           .waited_on = causes[index].operation,
                           .primary = operation.primary,
                           .gpu = gpus_[index],
                           .skipped = operation.skipped};
      times.after = endsAwaited(after_[index]);
      report.total_ns = std::max(report.total_ns, times.end_ns);
      report.operations.push_back(std::move(times));
    }
    for (PageMigration migration : pages_.migrations()) {
      migration.begin_ns /= cycles_per_ns_;
      migration.end_ns /= cycles_per_ns_;
      report.migrations.push_back(migration);
    }
    for (uint32_t graph = 0; graph < work_.graphs.size(); ++graph)
      report.graph_make_ns.push_back(profile_.graph_make_node_ns * launchesOf(work_, graph));
    return report;
  }

  // In cycles.
  std::vector<WaitCause> explain(const std::vector<PlacedStay>& stays) const {
    std::vector<TimedOperation> timed;
    timed.reserve(operations_.size());
    for (uint32_t index = 0; index < operations_.size(); ++index) {
      const Operation& operation = operations_[index];
      timed.push_back({.kind = of(index).kind,
                       .after = after_[index],
                       .seen = static_cast<double>(operation.seen),
                       .begin = static_cast<double>(operation.begin),
                       .end = static_cast<double>(operation.end),
                       .delay = static_cast<double>(latencyOf(index)),
                       .gpu = gpus_[index]});
      if (operation.primary) {
        const uint32_t primary = *operation.primary;
        timed[primary].triggered = static_cast<double>(schedulerOf(primary).triggeredAt(primary));
      }
    }
    std::vector<BlockEnd> ends;
    ends.reserve(stays.size());
    for (const PlacedStay& stay : stays) ends.push_back({stay.operation, static_cast<double>(stay.end)});
    const BeginDelays delays{static_cast<double>(cycles(profile_.stream_latency_ns)),
                             std::floor(profile_.block_launch_cycles) + 1,
                             static_cast<double>(cycles(profile_.dependent_launch_ns))};
    return explainWaits(timed, delays, ends);
  }

  const StreamWork& work_;
  const DeviceProfile& profile_;
  const StreamActions& actions_;
  const std::stop_token& stop_;
  double cycles_per_ns_;
  std::vector<BlockScheduler> schedulers_;  // by GPU
  ManagedPages pages_;
  std::vector<Operation> operations_;
  std::vector<std::vector<StreamDependency>> after_;  // by operation
  std::map<uint32_t, LaunchedAlone> alone_;           // by operation
  std::vector<Engines> engines_;                      // by GPU
  std::vector<uint32_t> gpus_;                        // by operation: whose unit executes it
  std::optional<uint32_t> blocked_on_;                // the host waits for it
  uint64_t now_ = 0, host_free_ = 0;
  uint32_t next_ = 0;  // the operation that the host enqueues next
  size_t first_undone_ = 0, unfinished_ = operations_.size();
};

}  // namespace

Expected<StreamReport> runOnStreams(const StreamWork& work, const DeviceProfile& profile,
                                    const StreamActions& actions, const std::stop_token& stop) {
  if (auto possible = checkGraphs(work); !possible) return tl::unexpected(possible.error());
  return StreamMachine(work, profile, actions, stop).run();
}

}  // namespace warpscope::sim
