// One access as the shadow memory remembers it: who made it, when by that thread's own clock, and where in
// the code. The lanes of one instruction share a record.
#pragma once

#include <bit>
#include <cstdint>

namespace warpscope::sim {

// The strength with which an access is ordered with others of its kind (PTX ISA 8.x, "strong" and "morally
// strong").
enum class Strength : uint8_t {
  kPlain,
  kVolatile,          // to shared memory: formally strong, in practice a missing barrier (see conflicts())
  kVolatileReleased,  // a volatile store after a fence: a flag that says something is ready
  kBlock,             // atomics and relaxed, acquire, release accesses with scope cta
  kDevice,            // the same with scope gpu or wider; volatile accesses to global memory
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

// Whether two accesses to the same bytes by different threads need something that orders them.
inline bool conflicts(const AccessRecord& a, const AccessRecord& b) {
  if (a.writes == 0 && b.writes == 0) return false;
  const Strength x = a.how(), y = b.how();
  if (x == Strength::kPlain || y == Strength::kPlain) return true;
  const bool atomic_x = x >= Strength::kBlock, atomic_y = y >= Strength::kBlock;
  // Two atomics order themselves if each one's scope includes the other thread.
  if (atomic_x && atomic_y) return a.block != b.block && (x == Strength::kBlock || y == Strength::kBlock);
  if (atomic_x || atomic_y) return false;
  // PTX calls two volatile accesses to shared memory strong, but code that relies on them nearly always
  // relies on the implicit lockstep of old GPUs. Only a flag that is set after a fence remains correct.
  return x != Strength::kVolatileReleased && y != Strength::kVolatileReleased;
}

// Calls function(lane) for each lane of the mask, in ascending order.
template <class Function>
void forLanes(uint32_t mask, Function&& function) {
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
    function(static_cast<uint32_t>(std::countr_zero(rest)));
}

}  // namespace warpscope::sim
