// One PTX instruction as parsed: operation, types, modifiers, operands, and its place in the text. It knows
// nothing of semantics: simt/ executes it, sm/ times it. Names and meanings follow NVIDIA's "Parallel Thread
// Execution ISA" 9.0; numbers in comments are its sections.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace warpscope::ptx {

// 5.2. A packed type (f16x2, bf16x2) occupies one 32-bit register.
enum class Type : uint8_t {
  kNone,
  kPred,
  kB8,
  kB16,
  kB32,
  kB64,
  kB128,
  kU8,
  kU16,
  kU32,
  kU64,
  kS8,
  kS16,
  kS32,
  kS64,
  kF16,
  kF16x2,
  kBf16,
  kBf16x2,
  kTf32,  // of matrices and cvt: an f32 of which 10 bits of the fraction count
  kF32,
  kF64,
};

uint32_t bytesOf(Type type);      // 0 for kNone and kPred
bool isFloat(Type type);          // including the f16 and bf16 kinds
bool isSigned(Type type);         // s8 .. s64
const char* typeName(Type type);  // "u32"

// 5.1. A kGeneric address is resolved by the window that it lies in. kSharedCluster: the shared memory of any
// block of the thread's cluster.
enum class Space : uint8_t { kGeneric, kGlobal, kShared, kLocal, kConst, kParam, kSharedCluster };
inline bool isShared(Space space) {
  return space == Space::kShared || space == Space::kSharedCluster;
}

// The operation of an instruction; its types and modifiers give the details. kMovePack and kMoveUnpack are
// mov with a vector operand; kMoveAddress is mov of a variable's or function's address, and kReadSpecial mov
// of a special register.
enum class Op : uint8_t {
  // integer and floating-point arithmetic (9.7.1 .. 9.7.5)
  kAdd,
  kSub,
  kMul,
  kMad,
  kFma,
  kMul24,
  kMad24,
  kSad,
  kDiv,
  kRem,
  kAbs,
  kNeg,
  kMin,
  kMax,
  kPopc,
  kClz,
  kBfind,
  kFns,
  kBrev,
  kBfe,
  kBfi,
  kBmsk,
  kSzext,
  kDp4a,
  kDp2a,
  kAddc,
  kSubc,
  kMadc,  // add.cc, sub.cc and mad.cc are kAdd, kSub, kMad with carry_out
  kTestp,
  kCopysign,
  kRcp,
  kSqrt,
  kRsqrt,
  kSin,
  kCos,
  kLg2,
  kEx2,
  kTanh,
  // comparison and selection (9.7.6, 9.7.7), logic and shift (9.7.8)
  kSet,
  kSetp,
  kSelp,
  kSlct,
  kAnd,
  kOr,
  kXor,
  kNot,
  kCnot,
  kLop3,
  kShl,
  kShr,
  kShf,
  kPrmt,
  // data movement (9.7.9)
  kMov,
  kMovePack,
  kMoveUnpack,
  kMoveAddress,
  kReadSpecial,
  kCvt,
  kCvtPack,
  kCvta,
  kIsspacep,
  kMapa,
  kGetctarank,
  kLd,
  kSt,
  kPrefetch,
  kCpAsync,
  kCpAsyncCommit,
  kCpAsyncWait,
  kBulkCopy,    // cp.async.bulk
  kBulkReduce,  // cp.reduce.async.bulk
  kBulkCommit,
  kBulkWait,
  kStAsync,
  // matrices of which each lane of a warp holds a fragment (9.7.14)
  kMma,  // mma and wmma.mma
  kMatrixLoad,
  kMatrixStore,  // wmma.load, wmma.store
  kLdmatrix,
  kStmatrix,
  kMovmatrix,
  // textures and surfaces (9.7.10, 9.7.11)
  kTex,
  kImageQuery,
  kSuld,
  kSust,
  // parallel synchronisation and communication (9.7.13)
  kShfl,
  kVote,
  kMatch,
  kActivemask,
  kRedux,
  kElect,
  kBar,
  kBarWarpSync,
  kBarCluster,
  kFence,
  kAtom,
  kRed,
  kRedAsync,
  kMbarrierInit,
  kMbarrierInval,
  kMbarrierArrive,
  kMbarrierTestWait,
  kMbarrierTryWait,
  kMbarrierExpectTx,
  kMbarrierCompleteTx,
  kMbarrierPendingCount,
  kCpAsyncMbarrierArrive,
  // control flow and the rest (9.7.12, 9.7.19)
  kBra,
  kBrx,
  kCall,
  kRet,
  kExit,
  kTrap,
  kBrkpt,
  kNanosleep,
  kPmevent,
  kGridDependency,  // griddepcontrol
};

enum class Rounding : uint8_t { kNone, kRn, kRz, kRm, kRp, kRna, kRni, kRzi, kRmi, kRpi };
enum class Compare : uint8_t {
  kNone,
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kLo,
  kLs,
  kHi,
  kHs,
  kEqu,
  kNeu,
  kLtu,
  kLeu,
  kGtu,
  kGeu,
  kNum,
  kNan,
};
enum class BoolOp : uint8_t { kNone, kAnd, kOr, kXor };
enum class Part : uint8_t { kNone, kLo, kHi, kWide };
enum class AtomOp : uint8_t { kNone, kAdd, kExch, kCas, kMin, kMax, kInc, kDec, kAnd, kOr, kXor };
enum class ShuffleMode : uint8_t { kNone, kUp, kDown, kBfly, kIdx };
enum class VoteMode : uint8_t { kNone, kAll, kAny, kUni, kBallot };
enum class Semantics : uint8_t { kNone, kWeak, kVolatile, kRelaxed, kAcquire, kRelease, kAcqRel, kSc, kMmio };
enum class Scope : uint8_t { kNone, kCta, kCluster, kGpu, kSys };
enum class CacheOp : uint8_t { kNone, kCa, kCg, kCs, kLu, kCv, kWb, kWt, kNc };
enum class PrmtMode : uint8_t { kNone, kF4e, kB4e, kRc8, kEcl, kEcr, kRc16 };
enum class TestProperty : uint8_t { kNone, kFinite, kInfinite, kNumber, kNotanumber, kNormal, kSubnormal };
enum class BarKind : uint8_t { kSync, kArrive, kRed, kWait };
// Where a bulk copy moves bytes: from global to shared memory, between the shared memories of a cluster, or
// from shared to global memory.
enum class BulkWay : uint8_t { kLoad, kPass, kStore };
// What a surface access does outside of the surface: end the kernel, use the nearest element, read zeros.
enum class Bounds : uint8_t { kTrap, kClamp, kZero };
// The matrices of D = A * B + C.
enum class MatrixRole : uint8_t { kA, kB, kC, kD };
enum class ImageProperty : uint8_t { kWidth, kHeight, kDepth };

struct Modifiers {
  Rounding rounding = Rounding::kNone;
  Compare compare = Compare::kNone;
  BoolOp bool_op = BoolOp::kNone;  // setp.lt.and; bar.red: kAnd, kOr, where popc is kNone
  Part part = Part::kNone;         // mul.lo, .hi, .wide; dp2a.lo, .hi
  AtomOp atom_op = AtomOp::kNone;  // also for redux: kAdd, kMin, kMax, kAnd, kOr, kXor
  ShuffleMode shuffle = ShuffleMode::kNone;
  VoteMode vote = VoteMode::kNone;  // also for match: kAny, kAll
  Semantics semantics = Semantics::kNone;
  Scope scope = Scope::kNone;
  CacheOp cache = CacheOp::kNone;
  PrmtMode prmt = PrmtMode::kNone;
  TestProperty test = TestProperty::kNone;
  BarKind bar = BarKind::kSync;  // barrier.cluster: kArrive, kWait
  BulkWay bulk = BulkWay::kLoad;
  uint8_t vector = 1;  // .v2, .v4
  bool ftz = false, sat = false, relu = false, nan = false, xorsign = false, approx = false, full = false;
  bool carry_out = false;     // .cc
  bool wrap = false;          // shf.wrap; false: .clamp
  bool shift_left = false;    // shf.l
  bool shift_amount = false;  // bfind.shiftamt
  bool uniform = false;       // bra.uni, call.uni, ret.uni
  bool sync = false;          // shfl.sync, vote.sync, match.sync ...
  bool aligned = true;        // bar.sync, barrier.sync.aligned; false: barrier.sync
  bool to_space = false;      // cvta.to
  bool no_complete = false;   // mbarrier.arrive.noComplete
  bool all = false;           // cp.async.wait_all
  bool drop = false;          // mbarrier.arrive_drop
  bool expect_tx = false;     // mbarrier.arrive.expect_tx: the last operand is a transaction count
  bool parity = false;        // mbarrier.test_wait.parity, try_wait.parity: the operand is the phase's parity
  bool no_increment = false;  // cp.async.mbarrier.arrive.noinc
  bool multicast = false;     // cp.async.bulk: to the blocks of a mask
  bool only_read = false;     // cp.async.bulk.wait_group.read
  bool of_proxies = false;    // fence.proxy, fence.mbarrier_init: orders no accesses of threads
  bool launches = false;      // griddepcontrol.launch_dependents
  bool absolute = false;      // min, max .xorsign.abs; redux.abs
  bool saturate_finite = false;  // cvt.satfinite
  // fma that is made of a mul and a sub (simt/contraction.h); PTX has no words for it.
  bool minus_product = false, minus_addend = false;
  uint8_t dimensions = 0;  // of a texture, surface or tensor: tex.2d; 0: none of these
  Bounds bounds = Bounds::kTrap;
  ImageProperty property = ImageProperty::kWidth;
  bool float_coordinates = false;  // of tex: set when it is decoded
  // mma, wmma: A is m x k, B is k x n, C and D are m x n. m = 0: not such an instruction.
  uint8_t m = 0, n = 0, k = 0;
  Type type_a = Type::kNone, type_b = Type::kNone;  // of an element
  MatrixRole matrix = MatrixRole::kD;               // the one that wmma.load loads
  bool wmma = false;                                // fragments as wmma has them, not as mma
  bool column_major = false;                        // the matrix in memory
  bool transposed = false;                          // ldmatrix.trans, stmatrix.trans
};

// 10. Special registers.
enum class Special : uint8_t {
  kTidX,
  kTidY,
  kTidZ,
  kNtidX,
  kNtidY,
  kNtidZ,
  kCtaidX,
  kCtaidY,
  kCtaidZ,
  kNctaidX,
  kNctaidY,
  kNctaidZ,
  kLaneid,
  kWarpid,
  kNwarpid,
  kSmid,
  kNsmid,
  kGridid,
  kLanemaskEq,
  kLanemaskLe,
  kLanemaskLt,
  kLanemaskGe,
  kLanemaskGt,
  kClock,
  kClockHi,
  kClock64,
  kGlobaltimer,
  kGlobaltimerLo,
  kGlobaltimerHi,
  kDynamicSmemSize,
  kTotalSmemSize,
  kGridWorkspaceHi,  // %envreg1 and %envreg2: see Launch::grid_workspace
  kGridWorkspaceLo,
  kClusterIdX,
  kClusterIdY,
  kClusterIdZ,
  kNclusterIdX,
  kNclusterIdY,
  kNclusterIdZ,
  kClusterCtaidX,
  kClusterCtaidY,
  kClusterCtaidZ,
  kClusterNctaidX,
  kClusterNctaidY,
  kClusterNctaidZ,
  kClusterCtarank,
  kClusterNctarank,
  kIsExplicitCluster,  // a predicate
  kZero,               // always reads 0 here (other %envreg)
};

struct Operand {
  enum class Kind : uint8_t {
    kNone,       // absent optional operand
    kRegister,   // index: into Function::registers; negated: !%p
    kImmediate,  // bits
    kAddress,    // [base + offset]: base register (index) if has_base, or variable (index) if !has_base;
                 // of a texture, surface or tensor map with the coordinates as parts
    kVariable,   // a variable's name: index into Module::variables or Function::variables (see `local`)
    kFunction,   // index into Module::functions
    kLabel,      // index of the instruction that the label precedes
    kSpecial,    // special
    kVector,     // parts: registers, immediates or sinks
    kSink,       // _
  };
  Kind kind = Kind::kNone;
  bool negated = false;  // !%p
  bool has_base =
      false;  // kAddress: index is a register; else a variable, or an absolute address (see `absolute`)
  bool absolute = false;  // kAddress without a base or variable: offset is the address
  bool local = false;  // kVariable, or a kAddress of one: the variable is the function's own (see Function)
  Special special = Special::kZero;
  uint32_t index = 0;
  uint64_t bits = 0;  // integers sign-extended to 64 bits; an f32's 32 bits; an f64's 64 bits
  int64_t offset = 0;
  std::vector<Operand> parts;
};

// A place in a source file, from .loc. An inlined line also knows where it was inlined, outermost call last.
struct SourcePoint {
  uint32_t file = 0, line = 0, column = 0;  // file: the number of a .file directive; 0 means unknown
  auto operator<=>(const SourcePoint&) const = default;
};
struct SourceLine {
  SourcePoint at;          // innermost: the line the instruction comes from
  SourcePoint inlined_at;  // the outermost caller's line; file 0: not inlined
  SourcePoint called_at;   // the innermost caller's line
};

struct OpcodeEntry;  // opcode_table.h

// Operands are in PTX order, destinations first. The second destination of setp and shfl (p|q) is an operand
// of its own, kSink when absent. Optional trailing operands that are absent are not in the list.
struct Instruction {
  Op op = Op::kMov;
  const OpcodeEntry* entry = nullptr;
  std::array<Type, 3> types{};    // in the order written: cvt.D.A; set.cmp.D.A; otherwise types[0]
  Space space = Space::kGeneric;  // ld, st, atom, red, cvta, isspacep ...
  Modifiers modifiers;
  Operand guard;  // kNone or a predicate register, negated for @!p
  std::vector<Operand> operands;
  std::vector<uint32_t> targets;  // brx.idx: instruction indices
  // call: operands[0] is the callee (kFunction or kRegister); these are the local .param variables it passes.
  std::vector<uint32_t> call_results, call_arguments;  // indices into Function::variables
  SourceLine source;
  uint32_t ptx_line = 0;  // line in the PTX text
  std::string text;       // as written, without comments and with white space folded: "add.s32 %r1, %r2, 4;"
};

}  // namespace warpscope::ptx
