#include "kernels/sim/lanes/lane_hooks.h"

#include <algorithm>
#include <optional>

namespace warpscope::sim {
namespace {

AccessSpace spaceOf(const MemoryAccess& access) {
  if (access.space == ptx::Space::kShared) return AccessSpace::kShared;
  if (access.space == ptx::Space::kLocal) return AccessSpace::kLocal;
  return access.instruction->space == ptx::Space::kConst ? AccessSpace::kConstant : AccessSpace::kGlobal;
}

std::optional<ExchangeKind> kindOf(const Instruction& instruction) {
  const ptx::Modifiers& modifiers = instruction.modifiers;
  switch (instruction.op) {
    case ptx::Op::kShfl:
      return modifiers.shuffle == ptx::ShuffleMode::kUp     ? ExchangeKind::kShuffleUp
             : modifiers.shuffle == ptx::ShuffleMode::kDown ? ExchangeKind::kShuffleDown
             : modifiers.shuffle == ptx::ShuffleMode::kBfly ? ExchangeKind::kShuffleButterfly
                                                            : ExchangeKind::kShuffleIndex;
    case ptx::Op::kVote:
      return modifiers.vote == ptx::VoteMode::kAll   ? ExchangeKind::kVoteAll
             : modifiers.vote == ptx::VoteMode::kAny ? ExchangeKind::kVoteAny
             : modifiers.vote == ptx::VoteMode::kUni ? ExchangeKind::kVoteUniform
                                                     : ExchangeKind::kBallot;
    case ptx::Op::kMatch:
      return modifiers.vote == ptx::VoteMode::kAny ? ExchangeKind::kMatchAny : ExchangeKind::kMatchAll;
    case ptx::Op::kRedux:
      return ExchangeKind::kReduce;
    case ptx::Op::kElect:
      return ExchangeKind::kElect;
    case ptx::Op::kActivemask:
      return ExchangeKind::kActiveMask;
    default:
      return std::nullopt;
  }
}

bool bringsValues(ExchangeKind kind) {
  return isShuffle(kind) || kind == ExchangeKind::kMatchAny || kind == ExchangeKind::kMatchAll ||
         kind == ExchangeKind::kReduce;
}

bool isVote(ExchangeKind kind) {
  return kind >= ExchangeKind::kVoteAll && kind <= ExchangeKind::kBallot;
}

// Only match takes 64-bit values.
void readRow(const CrossLane& now, Row row, bool wide, std::array<uint64_t, kWarpSize>& values) {
  for (size_t lane = 0; lane < kWarpSize; ++lane) {
    values[lane] = wide ? now.registers.in64(row)[lane] : now.registers.in(row)[lane];
  }
}

// Finds the lane that each lane's value comes from: runs the same instruction again with every lane
// contributing its own number.
void findSources(const CrossLane& now, LaneExchange& exchange) {
  const Instruction& in = now.instruction;
  alignas(128) std::array<uint32_t, size_t{4} * kRowWords> rows{};  // result, lane numbers, two operands
  for (uint32_t lane = 0; lane < kRowWords; ++lane) rows[kRowWords + lane] = lane;
  std::copy_n(now.registers.in(in.sources[1]), kRowWords, rows.begin() + 2 * kRowWords);
  std::copy_n(now.registers.in(in.sources[2]), kRowWords, rows.begin() + 3 * kRowWords);
  std::array<uint32_t, 2> predicates{};
  Instruction same = in;
  same.destinations[0] = {0};
  for (int32_t i = 0; i < 3; ++i) same.sources[static_cast<size_t>(i)] = {i + 1};
  same.predicate_destinations[0] = 1;
  same.handler(same, {rows.data(), now.registers.constants, predicates.data()}, now.mask);
  for (size_t lane = 0; lane < kWarpSize; ++lane) exchange.source[lane] = static_cast<uint8_t>(rows[lane]);
  exchange.in_range = LaneMask{predicates[1] & now.mask};
}

}  // namespace

bool LaneHooks::takeStep(LoggedWarp& warp, uint32_t& step) const {
  step = warp.steps++;
  if (step < limit_per_warp) return true;
  ++warp.dropped;
  return false;
}

void LaneHooks::access(const Warp& warp, const MemoryAccess& access) {
  if (warps.empty() || access.mask == 0) return;
  LoggedWarp& logged = warps[warp.index_in_block];
  uint32_t step = 0;
  if (!takeStep(logged, step)) return;
  MemoryRequest& request = logged.requests.emplace_back();
  request.instruction = access.pc;
  request.step = step;
  request.space = spaceOf(access);
  request.reads = access.reads;
  request.writes = access.writes;
  request.atomic = access.atomic;
  request.bytes = access.bytes;
  const bool copies = access.instruction->kind == Kind::kAsyncCopy;  // `vector` counts bytes in a copy
  const bool rows = accessesMatrix(access.instruction->op);          // and registers in those of matrices
  request.elements = copies || rows ? 1 : std::max<uint32_t>(1, access.instruction->vector);
  request.mask = LaneMask{access.mask};
  for (LaneMask rest = request.mask; !rest.empty(); rest.bits &= rest.bits - 1) {
    const auto lane = static_cast<size_t>(rest.lowest());
    request.addresses[lane] = access.addresses[lane];
  }
}

void LaneHooks::crossLaneBegins(const Warp& warp, const CrossLane& now) {
  exchange_is_open_ = false;
  const auto kind = kindOf(now.instruction);
  if (warps.empty() || !kind) return;
  LoggedWarp& logged = warps[warp.index_in_block];
  uint32_t step = 0;
  if (!takeStep(logged, step)) return;
  exchange_is_open_ = true;
  LaneExchange& exchange = logged.exchanges.emplace_back();
  exchange.instruction = now.pc;
  exchange.step = step;
  exchange.kind = *kind;
  exchange.mask = LaneMask{now.mask};
  const Instruction& in = now.instruction;
  if (bringsValues(*kind)) {
    const bool wide = in.op == ptx::Op::kMatch && ptx::bytesOf(in.type) == 8;
    readRow(now, in.sources[0], wide, exchange.given);
  }
  if (isShuffle(*kind)) findSources(now, exchange);
  if (isVote(*kind)) {
    const PredicateIndex source = in.predicate_sources[0];
    const uint32_t bits = source == kNoPredicate ? ~0U : now.registers.predicates[source];
    exchange.predicate = LaneMask{(in.predicate_source_negated[0] ? ~bits : bits) & now.mask};
  }
}

void LaneHooks::crossLaneDone(const Warp& warp, const CrossLane& now) {
  if (!exchange_is_open_) return;
  exchange_is_open_ = false;
  LaneExchange& exchange = warps[warp.index_in_block].exchanges.back();
  const Instruction& in = now.instruction;
  if (in.destination_count > 0 && in.destinations[0].index != kSinkRow) {
    readRow(now, in.destinations[0], false, exchange.received);
  } else if (in.predicate_destinations[0] != kNoPredicate) {
    const uint32_t bits = now.registers.predicates[in.predicate_destinations[0]];
    for (size_t lane = 0; lane < kWarpSize; ++lane) exchange.received[lane] = (bits >> lane) & 1U;
  }
}

}  // namespace warpscope::sim
