#include "kernels/backend/cuda/streams/operation_calls.h"

#include <algorithm>
#include <string>
#include <utility>

#include "kernels/backend/stream_allocations.h"

namespace warpscope::cuda {

OperationCalls::OperationCalls(const StreamWork& work, std::span<const RunningGpu> gpus, StreamSet& set,
                               ManagedMemory& managed, const Launch& launch)
    : work_(work),
      gpus_(gpus),
      session_(*gpus.front().session),
      set_(set),
      managed_(managed),
      launch_(launch),
      host_calls_(work.operations.size()),
      allocated_(work.operations.size()) {}

bool OperationCalls::allocates() const {
  return std::ranges::any_of(
      work_.operations, [](const EnqueuedOperation& each) { return each.kind == OperationKind::kAllocate; });
}

void OperationCalls::prepare(uint32_t index) {
  const EnqueuedOperation& operation = work_.operations[index];
  if (operation.kind == OperationKind::kHostFunction) host_calls_[index] = &set_.addCall(operation);
}

Expected<void> OperationCalls::enqueue(uint32_t index, Stream stream) {
  const EnqueuedOperation& operation = work_.operations[index];
  const DriverApi& api = session_.api();
  const std::string& on = work_.streams[operation.stream].name;
  switch (operation.kind) {
    case OperationKind::kLaunch:
      return operation.allocated.empty() ? launch_(operation.launch, stream)
                                         : launch_(withAllocated(operation, allocated_), stream);
    case OperationKind::kCopyToDevice:
    case OperationKind::kCopyToHost:
    case OperationKind::kCopyOnDevice:
    case OperationKind::kPeerCopy:
      return operation.bytes == 0 ? Expected<void>{} : copy(index, stream);
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

Expected<void> OperationCalls::copy(uint32_t index, Stream stream) {
  const EnqueuedOperation& operation = work_.operations[index];
  const DriverApi& api = session_.api();
  const std::string& on = work_.streams[operation.stream].name;
  const uint64_t bytes = operation.bytes;
  const auto place = [&] { return set_.placeOf(operation.host, bytes); };
  switch (operation.kind) {
    case OperationKind::kCopyToDevice:
      return session_.check(api.memcpyHtoDAsync(operation.device, place(), bytes, stream),
                            "operation {}: copying {} bytes to the device on {}", index, bytes, on);
    case OperationKind::kCopyToHost:
      return session_.check(api.memcpyDtoHAsync(place(), operation.device, bytes, stream),
                            "operation {}: copying {} bytes to the host on {}", index, bytes, on);
    case OperationKind::kCopyOnDevice:
      return session_.check(api.memcpyDtoDAsync(operation.device, operation.from, bytes, stream),
                            "operation {}: copying {} bytes on the device on {}", index, bytes, on);
    default:  // kPeerCopy
      return session_.check(
          api.memcpyPeerAsync(operation.device, gpus_[operation.to_gpu].session->context(), operation.from,
                              gpus_[operation.from_gpu].session->context(), bytes, stream),
          "operation {}: copying {} bytes from GPU {} to GPU {} on {}", index, bytes, operation.from_gpu,
          operation.to_gpu, on);
  }
}

Expected<void> OperationCalls::allocate(uint32_t index, Stream stream) {
  const EnqueuedOperation& operation = work_.operations[index];
  Address given = 0;
  auto done = session_.check(session_.api().memAllocAsync(&given, operation.bytes, stream),
                             "operation {}: allocating {} bytes on {}", index, operation.bytes,
                             work_.streams[operation.stream].name);
  allocated_[index] = given;
  return done;
}

void OperationCalls::freeRest() {
  if (session_.poisoned()) return;
  for (DeviceAddress& address : allocated_) {
    if (address != 0) session_.api().memFree(std::exchange(address, DeviceAddress{0}));
  }
}

Expected<void> keepPool(Session& session) {
  constexpr int kReleaseThreshold = 4;  // CU_MEMPOOL_ATTR_RELEASE_THRESHOLD
  const DriverApi& api = session.api();
  MemoryPool pool = nullptr;
  uint64_t all = UINT64_MAX;
  return session.check(api.deviceGetDefaultMemPool(&pool, session.ordinal()), "finding the pool of memory")
      .and_then([&] {
        return session.check(api.memPoolSetAttribute(pool, kReleaseThreshold, &all),
                             "letting the pool keep its memory");
      });
}

}  // namespace warpscope::cuda
