// A kernel as it is executed: its PTX and that of every function it can call, decoded into one array of
// fixed-size instructions with register rows, handlers, branch targets and reconvergence points. Made by
// decode.h; run by interpreter.h; timed by sm/.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/sim/ptx/instruction.h"
#include "kernels/sim/simt/registers.h"

namespace warpscope::sim {

struct Instruction;

// Executes a register-only instruction (arithmetic, moves, setp, but also shfl, vote, match, activemask,
// redux, elect) for the lanes of `mask`, which is not empty and has the guard applied. Lanes outside it keep
// their destinations.
//
// What handlers (alu/) expect of operands, beyond what Instruction says:
//   predicates     a predicate source kNoPredicate is the constant true, or false if negated (mov.pred %p,
//   -1) immediate      lop3's table; cvta's window base (0 where there is no window); all else is a constant
//   row of the
//                  operand's width: prmt's selector sources[2], shift amounts and bit positions 32 bits
//   pack, unpack   the vector's parts are sources or destinations in order, lowest first; `vector` counts
//   them .sync          the member mask is the last of sources: vote [0], match [1], redux [1], shfl [3],
//   elect [0] cvt            destination_bits, source_bits: widths of the registers where they are wider than
//   the types
using Handler = void (*)(const Instruction&, const Registers&, uint32_t mask);

// How the interpreter treats an instruction.
enum class Kind : uint8_t {
  kRegister,      // handler does it all
  kWarpRegister,  // the same, but the lanes of sources[member_source] must be together first (shfl.sync ...)
  kReadSpecial,   // destinations[0] = special
  kLocalAddress,  // destinations[0] = immediate + where the frame's local memory begins
  kClock,         // a special register that tells time: %clock, %clock64, %globaltimer ...
  kLoad,
  kStore,          // ld, st: every space but kernel parameters; kParam: parameters and results of calls
  kLoadParameter,  // ld.param of the kernel's own parameters: the same for all lanes unless indexed
  kAtomic,
  kReduction,
  kAsyncCopy,
  kAsyncCommit,
  kAsyncWait,
  kMbarrier,
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
  kPrint,    // kPrint: call of vprintf
  kNothing,  // prefetch, pmevent, pragma-like
};

inline constexpr uint32_t kNowhere = 0xFFFFFFFFU;  // no instruction: reconvergence at the function's end

// Fixed size, so that the array is walked without indirection; what every instruction needs lies in front.
struct alignas(64) Instruction {
  Handler handler = nullptr;
  PredicateIndex guard = kNoPredicate;
  bool guard_negated = false;
  bool ends_segment = false;  // it may stop its path, or send it elsewhere
  Kind kind = Kind::kNothing;
  ptx::Op op = ptx::Op::kMov;
  ptx::Type type = ptx::Type::kNone;
  // The second type of cvt, set and their like. Of ld and st: kB16, kB32, kB64, kB128, the width of the
  // registers, which may be wider than what is moved.
  ptx::Type type2 = ptx::Type::kNone;
  ptx::Space space = ptx::Space::kGeneric;  // of memory instructions, and of mov from a variable's address
  // Destinations and sources in PTX order, without predicates. ld: sources[0] is the address' base (a 64- or
  // 32-bit row, address_bits says which; source_count 0: none), immediate its offset. st: sources[0] base,
  // sources[1..] values. atom: sources[0] base, [1] and [2] operands. Sinks are Row{kSinkRow}.
  std::array<Row, 5> destinations{};
  std::array<Row, 5> sources{};
  std::array<PredicateIndex, 2> predicate_destinations{kNoPredicate, kNoPredicate};
  std::array<PredicateIndex, 2> predicate_sources{kNoPredicate, kNoPredicate};
  std::array<bool, 2> predicate_source_negated{};
  uint8_t vector = 1;  // registers of a ld, st, pack or unpack
  uint8_t source_count = 0, destination_count = 0;
  uint8_t address_bits = 64;  // 0: no base, the address is the immediate (local: in the frame)
  uint8_t member_source = 0;  // of kWarpRegister and kWarpBarrier
  uint8_t destination_bits = 0, source_bits = 0;  // of cvt: its registers' widths; 0: as its types
  uint64_t immediate = 0;                         // address offset; lop3's table; cvta's; prmt's ...
  ptx::Special special = ptx::Special::kZero;
  ptx::Modifiers modifiers;
  uint32_t target = kNowhere;      // branch, call: instruction index
  uint32_t reconverge = kNowhere;  // branch: its immediate post-dominator
  uint32_t table = 0;              // brx, call, print: into Code::tables
};
inline constexpr int32_t kSinkRow = INT32_MAX;

// Straight-line code that is executed in one go: it begins at a branch target, behind a branch, call or
// return, at an instruction that tells time or needs lanes together, and behind barriers, fences, atomics,
// strong (volatile, relaxed, acquire) global loads and sleeps. So only its first and last instruction can
// stop a warp.
struct Segment {
  uint32_t first = 0, count = 0;
};

struct CodeFunction {
  std::string name;
  uint32_t entry = 0, end = 0;        // instruction indices
  uint32_t rows = 0, predicates = 0;  // of one frame; rows counts from 0, predicate 0 is the carry flag
  uint32_t local_bytes = 0;           // of its .local variables, per thread
  uint32_t frame_bytes = 0;           // the same with the parameters of calls behind them
  // Where its own parameters and results lie in its frame, for callers to copy.
  struct Parameter {
    uint32_t offset = 0, bytes = 0;
  };
  std::vector<Parameter> parameters, results;
};

// What function pointers hold: this and 16 times the index into ptx::Module::functions.
inline constexpr uint64_t kFunctionWindow = 0x4'0000'0000;

struct KernelParameter {
  uint32_t offset = 0, bytes = 0, alignment = 1;  // in the parameter block
  ptx::Type type = ptx::Type::kNone;              // kB8 with bytes > 1: an aggregate
};

struct Code {
  std::string kernel;  // entry's name
  std::vector<Instruction> instructions;
  std::vector<Segment> segments;
  std::vector<uint32_t> segment_of;     // by instruction
  std::vector<uint32_t> constants;      // rows
  std::vector<CodeFunction> functions;  // [0] is the kernel
  std::vector<uint32_t> function_of;    // by instruction: index into functions
  // brx: targets. call, print: offset in the caller's frame and size of each argument, then of each result.
  // Table 0: the entry of each of the module's functions, kNowhere if it is not in this code.
  std::vector<std::vector<uint32_t>> tables;
  std::vector<KernelParameter> parameters;
  uint32_t parameter_bytes = 0;
  uint32_t static_shared_bytes = 0;  // dynamic shared memory lies behind it, 16-byte aligned
  uint32_t max_threads_per_block = 1024;
  std::optional<uint32_t> max_registers;  // what the kernel's directives allow a compiler to use
  uint64_t threads_per_sm = 0;            // its directives want so many to fit at least; 0: they do not say
  // For listings and messages, by instruction.
  std::vector<std::string> texts;
  std::vector<ptx::SourceLine> lines;
  std::vector<std::string> files;  // by .file number; empty: none
  bool recursive = false;          // frames have no static bound
  uint32_t stack_bytes = 0;        // local memory of a thread: all frames that can stand at once

  // What a function pointer points to; kNowhere: no function.
  uint32_t functionAt(uint64_t pointer) const {
    const uint64_t index = (pointer - kFunctionWindow) / 16;
    const bool valid = !tables.empty() && index < tables[0].size() && (pointer - kFunctionWindow) % 16 == 0;
    return valid ? tables[0][index] : kNowhere;
  }
};

}  // namespace warpscope::sim
