#include "kernels/execute/launch_check.h"

#include <algorithm>
#include <cstdlib>
#include <variant>

#include "kernels/core/launch_limits.h"

namespace warpscope {
namespace {

// The capability that build_ptx.sh compiles for unless a module needs more. Even older simulated GPUs can do
// everything in such a module; a real one is checked by its driver.
constexpr ComputeCapability kUsual{7, 5};

Expected<void> checkCluster(const std::optional<Dim3>& cluster, const Dim3& grid,
                            const DeviceDescription& device, const std::string& what) {
  if (!cluster) return {};
  if (auto possible = checkClusterSize(*cluster, device, what); !possible) return possible;
  if (grid.x % cluster->x == 0 && grid.y % cluster->y == 0 && grid.z % cluster->z == 0) return {};
  return fail(ErrorKind::kBadRequest,
              "{} cannot be launched: a grid of {}x{}x{} blocks cannot be divided into clusters of {}x{}x{}",
              what, grid.x, grid.y, grid.z, cluster->x, cluster->y, cluster->z);
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
  if (auto possible = checkCluster(plan.cluster, plan.grid, device, what); !possible) return possible;
  for (const FollowingLaunch& next : plan.following) {
    if (auto possible = checkCluster(next.cluster, next.grid, device, what); !possible) return possible;
  }
  for (const KernelArgument& argument : plan.arguments) {
    const auto* buffer = std::get_if<BufferArgument>(&argument);
    if (buffer != nullptr && buffer->index >= plan.buffers.size()) {
      return fail(ErrorKind::kBadRequest, "{}: an argument names buffer {}, but there are {}", what,
                  buffer->index, plan.buffers.size());
    }
    if (buffer != nullptr && buffer->tensor) {
      const BufferSpec& tensor = plan.buffers[buffer->index];
      // Where it will be is not known yet, but that allocations are aligned well enough.
      if (auto possible = checkTensorMap(*buffer->tensor, 0); !possible)
        return fail(ErrorKind::kBadRequest, "{} cannot be launched: {}", what, possible.error().message);
      if (tensor.bytes < buffer->tensor->bytes()) {
        return fail(ErrorKind::kBadRequest, "{}: {} has {} bytes, fewer than the {} of its {}", what,
                    tensor.name, tensor.bytes, buffer->tensor->bytes(), describeTensorMap(*buffer->tensor));
      }
    }
    if (buffer == nullptr || !buffer->image) continue;
    const BufferSpec& texels = plan.buffers[buffer->index];
    if (auto possible = checkImage(*buffer->image); !possible)
      return fail(ErrorKind::kBadRequest, "{} cannot be launched: {}", what, possible.error().message);
    if (texels.bytes != buffer->image->bytes()) {
      return fail(ErrorKind::kBadRequest, "{}: {} has {} bytes, not the {} of {}", what, texels.name,
                  texels.bytes, buffer->image->bytes(), describeImage(*buffer->image));
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

namespace {

constexpr size_t kMostTried = 64;  // values that are tried one by one

// Ascending, `count` of them; the i-th by a formula, because there may be millions.
struct Values {
  const ParameterSpec& spec;
  size_t count = 0;

  explicit Values(const ParameterSpec& of) : spec(of) {
    const int64_t step = std::max<int64_t>(spec.step, 1);
    switch (spec.kind) {
      case ParameterKind::kChoice:
        count = spec.choices.size();
        break;
      case ParameterKind::kInteger:
        count = static_cast<size_t>((spec.max - spec.min) / step + 1);
        break;
      case ParameterKind::kLog2:
        while (at(count) <= spec.max && count < 63) ++count;
        break;
    }
  }

  int64_t at(size_t i) const {
    const auto index = static_cast<int64_t>(i);
    if (spec.kind == ParameterKind::kInteger) return spec.min + index * std::max<int64_t>(spec.step, 1);
    if (spec.kind == ParameterKind::kChoice) return index;
    // Powers of two from the minimum on, or 0, 1, 2, 4, ...
    if (spec.min <= 0) return i == 0 ? 0 : int64_t{1} << (i - 1);
    int64_t first = 1;
    while (first < spec.min) first *= 2;
    return first << i;
  }

  // The number of values below `value`.
  size_t below(int64_t value) const {
    size_t low = 0, high = count;
    while (low < high) {
      const size_t middle = (low + high) / 2;
      at(middle) < value ? low = middle + 1 : high = middle;
    }
    return low;
  }
};

// The least number of steps in 1..most for which it is possible. A few are tried one by one; for many it is
// assumed that everything below the first possible one is impossible.
std::optional<size_t> leastSteps(size_t most, const std::function<bool(size_t)>& is_possible) {
  if (most <= kMostTried) {
    for (size_t steps = 1; steps <= most; ++steps) {
      if (is_possible(steps)) return steps;
    }
    return std::nullopt;
  }
  size_t impossible = 0, possible = 1;
  while (!is_possible(possible)) {
    if (possible == most) return std::nullopt;
    impossible = possible;
    possible = std::min(possible * 2, most);
  }
  while (possible - impossible > 1) {
    const size_t middle = impossible + (possible - impossible) / 2;
    is_possible(middle) ? possible = middle : impossible = middle;
  }
  return possible;
}

std::optional<int64_t> nearestValue(const ParameterSpec& spec, const RunRequest& request,
                                    const IsPossible& is_possible) {
  const Values values(spec);
  const int64_t now = request.parameters.at(spec.name);
  const size_t below = values.below(now);
  const size_t first_above = below + (below < values.count && values.at(below) == now ? 1 : 0);
  const auto try_value = [&](int64_t value) {
    RunRequest other = request;
    other.parameters[spec.name] = value;
    return is_possible(other);
  };
  const auto down = leastSteps(below, [&](size_t steps) { return try_value(values.at(below - steps)); });
  const auto up = leastSteps(values.count - first_above,
                             [&](size_t steps) { return try_value(values.at(first_above + steps - 1)); });
  if (!down && !up) return std::nullopt;
  if (!up) return values.at(below - *down);
  const int64_t higher = values.at(first_above + *up - 1);
  if (!down) return higher;
  const int64_t lower = values.at(below - *down);
  return now - lower <= higher - now ? lower : higher;
}

// Parameters with a lower rank are moved first.
int rankOf(const ParameterSpec& spec, const RunRequest& request, const RunRequest* last) {
  if (last != nullptr && last->family == request.family && last->variant == request.variant) {
    const auto before = last->parameters.find(spec.name);
    if (before != last->parameters.end() && before->second != request.parameters.at(spec.name)) return 0;
  }
  switch (spec.role) {
    case ParameterRole::kBlock:
      return 1;
    case ParameterRole::kSharedBytes:
    case ParameterRole::kRegisters:
      return 2;
    case ParameterRole::kElements:
      return 4;
    default:
      return 3;
  }
}

}  // namespace

ParameterValues nearestPossible(const FamilyInfo& family, const RunRequest& request, const RunRequest* last,
                                const IsPossible& is_possible) {
  std::vector<const ParameterSpec*> specs = parametersOf(family, request.variant);
  std::ranges::stable_sort(specs, {},
                           [&](const ParameterSpec* spec) { return rankOf(*spec, request, last); });
  for (const ParameterSpec* spec : specs) {
    if (const auto value = nearestValue(*spec, request, is_possible)) return {{spec->name, *value}};
  }
  return {};
}

}  // namespace warpscope
