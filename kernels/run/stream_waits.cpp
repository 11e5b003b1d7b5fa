#include "kernels/run/stream_waits.h"

#include <algorithm>
#include <utility>

namespace warpscope {

StreamOrder::StreamOrder(std::span<const StreamInfo> streams) : last_of_(streams.size()) {
  for (const StreamInfo& stream : streams) kinds_.push_back(stream.kind);
}

namespace {

void depend(std::vector<StreamDependency>& after, uint32_t on, StreamWait why) {
  if (std::ranges::find(after, on, &StreamDependency::operation) == after.end()) after.push_back({on, why});
}

}  // namespace

std::vector<StreamDependency> StreamOrder::waitsOf(uint32_t stream, bool programmatic) const {
  std::vector<StreamDependency> after;
  for (const uint32_t last : last_of_[stream]) {
    const bool triggers = programmatic && operations_[last] == OperationKind::kLaunch;
    depend(after, last, triggers ? StreamWait::kTrigger : StreamWait::kStream);
  }
  const bool legacy = kinds_[stream] == StreamKind::kLegacyDefault;
  for (size_t other = 0; other < last_of_.size(); ++other) {
    if (other == stream) continue;
    const bool synchronises =
        legacy ? kinds_[other] != StreamKind::kNonBlocking
               : kinds_[other] == StreamKind::kLegacyDefault && kinds_[stream] != StreamKind::kNonBlocking;
    if (!synchronises) continue;
    for (const uint32_t last : last_of_[other]) depend(after, last, StreamWait::kDefaultStream);
  }
  return after;
}

std::vector<StreamDependency> StreamOrder::add(OperationKind kind, uint32_t stream, uint32_t event,
                                               bool programmatic) {
  std::vector<StreamDependency> after = waitsOf(stream, programmatic);
  // To wait for an event that was never recorded is to wait for nothing.
  if (kind == OperationKind::kWait) {
    if (const auto found = recorded_.find(event); found != recorded_.end())
      depend(after, found->second, StreamWait::kEvent);
  }
  const auto index = static_cast<uint32_t>(operations_.size());
  if (kind == OperationKind::kEvent) recorded_[event] = index;
  last_of_[stream] = {index};
  operations_.push_back(kind);
  return after;
}

std::vector<StreamDependency> StreamOrder::addGraph(uint32_t stream, uint32_t count,
                                                    std::vector<uint32_t> last) {
  std::vector<StreamDependency> after = waitsOf(stream, false);
  last_of_[stream] = std::move(last);
  // Nothing is triggered by a graph.
  operations_.insert(operations_.end(), count, OperationKind::kWait);
  return after;
}

std::optional<uint32_t> primaryAmong(std::span<const StreamDependency> after) {
  const auto found = std::ranges::find(after, StreamWait::kTrigger, &StreamDependency::kind);
  return found == after.end() ? std::nullopt : std::optional(found->operation);
}

std::vector<uint32_t> endsAwaited(std::span<const StreamDependency> after) {
  std::vector<uint32_t> awaited;
  for (const StreamDependency& before : after) {
    if (before.kind != StreamWait::kTrigger) awaited.push_back(before.operation);
  }
  std::ranges::sort(awaited);
  return awaited;
}

namespace {

bool passes(OperationKind kind) {
  return kind == OperationKind::kEvent || kind == OperationKind::kWait || kind == OperationKind::kAllocate ||
         kind == OperationKind::kFree;
}

class Explanation {
 public:
  Explanation(std::span<const TimedOperation> operations, const BeginDelays& delays,
              std::span<const BlockEnd> ends)
      : operations_(operations), delays_(delays), ends_(ends), causes_(operations.size()) {}

  std::vector<WaitCause> all() {
    for (uint32_t i = 0; i < operations_.size(); ++i) noteOrder(i);
    uint32_t gpus = 1;
    for (const TimedOperation& operation : operations_) gpus = std::max(gpus, operation.gpu + 1);
    for (uint32_t gpu = 0; gpu < gpus; ++gpu) {
      for (const StreamUnit unit :
           {StreamUnit::kCopyToDevice, StreamUnit::kCopyToHost, StreamUnit::kPeerCopy, StreamUnit::kHost})
        noteEngine(unit, gpu);
    }
    for (uint32_t i = 0; i < operations_.size(); ++i) {
      if (operations_[i].kind == OperationKind::kLaunch) noteFullSms(i);
    }
    return std::move(causes_);
  }

 private:
  // The operation that had to end first and ended last, if that was after the GPU had seen this one. What
  // events, waits, allocations and frees have waited for is what an operation behind them has.
  void noteOrder(uint32_t index) {
    const TimedOperation& operation = operations_[index];
    const auto end_of = [&](const StreamDependency& before) { return overAt(before); };
    const auto latest = std::ranges::max_element(operation.after, {}, end_of);
    if (latest == operation.after.end() || end_of(*latest) <= operation.seen) return;
    causes_[index] = {latest->kind, latest->operation};
    const OperationKind kind = operations_[latest->operation].kind;
    const WaitCause& through = causes_[latest->operation];
    if (!passes(kind) || through.kind == StreamWait::kNothing) return;
    causes_[index] = {kind == OperationKind::kWait ? through.kind : latest->kind, through.operation};
  }

  double overAt(const StreamDependency& before) const {
    const TimedOperation& of = operations_[before.operation];
    return before.kind == StreamWait::kTrigger ? of.triggered : of.end;
  }

  double readyAt(const TimedOperation& operation) const {
    double ready = operation.seen + operation.delay.value_or(delays_.any);
    for (const StreamDependency& before : operation.after) {
      const bool triggered = before.kind == StreamWait::kTrigger;
      const double delay = triggered ? delays_.trigger : operation.delay.value_or(delays_.any);
      ready = std::max(ready, overAt(before) + delay);
    }
    return ready;
  }

  void noteEngine(StreamUnit unit, uint32_t gpu) {
    std::vector<uint32_t> turns;
    for (uint32_t i = 0; i < operations_.size(); ++i) {
      if (unitOf(operations_[i].kind) == unit && operations_[i].gpu == gpu) turns.push_back(i);
    }
    std::ranges::stable_sort(turns, {}, [&](uint32_t i) { return operations_[i].begin; });
    for (size_t turn = 1; turn < turns.size(); ++turn) {
      const uint32_t before = turns[turn - 1], index = turns[turn];
      if (operations_[before].end > readyAt(operations_[index]))
        causes_[index] = {StreamWait::kCopyEngine, before};
    }
  }

  // A launch that began later than it was ready found no room: a block of another one had to end first.
  void noteFullSms(uint32_t index) {
    const TimedOperation& operation = operations_[index];
    const double ready = readyAt(operation);
    if (operation.begin <= ready + delays_.launch) return;
    if (!ends_.empty()) return noteLastBlock(index, ready);
    std::optional<uint32_t> holder;
    for (uint32_t other = 0; other < operations_.size(); ++other) {
      const TimedOperation& launch = operations_[other];
      const bool held = other != index && launch.kind == OperationKind::kLaunch &&
                        launch.gpu == operation.gpu && launch.begin < operation.begin && launch.end > ready;
      if (held && (!holder || launch.end > operations_[*holder].end)) holder = other;
    }
    if (holder) causes_[index] = {StreamWait::kSms, *holder};
  }

  void noteLastBlock(uint32_t index, double ready) {
    const BlockEnd* blocker = nullptr;
    for (const BlockEnd& block : ends_) {
      const bool before = block.operation != index &&
                          operations_[block.operation].gpu == operations_[index].gpu && block.end > ready &&
                          block.end <= operations_[index].begin;
      if (before && (blocker == nullptr || block.end > blocker->end)) blocker = &block;
    }
    if (blocker != nullptr) causes_[index] = {StreamWait::kSms, blocker->operation};
  }

  std::span<const TimedOperation> operations_;
  const BeginDelays& delays_;
  std::span<const BlockEnd> ends_;
  std::vector<WaitCause> causes_;
};

}  // namespace

std::vector<WaitCause> explainWaits(std::span<const TimedOperation> operations, const BeginDelays& delays,
                                    std::span<const BlockEnd> ends) {
  return Explanation(operations, delays, ends).all();
}

}  // namespace warpscope
