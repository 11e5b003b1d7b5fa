#include "kernels/sim/simt/checks/race_check.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace warpscope::sim {
namespace {

// If there are more accesses than this between two writes, only a sample is kept: a write that is ordered
// after the sample but not after the rest is missed. 32 warps of a block that each read a word need 32.
constexpr size_t kMostAccesses = 128;

// The record of one lane.
AccessRecord recordOf(const BlockClocks& clocks, const CheckedAccess& access, uint32_t lane) {
  AccessRecord record = access.record;
  record.clock = clocks.clock(record.warp * 32U + lane);
  record.mask = 1U << lane;
  return record;
}

// Whether everything that conflicts with `old` conflicts with `record`, too; a later `record` then replaces
// it.
bool standsFor(const AccessRecord& record, const AccessRecord& old) {
  return record.writes >= old.writes && (record.strength == old.strength || record.how() == Strength::kPlain);
}

void addAccess(Cell& cell, const BlockClocks& clocks, const AccessRecord& record, uint32_t thread) {
  if (cell.access.mask == 0) {
    cell.access = record;
    return;
  }
  AccessRecord& last = cell.more != nullptr && !cell.more->empty() ? cell.more->back() : cell.access;
  if (last.sameButLanes(record)) {
    last.mask |= record.mask;
    return;
  }
  // Warps that ask a barrier again and again do so in turns: each one's record is there already.
  if (cell.more != nullptr) {
    const auto same =
        std::ranges::find_if(*cell.more, [&](const AccessRecord& old) { return old.sameButLanes(record); });
    if (same != cell.more->end()) {
      same->mask |= record.mask;
      return;
    }
  }
  if (cell.access.sameButLanes(record)) {
    cell.access.mask |= record.mask;
    return;
  }
  auto forgettable = [&](const AccessRecord& old) {
    return standsFor(record, old) && clocks.unordered(old, thread) == 0;
  };
  if (cell.more != nullptr) std::erase_if(*cell.more, forgettable);
  if (forgettable(cell.access)) {
    cell.access = record;
    return;
  }
  if (cell.more == nullptr) cell.more = std::make_unique<std::vector<AccessRecord>>();
  if (cell.more->size() < kMostAccesses) {
    cell.more->push_back(record);
  } else {
    (*cell.more)[(record.block * 7U + record.warp) % kMostAccesses] = record;
  }
}

uint32_t overlap(const CheckedAccess& access, uint32_t i, uint32_t j) {
  const uint64_t a = access.addresses[i], b = access.addresses[j];
  const uint64_t begin = std::max(a, b), end = std::min(a, b) + access.bytes;
  return begin < end ? static_cast<uint32_t>(end - begin) : 0;
}

template <class Function>
bool anyOverlap(const CheckedAccess& access, Function&& function) {
  for (uint32_t first = access.record.mask; first != 0; first &= first - 1) {
    const auto i = static_cast<uint32_t>(std::countr_zero(first));
    for (uint32_t rest = first & (first - 1); rest != 0; rest &= rest - 1) {
      const auto j = static_cast<uint32_t>(std::countr_zero(rest));
      if (overlap(access, i, j) != 0 && function(i, j)) return true;
    }
  }
  return false;
}

}  // namespace

std::optional<Race> findRace(ShadowMemory& shadow, const BlockClocks& clocks, const CheckedAccess& access,
                             uint32_t lane) {
  const AccessRecord mine = recordOf(clocks, access, lane);
  const uint32_t thread = mine.warp * 32U + lane;
  const bool unchanged = (access.unchanged >> lane & 1U) != 0;
  std::optional<Race> race;
  auto judge = [&](const AccessRecord& earlier) {
    if (race || earlier.mask == 0 || !conflicts(earlier, mine)) return;
    if (earlier.writes != 0 && unchanged) return;
    const uint32_t open = clocks.unordered(earlier, thread);
    if (open == 0) return;
    race = Race{earlier, mine, access.addresses[lane]};
    race->earlier.mask = open & (~open + 1);
  };
  shadow.forCells(access.addresses[lane], access.bytes, [&](const Cell& cell) {
    judge(cell.write);
    cell.forAccesses(judge);
  });
  return race;
}

void remember(ShadowMemory& shadow, const BlockClocks& clocks, const CheckedAccess& access, uint32_t lane) {
  const AccessRecord mine = recordOf(clocks, access, lane);
  const uint32_t thread = mine.warp * 32U + lane;
  shadow.forCells(access.addresses[lane], access.bytes, [&](Cell& cell) {
    if (mine.writes != 0 && mine.how() < Strength::kBlock) {
      cell.write = mine;
      cell.clearAccesses();
    } else {
      addAccess(cell, clocks, mine, thread);
    }
  });
}

bool lanesOverlap(const CheckedAccess& access) {
  uint64_t previous_end = 0;
  bool ascending = true;
  for (uint32_t rest = access.record.mask; ascending && rest != 0; rest &= rest - 1) {
    const uint64_t address = access.addresses[std::countr_zero(rest)];
    ascending = address >= previous_end;
    previous_end = address + access.bytes;
  }
  return !ascending && anyOverlap(access, [](uint32_t, uint32_t) { return true; });
}

std::optional<LanePair> findCollision(const CheckedAccess& access,
                                      const std::array<StoredValue, 32>& values) {
  std::optional<LanePair> pair;
  anyOverlap(access, [&](uint32_t i, uint32_t j) {
    const uint64_t a = access.addresses[i], b = access.addresses[j];
    const uint64_t begin = std::max(a, b);
    if (std::memcmp(values[i].data() + (begin - a), values[j].data() + (begin - b), overlap(access, i, j)) ==
        0) {
      return false;
    }
    pair = LanePair{i, j};
    return true;
  });
  return pair;
}

}  // namespace warpscope::sim
