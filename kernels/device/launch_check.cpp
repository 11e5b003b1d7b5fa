#include "kernels/device/launch_check.h"

#include <variant>

namespace warpscope {
namespace {

// The same for every compute capability so far: CUDA C++ Programming Guide, "Technical Specifications per
// Compute Capability".
constexpr Dim3 kMaxGrid{2147483647, 65535, 65535};
constexpr Dim3 kMaxBlock{1024, 1024, 64};

bool outside(const Dim3& shape, const Dim3& most) {
  return shape.x > most.x || shape.y > most.y || shape.z > most.z || shape.count() == 0;
}

}  // namespace

Expected<void> checkLaunch(const LaunchPlan& plan, const DeviceDescription& device, const std::string& what) {
  const DeviceLimits& limits = device.limits;
  if (outside(plan.grid, kMaxGrid)) {
    return fail(ErrorKind::kBadRequest,
                "{} cannot be launched: a grid of {}x{}x{} blocks is not between 1x1x1 and {}x{}x{}", what,
                plan.grid.x, plan.grid.y, plan.grid.z, kMaxGrid.x, kMaxGrid.y, kMaxGrid.z);
  }
  if (outside(plan.block, kMaxBlock) || plan.block.count() > limits.max_threads_per_block) {
    return fail(ErrorKind::kBadRequest,
                "{} cannot be launched: a block of {}x{}x{} = {} threads; {} allows 1 to {}", what,
                plan.block.x, plan.block.y, plan.block.z, plan.block.count(), device.name,
                limits.max_threads_per_block);
  }
  if (plan.dynamic_shared_bytes > limits.shared_bytes_per_block_opt_in) {
    return fail(ErrorKind::kBadRequest,
                "{} cannot be launched: {} B of shared memory a block; {} allows {} B", what,
                plan.dynamic_shared_bytes, device.name, limits.shared_bytes_per_block_opt_in);
  }
  for (const KernelArgument& argument : plan.arguments) {
    const auto* buffer = std::get_if<BufferArgument>(&argument);
    if (buffer != nullptr && buffer->index >= plan.buffers.size()) {
      return fail(ErrorKind::kBadRequest, "{}: an argument names buffer {}, but there are {}", what,
                  buffer->index, plan.buffers.size());
    }
  }
  return {};
}

Expected<void> checkResources(const LaunchPlan& plan, const KernelResources& resources,
                              const DeviceDescription& device, const std::string& what) {
  const DeviceLimits& limits = device.limits;
  const uint64_t registers = plan.block.count() * resources.registers_per_thread;
  if (registers > limits.registers_per_block) {
    return fail(
        ErrorKind::kBadRequest,
        "{} cannot be launched: {} threads x {} registers = {} registers a block; {} allows {}: choose "
        "a smaller block",
        what, plan.block.count(), resources.registers_per_thread, registers, device.name,
        limits.registers_per_block);
  }
  const uint64_t shared = uint64_t{resources.static_shared_bytes} + plan.dynamic_shared_bytes;
  if (shared > limits.shared_bytes_per_block_opt_in) {
    return fail(ErrorKind::kBadRequest,
                "{} cannot be launched: {} B of shared memory a block; {} allows {} B", what, shared,
                device.name, limits.shared_bytes_per_block_opt_in);
  }
  return {};
}

}  // namespace warpscope
