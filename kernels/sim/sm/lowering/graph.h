// The lowering's view of a kernel: values, the operations that produce and use them, and the control flow
// between segments. Built from Code, simplified in place and ordered by the passes (passes.h). For timing
// only: nothing is ever executed from it.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "kernels/sim/simt/code.h"
#include "kernels/sim/sm/machine_code.h"
#include "kernels/sim/sm/profile.h"

namespace warpscope::sim::lowering {

using Value = uint32_t;
inline constexpr uint32_t kNone = 0xFFFFFFFFU;

// The instructions that Nsight Compute counts as branches (smsp__inst_executed_op_branch); BSSY is not one.
enum class Transfer : uint8_t {
  kNot,
  kBranch,  // BRA, CALL
  kSync,    // BSYNC
  kExit,    // EXIT, also under a predicate
};

enum class ValueKind : uint8_t {
  kRegister,
  kPredicate,
  kConstant,       // held by an instruction: usually an immediate operand
  kConstantBank,   // kernel parameters, block and grid size: loaded once, where they are needed
  kSharedAddress,  // the address of a shared variable: since sm_90 computed from the block's window
};

struct ValueInfo {
  ValueKind kind = ValueKind::kRegister;
  uint8_t words = 1;            // number of 32-bit registers
  bool uniform = false;         // the same for all lanes of a block, and in a uniform register
  bool agreed = false;          // the same for all lanes that have it
  uint64_t bits = 0;            // kConstant, kSharedAddress: value; kConstantBank: which
  uint32_t definition = kNone;  // its only operation, or kNone if there are several or none
  uint32_t definitions = 0;
  Value alias = kNone;  // the value that this one is a copy of
};

// The cost of an operation. A sequence (such as a division) counts as one unit.
struct Unit {
  Pipe pipe = Pipe::kInt;
  uint8_t issues = 1;
  uint16_t latency_cycles = 0;  // 0: the memory system decides
  uint8_t pipe_eighths = 8;     // how much of the pipe's issue interval it takes
  uint8_t on_pipe = 0;          // of the issues, those on the pipe, the others being elsewhere; 0: all
  uint8_t on_special = 0;       // of the issues, those on the special function unit besides
  uint8_t retried = 0;          // of the issues, those repeated for each further lane that changes one word
  uint8_t holds_cycles = 0;     // until something else issues; ptxas moves nothing across it
  bool settles = false;         // what was issued before must have left its pipe
};

struct Operation {
  uint32_t pc = 0;
  uint32_t segment = 0;
  const Instruction* instruction = nullptr;  // nullptr: not from PTX
  Unit unit;
  std::vector<Value> sources;  // guard last, if any
  std::vector<Value> destinations;
  Value guard = kNone;
  int32_t access = -1;
  StackAccess stack;
  uint32_t every = 1;        // of a loop that was unrolled: issues on one of so many trips
  uint32_t once_in = kNone;  // a loop: issues only when the warp comes to it from outside
  uint32_t trip = 0;         // of those whose operations are put in order together
  Transfer transfer = Transfer::kNot;
  bool reads_memory = false, writes_memory = false;
  bool is_fence = false;  // not from PTX: a fence for the GPU that an operation with release semantics needs
  bool pinned = false;    // has effects: never dropped, moved to another segment or copied
  bool ends_segment = false;
  bool balanced = false;  // an add or move: goes to the ALU or the FMA pipe, whichever has less to do
  bool dropped = false;   // costs nothing
  bool narrow = false;    // of its 64-bit result only the lower half is read
  bool chooses = false;   // holds an instruction under a predicate of its own
  bool late = false;      // made when ptxas has already decided which branches become predicates
  bool pure = false;      // not from PTX, and only computes: can be moved to where its sources are known
};

struct SegmentInfo {
  std::vector<uint32_t> operations;  // in PTX order
  std::vector<uint32_t> successors, predecessors;
  uint32_t function = 0;
  uint32_t dominator = kNone;  // the immediate one; kNone: the entry, or unreachable
  uint32_t order = kNone;      // position in reverse postorder of its function; kNone: unreachable
  uint32_t loop = kNone;       // the innermost
  uint32_t depth = 0;          // number of loops around it
  uint32_t group_first = 0, group_count = 1;
  bool predicated = false;
  uint16_t accesses = 0;
};

struct Loop {
  uint32_t header = 0;
  uint32_t parent = kNone;
  uint32_t preheader = kNone;  // where loop invariants are moved to; kNone: nowhere
  uint32_t copies = 1;         // of its trip, as it is unrolled
  bool unrolled = false;       // in full, or into these copies
  uint32_t trips = 0;          // of one that is unrolled in full
  std::vector<uint32_t> segments;
};

struct Graph {
  const Code* code = nullptr;
  const DeviceProfile* profile = nullptr;
  std::vector<Operation> operations;  // those of PTX instructions come first, in their order
  std::vector<ValueInfo> values;
  std::vector<SegmentInfo> segments;  // as Code::segments
  std::vector<Loop> loops;            // outer loops before inner ones
  std::map<std::pair<ValueKind, uint64_t>, Value> interned;
  std::vector<bool> predicated_branch, meets_at_sync, exit_branch, yields;  // by PTX instruction

  Value resolve(Value v) const {
    while (values[v].alias != kNone) v = values[v].alias;
    return v;
  }
  Value addValue(ValueKind kind, uint8_t words = 1);
  Value intern(ValueKind kind, uint64_t bits, uint8_t words);
  // Appends an operation that PTX does not have; the caller adds it to its segment's list.
  uint32_t addOperation(Operation operation);
  bool isConstant(Value v) const { return values[v].kind == ValueKind::kConstant; }
  bool isConstant(Value v, uint64_t bits) const { return isConstant(v) && values[v].bits == bits; }
  // Whether it loads a constant at an address in a register that is the same for all lanes.
  bool loadsConstantOfAll(const Operation& operation) const;
  // The only operation that produces a value, if it is an unguarded PTX instruction.
  Operation* makerOf(Value v);
  bool inLoop(uint32_t segment, uint32_t loop) const;
  bool dominates(uint32_t a, uint32_t b) const;
  uint32_t commonDominator(uint32_t a, uint32_t b) const;  // kNone: there is none
};

// The number of reads of each value by operations that are not dropped.
std::vector<uint32_t> countUses(const Graph& graph);

// Control flow between segments: successors, dominators, loops.

// Fills successors, predecessors, order, dominators and loops of all segments.
void analyzeFlow(Graph& graph);

// Whether a trip of a loop is one basic block of the hardware: it has no branch but those that are
// predicated, and the one that ends the loop or goes back.
bool isOneBlock(const Graph& graph, uint32_t loop);
// Whether it has an operation of whose rare cases a subroutine takes care.
bool hasSubroutine(const Graph& graph, uint32_t loop);

// The segments of a function in reverse postorder, without unreachable ones.
std::vector<uint32_t> reversePostorder(const Graph& graph, uint32_t function);
// All segments that can be reached, function by function, dominators before what they dominate.
std::vector<uint32_t> dominatorsFirst(const Graph& graph);

// The instruction that ends a segment.
inline const Instruction& lastOf(const Graph& graph, uint32_t segment) {
  const Segment& s = graph.code->segments[segment];
  return graph.code->instructions[s.first + s.count - 1];
}
inline uint32_t lastPc(const Graph& graph, uint32_t segment) {
  const Segment& s = graph.code->segments[segment];
  return s.first + s.count - 1;
}
inline bool isConditional(const Instruction& instruction) {
  return instruction.kind == Kind::kBranch && instruction.guard != kNoPredicate;
}

}  // namespace warpscope::sim::lowering
