// A kernel in executable form: its PTX and that of every function it can call, decoded into one array of
// fixed-size instructions with register rows, handlers, branch targets and reconvergence points. decode.h
// makes it, interpreter.h runs it, sm/ times it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/core/ids.h"
#include "kernels/sim/ptx/instruction.h"
#include "kernels/sim/simt/registers.h"

namespace warpscope::sim {

struct Instruction;

// Executes a register-only instruction (arithmetic, moves, setp, but also shfl, vote, match, activemask,
// redux, elect) for the lanes of `mask`, which is not empty and has the guard applied. Lanes outside it keep
// their destinations.
//
// Conventions for operands that handlers (alu/) rely on, beyond what Instruction says:
//   - Predicates: a predicate source kNoPredicate is the constant true, or false if negated (mov.pred %p,
//   -1).
//   - `immediate` holds lop3's table and cvta's window base (0 where there is no window). Every other
//   constant
//     is a constant row of the operand's width; prmt's selector (sources[2]), shift amounts and bit positions
//     have 32 bits.
//   - Packing and unpacking: the vector's parts are sources or destinations in order, lowest first; `vector`
//     is their number.
//   - .sync: the member mask is the last source: vote [0], match [1], redux [1], shfl [3], elect [0].
//   - cvt: destination_bits and source_bits are the widths of registers that are wider than the types.
using Handler = void (*)(const Instruction&, const Registers&, uint32_t mask);

// The interpreter's treatment of an instruction.
enum class Kind : uint8_t {
  kRegister,      // the handler does everything
  kWarpRegister,  // the same, but the lanes in sources[member_source] must first come together (shfl.sync
                  // ...)
  kReadSpecial,   // destinations[0] = special
  kLocalAddress,  // destinations[0] = immediate + the beginning of the frame's local memory
  kClock,         // a special register that gives the time: %clock, %clock64, %globaltimer ...
  kLoad,
  kStore,          // ld, st: every space but kernel parameters; kParam is parameters and results of calls
  kLoadParameter,  // ld.param of the kernel's own parameters: the same for all lanes unless indexed
  kAtomic,
  kReduction,
  kAsyncCopy,
  kAsyncCommit,
  kAsyncWait,
  kBulkCopy,  // cp.async.bulk and cp.reduce.async.bulk, of each lane
  kBulkCommit,
  kBulkWait,
  kAsyncStore,  // st.async, red.async
  kMbarrier,
  kClusterAddress,  // mapa, getctarank, isspacep.shared
  kClusterBarrier,
  kBarrier,
  kWarpBarrier,
  kFence,
  kBranch,
  kIndirectBranch,
  kCall,
  kIndirectCall,
  kReturn,
  kExit,
  kTrap,
  kSleep,
  kPrint,         // a call of vprintf
  kSetCondition,  // a call of cudaGraphSetConditional
  kGridDependency,
  kNothing,  // prefetch, pmevent, pragma-like
};

inline constexpr uint32_t kNowhere = 0xFFFFFFFFU;  // not an instruction: reconvergence at the function's end

// Fixed size, so that the array is walked without indirection; fields that every instruction needs come
// first.
struct alignas(64) Instruction {
  Handler handler = nullptr;
  PredicateIndex guard = kNoPredicate;
  bool guard_negated = false;
  bool ends_segment = false;    // it may stop its path or redirect it
  bool has_rare_cases = false;  // a division or root that is rounded correctly
  Kind kind = Kind::kNothing;
  ptx::Op op = ptx::Op::kMov;
  ptx::Type type = ptx::Type::kNone;
  // The second type of cvt, set and the like. For ld and st, the width of the registers (kB16, kB32, kB64,
  // kB128), which may be wider than the data that is moved.
  ptx::Type type2 = ptx::Type::kNone;
  ptx::Space space = ptx::Space::kGeneric;  // for memory instructions, and for mov of a variable's address
  // Destinations and sources in PTX order, without predicates. ld: sources[0] is the base of the address
  // (address_bits says whether the row has 64 or 32 bits; without a base source_count is 0), and `immediate`
  // its offset. st: sources[0] is the base, sources[1..] are the values. atom: sources[0] is the base, [1]
  // and [2] are the operands. tex, suld, sust: sources[0] is the handle, then come the coordinates, then the
  // level or the values. mma: the registers of A, B and C. wmma.load: the base and the stride, if any;
  // wmma.store: the base, the registers and the stride. Sinks are Row{kSinkRow}.
  std::array<Row, 8> destinations{};
  std::array<Row, 25> sources{};  // wmma.mma has 24, and its member mask
  std::array<PredicateIndex, 2> predicate_destinations{kNoPredicate, kNoPredicate};
  std::array<PredicateIndex, 2> predicate_sources{kNoPredicate, kNoPredicate};
  std::array<bool, 2> predicate_source_negated{};
  uint8_t vector = 1;  // number of registers of a ld, st, pack or unpack
  uint8_t source_count = 0, destination_count = 0;
  uint8_t address_bits = 64;  // 0: no base, the address is the immediate (local: within the frame)
  uint8_t member_source = 0;  // for kWarpRegister and kWarpBarrier
  uint8_t destination_bits = 0, source_bits = 0;  // for cvt: widths of its registers; 0: as its types
  uint64_t immediate = 0;                         // address offset; lop3's table; cvta's; prmt's ...
  ptx::Special special = ptx::Special::kZero;
  ptx::Modifiers modifiers;
  uint32_t target = kNowhere;      // branch, call: instruction index
  uint32_t reconverge = kNowhere;  // branch: its immediate post-dominator
  uint32_t meetings = 0;           // branch: index into Code::meetings
  uint32_t table = 0;  // brx, call, print: index into Code::tables; bulk copies: into Code::further_addresses
};

// A further address of an instruction that has several (bulk copies, st.async): sources[source] is its base.
struct FurtherAddress {
  uint8_t source = 0, bits = 64;
  int32_t offset = 0;
};
struct FurtherAddresses {
  FurtherAddress from, mbarrier;
  // Of a tensor: its map, whose source the coordinates follow; `from` is then the address in shared memory,
  // whichever way the copy goes, and `mask` the source that says which blocks get it.
  FurtherAddress map;
  uint8_t mask = 0;
};
inline constexpr int32_t kSinkRow = INT32_MAX;
// Whether it is a row of the frame: neither a constant nor a sink.
inline bool isRegister(Row row) {
  return row.index >= 0 && row.index != kSinkRow;
}

// Textures and surfaces, which are loads and stores of the texels' memory with addresses of their own.
inline bool accessesImage(ptx::Op op) {
  return op == ptx::Op::kTex || op == ptx::Op::kImageQuery || op == ptx::Op::kSuld || op == ptx::Op::kSust;
}

// Loads and stores of matrices, which all lanes of a warp make together.
inline bool accessesMatrix(ptx::Op op) {
  return op == ptx::Op::kLdmatrix || op == ptx::Op::kStmatrix || op == ptx::Op::kMatrixLoad ||
         op == ptx::Op::kMatrixStore;
}

// Whether an access sees what other blocks write meanwhile: volatile, relaxed, acquire ...
bool isStrong(const ptx::Modifiers& modifiers);

// Straight-line code that is executed in one go. A segment begins at a branch target; after a branch, call or
// return; at an instruction that reads the time, needs lanes to come together or has several targets; and
// after barriers, fences, atomics, strong (volatile, relaxed, acquire) global loads and sleeps. So only its
// first and last instructions can stop a warp.
struct Segment {
  uint32_t first = 0, count = 0;
};

struct CodeFunction {
  std::string name;
  uint32_t entry = 0, end = 0;        // instruction indices
  uint32_t rows = 0, predicates = 0;  // per frame; rows count from 0, predicate 0 is the carry flag
  uint32_t local_bytes = 0;           // for its .local variables, per thread
  uint32_t frame_bytes = 0;           // local_bytes plus the parameters of its calls, which follow them
  // The positions of its own parameters and results in its frame, for callers to copy.
  struct Parameter {
    uint32_t offset = 0, bytes = 0;
  };
  std::vector<Parameter> parameters, results;
};

// A function pointer holds this plus 16 times the index into ptx::Module::functions.
inline constexpr uint64_t kFunctionWindow = 0x4'0000'0000;

struct KernelParameter {
  uint32_t offset = 0, bytes = 0, alignment = 1;  // in the parameter block
  ptx::Type type = ptx::Type::kNone;              // kB8 with bytes > 1: an aggregate
};

// A register as the PTX names it, of the kernel or of a function. The type is that of the instructions that
// use it where the declaration (.b32) leaves it open.
struct NamedRegister {
  std::string name;
  ptx::Type type = ptx::Type::kNone;
};

struct Code {
  std::string kernel;  // name of the entry function
  std::vector<Instruction> instructions;
  std::vector<Segment> segments;
  std::vector<uint32_t> segment_of;     // by instruction
  std::vector<uint32_t> constants;      // as rows
  std::vector<CodeFunction> functions;  // [0] is the kernel
  std::vector<uint32_t> function_of;    // by instruction: index into functions
  // brx: its targets. call, print: for each argument, then each result, the offset in the caller's frame and
  // the size. Table 0: the entry of each of the module's functions, kNowhere if it is not part of this code.
  std::vector<std::vector<uint32_t>> tables;
  // Where the lanes of a branch meet that go on in a loop, or the function, which others leave: the innermost
  // loop's first, instruction indices. The first one of these lists is empty.
  std::vector<std::vector<uint32_t>> meetings{1};
  std::vector<FurtherAddresses> further_addresses;
  std::vector<uint32_t> not_unrolled;  // instructions at which loops begin that a compiler must not unroll
  std::vector<KernelParameter> parameters;
  uint32_t parameter_bytes = 0;
  uint32_t static_shared_bytes = 0;  // dynamic shared memory follows it, 16-byte aligned
  uint32_t max_threads_per_block = 1024;
  bool is_own_source = false;             // ptx::Module's
  std::optional<Dim3> required_cluster;   // that the kernel's directives demand
  bool explicit_cluster = false;          // the launch must say how many blocks a cluster has
  uint32_t max_cluster_rank = 0;          // the most blocks that a cluster may have; 0: no directive says
  bool uses_clusters = false;             // has instructions that reach other blocks of a cluster
  std::optional<uint32_t> max_registers;  // the most that the kernel's directives allow a compiler to use
  uint64_t threads_per_sm = 0;  // how many threads its directives want to fit at least; 0: they do not say
  // By instruction, for listings and messages.
  std::vector<std::string> texts;
  std::vector<ptx::SourceLine> lines;
  std::vector<std::string> files;  // by .file number; empty if there is none
  // The registers by name, and which of them each instruction writes: written[written_begin[pc]] and so on,
  // first those of its destinations, then those of its two predicate destinations; kNowhere for none.
  std::vector<NamedRegister> registers;
  std::vector<uint32_t> written_begin, written;
  bool recursive = false;    // frames have no static bound
  uint32_t stack_bytes = 0;  // local memory per thread: all frames that can exist at once

  // The entry that a function pointer points to; kNowhere if it does not point to a function.
  uint32_t functionAt(uint64_t pointer) const {
    const uint64_t index = (pointer - kFunctionWindow) / 16;
    const bool valid = !tables.empty() && index < tables[0].size() && (pointer - kFunctionWindow) % 16 == 0;
    return valid ? tables[0][index] : kNowhere;
  }
};

}  // namespace warpscope::sim
