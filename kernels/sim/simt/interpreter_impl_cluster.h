// The part of Runner (interpreter_impl.h) that reaches other blocks of a cluster, and bulk copies.
#pragma once

#include <bit>

#include "kernels/sim/simt/interpreter_impl.h"

namespace warpscope::sim {

// Calls use(owner, lanes) for each block whose shared memory some lanes address, with their addresses made
// offsets; owner is nullptr for the executing block itself. Returns false if a fault was raised.
template <class Hooks>
template <class Use>
bool Runner<Hooks>::forEachOwner(uint32_t pc, uint32_t mask, uint64_t* addresses, const Use& use) {
  for (uint32_t rest = mask; rest != 0;) {
    const auto first = static_cast<uint32_t>(std::countr_zero(rest));
    const uint64_t window = addresses[first] / kWindowBytes;
    uint32_t lanes = 0;
    for (uint32_t each = rest; each != 0; each &= each - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(each));
      if (addresses[lane] / kWindowBytes != window) continue;
      lanes |= 1U << lane;
    }
    uint64_t offset = 0;
    Block::State* owner = block_.ownerOf(warp_, pc, first, addresses[first], offset);
    if (owner == nullptr) return false;
    std::array<uint64_t, 32> offsets;
    for (uint32_t lane = 0; lane < 32; ++lane) offsets[lane] = addresses[lane] % kWindowBytes;
    if (!use(owner == &block_ ? nullptr : owner, lanes, offsets.data())) return false;
    rest &= ~lanes;
  }
  return true;
}

// st.async, red.async: each lane's store, then the bytes that it adds to the mbarrier. They may be seen
// before the mbarrier's phase is complete.
template <class Hooks>
bool Runner<Hooks>::asyncStore(const Instruction& in, const Registers& registers, uint32_t pc,
                               uint32_t mask) {
  if (mask == 0) return true;
  alignas(64) uint64_t addresses[32];
  laneAddresses(in, registers, 0, addresses);
  const bool reduces = in.op == ptx::Op::kRedAsync;
  return forEachOwner(pc, mask, addresses, [&](Block::State* owner, uint32_t lanes, const uint64_t* offsets) {
    LaneAccess access{in, registers, pc, Space::kShared, lanes, offsets, owner};
    MemoryAccess described = describe(access);
    described.writes = true;
    described.atomic = described.reads = reduces;
    if constexpr (Hooks::kAccesses) hooks_.access(warp_, described);
    if constexpr (Hooks::kFilters) access.mask &= hooks_.filter(warp_, described);
    if (access.mask == 0) return true;
    if (!(reduces ? block_.atomic(warp_, access) : block_.store(warp_, access))) return false;
    for (uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
      uint64_t offset = 0;
      Block::State* signalled =
          block_.ownerOf(warp_, pc, lane, mbarrierAddress(block_.code, in, registers, lane), offset);
      if (signalled == nullptr) return false;
      if (!signalled->receive(warp_, pc, lane, offset, accessBytes(in))) {
        if (!block_.fault) block_.fault = signalled->fault;
        return false;
      }
      hooks_.received(warp_, lane, signalled->rank, offset);
    }
    return true;
  });
}

template <class Hooks>
bool Runner<Hooks>::startBulk(const Instruction& in, const Registers& registers, uint32_t pc, uint32_t mask) {
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    BulkCopy copy;
    if (!block_.describeBulk(warp_, in, registers, pc, lane, copy)) return false;
    copy.group = warp_.bulk_groups[lane];
    hooks_.bulkStarted(warp_, copy);
    if (in.modifiers.bulk == ptx::BulkWay::kStore) {
      warp_.bulk_stores.push_back(copy);
    } else if (!Hooks::kTimesBulk && block_.isAwaited(copy)) {
      if (!moveBulk(copy)) return false;
    } else {
      block_.cluster->copies.push_back(copy);
    }
  }
  return true;
}

template <class Hooks>
bool Runner<Hooks>::moveBulk(const BulkCopy& copy) {
  return block_.moveBulk(copy, hooks_.bulkMoves(copy));
}

// Executes these lanes' copies to global memory whose groups are older than the last `groups_left`.
template <class Hooks>
bool Runner<Hooks>::completeBulkStores(uint32_t mask, uint64_t groups_left) {
  for (size_t i = 0; i < warp_.bulk_stores.size();) {
    const BulkCopy store = warp_.bulk_stores[i];
    if ((mask >> store.lane & 1U) == 0 || store.group + groups_left >= warp_.bulk_groups[store.lane]) {
      ++i;
      continue;
    }
    warp_.bulk_stores.erase(warp_.bulk_stores.begin() + static_cast<std::ptrdiff_t>(i));
    if (!moveBulk(store)) return false;
  }
  return true;
}

// Executes the copies that signal an mbarrier of this block that some lane asks.
template <class Hooks>
bool Runner<Hooks>::completeBulkCopies(const Instruction& in, const Registers& registers, uint32_t mask) {
  std::vector<BulkCopy>& copies = block_.cluster->copies;
  if (copies.empty()) return true;
  alignas(64) uint64_t addresses[32];
  laneAddresses(in, registers, 0, addresses);
  for (size_t i = 0; i < copies.size();) {
    const BulkCopy copy = copies[i];
    bool asked = false;
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
      asked = asked || addresses[std::countr_zero(rest)] % kWindowBytes == copy.mbarrier;
    if (!asked || (copy.mbarrier_ranks >> block_.rank & 1U) == 0) {
      ++i;
      continue;
    }
    copies.erase(copies.begin() + static_cast<std::ptrdiff_t>(i));
    if (!moveBulk(copy)) return false;
  }
  return true;
}

}  // namespace warpscope::sim
