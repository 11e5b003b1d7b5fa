// Thread block clusters: addresses in other blocks' shared memory, and the cluster's barrier. Sections of the
// PTX ISA 9.0: 9.7.9.23 mapa, 9.7.9.24 getctarank, 9.7.13.4 barrier.cluster.
#include <fmt/format.h>

#include <bit>
#include <utility>

#include "kernels/sim/simt/interpreter_state.h"

namespace warpscope::sim {

namespace {

constexpr uint64_t kOffsetBits = kWindowBytes - 1;

// The rank of the block that a .shared::cluster address lies in; `own` where it is in the executing block's
// own window.
uint64_t rankOf(uint64_t address, uint32_t own) {
  return address < kWindowBytes ? own : address / kWindowBytes - 1;
}

template <class Word, class Value>
void writeLanes(Word* row, uint32_t mask, Value value) {
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    row[lane] = static_cast<Word>(value(lane));
  }
}

}  // namespace

void Block::State::clusterAddress(const Instruction& in, const Registers& registers, uint32_t mask) const {
  const bool wide = ptx::bytesOf(in.type) == 8;
  const auto source = [&](uint32_t lane) -> uint64_t {
    if (in.address_bits == 0) return in.immediate;
    return in.address_bits == 64 ? registers.in64(in.sources[0])[lane] : registers.in(in.sources[0])[lane];
  };
  if (in.op == ptx::Op::kIsspacep) {  // .shared::cta
    const auto is_own = [&](uint32_t lane) {
      const uint64_t address = registers.in64(in.sources[0])[lane] - kSharedWindow;
      return address < kSharedWindows && rankOf(address, rank) == rank;
    };
    uint32_t& predicate = registers.predicates[in.predicate_destinations[0]];
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
      predicate = is_own(lane) ? predicate | (1U << lane) : predicate & ~(1U << lane);
    }
    return;
  }
  const uint64_t base = in.space == ptx::Space::kGeneric ? kSharedWindow : 0;
  if (in.op == ptx::Op::kGetctarank) {
    writeLanes(registers.out(in.destinations[0]), mask,
               [&](uint32_t lane) { return rankOf(source(lane) - base, rank); });
    return;
  }
  const uint32_t* ranks = registers.in(in.sources[in.address_bits == 0 ? 0 : 1]);
  const auto mapped = [&](uint32_t lane) {
    return base + sharedWindowOf(ranks[lane]) + ((source(lane) - base) & kOffsetBits);
  };
  if (wide) {
    writeLanes(registers.out64(in.destinations[0]), mask, mapped);
  } else {
    writeLanes(registers.out(in.destinations[0]), mask, mapped);
  }
}

Block::State* Block::State::ownerOf(const Warp& warp, uint32_t pc, uint32_t lane, uint64_t address,
                                    uint64_t& offset) {
  const uint64_t of = rankOf(address, rank);
  offset = address & kOffsetBits;
  if (of >= cluster->blocks.size()) {
    raise(warp, pc, lane,
          fmt::format(
              "illegal address: shared memory of the block with rank {}, but the cluster has {} block{}", of,
              cluster->blocks.size(), cluster->blocks.size() == 1 ? "" : "s"));
    return nullptr;
  }
  State* owner = cluster->blocks[of];
  if (owner == nullptr || owner->warps_done == owner->warps.size()) {
    raise(
        warp, pc, lane,
        fmt::format(
            "illegal address: shared memory of the block with rank {} of the cluster, which has exited", of));
    return nullptr;
  }
  return owner;
}

void Block::State::toOwnOffsets(uint32_t mask, uint64_t* addresses) const {
  const uint64_t begin = sharedWindowOf(rank);
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    uint64_t& address = addresses[std::countr_zero(rest)];
    if (address - begin < kWindowBytes) address -= begin;
  }
}

void Block::State::arriveAtCluster(Warp& warp, uint32_t pc, uint32_t mask, bool releases) {
  if ((warp.cluster_open & mask) != 0) {
    return raise(warp, pc, static_cast<uint32_t>(std::countr_zero(warp.cluster_open & mask)),
                 "barrier.cluster.arrive of a thread that has not waited since it arrived before");
  }
  warp.cluster_open |= mask;
  warp.cluster_arrived |= mask;
  cluster->arrived += static_cast<uint32_t>(std::popcount(mask));
  cluster->ordered = cluster->ordered || releases;
  ++warp.paths[warp.current].pc;
}

void Block::State::waitForCluster(Warp& warp, uint32_t pc, uint32_t mask) {
  if ((mask & ~warp.cluster_open) != 0) {
    return raise(warp, pc, static_cast<uint32_t>(std::countr_zero(mask & ~warp.cluster_open)),
                 "barrier.cluster.wait of a thread that has not arrived");
  }
  warp.cluster_open &= ~mask;
  Path& path = warp.paths[warp.current];
  if ((mask & warp.cluster_arrived) == 0) {
    ++path.pc;
  } else {
    path.state = Path::State::kWaitingAtCluster;
  }
}

// All threads of the cluster that have not exited take part.
bool Block::State::completeClusterBarrier(uint32_t pc) {
  uint32_t running = 0;
  for (const State* block : cluster->blocks) running += block == nullptr ? 0 : block->threads_left;
  if (cluster->arrived == 0 || cluster->arrived < running) return false;
  cluster->arrived = 0;
  cluster->ordered = false;
  cluster->released.clear();
  for (uint32_t of = 0; of < cluster->blocks.size(); ++of) {
    if (cluster->blocks[of] == nullptr) continue;
    for (Warp& warp : cluster->blocks[of]->warps) {
      const bool took_part = std::exchange(warp.cluster_arrived, 0) != 0;
      bool any = false;
      for (Path& path : warp.paths) {
        if (path.state != Path::State::kWaitingAtCluster) continue;
        path.state = Path::State::kReady;
        ++path.pc;
        any = true;
      }
      if (!any) {
        if (took_part) cluster->released.push_back({of, warp.index_in_block, pc});
        continue;
      }
      if (warp.paths.size() > 1) warp.mergeEqual();
      cluster->woken.push_back({of, warp.index_in_block, pc});
    }
  }
  return true;
}

bool ClusterState::timeOut() {
  constexpr uint32_t kMostTimeOuts = 64;
  bool any = false;
  if (++time_outs > kMostTimeOuts) return false;
  for (uint32_t of = 0; of < blocks.size(); ++of) {
    if (blocks[of] == nullptr) continue;
    for (Warp& warp : blocks[of]->warps) {
      bool timed_out = false;
      for (Path& path : warp.paths) {
        if (path.state != Path::State::kWaitingForPhase) continue;
        path.state = Path::State::kReady;
        ++path.pc;
        timed_out = true;
      }
      if (!timed_out) continue;
      any = true;
      woken.push_back({of, warp.index_in_block, kNowhere});
    }
  }
  return any;
}

void Block::State::leaveCluster(const Warp& warp, uint32_t lanes) {
  cluster->arrived -= static_cast<uint32_t>(std::popcount(warp.cluster_arrived & lanes));
}

}  // namespace warpscope::sim
