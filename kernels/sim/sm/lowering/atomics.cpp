// Atomics of all lanes on one address in global or shared memory, which ptxas has a warp make as one (found
// by compiling about 50 kernels with ptxas 13.0 for sm_90, 2026-11-25): the lanes that are there (VOTEU),
// their leader (UFLO, S2R LANEID, ISETP), how many they are (POPC), and the leader's atomic. A sum that is
// not 1 for each lane is the product of both (IMAD), or of values that differ the result of REDUX (and MOV).
// Where the result is used, it is handed to all (SHFL), each of which adds those before it (S2R LTMASK, LOP3,
// POPC, IADD3 or IMAD); values that differ are not summed then. What only one thread does (threadIdx.x == 0)
// is left alone, and so are floats, and in shared memory 64-bit integers and the count of lanes, which is an
// instruction there (ATOMS.POPC.INC; 28 atomics in shared memory compiled with ptxas 13.0, 2026-11-27).
#include <algorithm>

#include "kernels/sim/sm/lowering/graph.h"
#include "kernels/sim/sm/lowering/passes.h"

namespace warpscope::sim::lowering {
namespace {

using ptx::AtomOp;
using ptx::Op;

class Aggregator {
 public:
  explicit Aggregator(Graph& graph) : graph_(graph), uses_(countUses(graph)) {}

  void aggregate() {
    for (Operation& operation : graph_.operations) {
      if (operation.dropped || operation.instruction == nullptr || operation.sources.empty()) continue;
      const Instruction& in = *operation.instruction;
      const bool known = in.space == ptx::Space::kGlobal || in.space == ptx::Space::kShared;
      if ((in.kind != Kind::kAtomic && in.kind != Kind::kReduction) || !known || ptx::isFloat(in.type) ||
          !isOneAddress(operation) || isOneThreads(operation.segment))
        continue;
      const uint32_t issues = issuesOf(operation, in);
      if (issues == 0) continue;
      operation.unit.issues = static_cast<uint8_t>(issues);
      operation.unit.on_pipe = 1;
      const auto value = operation.sources.begin() + static_cast<std::ptrdiff_t>(addressSources(operation));
      if (graph_.isConstant(*value)) operation.sources.erase(value);  // the sequence holds it
    }
  }

 private:
  // The number of its sources that make the address, before the others: none, if it is a variable's, two, if
  // shared memory's window is added to one.
  static size_t addressSources(const Operation& operation) {
    const size_t others = operation.instruction->source_count - 1U + (operation.guard == kNone ? 0U : 1U);
    return operation.sources.size() - std::min(operation.sources.size(), others);
  }
  bool isOneAddress(const Operation& operation) const {
    const auto first = operation.sources.begin();
    return std::all_of(first, first + static_cast<std::ptrdiff_t>(addressSources(operation)), [&](Value v) {
      return graph_.values[v].agreed || graph_.values[v].kind != ValueKind::kRegister;
    });
  }

  // 0: each lane makes its own.
  uint32_t issuesOf(const Operation& operation, const Instruction& in) const {
    const Value value = operation.sources[addressSources(operation)];
    const bool wide = ptx::bytesOf(in.type) == 8, same = graph_.values[value].agreed;
    const bool used = std::ranges::any_of(operation.destinations, [&](Value v) { return uses_[v] > 0; });
    const bool sum = in.modifiers.atom_op == AtomOp::kAdd;
    const bool shared = in.space == ptx::Space::kShared;
    if (shared && (wide || (sum && !used && graph_.isConstant(value, 1)))) return 0;
    if (wide) return sum && same && graph_.isConstant(value) ? (used ? 21 : 12) : 0;
    if (used) return sum && same ? (graph_.isConstant(value, 1) ? 11 : 12) : 0;
    if (sum) return graph_.isConstant(value, 1) ? 6 : 7;
    switch (in.modifiers.atom_op) {
      case AtomOp::kMin:
      case AtomOp::kMax:
      case AtomOp::kAnd:
      case AtomOp::kOr:
      case AtomOp::kXor:
        return 7;
      default:
        return 0;
    }
  }

  // Whether only the lane with some threadIdx.x comes here.
  bool isOneThreads(uint32_t segment) const {
    for (uint32_t s = segment; s != kNone; s = graph_.segments[s].dominator) {
      const std::vector<uint32_t>& before = graph_.segments[s].predecessors;
      if (before.size() == 1 && comesFromOne(before[0], s)) return true;
    }
    return false;
  }

  bool comesFromOne(uint32_t from, uint32_t to) const {
    const Instruction& branch = lastOf(graph_, from);
    const Operation& operation = graph_.operations[lastPc(graph_, from)];
    if (!isConditional(branch) || operation.guard == kNone || graph_.segments[from].successors.size() != 2)
      return false;
    const Value guard = graph_.resolve(operation.guard);
    if (graph_.values[guard].definition == kNone) return false;
    const Operation& compare = graph_.operations[graph_.values[guard].definition];
    if (compare.instruction == nullptr || compare.instruction->op != Op::kSetp || compare.sources.size() != 2)
      return false;
    const bool constant = graph_.isConstant(compare.sources[1]) && isThread(compare.sources[0]);
    const bool taken = graph_.code->segment_of[branch.target] == to;
    // Whether the comparison holds on the way to `to`.
    const bool holds = taken != branch.guard_negated;
    const ptx::Compare wanted = holds ? ptx::Compare::kEq : ptx::Compare::kNe;
    return constant && compare.instruction->modifiers.compare == wanted;
  }

  bool isThread(Value v) const {
    const uint32_t definition = graph_.values[graph_.resolve(v)].definition;
    if (definition == kNone) return false;
    const Instruction* maker = graph_.operations[definition].instruction;
    return maker != nullptr && maker->kind == Kind::kReadSpecial && maker->special == ptx::Special::kTidX;
  }

  Graph& graph_;
  std::vector<uint32_t> uses_;
};

}  // namespace

void aggregateAtomics(Graph& graph) {
  Aggregator(graph).aggregate();
}

}  // namespace warpscope::sim::lowering
