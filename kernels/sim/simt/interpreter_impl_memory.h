// The part of Runner (interpreter_impl.h) that accesses memory.
#pragma once

#include <bit>

#include "kernels/sim/simt/interpreter_impl.h"

namespace warpscope::sim {

template <class Hooks>
MemoryAccess Runner<Hooks>::describe(const LaneAccess& access) const {
  const Instruction& in = access.instruction;
  MemoryAccess described;
  described.instruction = &in;
  described.pc = access.pc;
  described.space = access.space;
  described.mask = access.mask;
  described.bytes = accessBytes(in);
  described.addresses = access.addresses;
  described.atomic = in.kind == Kind::kAtomic || in.kind == Kind::kReduction || in.kind == Kind::kMbarrier;
  const bool begins = in.op == ptx::Op::kMbarrierInit || in.op == ptx::Op::kMbarrierInval;
  described.reads = in.kind == Kind::kLoad || (described.atomic && !begins);
  const bool asks = in.op == ptx::Op::kMbarrierTestWait || in.op == ptx::Op::kMbarrierTryWait;
  described.writes = in.kind == Kind::kStore || (described.atomic && !asks);
  described.registers = &access.registers;
  if (access.owner != nullptr) described.other_rank = access.owner->rank;
  return described;
}

// Executes a load, store, atomic or mbarrier operation. An operation that has to wait for the round's end is
// only reported to the hooks, unless this is the end (`at_end`). Returns false if a fault was raised.
template <class Hooks>
bool Runner<Hooks>::memory(const Instruction& in, const Registers& registers, uint32_t pc, uint32_t mask,
                           bool at_end) {
  if (mask == 0) {
    if constexpr (Hooks::kAccesses) {
      const Space space =
          in.space == Space::kGeneric || in.space == Space::kConst ? Space::kGlobal : in.space;
      if (space != Space::kParam) hooks_.access(warp_, describe({in, registers, pc, space, 0, nullptr}));
    }
    return true;
  }
  if (accessesImage(in.op)) return image(in, registers, pc, mask);
  if (accessesMatrix(in.op)) return matrix(in, registers, pc, mask);
  alignas(64) uint64_t addresses[32];
  laneAddresses(in, registers, warp_.frames[path().frame].local_base, addresses);
  SpaceMasks masks;
  switch (in.space) {
    case Space::kParam:
      return perform({in, registers, pc, Space::kParam, mask, addresses});
    case Space::kGeneric:
      masks = resolveSpaces(mask, addresses);
      break;
    case Space::kShared:
      masks.shared = mask;
      if (block_.code.uses_clusters) block_.toOwnOffsets(mask, addresses);
      break;
    case Space::kSharedCluster:
      masks.cluster = mask;
      break;
    case Space::kLocal:
      masks.local = mask;
      break;
    default:
      masks.global = mask;
  }
  bool now = false;
  if constexpr (Hooks::kReduces) now = hooks_.reducesNow(pc);
  const auto for_each_space = [&](auto&& use) {
    return (masks.global == 0 ||
            use(LaneAccess{in, registers, pc, Space::kGlobal, masks.global, addresses, nullptr, now})) &&
           (masks.shared == 0 ||
            use(LaneAccess{in, registers, pc, Space::kShared, masks.shared, addresses})) &&
           (masks.local == 0 || use(LaneAccess{in, registers, pc, Space::kLocal, masks.local, addresses})) &&
           (masks.cluster == 0 ||
            forEachOwner(pc, masks.cluster, addresses,
                         [&](Block::State* owner, uint32_t lanes, const uint64_t* offsets) {
                           return use(LaneAccess{in, registers, pc, Space::kShared, lanes, offsets, owner});
                         }));
  };
  if constexpr (Hooks::kAccesses) {
    if (!at_end) {
      const bool located = for_each_space([&](const LaneAccess& access) {
        hooks_.access(warp_, describe(access));
        return true;
      });
      if (!located) return false;
    }
  }
  if (masks.global != 0 && in.ends_segment && !at_end && !now) {
    path().state = Path::State::kWaitingForMemory;
    return true;
  }
  if (masks.parameters != 0 && !perform({in, registers, pc, Space::kConst, masks.parameters, addresses})) {
    return false;
  }
  return for_each_space([&](const LaneAccess& access) { return perform(access); });
}

template <class Hooks>
bool Runner<Hooks>::perform(LaneAccess access) {
  if constexpr (Hooks::kFilters) {
    if (access.space != Space::kParam && access.space != Space::kConst) {
      const uint32_t allowed = hooks_.filter(warp_, describe(access));
      const Kind kind = access.instruction.kind;
      if (allowed != access.mask && (kind == Kind::kLoad || kind == Kind::kAtomic)) {
        Block::State::loadZero(access, access.mask & ~allowed);
      }
      access.mask &= allowed;
      if (access.mask == 0) return true;
    }
  }
  switch (access.instruction.kind) {
    case Kind::kLoad:
      return block_.load(warp_, access);
    case Kind::kStore:
      return block_.store(warp_, access);
    case Kind::kMbarrier:
      return block_.mbarrier(warp_, access);
    default:
      return block_.atomic(warp_, access);
  }
}

// A texture or surface instruction: to the hooks it is an access for each row of texels that a warp needs.
template <class Hooks>
bool Runner<Hooks>::image(const Instruction& in, const Registers& registers, uint32_t pc, uint32_t mask) {
  ImageAccess image;
  const LaneAccess lanes{in, registers, pc, Space::kGlobal, mask, nullptr};
  if (!block_.locateTexels(warp_, lanes, image)) return false;
  uint32_t allowed = mask;
  if constexpr (Hooks::kImages) hooks_.imageAccess(warp_, describe(lanes), image);
  for (uint32_t i = 0; i < image.span_count; ++i) {
    LaneSpan& span = image.spans[i];
    MemoryAccess described = describe({in, registers, pc, Space::kGlobal, span.mask, span.addresses.data()});
    described.bytes = span.bytes;
    described.registers = nullptr;  // its values are not where those of st are
    if constexpr (Hooks::kAccesses) hooks_.access(warp_, described);
    if constexpr (Hooks::kFilters) allowed &= ~span.mask | hooks_.filter(warp_, described);
  }
  block_.moveTexels(lanes, image, allowed);
  return true;
}

// A load or store of a matrix: to the hooks it is an access for each of its spans.
template <class Hooks>
bool Runner<Hooks>::matrix(const Instruction& in, const Registers& registers, uint32_t pc, uint32_t mask) {
  MatrixAccess matrix;
  if (!block_.locateMatrix(warp_, {in, registers, pc, in.space, mask, nullptr}, matrix)) return false;
  for (uint32_t i = 0; i < matrix.span_count; ++i) {
    LaneSpan& span = matrix.spans[i];
    LaneAccess lanes{in, registers, pc, matrix.space, span.mask, span.addresses.data()};
    MemoryAccess described = describe(lanes);
    described.bytes = span.bytes;
    described.registers = nullptr;  // its values are not where those of st are
    if constexpr (Hooks::kAccesses) hooks_.access(warp_, described);
    if constexpr (Hooks::kFilters) lanes.mask = span.mask &= hooks_.filter(warp_, described);
    if (lanes.mask != 0 && !block_.valid(warp_, lanes, span.bytes)) return false;
  }
  block_.moveMatrix(warp_, {in, registers, pc, matrix.space, mask, nullptr}, matrix);
  return true;
}

// cp.async is checked now and executed at the wait.
template <class Hooks>
bool Runner<Hooks>::asyncCopy(const Instruction& in, const Registers& registers, uint32_t pc, uint32_t mask) {
  PendingCopy copy;
  block_.describeCopy(in, registers, mask, copy);
  copy.pc = pc;
  const LaneAccess read{in, registers, pc, Space::kGlobal, mask, copy.from.data()};
  const LaneAccess write{in, registers, pc, Space::kShared, mask, copy.to.data()};
  MemoryAccess reading = describe(read), writing = describe(write);
  reading.bytes = writing.bytes = copy.bytes;
  reading.reads = writing.writes = true;
  if constexpr (Hooks::kAccesses) {
    hooks_.access(warp_, reading);
    hooks_.access(warp_, writing);
  }
  if (mask == 0) return true;
  uint32_t readable = 0;
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    copy.group[lane] = warp_.copy_groups[lane];
    if (copy.source_bytes[lane] != 0) readable |= 1U << lane;
  }
  if constexpr (Hooks::kFilters) {
    if (readable != 0) {
      reading.mask = readable;
      const uint32_t allowed = hooks_.filter(warp_, reading);
      for (uint32_t rest = readable & ~allowed; rest != 0; rest &= rest - 1) {
        copy.source_bytes[static_cast<uint32_t>(std::countr_zero(rest))] = 0;
      }
      readable &= allowed;
    }
  } else {
    if (!block_.valid(warp_, write, copy.bytes)) return false;
  }
  if (readable != 0 &&
      !block_.valid(warp_, {in, registers, pc, Space::kGlobal, readable, copy.from.data()}, copy.bytes)) {
    return false;
  }
  warp_.copies.push_back(copy);
  return true;
}

// Executes these lanes' copies whose groups are older than the last `groups_left`; -1: all copies, committed
// or not.
template <class Hooks>
bool Runner<Hooks>::completeCopies(uint32_t mask, int64_t groups_left) {
  for (PendingCopy& copy : warp_.copies) {
    uint32_t lanes = 0;
    for (uint32_t rest = copy.mask & mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
      if (int64_t{copy.group[lane]} + groups_left < int64_t{warp_.copy_groups[lane]}) lanes |= 1U << lane;
    }
    if (lanes == 0) continue;
    copy.mask &= ~lanes;
    if constexpr (Hooks::kFilters) {
      const Instruction& in = block_.code.instructions[copy.pc];
      const Registers registers = warp_.registers(block_.code, path());
      const LaneAccess write{in, registers, copy.pc, Space::kShared, lanes, copy.to.data()};
      MemoryAccess writing = describe(write);
      writing.bytes = copy.bytes;
      writing.writes = true;
      lanes &= hooks_.filter(warp_, writing);
      if (lanes == 0) continue;
      if (!block_.valid(warp_, {in, registers, copy.pc, Space::kShared, lanes, copy.to.data()}, copy.bytes)) {
        return false;
      }
    }
    block_.copyNow(warp_, copy, lanes);
    if constexpr (Hooks::kValues) hooks_.copied(warp_, copy, lanes);
  }
  std::erase_if(warp_.copies, [](const PendingCopy& copy) { return copy.mask == 0; });
  return true;
}

// A path that repeatedly gets the same answer at the same place waits for another path: that one gets its
// turn, and lanes that wait at a join are released.
template <class Hooks>
void Runner<Hooks>::noteAnswer(const Instruction& in, const Registers& registers, uint32_t mask,
                               uint32_t pc) {
  if (in.kind == Kind::kReduction) return;
  const auto lane = static_cast<uint32_t>(std::countr_zero(mask));
  const bool wide = ptx::bytesOf(in.type) == 8;
  uint64_t answer = 0;
  if (in.predicate_destinations[0] != kNoPredicate) {
    answer = (registers.predicates[in.predicate_destinations[0]] >> lane) & 1U;
  } else if (in.destination_count > 0 && in.destinations[0].index != kSinkRow) {
    answer = wide ? registers.in64(in.destinations[0])[lane] : registers.in(in.destinations[0])[lane];
  }
  if (in.address_bits != 0) {
    const uint64_t base =
        in.address_bits == 64 ? registers.in64(in.sources[0])[lane] : registers.in(in.sources[0])[lane];
    answer ^= base * 0x9E3779B97F4A7C15U;
  }
  Path& now = path();
  Path::Answer& last = now.answers[pc % now.answers.size()];
  if (last.pc == pc && last.value == answer && last.mask == mask) {
    if (++now.spins < kSpinsUntilYield) return;
    now.spins = 0;
    ++warp_.spins;
    warp_.breakJoin();
    warp_.rotate();
  } else {
    last = {answer, pc, mask};
    now.spins = 0;
  }
}

template <class Hooks>
void Runner<Hooks>::finishMemory() {
  for (uint32_t i = 0; i < warp_.paths.size();) {
    if (warp_.paths[i].state != Path::State::kWaitingForMemory) {
      ++i;
      continue;
    }
    warp_.current = i;
    Path& now = path();
    const uint32_t pc = now.pc;
    const Instruction& in = block_.code.instructions[pc];
    const Registers registers = warp_.registers(block_.code, now);
    const uint32_t mask = guarded(in, registers, now.mask);
    const Frame frame = warp_.frames[now.frame];
    const bool done = in.kind == Kind::kPrint          ? block_.print(warp_, now, in, mask)
                      : in.kind == Kind::kSetCondition ? block_.setCondition(warp_, now, in, mask)
                      : in.kind == Kind::kBulkWait     ? completeBulkStores(mask, in.immediate)
                                                       : memory(in, registers, pc, mask, true);
    if (!done) return;
    if constexpr (Hooks::kValues) hooks_.executed(warp_, frame, pc, mask, true);
    now.state = Path::State::kReady;
    now.pc = pc + 1;
    if (in.kind != Kind::kPrint && in.kind != Kind::kSetCondition && in.kind != Kind::kBulkWait)
      noteAnswer(in, registers, mask, pc);  // changes the order of paths
    i = 0;
  }
}

}  // namespace warpscope::sim
