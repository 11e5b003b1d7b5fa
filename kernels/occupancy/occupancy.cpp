#include "kernels/occupancy/occupancy.h"

#include <algorithm>
#include <cmath>

#include "kernels/core/ids.h"
#include "kernels/core/units.h"
#include "kernels/occupancy/capabilities.h"

namespace warpscope {
namespace {

uint64_t roundUp(uint64_t value, uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

uint32_t warpsOf(uint32_t threads) {
  return (threads + kWarpSize - 1) / kWarpSize;
}

uint64_t sharedAsked(const KernelResources& resources) {
  return uint64_t{resources.static_shared_bytes} + resources.dynamic_shared_bytes;
}

// Includes what the driver reserves for itself.
uint64_t sharedGiven(const OccupancyQuestion& question) {
  return roundUp(sharedAsked(question.resources) + question.limits.shared_bytes_reserved_per_block,
                 factsOf(question.limits.compute_capability).rules.shared_unit_bytes);
}

uint32_t sharedLimitOfBlock(const DeviceLimits& limits) {
  return std::max(limits.shared_bytes_per_block, limits.shared_bytes_per_block_opt_in);
}

// A launch is checked as if the block's warps were spread over all sub-partitions evenly.
uint64_t registersChecked(const OccupancyQuestion& question) {
  const AllocationRules& rules = factsOf(question.limits.compute_capability).rules;
  return registersOfWarp(rules, question.resources.registers_per_thread) *
         roundUp(warpsOf(question.block_threads), rules.checked_sub_partitions);
}

// The number of blocks that fit on an SM with room for that many warps; `halves`: the warps of a block must
// be in the same half.
uint32_t blocksOfWarps(uint32_t warps_per_sm, uint32_t block_threads, bool halves) {
  const uint32_t parts = halves ? 2 : 1;
  return warps_per_sm / parts / warpsOf(block_threads) * parts;
}

uint32_t warpsByRegisters(const OccupancyQuestion& question) {
  const AllocationRules& rules = factsOf(question.limits.compute_capability).rules;
  return question.limits.registers_per_sm / rules.sub_partitions /
         registersOfWarp(rules, question.resources.registers_per_thread) * rules.sub_partitions;
}

// The hardware does not cache global loads if a half has too few registers for a block.
bool inHalves(const OccupancyQuestion& question) {
  if (!question.cached_loads || !factsOf(question.limits.compute_capability).rules.cached_loads_halve_sm) {
    return false;
  }
  return question.resources.registers_per_thread == 0 ||
         blocksOfWarps(warpsByRegisters(question), question.block_threads, true) > 0;
}

uint32_t blocksByRegisters(const OccupancyQuestion& question) {
  const DeviceLimits& limits = question.limits;
  const AllocationRules& rules = factsOf(limits.compute_capability).rules;
  const uint32_t registers = question.resources.registers_per_thread;
  if (registers > rules.max_registers_per_thread) return 0;
  if (registers == 0) return limits.max_blocks_per_sm;
  if (registersChecked(question) > limits.registers_per_block) return 0;
  return blocksOfWarps(warpsByRegisters(question), question.block_threads, inHalves(question));
}

// The size of shared memory on an SM while such blocks run there.
uint64_t sharedOfSm(const OccupancyQuestion& question) {
  const DeviceLimits& limits = question.limits;
  if (!question.shared_configuration_bytes) return limits.shared_bytes_per_sm;
  const uint64_t wanted = *question.shared_configuration_bytes, needed = sharedGiven(question);
  if (wanted >= needed) return wanted;
  // Before Volta, a block that does not fit makes shared memory as large as possible.
  if (limits.compute_capability.major < 7) return limits.shared_bytes_per_sm;
  for (const uint32_t bytes : factsOf(limits.compute_capability).shared_configurations_bytes) {
    if (bytes >= needed && bytes <= limits.shared_bytes_per_sm) return bytes;
  }
  return limits.shared_bytes_per_sm;
}

uint32_t blocksByShared(const OccupancyQuestion& question) {
  const DeviceLimits& limits = question.limits;
  // Static shared memory cannot exceed the default limit by opting in.
  if (question.resources.static_shared_bytes > limits.shared_bytes_per_block) return 0;
  if (sharedAsked(question.resources) > sharedLimitOfBlock(limits)) return 0;
  const uint64_t given = sharedGiven(question);
  if (given == 0) return limits.max_blocks_per_sm;
  return static_cast<uint32_t>(sharedOfSm(question) / given);
}

uint32_t barriersOfSm(const DeviceLimits& limits) {
  // Any block may use 16 barriers, so no SM has fewer, however few block slots it has.
  return std::max(limits.max_blocks_per_sm * factsOf(limits.compute_capability).rules.barriers_per_block_slot,
                  16U);
}

// From Hopper on, numbered barriers are also divided among the blocks of an SM.
std::optional<uint32_t> blocksByBarriers(const OccupancyQuestion& question) {
  const uint32_t barriers = question.resources.barriers_per_block;
  const auto& rules = factsOf(question.limits.compute_capability).rules;
  if (rules.barriers_per_block_slot == 0 || barriers == 0) return std::nullopt;
  return barriersOfSm(question.limits) / barriers;
}

// If several resources allow equally few blocks, the first is named: limits of the SM alone come before
// resources that the kernel uses.
OccupancyLimiter limiterOf(const Occupancy& occupancy) {
  const uint32_t blocks = occupancy.blocks_per_sm;
  if (blocks == 0) return OccupancyLimiter::kImpossible;
  if (occupancy.blocks_by_warps == blocks) return OccupancyLimiter::kWarps;
  if (occupancy.blocks_by_slots == blocks) return OccupancyLimiter::kBlocks;
  if (occupancy.blocks_by_registers == blocks) return OccupancyLimiter::kRegisters;
  if (occupancy.blocks_by_shared == blocks) return OccupancyLimiter::kSharedMemory;
  return OccupancyLimiter::kBarriers;
}

ResourceBudget budget(OccupancyLimiter resource, uint64_t capacity, uint64_t asked, uint64_t per_block,
                      uint32_t alone, uint32_t resident) {
  ResourceBudget budget{resource, capacity, asked, per_block, per_block * resident, 0, alone, 0, false};
  budget.left = capacity - std::min(capacity, budget.used);
  budget.missing = per_block - std::min(per_block, budget.left);
  budget.fragmented = budget.missing == 0 && per_block > 0 && alone <= resident;
  return budget;
}

}  // namespace

Occupancy theoreticalOccupancy(const OccupancyQuestion& question) {
  const DeviceLimits& limits = question.limits;
  Occupancy occupancy;
  occupancy.max_warps_per_sm = limits.max_threads_per_sm / kWarpSize;
  occupancy.limiter = OccupancyLimiter::kImpossible;
  if (question.block_threads == 0 || question.block_threads > limits.max_threads_per_block) return occupancy;
  const uint32_t warps = warpsOf(question.block_threads);
  occupancy.blocks_by_warps =
      blocksOfWarps(occupancy.max_warps_per_sm, question.block_threads, inHalves(question));
  occupancy.blocks_by_slots = limits.max_blocks_per_sm;
  occupancy.blocks_by_registers = blocksByRegisters(question);
  occupancy.blocks_by_shared = blocksByShared(question);
  occupancy.blocks_by_barriers = blocksByBarriers(question);
  occupancy.blocks_per_sm =
      std::min({occupancy.blocks_by_warps, occupancy.blocks_by_slots, occupancy.blocks_by_registers,
                occupancy.blocks_by_shared, occupancy.blocks_by_barriers.value_or(limits.max_blocks_per_sm)});
  occupancy.warps_per_sm = occupancy.blocks_per_sm * warps;
  if (occupancy.max_warps_per_sm > 0) {
    occupancy.theoretical = static_cast<double>(occupancy.warps_per_sm) / occupancy.max_warps_per_sm;
  }
  occupancy.limiter = limiterOf(occupancy);
  return occupancy;
}

Occupancy theoreticalOccupancy(const DeviceLimits& limits, const KernelResources& resources,
                               uint32_t block_threads) {
  return theoreticalOccupancy({limits, resources, block_threads});
}

uint32_t sharedConfiguration(const DeviceLimits& limits, uint32_t percent) {
  const uint64_t wanted = uint64_t{limits.shared_bytes_per_sm} * std::min(percent, 100U) / 100;
  for (const uint32_t bytes : factsOf(limits.compute_capability).shared_configurations_bytes) {
    if (bytes >= wanted && bytes <= limits.shared_bytes_per_sm) return bytes;
  }
  return limits.shared_bytes_per_sm;
}

std::vector<ResourceBudget> resourceBudgets(const OccupancyQuestion& question) {
  const Occupancy occupancy = theoreticalOccupancy(question);
  if (occupancy.blocks_per_sm == 0) return {};
  const DeviceLimits& limits = question.limits;
  const KernelResources& resources = question.resources;
  const uint32_t warps = warpsOf(question.block_threads), resident = occupancy.blocks_per_sm;
  const uint64_t registers =
      uint64_t{registersOfWarp(factsOf(limits.compute_capability).rules, resources.registers_per_thread)} *
      warps;
  std::vector<ResourceBudget> budgets{
      budget(OccupancyLimiter::kWarps, occupancy.max_warps_per_sm, warps, warps, occupancy.blocks_by_warps,
             resident),
      budget(OccupancyLimiter::kBlocks, limits.max_blocks_per_sm, 1, 1, occupancy.blocks_by_slots, resident),
      budget(OccupancyLimiter::kRegisters, limits.registers_per_sm,
             uint64_t{resources.registers_per_thread} * question.block_threads, registers,
             occupancy.blocks_by_registers, resident),
      budget(OccupancyLimiter::kSharedMemory, sharedOfSm(question), sharedAsked(resources),
             sharedGiven(question), occupancy.blocks_by_shared, resident)};
  if (occupancy.blocks_by_barriers) {
    budgets.push_back(budget(OccupancyLimiter::kBarriers, barriersOfSm(limits), resources.barriers_per_block,
                             resources.barriers_per_block, *occupancy.blocks_by_barriers, resident));
  }
  return budgets;
}

std::optional<std::string> whyImpossible(const OccupancyQuestion& question) {
  const DeviceLimits& limits = question.limits;
  const KernelResources& resources = question.resources;
  const AllocationRules& rules = factsOf(limits.compute_capability).rules;
  if (question.block_threads == 0) return "a block needs at least 1 thread";
  if (question.block_threads > limits.max_threads_per_block) {
    return fmt::format("a block of {} threads is larger than the {} that a block may have",
                       question.block_threads, limits.max_threads_per_block);
  }
  if (resources.registers_per_thread > rules.max_registers_per_thread) {
    return fmt::format("{} registers are more than the {} that a thread may have",
                       resources.registers_per_thread, rules.max_registers_per_thread);
  }
  if (registersChecked(question) > limits.registers_per_block) {
    return fmt::format("the warps of a block need {} registers, a block may have {}",
                       formatCount(static_cast<int64_t>(registersChecked(question))),
                       formatCount(limits.registers_per_block));
  }
  if (resources.static_shared_bytes > limits.shared_bytes_per_block) {
    return fmt::format("{} of static shared memory are more than the {} that a block may have",
                       formatBytes(resources.static_shared_bytes),
                       formatBytes(limits.shared_bytes_per_block));
  }
  if (sharedAsked(resources) > sharedLimitOfBlock(limits)) {
    return fmt::format("{} of shared memory are more than the {} that a block may have",
                       formatBytes(sharedAsked(resources)), formatBytes(sharedLimitOfBlock(limits)));
  }
  if (theoreticalOccupancy(question).blocks_per_sm == 0) return "an SM has no room for such a block";
  return std::nullopt;
}

std::optional<Waves> wavesOf(uint64_t grid_blocks, const Occupancy& occupancy, uint32_t sm_count) {
  const uint64_t wave = uint64_t{occupancy.blocks_per_sm} * sm_count;
  if (wave == 0 || grid_blocks == 0) return std::nullopt;
  Waves waves{.blocks = grid_blocks, .blocks_per_wave = wave};
  waves.waves = static_cast<double>(grid_blocks) / static_cast<double>(wave);
  waves.full_waves = grid_blocks / wave;
  waves.tail_blocks = grid_blocks % wave;
  waves.tail_share = static_cast<double>(waves.tail_blocks) / static_cast<double>(wave);
  waves.mean_fill = waves.waves / std::ceil(waves.waves);
  return waves;
}

}  // namespace warpscope
