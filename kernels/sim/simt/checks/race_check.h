// Finds races: two accesses of the same bytes by different threads, one of them a write, that nothing orders.
// Judged by the happens-before relation of BlockClocks, so it finds them whichever came first here.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "kernels/sim/simt/checks/block_clocks.h"
#include "kernels/sim/simt/checks/shadow_memory.h"

namespace warpscope::sim {

// One instruction of one path: what each lane touches.
struct CheckedAccess {
  AccessRecord record;  // block, warp, pc, strength, writes; mask: lanes. Clock and lane: of each lane below
  const uint64_t* addresses = nullptr;  // [32]
  uint32_t bytes = 0;
  // Lanes whose store leaves memory as it is: two such stores in any order do no harm (compute-sanitizer,
  // too, reports write-after-write hazards of equal values as information only).
  uint32_t unchanged = 0;
};

struct Race {
  AccessRecord earlier;  // one lane in its mask
  AccessRecord later;    // one lane in its mask
  uint64_t address = 0;
};

// Whether `access` by `lane` races with what the cells remember; the first such pair.
std::optional<Race> findRace(ShadowMemory& shadow, const BlockClocks& clocks, const CheckedAccess& access,
                             uint32_t lane);
// Remembers the access of `lane`. An instruction's lanes are all checked before any is remembered.
void remember(ShadowMemory& shadow, const BlockClocks& clocks, const CheckedAccess& access, uint32_t lane);

// Lanes of one store that write different values to the same bytes: which of them stays is not defined.
// values(lane) gives what the lane stores.
struct LanePair {
  uint32_t first = 0, second = 0;
};
using StoredValue = std::array<std::byte, 32>;
std::optional<LanePair> findCollision(const CheckedAccess& access, const std::array<StoredValue, 32>& values);
// Whether two lanes touch the same bytes at all.
bool lanesOverlap(const CheckedAccess& access);

}  // namespace warpscope::sim
