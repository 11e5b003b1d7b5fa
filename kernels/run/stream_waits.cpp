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

std::vector<StreamDependency> StreamOrder::waitsOf(uint32_t stream) const {
  std::vector<StreamDependency> after;
  for (const uint32_t last : last_of_[stream]) depend(after, last, StreamWait::kStream);
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

std::vector<StreamDependency> StreamOrder::add(OperationKind kind, uint32_t stream, uint32_t event) {
  std::vector<StreamDependency> after = waitsOf(stream);
  // To wait for an event that was never recorded is to wait for nothing.
  if (kind == OperationKind::kWait) {
    if (const auto found = recorded_.find(event); found != recorded_.end())
      depend(after, found->second, StreamWait::kEvent);
  }
  if (kind == OperationKind::kEvent) recorded_[event] = next_;
  last_of_[stream] = {next_++};
  return after;
}

std::vector<StreamDependency> StreamOrder::addGraph(uint32_t stream, uint32_t count,
                                                    std::vector<uint32_t> last) {
  std::vector<StreamDependency> after = waitsOf(stream);
  last_of_[stream] = std::move(last);
  next_ += count;
  return after;
}

namespace {

bool passes(OperationKind kind) {
  return kind == OperationKind::kEvent || kind == OperationKind::kWait;
}

class Explanation {
 public:
  Explanation(std::span<const TimedOperation> operations, const BeginDelays& delays,
              std::span<const BlockEnd> ends)
      : operations_(operations), delays_(delays), ends_(ends), causes_(operations.size()) {}

  std::vector<WaitCause> all() {
    for (uint32_t i = 0; i < operations_.size(); ++i) noteOrder(i);
    for (const StreamUnit unit : {StreamUnit::kCopyToDevice, StreamUnit::kCopyToHost, StreamUnit::kHost})
      noteEngine(unit);
    for (uint32_t i = 0; i < operations_.size(); ++i) {
      if (operations_[i].kind == OperationKind::kLaunch) noteFullSms(i);
    }
    return std::move(causes_);
  }

 private:
  // The operation that had to end first and ended last, if that was after the GPU had seen this one. What
  // events and waits have waited for is what an operation behind them has.
  void noteOrder(uint32_t index) {
    const TimedOperation& operation = operations_[index];
    const auto end_of = [&](const StreamDependency& before) { return operations_[before.operation].end; };
    const auto latest = std::ranges::max_element(operation.after, {}, end_of);
    if (latest == operation.after.end() || end_of(*latest) <= operation.seen) return;
    causes_[index] = {latest->kind, latest->operation};
    const OperationKind kind = operations_[latest->operation].kind;
    const WaitCause& through = causes_[latest->operation];
    if (!passes(kind) || through.kind == StreamWait::kNothing) return;
    causes_[index] = {kind == OperationKind::kWait ? through.kind : latest->kind, through.operation};
  }

  double readyAt(const TimedOperation& operation) const {
    double ready = operation.seen;
    for (const StreamDependency& before : operation.after)
      ready = std::max(ready, operations_[before.operation].end);
    return ready + operation.delay.value_or(delays_.any);
  }

  void noteEngine(StreamUnit unit) {
    std::vector<uint32_t> turns;
    for (uint32_t i = 0; i < operations_.size(); ++i) {
      if (unitOf(operations_[i].kind) == unit) turns.push_back(i);
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
                        launch.begin < operation.begin && launch.end > ready;
      if (held && (!holder || launch.end > operations_[*holder].end)) holder = other;
    }
    if (holder) causes_[index] = {StreamWait::kSms, *holder};
  }

  void noteLastBlock(uint32_t index, double ready) {
    const BlockEnd* blocker = nullptr;
    for (const BlockEnd& block : ends_) {
      const bool before =
          block.operation != index && block.end > ready && block.end <= operations_[index].begin;
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
