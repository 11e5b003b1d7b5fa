// Finds races: two accesses to the same bytes by different threads, at least one of them a write, that
// nothing orders. Judges by the happens-before relation of BlockClocks, so a race is found whichever access
// came first in this run.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "kernels/sim/simt/checks/block_clocks.h"
#include "kernels/sim/simt/checks/shadow_memory.h"

namespace warpscope::sim {

// One instruction of one path: the bytes that each lane accesses.
struct CheckedAccess {
  AccessRecord
      record;  // block, warp, pc, strength, writes; mask: lanes. Clock and lane are filled in per lane
  const uint64_t* addresses = nullptr;  // [32]
  uint32_t bytes = 0;
  // Lanes whose store leaves memory as it is: two such stores do no harm in any order (compute-sanitizer,
  // too, reports write-after-write hazards with equal values as information only).
  uint32_t unchanged = 0;
};

struct Race {
  AccessRecord earlier;  // one lane in its mask
  AccessRecord later;    // one lane in its mask
  uint64_t address = 0;
};

// Returns the first pair in which `access` by `lane` races with an access that the cells remember, if there
// is one.
std::optional<Race> findRace(ShadowMemory& shadow, const BlockClocks& clocks, const CheckedAccess& access,
                             uint32_t lane);
// Remembers the access of `lane`. All lanes of an instruction are checked before any is remembered.
void remember(ShadowMemory& shadow, const BlockClocks& clocks, const CheckedAccess& access, uint32_t lane);

// Two lanes of one store that write different values to the same bytes, so that it is undefined which value
// remains. values(lane) gives what the lane stores.
struct LanePair {
  uint32_t first = 0, second = 0;
};
using StoredValue = std::array<std::byte, 32>;
std::optional<LanePair> findCollision(const CheckedAccess& access, const std::array<StoredValue, 32>& values);
// Whether two lanes touch the same bytes at all.
bool lanesOverlap(const CheckedAccess& access);

}  // namespace warpscope::sim
