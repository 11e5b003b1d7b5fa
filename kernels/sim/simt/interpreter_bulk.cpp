// Bulk copies: cp.async.bulk and cp.reduce.async.bulk (PTX ISA 9.0, 9.7.9.25.4). Each lane starts a copy of
// its own; the bytes move later (ClusterState::copies, Warp::bulk_stores).
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "kernels/sim/simt/atomic_operation.h"
#include "kernels/sim/simt/interpreter_state.h"

namespace warpscope::sim {

namespace {

constexpr uint32_t kUnit = 16;  // bytes: sizes and addresses are multiples of it

}  // namespace

uint64_t furtherAddress(const FurtherAddress& of, const Instruction& in, const Registers& registers,
                        uint32_t lane) {
  const uint64_t base =
      of.bits == 64 ? registers.in64(in.sources[of.source])[lane] : registers.in(in.sources[of.source])[lane];
  return base + static_cast<uint64_t>(int64_t{of.offset});
}

uint64_t mbarrierAddress(const Code& code, const Instruction& in, const Registers& registers, uint32_t lane) {
  return furtherAddress(code.further_addresses[in.table].mbarrier, in, registers, lane);
}

bool Block::State::describeBulk(const Warp& warp, const Instruction& in, const Registers& registers,
                                uint32_t pc, uint32_t lane, BulkCopy& copy) {
  copy = {.id = cluster->next_copy++, .pc = pc, .rank = rank, .warp = warp.index_in_block, .lane = lane};
  if (in.modifiers.dimensions > 0) return describeTensor(warp, in, registers, copy);
  const FurtherAddresses& further = code.further_addresses[in.table];
  const ptx::BulkWay way = in.modifiers.bulk;
  const bool to_shared = way != ptx::BulkWay::kStore;
  alignas(64) uint64_t addresses[32];
  laneAddresses(in, registers, 0, addresses);
  const uint64_t to = addresses[lane], from = furtherAddress(further.from, in, registers, lane);
  // The number of bytes follows the two addresses; a mask of blocks is behind the mbarrier.
  copy.bytes = registers.in(in.sources[2])[lane];
  const auto fails = [&](const std::string& what) {
    raise(warp, pc, lane, what);
    return false;
  };
  if (copy.bytes % kUnit != 0 || to % kUnit != 0 || from % kUnit != 0) {
    return fails(
        fmt::format("misaligned bulk copy: {} bytes from {:#x} to {:#x}; all must be multiples of {}",
                    copy.bytes, from, to, kUnit));
  }
  if (way != ptx::BulkWay::kLoad && !takeSource(warp, from, copy)) return false;
  if (way != ptx::BulkWay::kPass) {
    copy.global = to_shared ? from : to;
    if (copy.bytes != 0 && launch.memory->at(copy.global, copy.bytes) == nullptr)
      return fails(fmt::format("illegal address: a bulk copy of {} bytes at global address {:#x}", copy.bytes,
                               copy.global));
  }
  if (!to_shared) return true;
  std::optional<uint32_t> ranks;
  if (in.modifiers.multicast) ranks = registers.in(in.sources[4])[lane] & 0xFFFFU;
  return takeTarget(warp, to, furtherAddress(further.mbarrier, in, registers, lane), ranks, copy);
}

// The copy's bytes come from this block's shared memory.
bool Block::State::takeSource(const Warp& warp, uint64_t from, BulkCopy& copy) {
  toOwnOffsets(1U, &from);
  copy.from_offset = static_cast<uint32_t>(from);
  if (from < shared_bytes && copy.bytes <= shared_bytes - from) return true;
  raise(warp, copy.pc, copy.lane,
        fmt::format("illegal address: a bulk copy of {} bytes from shared address {:#x}; there are {} "
                    "bytes of shared memory",
                    copy.bytes, from, shared_bytes));
  return false;
}

// They go to the shared memory of one block, or, with a multicast, to the same place in several.
bool Block::State::takeTarget(const Warp& warp, uint64_t to, uint64_t signals, std::optional<uint32_t> ranks,
                              BulkCopy& copy) {
  uint64_t offset = 0, mbarrier = 0;
  State* owner = ownerOf(warp, copy.pc, copy.lane, to, offset);
  if (owner == nullptr) return false;
  State* signalled = ownerOf(warp, copy.pc, copy.lane, signals, mbarrier);
  if (signalled == nullptr) return false;
  if (offset >= shared_bytes || copy.bytes > shared_bytes - offset) {
    raise(
        warp, copy.pc, copy.lane,
        fmt::format("illegal address: a bulk copy of {} bytes to shared address {:#x}; there are {} bytes of "
                    "shared memory",
                    copy.bytes, offset, shared_bytes));
    return false;
  }
  copy.to_offset = static_cast<uint32_t>(offset);
  copy.mbarrier = static_cast<uint32_t>(mbarrier);
  copy.to_ranks = static_cast<uint16_t>(1U << owner->rank);
  copy.mbarrier_ranks = static_cast<uint16_t>(1U << signalled->rank);
  if (!ranks) return true;
  if ((*ranks >> cluster->blocks.size()) != 0) {
    raise(warp, copy.pc, copy.lane,
          fmt::format("a bulk copy to the blocks {:#x} of a cluster of {}", *ranks, cluster->blocks.size()));
    return false;
  }
  copy.to_ranks = copy.mbarrier_ranks = static_cast<uint16_t>(*ranks);
  return true;
}

// Executed in any block of the cluster.
bool Block::State::moveBulk(const BulkCopy& copy, bool with_bytes) {
  if (copy.tile != nullptr) return moveTile(copy, with_bytes);
  const Instruction& in = code.instructions[copy.pc];
  const bool reduces = in.op == ptx::Op::kBulkReduce;
  const auto move = [&](std::byte* to, const std::byte* from, bool global) {
    if (!with_bytes) return;
    if (reduces) {
      combineElements(in.modifiers.atom_op, in.type, to, from, copy.bytes, global);
    } else {
      std::memcpy(to, from, copy.bytes);
    }
  };
  State* starter = cluster->blocks[copy.rank];
  if (in.modifiers.bulk != ptx::BulkWay::kLoad && starter == nullptr) return sourceIsGone(copy);
  if (in.modifiers.bulk == ptx::BulkWay::kStore) {
    if (copy.bytes == 0) return true;
    move(launch.memory->at(copy.global, copy.bytes), starter->sharedBytes() + copy.from_offset, true);
    launch.memory->noteWritten(copy.global, copy.bytes);
    return true;
  }
  const std::byte* from = in.modifiers.bulk == ptx::BulkWay::kPass
                              ? starter->sharedBytes() + copy.from_offset
                              : launch.memory->at(copy.global, copy.bytes);
  return deliver(copy, [&](std::byte* shared) { move(shared + copy.to_offset, from, false); });
}

bool Block::State::sourceIsGone(const BulkCopy& copy) {
  raise(warps[copy.warp], copy.pc, copy.lane,
        "illegal address: a bulk copy from the shared memory of a block that has exited");
  return false;
}

// write(shared) writes the copy's bytes into a block's shared memory.
bool Block::State::deliver(const BulkCopy& copy, const std::function<void(std::byte*)>& write) {
  const Warp& warp = warps[copy.warp];
  for (uint32_t of = 0; of < cluster->blocks.size(); ++of) {
    if ((copy.to_ranks >> of & 1U) == 0 && (copy.mbarrier_ranks >> of & 1U) == 0) continue;
    State* block = cluster->blocks[of];
    if (block == nullptr) {
      raise(
          warp, copy.pc, copy.lane,
          fmt::format(
              "illegal address: a bulk copy to the block with rank {} of the cluster, which has exited", of));
      return false;
    }
    if ((copy.to_ranks >> of & 1U) != 0 && copy.bytes != 0) write(block->sharedBytes());
    if ((copy.mbarrier_ranks >> of & 1U) != 0 &&
        !block->receive(warp, copy.pc, copy.lane, copy.mbarrier, copy.bytes)) {
      if (block->fault && !fault) fault = block->fault;
      return false;
    }
  }
  return true;
}

bool Block::State::isAwaited(const BulkCopy& copy) const {
  const auto waits = [&](const Path& path) {
    return path.state == Path::State::kWaitingForPhase && path.mbarrier == copy.mbarrier;
  };
  for (uint32_t of = 0; of < cluster->blocks.size(); ++of) {
    const State* block = cluster->blocks[of];
    if ((copy.mbarrier_ranks >> of & 1U) == 0 || block == nullptr) continue;
    const bool awaited = std::ranges::any_of(
        block->warps, [&](const Warp& warp) { return std::ranges::any_of(warp.paths, waits); });
    if (awaited) return true;
  }
  return false;
}

bool Block::State::reducesGlobal(const Warp& warp, uint32_t mask, uint64_t groups_left) const {
  for (const BulkCopy& store : warp.bulk_stores) {
    const bool waits =
        (mask >> store.lane & 1U) != 0 && store.group + groups_left < warp.bulk_groups[store.lane];
    if (waits && code.instructions[store.pc].op == ptx::Op::kBulkReduce) return true;
  }
  return false;
}

bool Block::finishBulk(uint64_t id) {
  ClusterState& cluster = *state_->cluster;
  const auto found = std::ranges::find(cluster.copies, id, &BulkCopy::id);
  if (found == cluster.copies.end()) return true;
  const BulkCopy copy = *found;
  cluster.copies.erase(found);
  return state_->moveBulk(copy);
}

}  // namespace warpscope::sim
