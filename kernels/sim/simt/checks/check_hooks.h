// The interpreter's hooks (simt/hooks.h) for checked launches: they pass accesses, barriers and fences to
// BlockChecks.
#pragma once

#include <bit>
#include <cstdint>

#include "kernels/sim/simt/checks/block_checks.h"
#include "kernels/sim/simt/hooks.h"
#include "kernels/sim/simt/interpreter.h"

namespace warpscope::sim {

struct CheckHooks : NoHooks {
  static constexpr bool kFilters = true;

  Block& block;
  BlockChecks& checks;
  const uint64_t& steps;  // stands in for time

  CheckHooks(Block& of, BlockChecks& its_checks, const uint64_t& step_count)
      : block(of), checks(its_checks), steps(step_count) {}

  uint32_t filter(const Warp& warp, const MemoryAccess& access) { return checks.filter(warp, access); }
  void barrierArrival(const Warp& warp, const BarrierArrival& arrival) {
    checks.barrierArrival(warp, arrival);
  }
  void fence(const Warp& warp, uint32_t pc, uint32_t mask) { checks.fence(warp, pc, mask); }
  void warpBarrier(const Warp& warp, uint32_t mask) { checks.warpBarrier(warp, mask); }
  void gridWait(const Warp& warp, uint32_t mask) { checks.gridWait(warp, mask); }
  void blockBarrier(uint32_t barrier) {
    uint32_t running = 0;
    for (uint32_t i = 0; i < block.warpCount(); ++i) {
      const Warp& warp = block.warp(i);
      running += static_cast<uint32_t>(std::popcount(warp.live & ~warp.exited));
    }
    checks.blockBarrier(barrier, running);
  }
  void clusterBarrier(bool orders) {
    if (orders || checks.clusterHasFenced()) checks.clusterBarrier();
  }
  bool bulkMoves(const BulkCopy& copy) { return checks.bulkMoves(copy); }
  void received(const Warp& warp, uint32_t lane, uint32_t rank, uint64_t mbarrier) {
    checks.received(warp, lane, rank, mbarrier);
  }
  uint64_t clockCycles() { return steps; }
  uint64_t globaltimerNs() { return steps; }
};

}  // namespace warpscope::sim
