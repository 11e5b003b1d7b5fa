#include "kernels/sim/simt/instruction_kind.h"

namespace warpscope::sim {

namespace {

using ptx::Op;
using ptx::Space;

}  // namespace

Kind kindOf(const ptx::Instruction& in) {
  switch (in.op) {
    case Op::kReadSpecial:
      return Kind::kReadSpecial;
    case Op::kLd:
    case Op::kTex:
    case Op::kSuld:
    case Op::kImageQuery:
    case Op::kLdmatrix:
    case Op::kMatrixLoad:
      return Kind::kLoad;
    case Op::kSt:
    case Op::kSust:
    case Op::kStmatrix:
    case Op::kMatrixStore:
      return Kind::kStore;
    case Op::kMma:
    case Op::kMovmatrix:
      return Kind::kWarpRegister;
    case Op::kAtom:
      return Kind::kAtomic;
    case Op::kRed:
      return Kind::kReduction;
    case Op::kPrefetch:
    case Op::kPmevent:
      return Kind::kNothing;
    case Op::kCpAsync:
      return Kind::kAsyncCopy;
    case Op::kCpAsyncCommit:
      return Kind::kAsyncCommit;
    case Op::kCpAsyncWait:
      return Kind::kAsyncWait;
    case Op::kBulkCopy:
    case Op::kBulkReduce:
      return Kind::kBulkCopy;
    case Op::kBulkCommit:
      return Kind::kBulkCommit;
    case Op::kBulkWait:
      return Kind::kBulkWait;
    case Op::kStAsync:
    case Op::kRedAsync:
      return Kind::kAsyncStore;
    case Op::kMapa:
    case Op::kGetctarank:
      return Kind::kClusterAddress;
    case Op::kIsspacep:  // a block's own shared memory may be in its cluster's window, too
      return in.space == Space::kShared ? Kind::kClusterAddress : Kind::kRegister;
    case Op::kBarCluster:
      return Kind::kClusterBarrier;
    case Op::kGridDependency:
      return Kind::kGridDependency;
    case Op::kShfl:
    case Op::kVote:
    case Op::kMatch:
    case Op::kRedux:
    case Op::kElect:
      return in.modifiers.sync ? Kind::kWarpRegister : Kind::kRegister;
    case Op::kBar:
      return Kind::kBarrier;
    case Op::kBarWarpSync:
      return Kind::kWarpBarrier;
    case Op::kFence:
      return Kind::kFence;
    case Op::kMbarrierInit:
    case Op::kMbarrierInval:
    case Op::kMbarrierArrive:
    case Op::kMbarrierTestWait:
    case Op::kMbarrierTryWait:
    case Op::kMbarrierExpectTx:
    case Op::kMbarrierCompleteTx:
    case Op::kCpAsyncMbarrierArrive:
      return Kind::kMbarrier;
    case Op::kBra:
      return Kind::kBranch;
    case Op::kBrx:
      return Kind::kIndirectBranch;
    case Op::kCall:
      return Kind::kCall;
    case Op::kRet:
      return Kind::kReturn;
    case Op::kExit:
      return Kind::kExit;
    case Op::kTrap:
    case Op::kBrkpt:
      return Kind::kTrap;
    case Op::kNanosleep:
      return Kind::kSleep;
    default:
      return Kind::kRegister;
  }
}

bool endsSegment(const Instruction& in) {
  switch (in.kind) {
    case Kind::kLoad:
      return isStrong(in.modifiers);
    case Kind::kMbarrier:
      return in.op == Op::kMbarrierTestWait || in.op == Op::kMbarrierTryWait;
    case Kind::kAtomic:
    case Kind::kReduction:
    case Kind::kBulkWait:
    case Kind::kClusterBarrier:
    case Kind::kBarrier:
    case Kind::kWarpBarrier:
    case Kind::kFence:
    case Kind::kGridDependency:
    case Kind::kBranch:
    case Kind::kIndirectBranch:
    case Kind::kCall:
    case Kind::kIndirectCall:
    case Kind::kReturn:
    case Kind::kExit:
    case Kind::kTrap:
    case Kind::kSleep:
    case Kind::kPrint:
    case Kind::kSetCondition:
      return true;
    default:
      return false;
  }
}

bool tellsTime(ptx::Special special) {
  switch (special) {
    case ptx::Special::kClock:
    case ptx::Special::kClockHi:
    case ptx::Special::kClock64:
    case ptx::Special::kGlobaltimer:
    case ptx::Special::kGlobaltimerLo:
    case ptx::Special::kGlobaltimerHi:
      return true;
    default:
      return false;
  }
}

bool isStrong(const ptx::Modifiers& modifiers) {
  return modifiers.semantics == ptx::Semantics::kVolatile ||
         modifiers.semantics == ptx::Semantics::kRelaxed || modifiers.semantics == ptx::Semantics::kAcquire ||
         modifiers.semantics == ptx::Semantics::kMmio || modifiers.cache == ptx::CacheOp::kCv;
}

}  // namespace warpscope::sim
