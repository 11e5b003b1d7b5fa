// One access as the shadow memory remembers it: who, when by its own clock, where in the code. The lanes of
// one instruction share a record.
#pragma once

#include <cstdint>

namespace warpscope::sim {

// How far an access orders itself with others of its kind (PTX ISA 8.x, "strong" and "morally strong").
enum class Strength : uint8_t {
  kPlain,
  kVolatile,          // shared memory: by the letter strong, in practice a missing barrier (see conflicts())
  kVolatileReleased,  // a volatile store behind a fence: a flag that says something is ready
  kBlock,             // atomics and relaxed, acquire, release accesses of scope cta
  kDevice,            // the same of scope gpu and wider; volatile accesses of global memory
};

struct AccessRecord {
  uint32_t block = 0;
  uint32_t clock = 0;
  uint32_t mask = 0;  // lanes; 0: no access
  uint32_t pc : 22 = 0;
  uint32_t warp : 5 = 0;
  uint32_t strength : 3 = 0;
  uint32_t writes : 1 = 0;
  uint32_t unused : 1 = 0;

  Strength how() const { return static_cast<Strength>(strength); }
  bool sameButLanes(const AccessRecord& other) const {
    return block == other.block && clock == other.clock && pc == other.pc && warp == other.warp &&
           strength == other.strength && writes == other.writes;
  }
};
inline constexpr uint32_t kMaxRecordedPc = (1U << 22) - 1;

// Whether two accesses of the same bytes by different threads need something that orders them.
inline bool conflicts(const AccessRecord& a, const AccessRecord& b) {
  if (a.writes == 0 && b.writes == 0) return false;
  const Strength x = a.how(), y = b.how();
  if (x == Strength::kPlain || y == Strength::kPlain) return true;
  const bool atomic_x = x >= Strength::kBlock, atomic_y = y >= Strength::kBlock;
  // Two atomics order themselves if both scopes include the other thread.
  if (atomic_x && atomic_y) return a.block != b.block && (x == Strength::kBlock || y == Strength::kBlock);
  if (atomic_x || atomic_y) return false;
  // Two volatile accesses of shared memory: PTX calls them strong, but what code that relies on that means is
  // nearly always the implicit lockstep of old GPUs. A flag that is set behind a fence is what remains right.
  return x != Strength::kVolatileReleased && y != Strength::kVolatileReleased;
}

}  // namespace warpscope::sim
