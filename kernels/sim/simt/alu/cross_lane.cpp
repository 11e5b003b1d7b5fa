// Instructions that exchange values between lanes: shfl, vote, match, activemask, redux, elect (PTX 9.7.9.6,
// 9.7.13). `mask` is the set of lanes that execute together; the interpreter has made sure that it includes
// all members.
#include "kernels/sim/simt/alu/lanes.h"
#include "kernels/sim/simt/alu/selectors.h"

namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA {
namespace {

// A row's value in the lowest executing lane; the instructions require it to be the same in all of them.
[[gnu::always_inline]] inline uint32_t uniform(const Registers& r, Row row, uint32_t mask) {
  return r.in(row)[__builtin_ctz(mask)];
}

// The lane that lane `lane` reads from by operands b and c; bit 5 says whether it is within bounds.
template <ptx::ShuffleMode mode>
[[gnu::always_inline]] inline uint32_t sourceLane(uint32_t lane, uint32_t b, uint32_t c) {
  const uint32_t distance = b & 31U, segment = (c >> 8) & 31U, clamp = c & 31U;
  const uint32_t lowest = lane & segment, bound = lowest | (clamp & ~segment);
  uint32_t from = 0;
  bool valid = false;
  if constexpr (mode == ptx::ShuffleMode::kUp) {
    from = lane - distance;
    valid = static_cast<int32_t>(from) >= static_cast<int32_t>(bound);
  } else {
    if constexpr (mode == ptx::ShuffleMode::kDown) from = lane + distance;
    if constexpr (mode == ptx::ShuffleMode::kBfly) from = lane ^ distance;
    if constexpr (mode == ptx::ShuffleMode::kIdx) from = lowest | (distance & ~segment);
    valid = from <= bound;
  }
  return valid ? from | 32U : lane;
}

template <ptx::ShuffleMode mode>
void shuffle(const Instruction& i, const Registers& r, uint32_t mask) {
  const Source<uint32_t> a(r, i.sources[0]), b(r, i.sources[1]), c(r, i.sources[2]);
  alignas(64) uint32_t values[32], from[32];
  forLanes([&](uint32_t lane) { values[lane] = a[lane]; });
  forLanes([&](uint32_t lane) { from[lane] = sourceLane<mode>(lane, b[lane], c[lane]); });
  writeLanes<uint32_t>(r, i.destinations[0], mask, [&](uint32_t lane) { return values[from[lane] & 31U]; });
  if (i.predicate_destinations[0] != kNoPredicate) {
    const uint32_t valid = bitsOf<uint32_t>([&](uint32_t lane) { return (from[lane] & 32U) != 0; });
    writePredicate(r, i.predicate_destinations[0], mask, valid);
  }
}

// Votes among the executing members; the form without .sync has no member mask.
template <ptx::VoteMode mode>
void vote(const Instruction& i, const Registers& r, uint32_t mask) {
  const uint32_t members = i.source_count > 0 ? uniform(r, i.sources[0], mask) & mask : mask;
  const uint32_t ballot = readPredicate(i, r, 0) & members;
  if constexpr (mode == ptx::VoteMode::kBallot) {
    writeLanes<uint32_t>(r, i.destinations[0], mask, [&](uint32_t) { return ballot; });
  } else {
    const bool all = ballot == members, none = ballot == 0;
    const bool result = mode == ptx::VoteMode::kAll ? all : mode == ptx::VoteMode::kAny ? !none : all || none;
    writePredicate(r, i.predicate_destinations[0], mask, result ? kAllLanes : 0U);
  }
}

template <class T>
void matchAny(const Instruction& i, const Registers& r, uint32_t mask) {
  const Source<T> a(r, i.sources[0]);
  const uint32_t members = uniform(r, i.sources[1], mask) & mask;
  alignas(64) uint32_t matches[32] = {};
  for (uint32_t left = members; left != 0; left &= ~matches[__builtin_ctz(left)]) {
    const auto first = static_cast<uint32_t>(__builtin_ctz(left));
    const T value = a[first];
    const uint32_t same = bitsOf<T>([&](uint32_t lane) { return a[lane] == value; }) & members;
    for (uint32_t rest = same; rest != 0; rest &= rest - 1) matches[__builtin_ctz(rest)] = same;
  }
  writeLanes<uint32_t>(r, i.destinations[0], mask, [&](uint32_t lane) { return matches[lane]; });
}

template <class T>
void matchAll(const Instruction& i, const Registers& r, uint32_t mask) {
  const Source<T> a(r, i.sources[0]);
  const uint32_t members = uniform(r, i.sources[1], mask) & mask;
  const T value = a[static_cast<uint32_t>(__builtin_ctz(mask))];
  const uint32_t same = bitsOf<T>([&](uint32_t lane) { return a[lane] == value; }) & members;
  const bool all = same == members;
  writeLanes<uint32_t>(r, i.destinations[0], mask, [&](uint32_t) { return all ? members : 0U; });
  writePredicate(r, i.predicate_destinations[0], mask, all ? kAllLanes : 0U);
}

void activeMask(const Instruction& i, const Registers& r, uint32_t mask) {
  writeLanes<uint32_t>(r, i.destinations[0], mask, [&](uint32_t) { return mask; });
}

template <class T, ptx::AtomOp op>
void reduce(const Instruction& i, const Registers& r, uint32_t mask) {
  const Source<T> a(r, i.sources[0]);
  const uint32_t members = uniform(r, i.sources[1], mask) & mask;
  T total = a[static_cast<uint32_t>(__builtin_ctz(members == 0 ? mask : members))];
  for (uint32_t rest = members & (members - 1); rest != 0; rest &= rest - 1) {
    const T value = a[static_cast<uint32_t>(__builtin_ctz(rest))];
    if constexpr (op == ptx::AtomOp::kAdd) total += value;
    if constexpr (op == ptx::AtomOp::kAnd) total &= value;
    if constexpr (op == ptx::AtomOp::kOr) total |= value;
    if constexpr (op == ptx::AtomOp::kXor) total ^= value;
    if constexpr (op == ptx::AtomOp::kMin) total = value < total ? value : total;
    if constexpr (op == ptx::AtomOp::kMax) total = value > total ? value : total;
  }
  writeLanes<T>(r, i.destinations[0], mask, [&](uint32_t) { return total; });
}

// The leader is the lowest member.
void elect(const Instruction& i, const Registers& r, uint32_t mask) {
  const uint32_t members = uniform(r, i.sources[0], mask) & mask;
  const auto leader = static_cast<uint32_t>(__builtin_ctz(members == 0 ? mask : members));
  writeLanes<uint32_t>(r, i.destinations[0], mask, [&](uint32_t) { return leader; });
  writePredicate(r, i.predicate_destinations[0], mask, 1U << leader);
}

Handler selectShuffle(ptx::ShuffleMode mode) {
  switch (mode) {
    case ptx::ShuffleMode::kUp:
      return &shuffle<ptx::ShuffleMode::kUp>;
    case ptx::ShuffleMode::kDown:
      return &shuffle<ptx::ShuffleMode::kDown>;
    case ptx::ShuffleMode::kBfly:
      return &shuffle<ptx::ShuffleMode::kBfly>;
    case ptx::ShuffleMode::kIdx:
      return &shuffle<ptx::ShuffleMode::kIdx>;
    default:
      return nullptr;
  }
}

Handler selectVote(ptx::VoteMode mode) {
  switch (mode) {
    case ptx::VoteMode::kAll:
      return &vote<ptx::VoteMode::kAll>;
    case ptx::VoteMode::kAny:
      return &vote<ptx::VoteMode::kAny>;
    case ptx::VoteMode::kUni:
      return &vote<ptx::VoteMode::kUni>;
    case ptx::VoteMode::kBallot:
      return &vote<ptx::VoteMode::kBallot>;
    default:
      return nullptr;
  }
}

Handler selectMatch(ptx::VoteMode mode, bool wide) {
  if (mode == ptx::VoteMode::kAny) return wide ? &matchAny<uint64_t> : &matchAny<uint32_t>;
  if (mode == ptx::VoteMode::kAll) return wide ? &matchAll<uint64_t> : &matchAll<uint32_t>;
  return nullptr;
}

Handler selectRedux(ptx::AtomOp op, bool is_signed) {
  switch (op) {
    case ptx::AtomOp::kAdd:
      return &reduce<uint32_t, ptx::AtomOp::kAdd>;
    case ptx::AtomOp::kAnd:
      return &reduce<uint32_t, ptx::AtomOp::kAnd>;
    case ptx::AtomOp::kOr:
      return &reduce<uint32_t, ptx::AtomOp::kOr>;
    case ptx::AtomOp::kXor:
      return &reduce<uint32_t, ptx::AtomOp::kXor>;
    case ptx::AtomOp::kMin:
      return is_signed ? &reduce<int32_t, ptx::AtomOp::kMin> : &reduce<uint32_t, ptx::AtomOp::kMin>;
    case ptx::AtomOp::kMax:
      return is_signed ? &reduce<int32_t, ptx::AtomOp::kMax> : &reduce<uint32_t, ptx::AtomOp::kMax>;
    default:
      return nullptr;
  }
}

}  // namespace

Handler selectCrossLane(const ptx::Instruction& instruction) {
  const ptx::Modifiers& modifiers = instruction.modifiers;
  switch (instruction.op) {
    case ptx::Op::kShfl:
      return selectShuffle(modifiers.shuffle);
    case ptx::Op::kVote:
      return selectVote(modifiers.vote);
    case ptx::Op::kMatch:
      return selectMatch(modifiers.vote, ptx::bytesOf(instruction.types[0]) == 8);
    case ptx::Op::kActivemask:
      return &activeMask;
    case ptx::Op::kRedux:
      return selectRedux(modifiers.atom_op, ptx::isSigned(instruction.types[0]));
    case ptx::Op::kElect:
      return &elect;
    default:
      return nullptr;
  }
}

}  // namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA
