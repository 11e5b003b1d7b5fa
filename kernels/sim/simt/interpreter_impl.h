// The bodies of Block's templates (interpreter.h). Include this only in the files that instantiate them with
// their own class of hooks.
#pragma once

#include <bit>

#include "kernels/sim/simt/interpreter.h"
#include "kernels/sim/simt/interpreter_state.h"

namespace warpscope::sim {

inline constexpr uint64_t kTurnInstructions = 4096;  // for a path, while others of its warp could run
inline constexpr uint32_t kSpinsUntilYield =
    16;  // after this many identical answers it must be waiting for another thread

// Runs one warp of a block. Decides for each Kind what to do, in the order of that enumeration; the work
// itself is done by handlers and by Block::State.
template <class Hooks>
class Runner {
 public:
  Runner(Block::State& block, Warp& warp, Hooks& hooks) : block_(block), warp_(warp), hooks_(hooks) {}

  SegmentResult segment();
  void finishMemory();

 private:
  using Space = ptx::Space;
  enum class Next : uint8_t { kGoOn, kStop };  // kStop: `stop_` says why; the path has been moved as needed

  bool choosePath();
  bool gatherLanes(Path& path);
  bool assemble(const Path& path);
  void executeTogether(uint32_t pc, uint32_t frame, uint32_t lanes);
  uint32_t memberLanes(const Instruction& in, const Registers& registers, uint32_t mask) const;
  Stop blocked() const;

  uint32_t guarded(const Instruction& in, const Registers& registers, uint32_t mask) const {
    if (in.guard == kNoPredicate) return mask;
    const uint32_t predicate = registers.predicates[in.guard];
    return mask & (in.guard_negated ? ~predicate : predicate);
  }
  void handle(const Instruction& in, const Registers& registers, uint32_t pc, uint32_t mask) {
    const bool together = in.kind == Kind::kWarpRegister;
    if (together && mask != ~0U && !block_.maySplit(warp_, in, pc, mask)) return;
    if constexpr (Hooks::kCrossLane) hooks_.crossLaneBegins(warp_, {in, registers, pc, mask});
    in.handler(in, registers, mask);
    if constexpr (Hooks::kCrossLane) hooks_.crossLaneDone(warp_, {in, registers, pc, mask});
    if constexpr (Hooks::kTogether) {
      if (together) hooks_.doneTogether(warp_, {in, registers, pc, mask});
    }
  }
  Path& path() { return warp_.paths[warp_.current]; }
  void moveTo(uint32_t pc) {
    path().pc = pc;
    if (path().join != kNoJoin) warp_.arrive(warp_.current);
  }

  bool simple(const Instruction& in, const Registers& registers, uint32_t pc, uint32_t mask);
  Next control(const Instruction& in, const Registers& registers, uint32_t pc, uint32_t mask);

  bool memory(const Instruction& in, const Registers& registers, uint32_t pc, uint32_t mask, bool at_end);
  bool perform(LaneAccess access);
  bool image(const Instruction& in, const Registers& registers, uint32_t pc, uint32_t mask);
  bool matrix(const Instruction& in, const Registers& registers, uint32_t pc, uint32_t mask);
  MemoryAccess describe(const LaneAccess& access) const;
  bool asyncCopy(const Instruction& in, const Registers& registers, uint32_t pc, uint32_t mask);
  bool completeCopies(uint32_t mask, int64_t groups_left);
  void noteAnswer(const Instruction& in, const Registers& registers, uint32_t mask, uint32_t pc);

  void barrier(const Instruction& in, const Registers& registers, uint32_t pc, uint32_t mask);
  void clusterBarrier(const Instruction& in, uint32_t pc, uint32_t mask);
  bool startBulk(const Instruction& in, const Registers& registers, uint32_t pc, uint32_t mask);
  bool asyncStore(const Instruction& in, const Registers& registers, uint32_t pc, uint32_t mask);
  bool completeBulkStores(uint32_t mask, uint64_t groups_left);
  bool completeBulkCopies(const Instruction& in, const Registers& registers, uint32_t mask);
  bool moveBulk(const BulkCopy& copy);
  template <class Use>
  bool forEachOwner(uint32_t pc, uint32_t mask, uint64_t* addresses, const Use& use);
  void branch(const Instruction& in, uint32_t pc, uint32_t mask);
  void indirectBranch(const Instruction& in, const Registers& registers, uint32_t pc, uint32_t mask);
  void call(const Instruction& in, const Registers& registers, uint32_t pc, uint32_t mask);
  void returns(uint32_t pc, uint32_t mask);
  void exits(uint32_t pc, uint32_t mask);

  Block::State& block_;
  Warp& warp_;
  Hooks& hooks_;
  SegmentResult result_;
};

template <class Hooks>
SegmentResult Runner<Hooks>::segment() {
  if (block_.fault) {
    result_.stop = Stop::kFault;
    return result_;
  }
  if (!choosePath()) {
    result_.stop = blocked();
    return result_;
  }
  Path& now = path();
  const uint32_t mask = now.mask, index = block_.code.segment_of[now.pc];
  const Segment& segment = block_.code.segments[index];
  const Instruction* instructions = block_.code.instructions.data();
  const Registers registers = warp_.registers(block_.code, now);
  const Frame frame = warp_.frames[now.frame];
  const uint32_t end = segment.first + segment.count;
  uint32_t pc = now.pc;
  result_.segment = index;
  result_.mask = mask;
  result_.first_pc = pc;
  result_.stop = Stop::kSegment;
  if (now.sync_done) {  // executed together with others, in executeTogether
    now.sync_done = false;
    if constexpr (Hooks::kInstructions)
      hooks_.instruction(warp_, pc, guarded(instructions[pc], registers, mask));
    if constexpr (Hooks::kValues) hooks_.executed(warp_, frame, pc, mask, false);
    ++pc;
  }
  bool moved = false;
  for (; pc < end; ++pc) {
    const Instruction& in = instructions[pc];
    const uint32_t lanes = guarded(in, registers, mask);
    if constexpr (Hooks::kInstructions) hooks_.instruction(warp_, pc, lanes);
    if (in.kind == Kind::kRegister || in.kind == Kind::kWarpRegister) {
      if (lanes != 0) handle(in, registers, pc, lanes);
      if constexpr (Hooks::kRareCases) {
        if (in.has_rare_cases && lanes != 0) hooks_.rounded(in, registers, pc, lanes);
      }
    } else if (!in.ends_segment) {
      if (!simple(in, registers, pc, lanes)) break;
    } else {
      moved = control(in, registers, pc, lanes) == Next::kStop;
      if constexpr (Hooks::kValues) hooks_.executed(warp_, frame, pc, lanes, result_.stop != Stop::kMemory);
      ++pc;
      break;
    }
    if constexpr (Hooks::kValues) hooks_.executed(warp_, frame, pc, lanes, true);
  }
  result_.executed = pc - result_.first_pc;
  warp_.instructions += result_.executed;
  warp_.thread_instructions += uint64_t{result_.executed} * static_cast<uint32_t>(std::popcount(mask));
  if (block_.fault) {
    result_.stop = Stop::kFault;
    return result_;
  }
  if (!moved) moveTo(pc);
  if (warp_.done()) {
    result_.stop = Stop::kExited;
  } else {
    result_.next_pc = path().pc;
    if (result_.stop == Stop::kSegment && path().state != Path::State::kReady) result_.stop = blocked();
  }
  return result_;
}

// The reason why the warp stops if none of its paths is ready.
template <class Hooks>
Stop Runner<Hooks>::blocked() const {
  if (warp_.done()) return Stop::kExited;
  bool memory = false;
  for (const Path& path : warp_.paths) {
    if (path.state == Path::State::kReady) return Stop::kSegment;
    memory = memory || path.state == Path::State::kWaitingForMemory;
  }
  if (memory) return Stop::kMemory;
  // Lanes that wait at a join for lanes that do not come are released next, by choosePath().
  for (const Join& join : warp_.joins) {
    if (join.used && join.arrived != 0) return Stop::kSegment;
  }
  return Stop::kBarrier;
}

// Selects a ready path whose first instruction has all the lanes that it needs.
template <class Hooks>
bool Runner<Hooks>::choosePath() {
  for (;;) {
    if (warp_.paths.empty()) return false;
    if (warp_.paths.size() > 1 && warp_.instructions - warp_.turn_begin > kTurnInstructions) warp_.rotate();
    if (path().state != Path::State::kReady) {
      uint32_t next = static_cast<uint32_t>(warp_.paths.size());
      while (next > 0 && warp_.paths[next - 1].state != Path::State::kReady) --next;
      if (next > 0) {
        warp_.current = next - 1;
        warp_.turn_begin = warp_.instructions;
      } else {
        // No path is ready: others may wait for lanes that have exited, or wait at a join for lanes that do
        // not come.
        bool memory = false, assembled = false;
        for (const Path& each : warp_.paths) {
          memory = memory || each.state == Path::State::kWaitingForMemory;
          if (each.state == Path::State::kWaitingForLanes && assemble(each)) {
            assembled = true;
            break;
          }
        }
        if (assembled) continue;
        if (memory || !warp_.breakJoin()) return false;
        continue;
      }
    }
    if (warp_.standsAtJoin(path())) {
      warp_.arrive(warp_.current);
      continue;
    }
    Path& now = path();
    const Kind kind = block_.code.instructions[now.pc].kind;
    if ((kind != Kind::kWarpRegister && kind != Kind::kWarpBarrier) || now.sync_done || gatherLanes(now))
      return true;
  }
}

// The union of the members that the lanes of an instruction name.
template <class Hooks>
uint32_t Runner<Hooks>::memberLanes(const Instruction& in, const Registers& registers, uint32_t mask) const {
  const uint32_t* members = registers.in(in.sources[in.member_source]);
  uint32_t all = 0;
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) all |= members[std::countr_zero(rest)];
  return all;
}

// Returns whether the current path can execute its .sync instruction as it is. Otherwise it now waits, or the
// instruction has been executed together with other paths.
template <class Hooks>
bool Runner<Hooks>::gatherLanes(Path& now) {
  const Instruction& in = block_.code.instructions[now.pc];
  const Registers registers = warp_.registers(block_.code, now);
  const uint32_t lanes = guarded(in, registers, now.mask);
  if (lanes == 0) return true;
  const uint32_t* members = registers.in(in.sources[in.member_source]);
  const uint32_t there = lanes | warp_.exited | ~warp_.live;
  bool same = true;
  if (in.sources[in.member_source].index >= 0) {
    const uint32_t first = members[std::countr_zero(lanes)];
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1)
      same = same && members[std::countr_zero(rest)] == first;
  }
  const uint32_t awaited = same ? members[std::countr_zero(lanes)] : memberLanes(in, registers, lanes);
  if (same && (awaited & ~there) == 0) return true;
  if (lanes != now.mask) {  // lanes that the guard excludes continue
    const uint32_t others = warp_.split(warp_.current, now.mask & ~lanes);
    warp_.paths[others].sync_done = true;
  }
  Path& waiting = path();
  waiting.state = Path::State::kWaitingForLanes;
  waiting.awaited = awaited;
  assemble(waiting);
  return false;
}

// Executes the instruction that a path waits at, if all lanes that it waits for are there.
template <class Hooks>
bool Runner<Hooks>::assemble(const Path& path) {
  const uint32_t pc = path.pc, frame = path.frame;
  const bool barrier = block_.code.instructions[pc].kind == Kind::kWarpBarrier;
  uint32_t there = 0, awaited = path.awaited;
  // Lanes may wait at different bar.warp.sync instructions: one that waits at any of them has arrived.
  for (bool grown = true; grown;) {
    grown = false;
    there = 0;
    for (const Path& each : warp_.paths) {
      if (each.state != Path::State::kWaitingForLanes) continue;
      const bool other_barrier = barrier && block_.code.instructions[each.pc].kind == Kind::kWarpBarrier;
      if (!(each.pc == pc && each.frame == frame) && !other_barrier) continue;
      if ((each.mask & awaited) == 0 && &each != &path) continue;
      there |= each.mask;
      if ((each.awaited & ~awaited) != 0) {
        awaited |= each.awaited;
        grown = true;
      }
    }
  }
  if ((awaited & warp_.live & ~warp_.exited & ~there) != 0) return false;
  if (barrier) {
    hooks_.warpBarrier(warp_, there);
  } else {
    executeTogether(pc, frame, there);
  }
  for (Path& each : warp_.paths) {
    if (each.state != Path::State::kWaitingForLanes || (each.mask & ~there) != 0) continue;
    each.state = Path::State::kReady;
    each.sync_done = true;
  }
  warp_.mergeEqual();
  return true;
}

// Lanes that name the same members form a group.
template <class Hooks>
void Runner<Hooks>::executeTogether(uint32_t pc, uint32_t frame, uint32_t lanes) {
  const Instruction& in = block_.code.instructions[pc];
  const Frame& of = warp_.frames[frame];
  const Registers registers{of.rows, block_.code.constants.data(), of.predicates};
  std::array<uint32_t, 32> members;
  const uint32_t* row = registers.in(in.sources[in.member_source]);
  std::copy_n(row, 32, members.begin());  // the destination may be the same register
  for (uint32_t rest = lanes; rest != 0;) {
    const uint32_t named = members[static_cast<uint32_t>(std::countr_zero(rest))];
    uint32_t group = 0;
    for (uint32_t each = rest; each != 0; each &= each - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(each));
      if (members[lane] == named) group |= 1U << lane;
    }
    handle(in, registers, pc, group);
    rest &= ~group;
  }
  if constexpr (Hooks::kValues) hooks_.executed(warp_, of, pc, lanes, true);
}

// Instructions after which the path simply continues. Returns false if a fault was raised.
template <class Hooks>
bool Runner<Hooks>::simple(const Instruction& in, const Registers& registers, uint32_t pc, uint32_t mask) {
  switch (in.kind) {
    case Kind::kLoad:
    case Kind::kStore:
      return memory(in, registers, pc, mask, false);
    case Kind::kReadSpecial:
      if (mask != 0) block_.readSpecial(warp_, in, registers, mask);
      return true;
    case Kind::kLoadParameter:
    case Kind::kLocalAddress:
      if (mask != 0) block_.readUniform(in, registers, mask, warp_.frames[path().frame].local_base);
      return true;
    case Kind::kClock:
      if (mask != 0) {
        const bool cycles = in.special == ptx::Special::kClock || in.special == ptx::Special::kClockHi ||
                            in.special == ptx::Special::kClock64;
        Block::State::writeClock(in, registers, mask, cycles ? hooks_.clockCycles() : hooks_.globaltimerNs());
      }
      return true;
    case Kind::kAsyncCopy:
      return asyncCopy(in, registers, pc, mask);
    case Kind::kAsyncCommit:
      for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        ++warp_.copy_groups[static_cast<uint32_t>(std::countr_zero(rest))];
      }
      return true;
    case Kind::kAsyncWait:
      return completeCopies(mask, in.modifiers.all ? -1 : static_cast<int64_t>(in.immediate));
    case Kind::kMbarrier:
      if (in.op == ptx::Op::kCpAsyncMbarrierArrive && !completeCopies(mask, -1)) return false;
      return memory(in, registers, pc, mask, false);
    case Kind::kClusterAddress:
      if (mask != 0) block_.clusterAddress(in, registers, mask);
      return true;
    case Kind::kBulkCopy:
      return startBulk(in, registers, pc, mask);
    case Kind::kBulkCommit:
      for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        ++warp_.bulk_groups[static_cast<uint32_t>(std::countr_zero(rest))];
      }
      return true;
    case Kind::kAsyncStore:
      return asyncStore(in, registers, pc, mask);
    default:
      return true;
  }
}

// Instructions that end a segment. kStop: the path was moved, or waits.
template <class Hooks>
typename Runner<Hooks>::Next Runner<Hooks>::control(const Instruction& in, const Registers& registers,
                                                    uint32_t pc, uint32_t mask) {
  switch (in.kind) {
    case Kind::kBranch:
      result_.branched = true;
      result_.taken = mask;
      branch(in, pc, mask);
      return Next::kStop;
    case Kind::kLoad:
    case Kind::kAtomic:
    case Kind::kReduction:
    case Kind::kMbarrier:
      path().pc = pc;
      if (mask == 0) return memory(in, registers, pc, 0, false) ? Next::kGoOn : Next::kStop;
      if constexpr (!Hooks::kTimesBulk) {
        if (in.kind == Kind::kMbarrier && !completeBulkCopies(in, registers, mask)) return Next::kStop;
      }
      if (!memory(in, registers, pc, mask, false)) return Next::kStop;
      if (in.op == ptx::Op::kMbarrierTryWait && mask == path().mask &&
          block_.awaitPhase(warp_, path(), in, mask)) {
        path().asks_again = Hooks::kFilters;  // checks must see that it gets the answer
        return Next::kStop;
      }
      if (path().state == Path::State::kReady) {
        path().pc = pc + 1;
        noteAnswer(in, registers, mask, pc);
      } else {
        result_.stop = Stop::kMemory;
      }
      return Next::kStop;
    case Kind::kPrint:
    case Kind::kSetCondition:
      if (mask == 0) return Next::kGoOn;
      path().pc = pc;
      path().state = Path::State::kWaitingForMemory;
      result_.stop = Stop::kMemory;
      return Next::kStop;
    case Kind::kBarrier:
      if (mask == 0) return Next::kGoOn;
      barrier(in, registers, pc, mask);
      return Next::kStop;
    case Kind::kClusterBarrier:
      if (mask == 0) return Next::kGoOn;
      clusterBarrier(in, pc, mask);
      return Next::kStop;
    case Kind::kBulkWait:
      if (mask == 0) return Next::kGoOn;
      if (block_.reducesGlobal(warp_, mask, in.immediate)) {
        path().pc = pc;
        path().state = Path::State::kWaitingForMemory;
        result_.stop = Stop::kMemory;
        return Next::kStop;
      }
      return completeBulkStores(mask, in.immediate) ? Next::kGoOn : Next::kStop;
    case Kind::kFence:
    case Kind::kGridDependency:
      if constexpr (Hooks::kFilters) {
        if (in.kind == Kind::kFence) {
          hooks_.fence(warp_, pc, mask);
        } else if (!in.modifiers.launches) {
          hooks_.gridWait(warp_, mask);
        }
      }
      return Next::kGoOn;
    case Kind::kWarpBarrier:
      if (mask != 0) hooks_.warpBarrier(warp_, mask);
      return Next::kGoOn;
    case Kind::kSleep:
      if (mask == 0) return Next::kGoOn;
      warp_.sleep_ns = registers.in(in.sources[0])[std::countr_zero(mask)];
      ++warp_.spins;
      path().pc = pc + 1;
      warp_.rotate();
      result_.stop = Stop::kSleep;
      return Next::kStop;
    case Kind::kIndirectBranch:
      result_.branched = true;
      result_.taken = mask;
      if (mask == 0) return Next::kGoOn;
      indirectBranch(in, registers, pc, mask);
      return Next::kStop;
    case Kind::kCall:
    case Kind::kIndirectCall:
      if (mask == 0) return Next::kGoOn;
      call(in, registers, pc, mask);
      return Next::kStop;
    case Kind::kReturn:
      if (mask == 0) return Next::kGoOn;
      if (path().frame == 0) {
        exits(pc, mask);
      } else {
        returns(pc, mask);
      }
      return Next::kStop;
    case Kind::kExit:
      if (mask == 0) return Next::kGoOn;
      exits(pc, mask);
      return Next::kStop;
    default:  // kTrap
      if (mask == 0) return Next::kGoOn;
      block_.raise(warp_, pc, static_cast<uint32_t>(std::countr_zero(mask)),
                   in.op == ptx::Op::kBrkpt  ? "breakpoint"
                   : in.op == ptx::Op::kCall ? "assertion failed"
                                             : "trap");
      return Next::kStop;
  }
}

template <class Hooks>
void Runner<Hooks>::branch(const Instruction& in, uint32_t pc, uint32_t mask) {
  const uint32_t all = path().mask;
  if (mask == all) {
    moveTo(in.target);
  } else if (mask == 0) {
    moveTo(pc + 1);
  } else {
    warp_.diverge(warp_.current, mask, in.target, pc + 1, in.reconverge, block_.code.meetings[in.meetings]);
  }
}

template <class Hooks>
void Runner<Hooks>::indirectBranch(const Instruction& in, const Registers& registers, uint32_t pc,
                                   uint32_t mask) {
  // diverge() makes the second of the two paths the current one.
  if (mask != path().mask)
    warp_.diverge(warp_.current, path().mask & ~mask, pc + 1, pc, in.reconverge,
                  block_.code.meetings[in.meetings]);
  const uint32_t* row = registers.in(in.sources[0]);
  const auto first = static_cast<uint32_t>(std::countr_zero(mask));
  const auto& targets = block_.code.tables[in.table];
  if (row[first] >= targets.size()) {
    block_.raise(warp_, pc, first,
                 fmt::format("brx.idx: index {} of {} targets", row[first], targets.size()));
    return;
  }
  uint32_t group = 0;
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    if (row[lane] == row[first]) group |= 1U << lane;
  }
  if (group == mask) {
    moveTo(targets[row[first]]);
  } else {
    warp_.diverge(warp_.current, group, targets[row[first]], pc, in.reconverge,
                  block_.code.meetings[in.meetings]);
  }
}

template <class Hooks>
void Runner<Hooks>::call(const Instruction& in, const Registers& registers, uint32_t pc, uint32_t mask) {
  if (mask != path().mask) warp_.diverge(warp_.current, path().mask & ~mask, pc + 1, pc, pc + 1);
  uint32_t target = in.target;
  if (in.kind == Kind::kIndirectCall) {
    const uint64_t* row = registers.in64(in.sources[0]);
    const auto first = static_cast<uint32_t>(std::countr_zero(mask));
    target = block_.code.functionAt(row[first]);
    if (target == kNowhere) {
      block_.raise(warp_, pc, first, fmt::format("call through {:#x}, which is not a function", row[first]));
      return;
    }
    uint32_t group = 0;
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
      if (row[lane] == row[first]) group |= 1U << lane;
    }
    if (group != mask) warp_.diverge(warp_.current, mask & ~group, pc, pc, pc + 1);
  }
  const uint32_t callee = block_.code.function_of[target];
  const uint32_t lanes = path().mask, caller = path().frame;
  if (!warp_.call(block_.code, warp_.current, callee, pc)) {
    block_.raise(
        warp_, pc, static_cast<uint32_t>(std::countr_zero(lanes)),
        fmt::format("stack overflow: {} calls are in progress, with {} bytes of local memory each thread",
                    warp_.frames[caller].depth + 1, block_.code.stack_bytes));
    return;
  }
  if (!block_.passArguments(warp_, in, callee, caller, path().frame, lanes)) {
    block_.raise(warp_, pc, static_cast<uint32_t>(std::countr_zero(lanes)),
                 "call of a function with other parameters than the call has");
  }
}

template <class Hooks>
void Runner<Hooks>::returns(uint32_t pc, uint32_t mask) {
  block_.passResults(warp_, path().frame, mask);
  const uint32_t index = warp_.current;
  const bool all = mask == path().mask;
  if (!all) {
    warp_.split(index, mask);  // lanes that return come first
    warp_.paths[index + 1].pc = pc + 1;
    warp_.current = index + 1;
    moveTo(pc + 1);
  }
  warp_.returnLanes(index, mask);
}

template <class Hooks>
void Runner<Hooks>::exits(uint32_t pc, uint32_t mask) {
  if (!warp_.bulk_stores.empty()) {
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {  // those in no group, too
      ++warp_.bulk_groups[static_cast<uint32_t>(std::countr_zero(rest))];
    }
    if (!completeBulkStores(mask, 0)) return;
  }
  const uint32_t index = warp_.current;
  const bool all = mask == path().mask;
  if (!all) {
    warp_.split(index, mask);
    warp_.current = index + 1;
    moveTo(pc + 1);
  }
  warp_.exitLanes(index, mask);
  block_.threads_left -= static_cast<uint32_t>(std::popcount(mask));
  if (warp_.done()) ++block_.warps_done;
  if (block_.cluster->arrived != 0) {
    block_.leaveCluster(warp_, mask);
    const bool orders = block_.cluster->ordered;
    if (block_.completeClusterBarrier(pc)) hooks_.clusterBarrier(orders);
  }
  if (block_.open_barriers == 0) return;
  for (uint32_t complete = block_.completeBarriers(); complete != 0; complete &= complete - 1) {
    hooks_.blockBarrier(static_cast<uint32_t>(std::countr_zero(complete)));
  }
}

template <class Hooks>
void Runner<Hooks>::barrier(const Instruction& in, const Registers& registers, uint32_t pc, uint32_t mask) {
  const auto first = static_cast<uint32_t>(std::countr_zero(mask));
  const uint32_t id = registers.in(in.sources[0])[first];
  const uint32_t threads = in.source_count > 1 ? registers.in(in.sources[1])[first] : 0;
  if (id >= kBarriers) {
    block_.raise(warp_, pc, first, fmt::format("barrier {}: a block has {} of them", id, kBarriers));
    return;
  }
  uint32_t same = 0;  // lanes that name another barrier arrive at it on their own
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    if (registers.in(in.sources[0])[lane] == id) same |= 1U << lane;
  }
  if (same != mask) {
    warp_.split(warp_.current, mask & ~same);
    mask = same;
  }
  if (mask != path().mask) {
    const uint32_t others = warp_.split(warp_.current, path().mask & ~mask);
    warp_.paths[others].pc = pc + 1;
  }
  path().pc = pc;
  if constexpr (Hooks::kFilters) hooks_.barrierArrival(warp_, {pc, mask, id, threads});
  uint32_t votes = 0;
  if (in.modifiers.bar == ptx::BarKind::kRed) {
    const PredicateIndex source = in.predicate_sources[0];
    const uint32_t predicate = source == kNoPredicate ? ~0U : registers.predicates[source];
    votes = mask & (in.predicate_source_negated[0] ? ~predicate : predicate);
  }
  const uint32_t complete = block_.arriveAtBarrier(warp_, in, mask, id, threads, votes);
  if (complete != 0) hooks_.blockBarrier(id);
}

template <class Hooks>
void Runner<Hooks>::clusterBarrier(const Instruction& in, uint32_t pc, uint32_t mask) {
  if (mask != path().mask) {
    const uint32_t others = warp_.split(warp_.current, path().mask & ~mask);
    warp_.paths[others].pc = pc + 1;
  }
  path().pc = pc;
  if (in.modifiers.bar == ptx::BarKind::kWait) return block_.waitForCluster(warp_, pc, mask);
  block_.arriveAtCluster(warp_, pc, mask, in.modifiers.semantics != ptx::Semantics::kRelaxed);
  const bool orders = block_.cluster->ordered;
  if (block_.completeClusterBarrier(pc)) hooks_.clusterBarrier(orders);
}

template <class Hooks>
SegmentResult Block::runSegment(Warp& warp, Hooks& hooks) {
  return Runner<Hooks>(*state_, warp, hooks).segment();
}

template <class Hooks>
Stop Block::runWarp(Warp& warp, Hooks& hooks, uint64_t budget) {
  const uint64_t end = warp.instructions + budget;
  const uint32_t spins = warp.spins;
  bool memory = false;  // some path waits for memory
  for (;;) {
    const SegmentResult result = Runner<Hooks>(*state_, warp, hooks).segment();
    memory = memory || result.stop == Stop::kMemory;
    const bool within = warp.instructions < end;
    if (result.stop == Stop::kMemory && result.executed > 0 && within) continue;
    if (result.stop == Stop::kSegment && within && warp.spins == spins) continue;
    // The other paths may be waiting for that path.
    const bool could_go_on = result.stop == Stop::kSegment || result.stop == Stop::kSleep;
    return memory && could_go_on ? Stop::kMemory : result.stop;
  }
}

template <class Hooks>
void Block::finishMemory(Warp& warp, Hooks& hooks) {
  Runner<Hooks>(*state_, warp, hooks).finishMemory();
}

}  // namespace warpscope::sim

#include "kernels/sim/simt/interpreter_impl_cluster.h"  // IWYU pragma: keep
#include "kernels/sim/simt/interpreter_impl_memory.h"   // IWYU pragma: keep
