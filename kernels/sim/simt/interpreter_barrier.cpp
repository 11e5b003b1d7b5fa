// Barriers of a block. Threads are counted one by one: paths of a warp may arrive at different times and at
// different instructions, and no thread waits for threads that have exited.
#include <bit>

#include "kernels/sim/simt/interpreter_state.h"

namespace warpscope::sim {

bool Block::State::isComplete(const BarrierState& barrier) const {
  if (barrier.threads == 0) return barrier.arrived >= threads_left;
  // A count is in whole warps: lanes that do not exist or have exited count as arrived with the others of
  // their warp.
  uint32_t count = 0;
  for (size_t i = 0; i < warps.size(); ++i) {
    if (barrier.lanes[i] == 0) continue;
    count += static_cast<uint32_t>(std::popcount(barrier.lanes[i] | warps[i].exited | ~warps[i].live));
  }
  return count >= barrier.threads;
}

uint32_t Block::State::arriveAtBarrier(Warp& warp, const Instruction& instruction, uint32_t mask, uint32_t id,
                                       uint32_t threads, uint32_t votes_true) {
  BarrierState& barrier = barriers[id];
  open_barriers |= 1U << id;
  if (threads != 0) barrier.threads = threads;
  barrier.lanes[warp.index_in_block] |= mask;
  barrier.arrived += static_cast<uint32_t>(std::popcount(mask));
  barrier.votes_true += static_cast<uint32_t>(std::popcount(votes_true));
  Path& path = warp.paths[warp.current];
  if (instruction.modifiers.bar == ptx::BarKind::kArrive) {
    ++path.pc;
  } else {
    path.state = Path::State::kWaitingAtBarrier;
    path.barrier = id;
  }
  if (!isComplete(barrier)) return 0;
  complete(id);
  return 1U << id;
}

// Called after threads have exited.
uint32_t Block::State::completeBarriers() {
  uint32_t completed = 0;
  for (uint32_t open = open_barriers; open != 0; open &= open - 1) {
    const auto id = static_cast<uint32_t>(std::countr_zero(open));
    if (!isComplete(barriers[id])) continue;
    complete(id);
    completed |= 1U << id;
  }
  return completed;
}

void Block::State::complete(uint32_t id) {
  const BarrierState barrier = barriers[id];
  barriers[id] = {};
  open_barriers &= ~(1U << id);
  for (Warp& warp : warps) {
    if (barrier.lanes[warp.index_in_block] == 0) continue;
    bool any = false;
    for (Path& path : warp.paths) {
      if (path.state != Path::State::kWaitingAtBarrier || path.barrier != id) continue;
      const Instruction& in = code.instructions[path.pc];
      const Registers registers = warp.registers(code, path);
      if (in.destination_count > 0) {
        for (uint32_t rest = path.mask; rest != 0; rest &= rest - 1) {
          registers.out(in.destinations[0])[std::countr_zero(rest)] = barrier.votes_true;
        }
      } else if (in.predicate_destinations[0] != kNoPredicate) {
        const bool all = barrier.votes_true == barrier.arrived, some = barrier.votes_true != 0;
        const bool result = in.modifiers.bool_op == ptx::BoolOp::kAnd ? all : some;
        uint32_t& predicate = registers.predicates[in.predicate_destinations[0]];
        predicate = result ? predicate | path.mask : predicate & ~path.mask;
      }
      path.state = Path::State::kReady;
      ++path.pc;
      any = true;
    }
    if (!any) continue;
    if (warp.paths.size() > 1) warp.mergeEqual();
    released.push_back(warp.index_in_block);
  }
}

}  // namespace warpscope::sim
