#include "kernels/backend/stream_times.h"

#include <algorithm>

#include "kernels/backend/stream_graphs.h"

namespace warpscope {
namespace {

// An operation that waits for nothing begins within these times after the operation before it, or after the
// host's call; a longer gap is explained. Chosen generously; not measured.
constexpr BeginDelays kUsualDelays{.any = 1000, .launch = 5000, .trigger = 1000};

bool isPageableCopy(const EnqueuedOperation& operation) {
  const bool copy =
      operation.kind == OperationKind::kCopyToDevice || operation.kind == OperationKind::kCopyToHost;
  return copy && operation.memory == HostMemory::kPageable;
}

}  // namespace

uint32_t gpuOf(const StreamWork& work, const EnqueuedOperation& operation) {
  if (operation.kind == OperationKind::kHostFunction) return 0;  // there is one host
  return operation.kind == OperationKind::kPeerCopy ? operation.to_gpu : work.streams[operation.stream].gpu;
}

Expected<void> checkGpus(const StreamWork& work, uint32_t gpus) {
  for (size_t i = 0; i < work.operations.size(); ++i) {
    const EnqueuedOperation& operation = work.operations[i];
    const uint32_t gpu = work.streams[operation.stream].gpu;
    const bool peer = operation.kind == OperationKind::kPeerCopy;
    if (std::max({gpu, operation.to_gpu, operation.from_gpu}) >= gpus) {
      return fail(ErrorKind::kBadRequest, "operation {} ({}): there is no GPU {} beside GPU 0", i,
                  operationKindName(operation.kind), std::max({gpu, operation.to_gpu, operation.from_gpu}));
    }
    if (peer && operation.to_gpu == operation.from_gpu)
      return fail(ErrorKind::kBadRequest, "operation {} ({}): both ends are on GPU {}", i,
                  operationKindName(operation.kind), operation.to_gpu);
    if (operation.kind == OperationKind::kLaunch && operation.launch.gpu != gpu)
      return fail(ErrorKind::kBadRequest, "operation {} (launch): for GPU {}, but its stream is on GPU {}", i,
                  operation.launch.gpu, gpu);
    if (gpu != 0 && (operation.graph || work.streams[operation.stream].kind == StreamKind::kLegacyDefault))
      return fail(ErrorKind::kBadRequest, "operation {} ({}): graphs and default streams are on GPU 0", i,
                  operationKindName(operation.kind));
  }
  return {};
}

bool isActivity(const EnqueuedOperation& operation) {
  switch (operation.kind) {
    case OperationKind::kLaunch:
      return true;
    case OperationKind::kCopyToDevice:
    case OperationKind::kCopyToHost:
    case OperationKind::kCopyOnDevice:
    case OperationKind::kPeerCopy:
    case OperationKind::kFill:
    case OperationKind::kPrefetchToDevice:
    case OperationKind::kPrefetchToHost:
      return operation.bytes > 0;
    case OperationKind::kAllocate:
    case OperationKind::kFree:
    case OperationKind::kHostFunction:
    case OperationKind::kEvent:
    case OperationKind::kWait:
      break;
  }
  return false;
}

bool isPrefetch(const EnqueuedOperation& operation) {
  return operation.kind == OperationKind::kPrefetchToDevice ||
         operation.kind == OperationKind::kPrefetchToHost;
}

std::optional<uint32_t> primaryOf(const StreamWork& work, size_t operation) {
  const EnqueuedOperation& of = work.operations[operation];
  if (of.kind != OperationKind::kLaunch || !of.launch.programmatic) return std::nullopt;
  for (size_t before = operation; before-- > 0;) {
    if (work.operations[before].stream != of.stream) continue;
    const bool launch = work.operations[before].kind == OperationKind::kLaunch;
    return launch ? std::optional(static_cast<uint32_t>(before)) : std::nullopt;
  }
  return std::nullopt;
}

void explainMeasured(const StreamWork& work, std::vector<OperationTimes>& times) {
  const std::vector<std::vector<StreamDependency>> after = dependenciesOf(work);
  std::vector<TimedOperation> timed;
  timed.reserve(times.size());
  for (size_t i = 0; i < times.size(); ++i) {
    const EnqueuedOperation& operation = work.operations[i];
    OperationTimes& of = times[i];
    TimedOperation& timing = timed.emplace_back();
    timing.kind = operation.kind;
    timing.gpu = gpuOf(work, operation);
    timing.after = after[i];
    // The host's call of a copy of pageable memory ends when the copy does.
    timing.seen = isPageableCopy(operation) ? of.enqueue_ns : of.enqueued_ns;
    if (of.skipped || (!isActivity(operation) && operation.kind != OperationKind::kHostFunction)) {
      // A graph may have begun before the host's call that launched it has ended.
      of.begin_ns = operation.graph ? of.enqueue_ns : timing.seen;
      for (const StreamDependency& before : timing.after)
        of.begin_ns = std::max(of.begin_ns, times[before.operation].end_ns);
      of.end_ns = of.begin_ns;
    }
    timing.begin = of.begin_ns;
    timing.end = of.end_ns;
    of.after = endsAwaited(timing.after);
    of.gpu = timing.gpu;
    of.primary = primaryAmong(timing.after);
    // Nothing records when the last block triggered; it was before this one began.
    timing.triggered = timing.end;
    if (of.primary) timed[*of.primary].triggered = std::min(timed[*of.primary].end, timing.begin);
  }
  const std::vector<WaitCause> causes = explainWaits(timed, kUsualDelays, {});
  for (size_t i = 0; i < times.size(); ++i) {
    times[i].waited_for = causes[i].kind;
    times[i].waited_on = causes[i].operation;
  }
}

}  // namespace warpscope
