#include "kernels/execute/launch_check.h"

#include <array>
#include <optional>
#include <variant>

namespace warpscope {
namespace {

// These are the same for every compute capability so far: CUDA C++ Programming Guide, "Technical
// Specifications per Compute Capability".
constexpr Dim3 kMaxGrid{2147483647, 65535, 65535};
constexpr Dim3 kMaxBlock{1024, 1024, 64};

// What build_ptx.sh compiles for unless a module needs more. Even older simulated GPUs can do everything in
// such a module; a real one is checked by its driver.
constexpr ComputeCapability kUsual{7, 5};

struct Dimension {
  char name = 'x';
  uint32_t asked = 1, most = 1;
};

// The first dimension that is 0 or too large.
std::optional<Dimension> outside(const Dim3& shape, const Dim3& most) {
  const std::array<Dimension, 3> dimensions{
      {{'x', shape.x, most.x}, {'y', shape.y, most.y}, {'z', shape.z, most.z}}};
  for (const Dimension& each : dimensions) {
    if (each.asked == 0 || each.asked > each.most) return each;
  }
  return std::nullopt;
}

}  // namespace

Expected<void> checkLaunch(const LaunchPlan& plan, const DeviceDescription& device, const std::string& what) {
  const DeviceLimits& limits = device.limits;
  if (const auto wrong = outside(plan.grid, kMaxGrid)) {
    return fail(ErrorKind::kBadRequest,
                "{} cannot be launched: a grid of {}x{}x{} has {} blocks in {}; {} allows 1 to {}", what,
                plan.grid.x, plan.grid.y, plan.grid.z, wrong->asked, wrong->name, device.name, wrong->most);
  }
  if (plan.block.count() == 0 || plan.block.count() > limits.max_threads_per_block) {
    return fail(ErrorKind::kBadRequest,
                "{} cannot be launched: a block of {}x{}x{} = {} threads; {} allows 1 to {}", what,
                plan.block.x, plan.block.y, plan.block.z, plan.block.count(), device.name,
                limits.max_threads_per_block);
  }
  if (const auto wrong = outside(plan.block, kMaxBlock)) {
    return fail(ErrorKind::kBadRequest,
                "{} cannot be launched: a block of {}x{}x{} has {} threads in {}; {} allows 1 to {}", what,
                plan.block.x, plan.block.y, plan.block.z, wrong->asked, wrong->name, device.name,
                wrong->most);
  }
  if (plan.dynamic_shared_bytes > limits.shared_bytes_per_block_opt_in) {
    return fail(ErrorKind::kBadRequest,
                "{} cannot be launched: {} B of shared memory per block; {} allows {} B", what,
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

Expected<void> checkCapability(const ModuleImage& module, const DeviceDescription& device,
                               const std::string& what) {
  const ComputeCapability least = leastCapability(module), has = device.limits.compute_capability;
  if (least <= kUsual || least <= has) return {};
  return fail(ErrorKind::kBadRequest,
              "{} cannot be launched: it needs compute capability {}.{}; {} has {}.{}", what, least.major,
              least.minor, device.name, has.major, has.minor);
}

Expected<void> checkResources(const Dim3& block, const KernelResources& resources,
                              const DeviceDescription& device, const std::string& what) {
  const DeviceLimits& limits = device.limits;
  const uint64_t registers = block.count() * resources.registers_per_thread;
  if (registers > limits.registers_per_block) {
    return fail(
        ErrorKind::kBadRequest,
        "{} cannot be launched: {} threads x {} registers = {} registers a block; {} allows {}: choose "
        "a smaller block",
        what, block.count(), resources.registers_per_thread, registers, device.name,
        limits.registers_per_block);
  }
  const uint64_t shared = uint64_t{resources.static_shared_bytes} + resources.dynamic_shared_bytes;
  if (shared > limits.shared_bytes_per_block_opt_in) {
    return fail(ErrorKind::kBadRequest,
                "{} cannot be launched: {} B of shared memory per block; {} allows {} B", what, shared,
                device.name, limits.shared_bytes_per_block_opt_in);
  }
  return {};
}

Expected<void> checkResident(const LaunchPlan& plan, uint32_t blocks_per_sm, const DeviceDescription& device,
                             const std::string& what) {
  const uint64_t room = uint64_t{blocks_per_sm} * device.limits.sm_count;
  if (!plan.cooperative || plan.grid.count() <= room) return {};
  return fail(
      ErrorKind::kBadRequest,
      "{} cannot be launched: its {} blocks wait for each other, so all must be resident at once, but {} has "
      "room for {} ({} of {} threads on each SM): choose {} blocks per SM, or smaller blocks",
      what, plan.grid.count(), device.name, room, blocks_per_sm, plan.block.count(), blocks_per_sm);
}

}  // namespace warpscope
