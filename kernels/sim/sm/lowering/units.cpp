// The lengths of instruction sequences are those of ptxas 13 for sm_90. Where one of our kernels contains the
// sequence, it was counted in the SASS (u32 remainder, bfi, the aggregated atomic, reading the warp id); the
// others were counted in the known form of the sequence (reciprocal, Newton steps, check, without the rare
// slow path), to within one or two instructions.
#include "kernels/sim/sm/lowering/units.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

#include "kernels/sim/simt/fragment.h"

namespace warpscope::sim::lowering {
namespace {

using ptx::Op;
using ptx::Type;

bool isWide(Type type) {
  return ptx::bytesOf(type) == 8;
}
bool isHalf(Type type) {
  return type == Type::kF16 || type == Type::kF16x2 || type == Type::kBf16 || type == Type::kBf16x2;
}

Pipe pipeOf(Type type) {
  if (type == Type::kF32) return Pipe::kFp32;
  if (type == Type::kF64) return Pipe::kFp64;
  return isHalf(type) ? Pipe::kFp16 : Pipe::kInt;
}

// `special` of the issues are on the special function unit, each waiting for the one before.
Unit sequenceWithSpecial(const DeviceProfile& profile, Pipe pipe, uint32_t issues, uint32_t depth,
                         uint32_t special = 1) {
  Unit unit = sequenceUnit(profile, pipe, issues, depth);
  const uint32_t latency = profile.pipes[static_cast<size_t>(Pipe::kSpecial)].latency_cycles;
  unit.latency_cycles = static_cast<uint16_t>(unit.latency_cycles + special * latency);
  if (pipe == Pipe::kSpecial) return unit;
  unit.on_special = static_cast<uint8_t>(special);
  unit.on_pipe = static_cast<uint8_t>(issues > special ? issues - special : 1);
  return unit;
}

// `special` of the issues are on the special function unit, the others, elsewhere, put their results
// together.
Unit specialUnit(const DeviceProfile& profile, uint32_t issues, uint32_t special) {
  Unit unit = chainUnit(profile, Pipe::kSpecial, 1);
  unit.issues = static_cast<uint8_t>(issues);
  unit.on_pipe = static_cast<uint8_t>(special);
  if (issues == special) return unit;
  const double interval = profile.pipes[static_cast<size_t>(Pipe::kSpecial)].issue_interval_cycles;
  const uint32_t last = profile.pipes[static_cast<size_t>(Pipe::kInt)].latency_cycles;
  unit.latency_cycles =
      static_cast<uint16_t>(unit.latency_cycles + last + std::lround(interval) * (special - 1));
  return unit;
}

// A sequence in double precision: `doubles` of the issues are on its pipe. The latencies of these sequences,
// and of those above, agree with chains of 256 of each on an H100 (driver 580.159.04, 2026-11-24) within 15
// %.
Unit doubleSequence(const DeviceProfile& profile, uint32_t issues, uint32_t doubles) {
  Unit unit = sequenceWithSpecial(profile, Pipe::kFp64, issues, doubles);
  unit.on_pipe = static_cast<uint8_t>(doubles);
  return unit;
}

Unit divideUnit(const Instruction& in, const DeviceProfile& profile) {
  const bool remainder = in.op == Op::kRem;
  switch (in.type) {
    case Type::kF32:
      if (in.modifiers.approx)
        return sequenceWithSpecial(profile, Pipe::kFp32, in.modifiers.ftz ? 2 : 7, in.modifiers.ftz ? 2 : 5);
      if (in.modifiers.full) return sequenceWithSpecial(profile, Pipe::kFp32, 8, 5);
      return sequenceWithSpecial(profile, Pipe::kFp32, 10, 4, 2);  // MUFU.RCP and FCHK
    case Type::kF64:
      return doubleSequence(profile, 17, 9);
    // I2F, MUFU.RCP, F2I and the corrections.
    case Type::kU32:
    case Type::kU16:
      return sequenceWithSpecial(profile, Pipe::kFp32, 17, 15, 3);
    case Type::kS32:
    case Type::kS16:
      return sequenceWithSpecial(profile, Pipe::kFp32, remainder ? 21 : 22, 17, 3);
    // A subroutine, with its call and return. The short way for operands that fit into 32 bits, if there is
    // one, is in the PTX.
    case Type::kU64:
      return sequenceWithSpecial(profile, Pipe::kFp32, remainder ? 68 : 72, 45, 3);
    default:
      return sequenceWithSpecial(profile, Pipe::kFp32, remainder ? 82 : 88, 50, 3);
  }
}

Unit rootUnit(const Instruction& in, const DeviceProfile& profile) {
  if (in.type == Type::kF64) {
    // MUFU.RCP64H gives the upper word; the lower one is zero.
    if (in.modifiers.approx && in.modifiers.ftz) return sequenceWithSpecial(profile, Pipe::kInt, 2, 0);
    if (in.op == Op::kRcp) return doubleSequence(profile, 10, 4);
    return in.op == Op::kSqrt ? doubleSequence(profile, 17, 8) : doubleSequence(profile, 13, 5);
  }
  // Without .ftz, subnormals are scaled before and after.
  if (in.modifiers.approx || in.op == Op::kRsqrt) {
    if (in.modifiers.ftz) return sequenceWithSpecial(profile, Pipe::kSpecial, in.op == Op::kSqrt ? 2 : 1, 0);
    return sequenceWithSpecial(profile, Pipe::kFp32, 4, 5);
  }
  return sequenceWithSpecial(profile, Pipe::kFp32, 10, 8);
}

Unit multiplyUnit(const Instruction& in, const DeviceProfile& profile) {
  if (ptx::isFloat(in.type)) return chainUnit(profile, pipeOf(in.type), 1);
  // PRMT extends a factor of 16 bits.
  if (ptx::bytesOf(in.type) == 2 && in.modifiers.part == ptx::Part::kLo)
    return sequenceUnit(profile, Pipe::kFp32, 2, 2);
  if (ptx::bytesOf(in.type) == 2 && in.modifiers.part == ptx::Part::kWide) return multiplyAddUnit(profile);
  const bool is_low = in.modifiers.part != ptx::Part::kHi && in.modifiers.part != ptx::Part::kWide;
  if (!isWide(in.type)) return is_low ? multiplyAddUnit(profile) : wideMultiplyAddUnit(profile);
  if (!is_low) return productUnit(profile, 7, 5, 4, 0);
  return productUnit(profile, 4, 3, 1, 2);  // an addend is one of IMAD.WIDE
}

Unit convertUnit(const Instruction& in, const DeviceProfile& profile) {
  const Type to = in.type, from = in.type2;
  const bool to_float = ptx::isFloat(to), from_float = ptx::isFloat(from);
  if (to_float && from_float) {
    // FSETP, a constant, a guarded addition and LOP3; .satfinite: FSETP and an addition more.
    if (to == Type::kTf32) {
      const uint32_t clamps = in.modifiers.saturate_finite ? 1 : 0;
      Unit unit = sequenceUnit(profile, Pipe::kInt, 4 + 2 * clamps, 2 + clamps);
      unit.latency_cycles = static_cast<uint16_t>(unit.latency_cycles + kPredicateCycles * (1 + clamps));
      return unit;
    }
    if (to == from) return chainUnit(profile, Pipe::kSpecial, 1);  // rounding to an integer is FRND
    if (to == Type::kF64 || from == Type::kF64) return chainUnit(profile, Pipe::kSpecial, 1);
    return chainUnit(profile, Pipe::kFp16, 1);
  }
  // I2FP of 32-bit integers is on the ALU since sm_80; all else is on the special function unit.
  if (to == Type::kF32 && ptx::bytesOf(from) == 4) return chainUnit(profile, Pipe::kInt, 1);
  if (to_float || from_float) return chainUnit(profile, Pipe::kSpecial, 1);
  return chainUnit(profile, Pipe::kInt, in.modifiers.sat ? 2 : 1);
}

// The profile's figure is how much longer a loop takes with an S2R, which meanwhile waits for the predicate
// of its branch.
constexpr uint32_t kLoopPredicateCycles = kPredicateCycles + 3;

Unit specialRegisterUnit(const Instruction& in, const DeviceProfile& profile) {
  Unit unit{.pipe = Pipe::kUniform,
            .issues = 1,
            .latency_cycles =
                static_cast<uint16_t>(profile.special_register_latency_cycles + kLoopPredicateCycles)};
  switch (in.special) {
    // S2R goes the way of memory instructions.
    case ptx::Special::kTidX:
    case ptx::Special::kTidY:
    case ptx::Special::kTidZ:
    case ptx::Special::kCtaidX:
    case ptx::Special::kCtaidY:
    case ptx::Special::kCtaidZ:
      unit.pipe = Pipe::kLoadStore;
      break;
    case ptx::Special::kWarpid:  // S2R, SHF, SGXT
    case ptx::Special::kNwarpid:
      unit.issues = 3;
      break;
    default:
      break;
  }
  return unit;
}

// Shared memory's own atomics are those of 32-bit integers, exchanges and comparisons. All others are loops
// of a load, the operation and ATOMS.CAST.SPIN, for as long as another lane was quicker: BSSY, LDS, FADD,
// ATOMS, ISETP, BRA, BSYNC (ptxas 13.0 for sm_90).
void addLoop(const Instruction& in, Unit& unit) {
  using ptx::AtomOp;
  const AtomOp op = in.modifiers.atom_op;
  const bool wide = isWide(in.type);
  if (in.space != ptx::Space::kShared || op == AtomOp::kExch || op == AtomOp::kCas) return;
  if (!ptx::isFloat(in.type) && !wide) return;
  constexpr uint8_t kAround = 2;  // BSSY, BSYNC
  uint8_t of_operation = wide && !ptx::isFloat(in.type) ? 2 : 1;
  if (wide && (op == AtomOp::kMin || op == AtomOp::kMax)) of_operation = 4;
  unit.retried = static_cast<uint8_t>((wide ? 5 : 4) + of_operation);
  unit.issues = static_cast<uint8_t>(unit.retried + kAround);
  unit.on_pipe = 2;
}

Unit memoryUnit(const Instruction& in, const DeviceProfile& profile) {
  Unit unit{.pipe = Pipe::kLoadStore, .issues = 1, .latency_cycles = 0};
  if (in.kind == Kind::kAtomic || in.kind == Kind::kReduction) addLoop(in, unit);
  if (in.op == Op::kMatrixLoad || in.op == Op::kMatrixStore) {
    const FragmentLayout layout(in.modifiers, in.modifiers.matrix, in.type);
    unit.issues = static_cast<uint8_t>(layout.accesses(in.modifiers.column_major));
    // One LDSM, which reads four matrices.
    const bool whole = in.op == Op::kMatrixLoad && ptx::isShared(in.space) && ptx::bytesOf(in.type) == 2;
    if (whole && unit.issues > 1) unit.issues = 1;
  }
  if (in.kind == Kind::kStore || in.kind == Kind::kAsyncStore)
    unit.latency_cycles =
        static_cast<uint16_t>(profile.pipes[static_cast<size_t>(Pipe::kLoadStore)].latency_cycles);
  return unit;
}

Unit collectiveUnit(const Instruction& in, const DeviceProfile& profile) {
  const auto shuffle = static_cast<uint16_t>(profile.shuffle_latency_cycles);
  const auto vote = static_cast<uint16_t>(withoutPredicate(profile.vote_latency_cycles, profile));
  if (in.op == Op::kShfl) return {Pipe::kLoadStore, 1, shuffle};
  // A match.any takes 36 cycles, and more for each different value of its lanes (SmCore::matchedAt):
  // serve_groups of the truth suite waits 106 cycles for 9.7 values (an H100 with 580.159.04, 2026-11-26).
  constexpr uint16_t kMatchCycles = 36;
  if (in.op == Op::kMatch && in.modifiers.vote == ptx::VoteMode::kAny)
    return {Pipe::kLoadStore, 1, kMatchCycles};
  if (in.op == Op::kMatch) return {Pipe::kSpecial, 1, static_cast<uint16_t>(2 * shuffle)};
  // REDUX gives a uniform register, which IMAD.U32 copies 39 cycles later (38 to 41 in rod_prices,
  // disparity_paths, seeping_rock and simpler_tracks by PC samples; H100, 580.159.04, 2026-11-27).
  constexpr uint16_t kReduxCycles = 39;
  if (in.op == Op::kRedux) {
    Unit unit = specialUnit(profile, 2, 1);
    unit.latency_cycles = static_cast<uint16_t>(
        kReduxCycles + profile.pipes[static_cast<size_t>(Pipe::kIntMultiply)].latency_cycles);
    return unit;
  }
  if (in.op == Op::kElect) return {Pipe::kInt, 2, vote};
  return {Pipe::kInt, 1, vote};  // vote
}

// HMMA and IMMA multiply 16 x 8 elements of D at most, so that wmma takes two. The figures are those of
// m16n8k16 of halves; a step of 8 x 16 bits of K less saves a third of the interval and 7 of 24 cycles of
// latency (H100 80GB HBM3, driver 580.159.04, 2026-11-23: intervals of 4.5, 3.0 and 2.1 cycles, latencies of
// 24, 17 and 14 for 256, 128 and 64 bits of K and 16, 16 and 8 rows).
Unit matrixUnit(const Instruction& in, const DeviceProfile& profile) {
  const ptx::Modifiers& modifiers = in.modifiers;
  const PipeTiming& pipe = profile.pipes[static_cast<size_t>(Pipe::kTensor)];
  // wmma of tf32 takes two HMMA.1684 where one HMMA.1688 would do.
  const bool halved = modifiers.type_a == Type::kTf32 && modifiers.m * modifiers.n == 256;
  const uint32_t instructions = std::max(modifiers.m * modifiers.n / 128U, 1U) * (halved ? 2 : 1);
  const double steps = modifiers.m * modifiers.n * modifiers.k * 8.0 * ptx::bytesOf(modifiers.type_a) /
                       instructions / (16 * 8 * 8 * 16);
  const double latency = pipe.latency_cycles * (10 + 7 * steps) / 24;
  const double repeated = (instructions - 1) * pipe.issue_interval_cycles;  // they do not wait for each other
  Unit unit{Pipe::kTensor, static_cast<uint8_t>(instructions),
            static_cast<uint16_t>(std::lround(std::max(latency - repeated, 1.0)))};
  unit.pipe_eighths = static_cast<uint8_t>(std::lround(8 * (1 + steps) / 3));
  return unit;
}

// Words of 16 bits whose upper bits matter are extended by a PRMT first, and a number is taken from another
// one by adding its negative, which another PRMT cuts (ptxas 13.0 for sm_90).
uint32_t issuesOfShort(const Instruction& in) {
  if (in.type != Type::kS16) return 1;
  switch (in.op) {
    case Op::kSub:
      return 3;
    case Op::kNeg:
    case Op::kShr:
      return 2;
    case Op::kSetp:
      return in.modifiers.compare == ptx::Compare::kLt ? 2 : 1;
    default:
      return 1;
  }
}

// Integer instructions that take one issue for each 32 bits.
Unit simpleUnit(const Instruction& in, const DeviceProfile& profile) {
  return chainUnit(profile, Pipe::kInt, isWide(in.type) ? 2 : issuesOfShort(in));
}

Unit extremumUnit(const Instruction& in, const DeviceProfile& profile) {
  // FMNMX is on the ALU; double precision is DSETP.MIN and selections, with care for NaN.
  if (in.type == Type::kF64) {
    Unit unit = sequenceUnit(profile, Pipe::kFp64, 7, 2);
    unit.on_pipe = 1;
    return unit;
  }
  if (ptx::isFloat(in.type)) return chainUnit(profile, Pipe::kInt, 1);
  // ISETP, ISETP.EX and two SEL, which issue together.
  return isWide(in.type) ? sequenceUnit(profile, Pipe::kInt, 4, 3) : chainUnit(profile, Pipe::kInt, 1);
}

// A predicate can be read later than a register. The profile's latencies of a vote and of a branch that is
// taken are those of a comparison and what reads its predicate, less an integer's.
Unit predicateUnit(const Instruction& in, const DeviceProfile& profile) {
  if (in.type != Type::kF64) return compareUnit(profile, isWide(in.type) ? 2 : issuesOfShort(in));
  Unit unit = chainUnit(profile, Pipe::kFp64, 1);
  unit.latency_cycles = static_cast<uint16_t>(std::max<uint32_t>(unit.latency_cycles, kPredicateCycles));
  return unit;
}

// Every op is named, so that the compiler reports a new one whose timing is missing.
Unit arithmeticUnit(const Instruction& in, const DeviceProfile& profile) {
  const bool wide = isWide(in.type);
  switch (in.op) {
    case Op::kDiv:
    case Op::kRem:
      return divideUnit(in, profile);
    case Op::kRcp:
    case Op::kSqrt:
    case Op::kRsqrt:
      return rootUnit(in, profile);
    case Op::kSin:
    case Op::kCos:
      return sequenceWithSpecial(profile, Pipe::kSpecial, 2, 1);
    case Op::kLg2:
    case Op::kEx2:
      if (in.modifiers.ftz) return sequenceWithSpecial(profile, Pipe::kSpecial, 1, 0);
      return sequenceWithSpecial(profile, Pipe::kFp32, 4, 5);
    case Op::kTanh:
      return sequenceWithSpecial(profile, Pipe::kSpecial, 1, 0);
    case Op::kMul:
    case Op::kMad:
    case Op::kMadc:
      return multiplyUnit(in, profile);
    case Op::kFma:
      return chainUnit(profile, pipeOf(in.type), 1);
    case Op::kAdd:
    case Op::kSub:
      return ptx::isFloat(in.type) ? chainUnit(profile, pipeOf(in.type), 1) : simpleUnit(in, profile);
    case Op::kMin:
    case Op::kMax:
      return extremumUnit(in, profile);
    case Op::kSetp:
      return predicateUnit(in, profile);
    case Op::kCvt:
      return convertUnit(in, profile);
    case Op::kPopc:
    case Op::kBrev:
      return specialUnit(profile, wide ? 3 : 1, wide ? 2 : 1);
    case Op::kClz:
      // FLO finds the bit; an addition makes the number of zeros of it.
      return sequenceWithSpecial(profile, Pipe::kInt, wide ? 4 : 2, 1, wide ? 2 : 1);
    case Op::kBfind:
      return chainUnit(profile, Pipe::kSpecial, wide ? 4 : 1);
    case Op::kSet:  // HSET2 of halves; of others a comparison and a selection
      return isHalf(in.type2) ? chainUnit(profile, Pipe::kFp16, 1) : chainUnit(profile, Pipe::kInt, 2);
    case Op::kSad:  // VABSDIFF takes an addend
      return chainUnit(profile, Pipe::kInt, wide ? 4 : 1);
    case Op::kBfe:
    case Op::kBfi:
    case Op::kSlct:
    case Op::kCnot:
    case Op::kTestp:
      return chainUnit(profile, Pipe::kInt, wide ? 4 : 2);
    case Op::kFns:
      return chainUnit(profile, Pipe::kInt, 30);
    case Op::kDp4a:
    case Op::kDp2a:
      return multiplyAddUnit(profile);
    case Op::kMul24:
    case Op::kMad24:
      return chainUnit(profile, Pipe::kInt, 3);
    case Op::kAbs:
      if (in.type == Type::kF64) return chainUnit(profile, Pipe::kFp64, 1);  // DADD
      return chainUnit(profile, Pipe::kInt, wide ? 4 : 1);
    case Op::kShl:
    case Op::kShr:
      return sequenceUnit(profile, Pipe::kInt, wide ? 2 : issuesOfShort(in), 1);
    case Op::kNeg:
      if (in.type == Type::kF64) return chainUnit(profile, Pipe::kFp64, 1);
      return simpleUnit(in, profile);
    case Op::kBmsk:
    case Op::kSzext:
    case Op::kAddc:
    case Op::kSubc:
    case Op::kCopysign:
    case Op::kSelp:
    case Op::kAnd:
    case Op::kOr:
    case Op::kXor:
    case Op::kNot:
    case Op::kLop3:
    case Op::kShf:
    case Op::kPrmt:
    case Op::kMov:
    case Op::kMovePack:
    case Op::kMoveUnpack:
    case Op::kMoveAddress:
    case Op::kCvtPack:
    case Op::kCvta:
    case Op::kIsspacep:
    case Op::kActivemask:
    case Op::kMbarrierPendingCount:
    case Op::kMapa:
    case Op::kGetctarank:
      return simpleUnit(in, profile);
    case Op::kShfl:  // the forms without .sync, for which no lane waits
    case Op::kVote:
    case Op::kMatch:
    case Op::kRedux:
    case Op::kElect:
      return collectiveUnit(in, profile);
    // These are not of Kind::kRegister.
    case Op::kMma:
    case Op::kMovmatrix:
    case Op::kMatrixLoad:
    case Op::kMatrixStore:
    case Op::kLdmatrix:
    case Op::kStmatrix:
    case Op::kReadSpecial:
    case Op::kLd:
    case Op::kSt:
    case Op::kTex:
    case Op::kImageQuery:
    case Op::kSuld:
    case Op::kSust:
    case Op::kPrefetch:
    case Op::kCpAsync:
    case Op::kCpAsyncCommit:
    case Op::kCpAsyncWait:
    case Op::kBulkCopy:
    case Op::kBulkReduce:
    case Op::kBulkCommit:
    case Op::kBulkWait:
    case Op::kStAsync:
    case Op::kRedAsync:
    case Op::kBarCluster:
    case Op::kMbarrierCompleteTx:
    case Op::kGridDependency:
    case Op::kBar:
    case Op::kBarWarpSync:
    case Op::kFence:
    case Op::kAtom:
    case Op::kRed:
    case Op::kMbarrierInit:
    case Op::kMbarrierInval:
    case Op::kMbarrierArrive:
    case Op::kMbarrierTestWait:
    case Op::kMbarrierTryWait:
    case Op::kMbarrierExpectTx:
    case Op::kCpAsyncMbarrierArrive:
    case Op::kBra:
    case Op::kBrx:
    case Op::kCall:
    case Op::kRet:
    case Op::kExit:
    case Op::kTrap:
    case Op::kBrkpt:
    case Op::kNanosleep:
    case Op::kPmevent:
      break;
  }
  assert(false && "an op that is not of Kind::kRegister");
  return {};
}

Unit fenceUnit(const Instruction& in, const DeviceProfile& profile) {
  if (in.modifiers.scope == ptx::Scope::kCta || in.modifiers.of_proxies) return {Pipe::kLoadStore, 1, 0};
  return {Pipe::kLoadStore, 3, static_cast<uint16_t>(std::min(profile.fence_latency_cycles, 65535U))};
}

Unit barrierUnit(const Instruction& in, const DeviceProfile& profile) {
  return {Pipe::kBranch, static_cast<uint8_t>(in.modifiers.bar == ptx::BarKind::kRed ? 2 : 1),
          static_cast<uint16_t>(profile.barrier_latency_cycles)};
}

}  // namespace

bool callsSubroutine(const Instruction& in) {
  const bool divides_or_roots = in.op == Op::kDiv || in.op == Op::kRem || in.op == Op::kRsqrt;
  return in.has_rare_cases || (divides_or_roots && ptx::bytesOf(in.type) == 8);
}

// A SEL issues 4.1 cycles after the ISETP whose predicate it reads, another ISETP 4.0, and an instruction
// that the predicate guards 12.8 to 13.9 (PC samples of 516 kernels of the truth suite's open part; H100,
// 580.159.04, 2026-11-27).
uint8_t earlyCycles(const Unit& unit) {
  constexpr uint32_t kOperandCycles = 4;
  return unit.latency_cycles >= kPredicateCycles ? kPredicateCycles - kOperandCycles : 0;
}

bool readsEarly(const Graph& graph, const Operation& reader, Value predicate) {
  return graph.values[predicate].kind == ValueKind::kPredicate && reader.guard != predicate &&
         (reader.unit.pipe == Pipe::kInt || reader.unit.pipe == Pipe::kFp32 ||
          reader.unit.pipe == Pipe::kIntMultiply) &&
         reader.instruction != nullptr && reader.instruction->kind == Kind::kRegister;
}

Unit sequenceUnit(const DeviceProfile& profile, Pipe pipe, uint32_t issues, uint32_t depth) {
  const uint32_t latency = profile.pipes[static_cast<size_t>(pipe)].latency_cycles;
  return {pipe, static_cast<uint8_t>(issues), static_cast<uint16_t>(latency * depth)};
}

Unit chainUnit(const DeviceProfile& profile, Pipe pipe, uint32_t issues) {
  return sequenceUnit(profile, pipe, issues, issues);
}

Unit compareUnit(const DeviceProfile& profile, uint32_t issues) {
  Unit unit = sequenceUnit(profile, Pipe::kInt, issues, issues - 1);
  unit.latency_cycles = static_cast<uint16_t>(unit.latency_cycles - (issues - 1) + kPredicateCycles);
  return unit;
}

Unit multiplyAddUnit(const DeviceProfile& profile) {
  return chainUnit(profile, Pipe::kIntMultiply, 1);
}

// IMAD.WIDE and IMAD.HI take the pipe twice as long as IMAD: so long ptxas keeps two of them apart (control
// bits of the truth suite's open half, ptxas 13.0 for sm_90: 4 cycles, 2 for IMAD), and 8 warps of a
// scheduler take 4.13 cycles for an IMAD.HI, 2.13 for an IMAD, on an H100 (580.159.04, 2026-11-26).
Unit productUnit(const DeviceProfile& profile, uint32_t issues, uint32_t depth, uint32_t wide,
                 uint32_t narrow) {
  Unit unit = sequenceUnit(profile, Pipe::kIntMultiply, issues, depth);
  unit.on_pipe = static_cast<uint8_t>(wide + narrow);
  unit.pipe_eighths = static_cast<uint8_t>(8 * (2 * wide + narrow) / (wide + narrow));
  if (issues == 1) return unit;
  // The latency of the sequence includes the cycles in which it waits for the pipe.
  const PipeTiming& pipe = profile.pipes[static_cast<size_t>(Pipe::kIntMultiply)];
  const auto waits = static_cast<uint32_t>(pipe.issue_interval_cycles * (2 * wide + narrow)) - wide - narrow;
  unit.latency_cycles = static_cast<uint16_t>(
      std::max(pipe.latency_cycles, unit.latency_cycles - std::min<uint32_t>(waits, unit.latency_cycles)));
  return unit;
}

Unit wideMultiplyAddUnit(const DeviceProfile& profile) {
  return productUnit(profile, 1, 1, 1, 0);
}

// I2F.RP, MUFU.RCP, F2I, a correction (IMAD, IMAD.HI) and what is chosen if the divisor is 0; signed ones
// take the absolute value.
Unit reciprocalUnit(bool is_signed, const DeviceProfile& profile) {
  return sequenceWithSpecial(profile, Pipe::kFp32, is_signed ? 11 : 9, 6, 3);
}

// IMAD.HI, IMAD and two conditional corrections, each with its ISETP; the quotient's sign is that of the XOR.
Unit divideByKnownUnit(const Instruction& in, const DeviceProfile& profile) {
  const bool is_signed = ptx::isSigned(in.type);
  const uint32_t quotient = in.op == Op::kDiv ? (is_signed ? 2 : 1) : 0;
  Unit unit = sequenceUnit(profile, Pipe::kFp32, (is_signed ? 11 : 8) + quotient, 4);
  unit.latency_cycles = static_cast<uint16_t>(unit.latency_cycles + 2 * kPredicateCycles);
  return unit;
}

Unit divideByConstantUnit(const Instruction& in, uint64_t divisor, const DeviceProfile& profile) {
  const bool is_signed = ptx::isSigned(in.type);
  const bool remainder = in.op == Op::kRem;
  if (isWide(in.type)) {
    if (std::has_single_bit(divisor)) return chainUnit(profile, Pipe::kInt, is_signed ? 6 : 2);
    return productUnit(profile, remainder ? 15 : 12, 6, remainder ? 5 : 4, remainder ? 2 : 0);
  }
  if (std::has_single_bit(divisor & 0xFFFFFFFFU)) {
    if (!is_signed) return chainUnit(profile, Pipe::kInt, 1);
    return chainUnit(profile, Pipe::kInt, remainder ? 4 : 3);
  }
  return productUnit(profile, (is_signed ? 3U : 2U) + (remainder ? 1U : 0U), remainder ? 4 : 3, 1,
                     remainder ? 1 : 0);
}

Unit unitOf(const Instruction& in, const DeviceProfile& profile) {
  const auto branch = static_cast<uint16_t>(profile.branch_latency_cycles);
  switch (in.kind) {
    case Kind::kRegister:
      return arithmeticUnit(in, profile);
    case Kind::kWarpRegister:
      return in.op == Op::kMma ? matrixUnit(in, profile) : collectiveUnit(in, profile);
    case Kind::kReadSpecial:
    case Kind::kClock:
      return specialRegisterUnit(in, profile);
    case Kind::kLoad:
    case Kind::kStore:
    case Kind::kAtomic:
    case Kind::kReduction:
    case Kind::kAsyncCopy:
    case Kind::kAsyncStore:
      return memoryUnit(in, profile);
    case Kind::kClusterAddress:
      return arithmeticUnit(in, profile);
    case Kind::kClusterBarrier:
      return barrierUnit(in, profile);
    case Kind::kLoadParameter:
    case Kind::kLocalAddress:
      return chainUnit(profile, Pipe::kUniform, 1);
    case Kind::kNothing:
      // Instructions that alignment removed, and prefetches.
      return {Pipe::kLoadStore, static_cast<uint8_t>(in.op == Op::kPrefetch ? 1 : 0), 1};
    case Kind::kFence:
      return fenceUnit(in, profile);
    case Kind::kBarrier:
      return barrierUnit(in, profile);
    case Kind::kMbarrier:
      return {Pipe::kLoadStore, 2, static_cast<uint16_t>(profile.shared_latency_cycles)};
    case Kind::kAsyncCommit:
    case Kind::kAsyncWait:
    case Kind::kBulkCopy:
    case Kind::kBulkCommit:
    case Kind::kBulkWait:
    case Kind::kGridDependency:
      return {Pipe::kLoadStore, 1, 1};
    case Kind::kIndirectBranch:
      return {Pipe::kBranch, 3, branch};
    case Kind::kPrint:
    case Kind::kSetCondition:
      return {Pipe::kBranch, 20, branch};
    case Kind::kWarpBarrier:
    case Kind::kBranch:
    case Kind::kCall:
    case Kind::kIndirectCall:
    case Kind::kReturn:
    case Kind::kExit:
    case Kind::kTrap:
    case Kind::kSleep:
      return {Pipe::kBranch, 1, branch};
  }
  assert(false && "a kind that the enumeration does not have");
  return {};
}

}  // namespace warpscope::sim::lowering
