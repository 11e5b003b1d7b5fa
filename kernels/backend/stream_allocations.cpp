#include "kernels/backend/stream_allocations.h"

#include <cstring>

namespace warpscope {
namespace {

template <class... Arguments>
tl::unexpected<Error> wrong(size_t index, const EnqueuedOperation& operation,
                            fmt::format_string<Arguments...> what, Arguments&&... arguments) {
  return fail(ErrorKind::kBadRequest, "operation {} ({}): {}", index, operationKindName(operation.kind),
              fmt::format(what, std::forward<Arguments>(arguments)...));
}

}  // namespace

Expected<void> checkAllocations(const StreamWork& work) {
  const auto& operations = work.operations;
  std::vector<bool> freed(operations.size());
  for (size_t i = 0; i < operations.size(); ++i) {
    const EnqueuedOperation& operation = operations[i];
    const auto allocates = [&](uint32_t before) {
      return before < i && operations[before].kind == OperationKind::kAllocate;
    };
    if (operation.kind == OperationKind::kAllocate && operation.bytes == 0)
      return wrong(i, operation, "of 0 bytes");
    if (operation.kind == OperationKind::kFree) {
      if (!allocates(operation.allocation))
        return wrong(i, operation, "operation {} is no allocation before it", operation.allocation);
      if (freed[operation.allocation])
        return wrong(i, operation, "the memory of operation {} is freed twice", operation.allocation);
      freed[operation.allocation] = true;
    }
    for (const AllocatedParameter& each : operation.allocated) {
      if (!allocates(each.operation))
        return wrong(i, operation, "operation {} is no allocation before it", each.operation);
      const auto& parameters = operation.launch.parameters;
      if (each.parameter >= parameters.size() || parameters[each.parameter].size() != sizeof(DeviceAddress))
        return wrong(i, operation, "parameter {} is no address", each.parameter);
    }
  }
  return {};
}

LaunchSpec withAllocated(const EnqueuedOperation& operation, const std::vector<DeviceAddress>& addresses) {
  LaunchSpec spec = operation.launch;
  for (const AllocatedParameter& each : operation.allocated)
    std::memcpy(spec.parameters[each.parameter].data(), &addresses[each.operation], sizeof(DeviceAddress));
  return spec;
}

}  // namespace warpscope
