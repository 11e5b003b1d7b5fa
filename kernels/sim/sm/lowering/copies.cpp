#include <algorithm>
#include <bit>
#include <optional>

#include "kernels/sim/sm/lowering/passes.h"

namespace warpscope::sim::lowering {
namespace {

using ptx::Op;
using ptx::Type;

// Keys of constant-bank values: parameters by offset, sizes after them.
constexpr uint64_t kSpecialBank = 0x10000;
constexpr uint64_t kAddressBank = 0x20000;
// A load of constant memory at an address that is known is an operand of what uses it: c[3][16].
constexpr uint64_t kVariableBank = uint64_t{1} << 56;

bool isLaunchConstant(ptx::Special special) {
  switch (special) {
    case ptx::Special::kNtidX:
    case ptx::Special::kNtidY:
    case ptx::Special::kNtidZ:
    case ptx::Special::kNctaidX:
    case ptx::Special::kNctaidY:
    case ptx::Special::kNctaidZ:
    case ptx::Special::kGridid:
    case ptx::Special::kGridWorkspaceHi:
    case ptx::Special::kGridWorkspaceLo:
    case ptx::Special::kDynamicSmemSize:
    case ptx::Special::kTotalSmemSize:
    case ptx::Special::kZero:
      return true;
    default:
      return false;
  }
}

bool isPairOfWords(const Instruction& in) {
  return ptx::bytesOf(in.type) == 8 && in.vector == 2;
}

bool isPredicateLogic(const Instruction& in) {
  return in.type == Type::kPred && (in.op == Op::kAnd || in.op == Op::kOr || in.op == Op::kXor);
}

class Copies {
 public:
  explicit Copies(Graph& graph) : graph_(graph) {}

  void fold() {
    // Two rounds, since a copy may precede what it copies in the text.
    for (int round = 0; round < 2; ++round) {
      for (Operation& operation : graph_.operations) {
        if (!operation.dropped && operation.guard == kNone && !operation.pinned) foldOne(operation);
      }
    }
    for (Operation& operation : graph_.operations) {
      for (Value& v : operation.sources) v = graph_.resolve(v);
      if (operation.guard != kNone) operation.guard = graph_.resolve(operation.guard);
    }
    const std::vector<uint32_t> uses = countUses(graph_);
    for (const SegmentInfo& segment : graph_.segments) coalesce(segment, uses);
  }

 private:
  bool single(Value v) const { return graph_.values[v].definitions == 1; }
  bool isConstant(Value v, uint64_t bits) const { return graph_.isConstant(graph_.resolve(v), bits); }
  bool isStable(Value v) const {
    const ValueInfo& info = graph_.values[graph_.resolve(v)];
    return info.definitions <= 1;
  }

  bool alias(Operation& operation, Value from, Value to) {
    if (!single(from) || !isStable(to) || graph_.resolve(to) == from) return false;
    graph_.values[from].alias = graph_.resolve(to);
    operation.dropped = true;
    return true;
  }

  void foldOne(Operation& operation) {
    const Instruction& in = *operation.instruction;
    if (operation.destinations.empty()) return;
    if (in.kind == Kind::kLoadParameter && in.address_bits == 0) {
      toBank(operation, in.immediate);
    } else if (in.kind == Kind::kLoad && in.space == ptx::Space::kConst && in.address_bits == 0) {
      toBank(operation, kVariableBank + in.immediate);
    } else if (in.kind == Kind::kReadSpecial && isLaunchConstant(in.special)) {
      toBank(operation, kSpecialBank + static_cast<uint64_t>(in.special));
    } else if (in.kind == Kind::kRegister) {
      foldRegister(operation, in);
    }
  }

  void toBank(Operation& operation, uint64_t key) {
    const uint32_t bytes = 4U * graph_.values[operation.destinations[0]].words;
    for (const Value v : operation.destinations) {
      if (!single(v)) return;
    }
    for (size_t i = 0; i < operation.destinations.size(); ++i) {
      const Value v = operation.destinations[i];
      graph_.values[v].alias =
          graph_.intern(ValueKind::kConstantBank, key + i * bytes, graph_.values[v].words);
    }
    operation.dropped = true;
  }

  void foldRegister(Operation& operation, const Instruction& in) {
    const Value to = operation.destinations[0];
    if (const auto bits = single(to) ? resultOfConstants(graph_, operation) : std::nullopt) {
      alias(operation, to, graph_.intern(ValueKind::kConstant, *bits, graph_.values[to].words));
      return;
    }
    switch (in.op) {
      case Op::kMov:
        if (operation.sources.size() != 1) return;
        // The address of a variable in global memory is itself in the constant bank.
        if (in.space == ptx::Space::kGlobal || in.space == ptx::Space::kConst) {
          toBank(operation, kAddressBank + graph_.values[operation.sources[0]].bits);
        } else {
          alias(operation, to, operation.sources[0]);
        }
        return;
      case Op::kCvta:
        if (in.space != ptx::Space::kShared && in.space != ptx::Space::kLocal &&
            operation.sources.size() == 1)
          alias(operation, to, operation.sources[0]);
        return;
      case Op::kCvt:
        if (costsNothing(operation, in)) alias(operation, to, operation.sources[0]);
        return;
      case Op::kMoveUnpack:
        foldUnpack(operation);
        return;
      case Op::kMovePack:
        // The parts are computed where they are needed: in neighbouring registers.
        if (isPairOfWords(in) && std::ranges::all_of(operation.sources, [&](Value v) {
              return graph_.resolve(v) == v && single(v);
            }))
          alias(operation, to, operation.sources.back());
        return;
      case Op::kNot:
        if (in.type == Type::kPred && operation.sources.size() == 1)
          alias(operation, to, operation.sources[0]);
        return;
      case Op::kAdd:
        // The address of a local variable: %SPL + 0.
        if (operation.sources.size() != 2 || ptx::isFloat(in.type)) return;
        for (size_t i = 0; i < 2; ++i) {
          if (graph_.isConstant(operation.sources[i], 0) && alias(operation, to, operation.sources[1 - i]))
            return;
        }
        return;
      default:
        if (isPredicateLogic(in) && operation.sources.size() == 2) foldLogic(operation);
    }
  }

  // Integer conversions that cost nothing: to a wider unsigned type (the upper half is zero), and to the
  // lower half.
  bool costsNothing(const Operation& operation, const Instruction& in) {
    if (operation.sources.size() != 1 || in.modifiers.sat) return false;
    if (ptx::isFloat(in.type) || ptx::isFloat(in.type2)) return false;
    const uint32_t to = ptx::bytesOf(in.type), from = ptx::bytesOf(in.type2);
    if (from < 4) {
      const Operation* maker = graph_.makerOf(operation.sources[0]);
      if (maker != nullptr && maker->instruction->kind == Kind::kLoad) return true;
      return from == 2 && !ptx::isSigned(in.type2) && isExtended(operation.sources[0]);
    }
    if (to < 4) return !ptx::isSigned(in.type);
    return to <= from || operation.narrow || !ptx::isSigned(in.type2);
  }

  // Whether a word of 16 bits is known to have zeros above, in its register of 32.
  bool isExtended(Value v) { return mostOf(v).has_value(); }

  // The greatest number that a word of 16 bits can be, if ptxas knows that its register has zeros above. What
  // it computes of such words has them, too, unless it needs more bits (byte colours counted, chains of
  // trusses, bytes of addresses: ptxas 13.0 for sm_90, truth suite's SASS of 2026-11-27).
  std::optional<uint64_t> mostOf(Value v, int depth = 0) {
    constexpr int kDeep = 6;
    constexpr uint64_t kMostPositive = 0x7FFF;
    const Value value = graph_.resolve(v);
    if (graph_.isConstant(value)) {
      const uint64_t bits = graph_.values[value].bits;
      return bits <= kMostPositive ? std::optional(bits) : std::nullopt;
    }
    const Operation* made = graph_.makerOf(value);
    if (made == nullptr || depth > kDeep) return {};
    const Instruction& in = *made->instruction;
    if (in.kind == Kind::kLoad) {
      const uint32_t bytes = ptx::bytesOf(in.type);
      return ptx::isSigned(in.type) || bytes > 2 ? std::nullopt
                                                 : std::optional((uint64_t{1} << (8 * bytes)) - 1);
    }
    if (in.kind != Kind::kRegister || ptx::bytesOf(in.type) != 2 || made->sources.size() < 2) return {};
    const auto first = mostOf(made->sources[0], depth + 1), second = mostOf(made->sources[1], depth + 1);
    return mostOf(*made, first, second);
  }

  std::optional<uint64_t> mostOf(const Operation& made, std::optional<uint64_t> first,
                                 std::optional<uint64_t> second) const {
    constexpr uint64_t kMost = 0xFFFF;
    const Instruction& in = *made.instruction;
    if (in.op == Op::kAnd) return first && second ? std::min(first, second) : first ? first : second;
    if (in.op == Op::kShr && !ptx::isSigned(in.type) && first && graph_.isConstant(made.sources[1]))
      return *first >> std::min<uint64_t>(graph_.values[made.sources[1]].bits, 16);
    if (!first || !second) return {};
    const auto fits = [](uint64_t most) { return most <= kMost ? std::optional(most) : std::nullopt; };
    switch (in.op) {
      case Op::kOr:
      case Op::kXor:
        return std::bit_ceil(std::max(*first, *second) + 1) - 1;
      case Op::kSelp:
        return std::max(first, second);
      case Op::kAdd:
        return fits(*first + *second);
      default:
        return {};
    }
  }

  void foldUnpack(Operation& operation) {
    for (const Value v : operation.destinations) {
      if (!single(v)) return;
    }
    if (operation.sources.size() != 1) return;
    if (!isPairOfWords(*operation.instruction) && !isStable(operation.sources[0])) return;
    for (const Value v : operation.destinations)
      graph_.values[v].alias = graph_.resolve(operation.sources[0]);
    operation.dropped = true;
  }

  // With a constant operand, the result is the other predicate, or its inverse.
  void foldLogic(Operation& operation) {
    for (size_t i = 0; i < 2; ++i) {
      if (!graph_.isConstant(graph_.resolve(operation.sources[i]))) continue;
      alias(operation, operation.destinations[0], operation.sources[1 - i]);
      return;
    }
  }

  // A copy into a register that also has other definitions (a loop's variable) costs nothing if the copied
  // value can live in that register: it is computed and read only in this segment, and the register is not
  // read between the computation and the copy.
  void coalesce(const SegmentInfo& segment, const std::vector<uint32_t>& uses) {
    for (size_t at = 0; at < segment.operations.size(); ++at) {
      Operation& copy = graph_.operations[segment.operations[at]];
      if (copy.dropped || copy.guard != kNone || copy.instruction->op != Op::kMov ||
          copy.sources.size() != 1 || copy.destinations.size() != 1)
        continue;
      const Value from = graph_.resolve(copy.sources[0]), to = graph_.resolve(copy.destinations[0]);
      if (from == to || !single(from) || graph_.values[from].kind == ValueKind::kConstant) continue;
      uint32_t seen = 0;
      bool possible = false, to_is_read = false;
      for (size_t before = at + 1; before-- > 0 && !possible;) {
        const Operation& o = graph_.operations[segment.operations[before]];
        if (o.dropped) continue;
        const bool makes = std::count(o.destinations.begin(), o.destinations.end(), from) > 0;
        seen += static_cast<uint32_t>(std::count(o.sources.begin(), o.sources.end(), from));
        if (makes)
          possible = true;
        else
          to_is_read |= std::count(o.sources.begin(), o.sources.end(), to) > 0;
      }
      if (!possible || to_is_read || seen != uses[from]) continue;
      graph_.values[from].alias = to;
      copy.dropped = true;
    }
  }

  Graph& graph_;
};

}  // namespace

void foldCopies(Graph& graph) {
  Copies(graph).fold();
}

}  // namespace warpscope::sim::lowering
