// Finds the file whose selector knows an instruction.
#include "kernels/sim/simt/alu/lanes.h"
#include "kernels/sim/simt/alu/selectors.h"

namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA {
namespace {

bool isNarrow(ptx::Type type) {
  return ptx::bytesOf(type) == 2 || type == ptx::Type::kF16x2 || type == ptx::Type::kBf16x2;
}

Handler selectArithmetic(const ptx::Instruction& instruction) {
  const ptx::Modifiers& modifiers = instruction.modifiers;
  switch (instruction.types[0]) {
    case ptx::Type::kF16:
    case ptx::Type::kF16x2:
    case ptx::Type::kBf16:
    case ptx::Type::kBf16x2:
      return selectHalf(instruction);
    case ptx::Type::kF32:
    case ptx::Type::kF64:
      if (modifiers.approx || modifiers.full) return selectApproximate(instruction);
      if (modifiers.rounding == ptx::Rounding::kNone || modifiers.rounding == ptx::Rounding::kRn) {
        return selectFloat(instruction);
      }
      return selectDirected(instruction);
    default:
      break;
  }
  if (modifiers.carry_out) return selectCarry(instruction);
  for (const auto selector : {&selectInteger, &selectMultiply}) {
    if (const Handler handler = selector(instruction)) return handler;
  }
  return nullptr;
}

}  // namespace

// Every op is named, so that the compiler reports a new one that is missing.
Handler select(const ptx::Instruction& instruction) {
  using ptx::Op;
  switch (instruction.op) {
    case Op::kAddc:
    case Op::kSubc:
    case Op::kMadc:
      return selectCarry(instruction);
    case Op::kPopc:
    case Op::kClz:
    case Op::kBfind:
    case Op::kFns:
    case Op::kBrev:
    case Op::kBfe:
    case Op::kBfi:
    case Op::kBmsk:
    case Op::kSzext:
      return selectBitField(instruction);
    case Op::kRsqrt:
    case Op::kSin:
    case Op::kCos:
    case Op::kLg2:
    case Op::kEx2:
    case Op::kTanh:
      return isNarrow(instruction.types[0]) ? selectHalf(instruction) : selectApproximate(instruction);
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kMad:
    case Op::kFma:
    case Op::kMul24:
    case Op::kMad24:
    case Op::kSad:
    case Op::kDiv:
    case Op::kRem:
    case Op::kAbs:
    case Op::kNeg:
    case Op::kMin:
    case Op::kMax:
    case Op::kDp4a:
    case Op::kDp2a:
    case Op::kTestp:
    case Op::kCopysign:
    case Op::kRcp:
    case Op::kSqrt:
      return selectArithmetic(instruction);
    case Op::kSet:
    case Op::kSetp:
    case Op::kSelp:
    case Op::kSlct:
      return selectCompare(instruction);
    case Op::kAnd:
    case Op::kOr:
    case Op::kXor:
    case Op::kNot:
    case Op::kCnot:
    case Op::kLop3:
    case Op::kShl:
    case Op::kShr:
    case Op::kShf:
    case Op::kPrmt:
      return selectLogic(instruction);
    case Op::kCvt:
    case Op::kCvtPack:
      return selectConvert(instruction);
    case Op::kMov:
    case Op::kMovePack:
    case Op::kMoveUnpack:
    case Op::kMoveAddress:
    case Op::kReadSpecial:
    case Op::kCvta:
    case Op::kIsspacep:
      return selectMove(instruction);
    case Op::kShfl:
    case Op::kVote:
    case Op::kMatch:
    case Op::kActivemask:
    case Op::kRedux:
    case Op::kElect:
    case Op::kMbarrierPendingCount:
      return selectCrossLane(instruction);
    // matrix_multiply.h has these.
    case Op::kMma:
    case Op::kMovmatrix:
    // The interpreter executes these itself (Kind).
    case Op::kMatrixLoad:
    case Op::kMatrixStore:
    case Op::kLdmatrix:
    case Op::kStmatrix:
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
    case Op::kMapa:
    case Op::kGetctarank:
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
      return nullptr;
  }
  return nullptr;
}

}  // namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA
