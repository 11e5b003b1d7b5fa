#include "kernels/experiments/resident.h"

#include <algorithm>
#include <optional>

#include "kernels/core/ids.h"

namespace warpscope {
namespace {

struct Most {  // per SM
  uint32_t warps = 0, blocks = 0, block_warps = 0;
};

// Limits that the device does not report are assumed to be those of most GPUs.
Most mostOf(const DeviceLimits& limits) {
  return {.warps = (limits.max_threads_per_sm > 0 ? limits.max_threads_per_sm : 2048) / kWarpSize,
          .blocks = limits.max_blocks_per_sm > 0 ? limits.max_blocks_per_sm : 32,
          .block_warps = limits.max_threads_per_block / kWarpSize};
}

// The number of warps per block; nullopt if there is no such block.
std::optional<uint32_t> blockWarps(uint32_t warps, uint32_t wanted, const Most& most) {
  const auto fits = [&](uint32_t block) { return warps % block == 0 && warps / block <= most.blocks; };
  for (uint32_t block = std::min({wanted, warps, most.block_warps}); block > 0; --block) {
    if (fits(block)) return block;
  }
  for (uint32_t block = wanted + 1; block <= std::min(warps, most.block_warps); ++block) {
    if (fits(block)) return block;
  }
  return std::nullopt;
}

}  // namespace

Expected<Resident> residentWarps(uint32_t warps, uint32_t most_block, const DeviceLimits& limits,
                                 const std::string& what) {
  const Most most = mostOf(limits);
  const auto possible = [&](uint32_t number) {
    return number <= most.warps && blockWarps(number, most_block / kWarpSize, most).has_value();
  };
  if (!possible(warps)) {
    uint32_t nearest = std::min(warps, most.warps);
    while (nearest > 1 && !possible(nearest)) --nearest;
    if (warps > most.warps) {
      return fail(ErrorKind::kBadRequest,
                  "{}: {} warps per SM; an SM of this device holds at most {}: choose {}", what, warps,
                  most.warps, nearest);
    }
    return fail(
        ErrorKind::kBadRequest,
        "{}: {} warps cannot be cut into equal blocks of at most {} warps, {} blocks per SM: choose {}", what,
        warps, most.block_warps, most.blocks, nearest);
  }
  Resident resident;
  const uint32_t block = *blockWarps(warps, most_block / kWarpSize, most);
  resident.block = block * kWarpSize;
  resident.blocks_per_sm = warps / block;
  resident.blocks = resident.blocks_per_sm * std::max(limits.sm_count, 1U);
  return resident;
}

Expected<Resident> residentBlocks(uint32_t blocks_per_sm, uint32_t block, const DeviceLimits& limits,
                                  const std::string& what) {
  const Most most = mostOf(limits);
  const uint32_t fit = std::min(most.warps / std::max(block / kWarpSize, 1U), most.blocks);
  if (blocks_per_sm > fit) {
    return fail(ErrorKind::kBadRequest,
                "{}: {} blocks of {} threads on an SM; at most {} fit on this device: choose {}", what,
                blocks_per_sm, block, fit, fit);
  }
  return Resident{.block = block,
                  .blocks_per_sm = blocks_per_sm,
                  .blocks = blocks_per_sm * std::max(limits.sm_count, 1U)};
}

uint32_t sharedBytesThatFill(const Resident& resident, const DeviceLimits& limits) {
  constexpr uint32_t kUnit = 256;  // the coarsest unit in which shared memory is allocated
  const uint32_t share = limits.shared_bytes_per_sm / resident.blocks_per_sm / kUnit * kUnit;
  if (share <= limits.shared_bytes_reserved_per_block) return 0;
  return std::min(share - limits.shared_bytes_reserved_per_block,
                  std::max(limits.shared_bytes_per_block, limits.shared_bytes_per_block_opt_in));
}

}  // namespace warpscope
