// What the checks know of bulk copies and asynchronous stores: they move bytes for the thread that started
// them, and publish that at an mbarrier.
#include <fmt/format.h>

#include "kernels/core/units.h"
#include "kernels/sim/simt/checks/block_checks.h"

namespace warpscope::sim {

using ptx::Space;

// One side of a copy, or a piece of it, in the memory of `home` if that is shared. Returns whether it may be
// accessed.
bool BlockChecks::bulkRange(const BulkCopy& copy, Space space, BlockChecks& home, uint64_t address,
                            uint32_t bytes, bool writes) {
  constexpr uint32_t kPiece = 16;  // what the shadow of memory is asked at a time
  const uint32_t thread = copy.warp * 32 + copy.lane;
  const Executor executor{clocks_.block(), thread, copy.pc};
  const bool shared = space == Space::kShared;
  if (!shared) {
    const AllocationIndex::Verdict verdict = launch_.allocations.judge(address, bytes);
    if (verdict != AllocationIndex::Verdict::kInside) {
      const HazardKind kind =
          verdict == AllocationIndex::Verdict::kFreed ? HazardKind::kUseAfterFree : HazardKind::kOutOfBounds;
      const HazardPlace place = launch_.placeOf(copy.pc);
      launch_.log.add({kind, place, place, 0}, 1, [&] {
        Hazard hazard;
        hazard.kind = kind;
        hazard.kernel = launch_.launch.code->kernel;
        hazard.access = launch_.describe(executor);
        hazard.access.bytes = bytes;
        const std::string where = launch_.locate(hazard, space, address, bytes, 0);
        hazard.message = fmt::format("a bulk copy of {} {} {} bytes {}", launch_.who(executor),
                                     writes ? "writes" : "reads", formatCount(int64_t{bytes}), where);
        return hazard;
      });
      return false;
    }
  }
  ShadowMemory& shadow = shared ? home.shadow_ : launch_.shadow;
  UnwrittenReads& unwritten = shared ? home.unwritten_ : launch_.unwritten;
  CheckedAccess checked;
  std::array<uint64_t, 32> addresses{};
  checked.addresses = addresses.data();
  checked.record.block = clocks_.block();
  checked.record.mask = 1U << copy.lane;
  checked.record.pc = std::min(copy.pc, kMaxRecordedPc) & kMaxRecordedPc;
  checked.record.warp = copy.warp & 31U;
  checked.record.strength = static_cast<uint32_t>(Strength::kPlain) & 7U;
  checked.record.writes = writes ? 1 : 0;
  for (uint64_t at = address, end = address + bytes; at < end; at += checked.bytes) {
    const auto piece = static_cast<uint32_t>(std::min(end, (at / kPiece + 1) * kPiece) - at);
    addresses[copy.lane] = at;
    checked.bytes = piece;
    const auto hole =
        shared ? home.written_.firstUnwritten(at, piece) : launch_.written.firstUnwritten(at, piece);
    if (hole && !writes) unwritten.add(at, piece, executor);
    if (const std::optional<Race> race = findRace(shadow, clocks_, checked, copy.lane)) {
      launch_.reportRace(*race, space, home.written_.size());
      unwritten.forget(race->address, piece);
    }
    remember(shadow, clocks_, checked, copy.lane);
    if (!writes) continue;
    shared ? home.written_.set(at, piece) : launch_.written.written(at, piece);
  }
  if (writes) ++changes_;
  if (!shared && launch_.touched != nullptr) launch_.touch(copy.pc, address, bytes, writes, Strength::kPlain);
  return true;
}

bool BlockChecks::bulkGlobal(const BulkCopy& copy, bool writes) {
  bool may = true;
  forEachGlobalPiece(copy, [&](uint64_t address, uint32_t bytes) {
    may = may && bulkRange(copy, Space::kGlobal, *this, address, bytes, writes);
  });
  return may;
}

bool BlockChecks::bulkMoves(const BulkCopy& copy) {
  BlockChecks& starter = peer(copy.rank);
  const ptx::BulkWay way = launch_.launch.code->instructions[copy.pc].modifiers.bulk;
  const bool may_read = way == ptx::BulkWay::kLoad ? starter.bulkGlobal(copy, false)
                                                   : starter.bulkRange(copy, Space::kShared, starter,
                                                                       copy.from_offset, copy.bytes, false);
  if (!may_read) return false;
  if (way == ptx::BulkWay::kStore) return starter.bulkGlobal(copy, true);
  for (uint32_t rank = 0; rank < std::max<size_t>(peers_.size(), 1); ++rank) {
    if ((copy.to_ranks >> rank & 1U) != 0)
      starter.bulkRange(copy, Space::kShared, peer(rank), copy.to_offset, copy.bytes, true);
  }
  const uint32_t thread = copy.warp * 32 + copy.lane;
  starter.clocks_.release(thread, BlockClocks::Scope::kDevice);
  for (uint32_t rank = 0; rank < std::max<size_t>(peers_.size(), 1); ++rank) {
    if ((copy.mbarrier_ranks >> rank & 1U) == 0) continue;
    starter.clocks_.strongWrite(thread, BlockClocks::Scope::kDevice, true,
                                peer(rank).published_[copy.mbarrier]);
  }
  return true;
}

void BlockChecks::received(const Warp& warp, uint32_t lane, uint32_t rank, uint64_t mbarrier) {
  const uint32_t who = thread(warp, lane);
  clocks_.release(who, BlockClocks::Scope::kDevice);
  clocks_.strongWrite(who, BlockClocks::Scope::kDevice, true, peer(rank).published_[mbarrier]);
}

}  // namespace warpscope::sim
