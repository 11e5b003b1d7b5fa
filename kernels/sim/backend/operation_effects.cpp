#include "kernels/sim/backend/operation_effects.h"

#include <cstddef>
#include <span>

namespace warpscope::sim {
namespace {

// Managed memory that it works on is the device's, in the model: its host's side is fetched and sent back.
Expected<void> callHost(const EnqueuedOperation& operation, DeviceMemory& memory) {
  const std::span<std::byte> bytes{operation.host, operation.bytes};
  const bool managed = operation.memory == HostMemory::kManaged && operation.work.usesMemory();
  auto done = managed ? memory.download(bytes, operation.device) : Expected<void>{};
  if (!done) return done;
  operation.work.doTo(bytes);
  return managed && operation.work.add != 0 ? memory.upload(operation.device, bytes) : Expected<void>{};
}

}  // namespace

Expected<void> carryOut(const EnqueuedOperation& operation, DeviceMemory& memory, ModelledCaches& caches) {
  switch (operation.kind) {
    case OperationKind::kCopyToDevice:
      return memory.upload(operation.device, {operation.host, operation.bytes});
    case OperationKind::kCopyToHost:
      return memory.download({operation.host, operation.bytes}, operation.device);
    case OperationKind::kCopyOnDevice:
    case OperationKind::kPeerCopy:
      return memory.copy(operation.device, operation.from, operation.bytes);
    case OperationKind::kFill:
      return memory.fill(operation.device, operation.value, operation.bytes);
    case OperationKind::kHostFunction:
      return callHost(operation, memory);
    case OperationKind::kPrefetchToDevice:
      caches.touch(0, operation.device, operation.bytes);  // as by a copy
      return {};
    case OperationKind::kPrefetchToHost:
    case OperationKind::kLaunch:
    case OperationKind::kAllocate:  // its memory is there all the time
    case OperationKind::kFree:
    case OperationKind::kEvent:
    case OperationKind::kWait:
      break;
  }
  return {};
}

}  // namespace warpscope::sim
