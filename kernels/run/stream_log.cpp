#include "kernels/run/stream_log.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpscope {

const char* operationKindName(OperationKind kind) {
  switch (kind) {
    case OperationKind::kLaunch:
      return "launch";
    case OperationKind::kCopyToDevice:
      return "copy to the device";
    case OperationKind::kCopyToHost:
      return "copy to the host";
    case OperationKind::kCopyOnDevice:
      return "copy on the device";
    case OperationKind::kPeerCopy:
      return "copy between GPUs";
    case OperationKind::kFill:
      return "fill";
    case OperationKind::kPrefetchToDevice:
      return "prefetch to the device";
    case OperationKind::kPrefetchToHost:
      return "prefetch to the host";
    case OperationKind::kAllocate:
      return "allocation";
    case OperationKind::kFree:
      return "free";
    case OperationKind::kHostFunction:
      return "host function";
    case OperationKind::kEvent:
      return "event";
    case OperationKind::kWait:
      return "wait";
  }
  return "unknown";
}

const char* streamKindName(StreamKind kind) {
  switch (kind) {
    case StreamKind::kLegacyDefault:
      return "legacy default";
    case StreamKind::kPerThreadDefault:
      return "per-thread default";
    case StreamKind::kBlocking:
      return "blocking";
    case StreamKind::kNonBlocking:
      return "non-blocking";
  }
  return "unknown";
}

const char* hostMemoryName(HostMemory memory) {
  switch (memory) {
    case HostMemory::kPinned:
      return "pinned";
    case HostMemory::kPageable:
      return "pageable";
    case HostMemory::kManaged:
      return "managed";
  }
  return "unknown";
}

const char* streamWaitName(StreamWait wait) {
  switch (wait) {
    case StreamWait::kNothing:
      return "nothing";
    case StreamWait::kStream:
      return "stream";
    case StreamWait::kEvent:
      return "event";
    case StreamWait::kDefaultStream:
      return "default stream";
    case StreamWait::kCopyEngine:
      return "copy engine";
    case StreamWait::kSms:
      return "SMs";
    case StreamWait::kGraph:
      return "graph";
    case StreamWait::kTrigger:
      return "trigger";
  }
  return "unknown";
}

const char* streamWaitSentence(StreamWait wait) {
  switch (wait) {
    case StreamWait::kNothing:
      break;
    case StreamWait::kStream:
      return "waits for the {0} of {1}, which is before it on its stream";
    case StreamWait::kEvent:
      return "waits for an event after the {0} of {1}";
    case StreamWait::kDefaultStream:
      return "the default stream synchronises: waits for the {0} of {1}";
    case StreamWait::kCopyEngine:
      return "waits for the copy engine, which is busy with the {0} of {1}";
    case StreamWait::kSms:
      return "no SM is free: waits for blocks of the {0} of {1}";
    case StreamWait::kGraph:
      return "waits for the {0} of {1}, which is before it in its graph";
    case StreamWait::kTrigger:
      return "waits until all blocks of the {0} of {1} have triggered it, or ended";
  }
  return "";
}

const char* streamClockName(StreamClock clock) {
  switch (clock) {
    case StreamClock::kModel:
      return "model";
    case StreamClock::kActivity:
      return "CUPTI activity";
    case StreamClock::kEvents:
      return "timing events";
  }
  return "unknown";
}

StreamUnit unitOf(OperationKind kind) {
  switch (kind) {
    case OperationKind::kCopyToDevice:
    case OperationKind::kPrefetchToDevice:
      return StreamUnit::kCopyToDevice;
    case OperationKind::kCopyToHost:
    case OperationKind::kPrefetchToHost:
      return StreamUnit::kCopyToHost;
    case OperationKind::kPeerCopy:
      return StreamUnit::kPeerCopy;
    case OperationKind::kLaunch:
    case OperationKind::kCopyOnDevice:
    case OperationKind::kFill:
      return StreamUnit::kSms;
    case OperationKind::kHostFunction:
      return StreamUnit::kHost;
    case OperationKind::kAllocate:
    case OperationKind::kFree:
    case OperationKind::kEvent:
    case OperationKind::kWait:
      break;
  }
  return StreamUnit::kNone;
}

double StreamLog::endNs() const {
  double end = 0;
  for (const StreamOperation& operation : operations) end = std::max(end, operation.end_ns);
  return end;
}

uint32_t StreamLog::gpus() const {
  uint32_t count = 1;
  for (const StreamInfo& stream : streams) count = std::max(count, stream.gpu + 1);
  return count;
}

uint32_t StreamLog::nodesOf(uint32_t graph) const {
  return static_cast<uint32_t>(std::ranges::count_if(operations, [&](const StreamOperation& operation) {
    return operation.graph == graph && operation.kind == OperationKind::kLaunch;
  }));
}

uint32_t StreamLog::skippedOf(uint32_t graph) const {
  return static_cast<uint32_t>(std::ranges::count_if(operations, [&](const StreamOperation& operation) {
    return operation.graph == graph && operation.skipped;
  }));
}

uint32_t StreamLog::launchCalls() const {
  const auto alone = std::ranges::count_if(operations, [](const StreamOperation& operation) {
    return !operation.graph && operation.kind == OperationKind::kLaunch;
  });
  return static_cast<uint32_t>(alone) + static_cast<uint32_t>(graphs.size());
}

std::optional<uint32_t> StreamLog::operationOf(BlockId block) const {
  const auto found = std::ranges::find_if(operations, [&](const StreamOperation& operation) {
    return block.value >= operation.first_block && block.value - operation.first_block < operation.blocks;
  });
  if (found == operations.end()) return std::nullopt;
  return static_cast<uint32_t>(found - operations.begin());
}

std::string StreamLog::waitText(const StreamOperation& operation) const {
  const auto about = [&](const char* sentence, uint32_t on) {
    return fmt::format(fmt::runtime(sentence), operationKindName(operations[on].kind), operations[on].name);
  };
  std::string text;
  if (operation.waited_for != StreamWait::kNothing && operation.waited_on < operations.size())
    text = about(streamWaitSentence(operation.waited_for), operation.waited_on);
  if (overlapsPrimary(operation))
    text += (text.empty() ? "" : "; ") + about(kHeldSentence, *operation.primary);
  return text;
}

bool StreamLog::overlapsPrimary(const StreamOperation& operation) const {
  return operation.primary && *operation.primary < operations.size() &&
         operation.begin_ns < operations[*operation.primary].end_ns;
}

}  // namespace warpscope
