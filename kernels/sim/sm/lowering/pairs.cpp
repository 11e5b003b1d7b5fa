// The pairs that ptxas merges into one instruction: IMAD.WIDE with its addend, LEA, LEA.HI, three-input
// IADD3, LOP3 and VIMNMX, ISETP with a second predicate, VIADDMNMX, FLO for the position of the highest bit,
// and offsets in loads and stores (as seen in the SASS of this project's kernels for sm_90, and of about 60
// more, one for each pair: ptxas 13.0).
#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <optional>
#include <set>

#include "kernels/sim/sm/lowering/passes.h"
#include "kernels/sim/sm/lowering/units.h"

namespace warpscope::sim::lowering {
namespace {

using ptx::Op;
using ptx::Type;

bool isInteger(Type type) {
  return !ptx::isFloat(type) && type != Type::kPred && type != Type::kNone;
}
bool isLogic(Op op) {
  return op == Op::kAnd || op == Op::kOr || op == Op::kXor || op == Op::kNot || op == Op::kLop3;
}
uint32_t bits(Type type) {
  return ptx::bytesOf(type) * 8;
}
// Of its result, as far as that is read.
uint32_t bits(const Operation& operation) {
  return operation.narrow ? 32 : bits(operation.instruction->type);
}
bool isWide(const Instruction& in) {
  return in.op == Op::kMul && in.modifiers.part == ptx::Part::kWide;
}
bool isWideProduct(const Operation& operation) {
  return isWide(*operation.instruction) && bits(operation.instruction->type) == 32 && !operation.narrow;
}
// The same of a product of two words of 16 bits, which is one of 32.
uint32_t resultBits(const Operation& operation) {
  return isWide(*operation.instruction) && bits(operation.instruction->type) == 16 ? 32 : bits(operation);
}

class Pairs {
 public:
  explicit Pairs(Graph& graph) : graph_(graph), profile_(*graph.profile) {}

  void fold() {
    for (Operation& operation : graph_.operations) {
      for (Value& v : operation.sources) v = graph_.resolve(v);
      for (Value& v : operation.destinations) v = graph_.resolve(v);
      if (operation.guard != kNone) operation.guard = graph_.resolve(operation.guard);
    }
    dropUnused(graph_);
    zero_ = graph_.intern(ValueKind::kConstant, 0, 1);
    uses_ = countUses(graph_);
    for (const SegmentInfo& segment : graph_.segments) {
      for (const uint32_t o : segment.operations) {
        const Operation& operation = graph_.operations[o];
        if (!operation.dropped && operation.instruction != nullptr) foldOne(graph_.operations[o]);
      }
    }
    placeSumsOfOne();
    dropUnused(graph_);
  }

 private:
  void foldOne(Operation& n) {
    const Instruction& in = *n.instruction;
    if (n.access >= 0 && in.address_bits != 0 && !n.sources.empty()) foldAddress(n);
    if (in.op == Op::kMma && in.modifiers.type_a == Type::kTf32) dropMasks(n);
    if (in.kind != Kind::kRegister || n.destinations.empty()) return;
    if (in.type == Type::kPred) return foldPredicates(n);
    if (ptx::isFloat(in.type)) return foldFloat(n);
    switch (in.op) {
      case Op::kAdd:
      case Op::kSub:
        return foldAdd(n, in);
      case Op::kMin:
      case Op::kMax:
        if (bits(in.type) == 32 && profile_.limits.compute_capability.major >= 9) foldExtremum(n, in);
        return;
      case Op::kAnd:
      case Op::kOr:
      case Op::kXor:
      case Op::kNot:
        if (in.op == Op::kOr && foldRotation(n)) return;
        if (in.op == Op::kOr && bits(n) == 32 && (foldFunnel(n) || foldAppended(n))) return;
        return foldLogic(n);
      case Op::kShl:
      case Op::kShr:
        return dropWrap(n, in);
      case Op::kSetp:
        return foldCompare(n, in);
      case Op::kDiv:
      case Op::kRem:
        if (n.sources.size() >= 2 && graph_.isConstant(n.sources[1]))
          n.unit = divideByConstantUnit(in, graph_.values[n.sources[1]].bits, profile_);
        return;
      case Op::kMul:
        return foldMultiply(n);
      case Op::kMovePack:
        return foldPack(n);
      default:
        return;
    }
  }

  // F2FP converts two floats to halves and packs them.
  void foldPack(Operation& n) {
    if (n.sources.size() != 2 || bits(n.instruction->type) != 32) return;
    const bool same = n.sources[0] == n.sources[1];
    std::array<const Operation*, 2> made{};
    for (size_t i = 0; i < 2; ++i) {
      made[i] = maker(n.sources[i], n);
      if (made[i] == nullptr || made[i]->instruction->op != Op::kCvt || uses_[n.sources[i]] != (same ? 2 : 1))
        return;
      const Instruction& from = *made[i]->instruction;
      if (bits(from.type) != 16 || !ptx::isFloat(from.type) || from.type2 != Type::kF32) return;
    }
    n.unit = made[0]->unit;
    n.sources = {made[0]->sources[0], made[1]->sources[0]};
  }

  // HMMA reads no more bits of tf32 numbers than they have.
  void dropMasks(Operation& n) {
    constexpr uint64_t kMask = 0xFFFFE000;
    for (Value& v : n.sources) {
      const Operation* made = maker(v, n);
      if (made != nullptr && made->instruction->op == Op::kAnd && made->sources.size() == 2 &&
          graph_.isConstant(made->sources[1], kMask) && usedOnce(v))
        v = made->sources[0];
    }
  }

  // The only operation that produces a value, if its own sources can still be read where `user` is.
  Operation* maker(Value v, const Operation& user) {
    Operation* found = graph_.makerOf(v);
    if (found == nullptr || found->dropped || found->pinned || found == &user) return nullptr;
    const bool same = found->segment == user.segment;
    const bool stable = std::all_of(found->sources.begin(), found->sources.end(),
                                    [&](Value s) { return same || graph_.values[s].definitions <= 1; });
    return stable ? found : nullptr;
  }
  bool usedOnce(Value v) const { return uses_[v] == 1; }

  static void absorb(Operation& n, size_t source, const Operation& made) {
    n.sources.erase(n.sources.begin() + static_cast<std::ptrdiff_t>(source));
    n.sources.insert(n.sources.begin() + static_cast<std::ptrdiff_t>(source), made.sources.begin(),
                     made.sources.end());
  }

  // Address + constant becomes the offset of the access.
  void foldAddress(Operation& n) {
    for (int depth = 0; depth < 8; ++depth) {
      const Operation* made = maker(n.sources[0], n);
      if (made == nullptr || made->sources.size() != 2 || !isInteger(made->instruction->type)) return;
      const Op op = made->instruction->op;
      if (foldWindow(n, *made) || foldVariable(n, *made)) return;
      if ((op == Op::kAdd || op == Op::kSub) && graph_.isConstant(made->sources[1]))
        n.sources[0] = made->sources[0];
      else if (op == Op::kAdd && graph_.isConstant(made->sources[0]))
        n.sources[0] = made->sources[1];
      else
        return;
    }
  }

  // Whether what accesses there need is provided in a loop that lanes may leave after different numbers of
  // trips: an innermost loop finds it provided before.
  bool isProvidedInUnevenLoop(uint32_t segment) {
    const uint32_t own = graph_.segments[segment].loop;
    const bool has_inner = std::ranges::any_of(graph_.loops, [&](const Loop& l) { return l.parent == own; });
    uint32_t loop = own == kNone || has_inner ? own : graph_.loops[own].parent;
    for (; loop != kNone; loop = graph_.loops[loop].parent) {
      const auto [at, is_new] = uneven_.try_emplace(loop, false);
      if (is_new) {
        at->second = std::ranges::any_of(graph_.loops[loop].segments,
                                         [&](uint32_t s) { return leavesUnevenly(s, loop); });
      }
      if (at->second) return true;
    }
    return false;
  }
  bool leavesUnevenly(uint32_t segment, uint32_t loop) const {
    const std::vector<uint32_t>& next = graph_.segments[segment].successors;
    if (next.size() < 2 || std::ranges::all_of(next, [&](uint32_t s) { return graph_.inLoop(s, loop); }))
      return false;
    const Value guard = graph_.operations[lastPc(graph_, segment)].guard;
    return guard != kNone && !graph_.values[graph_.resolve(guard)].agreed;
  }

  // Shared memory's window, which is in a uniform register, is added by the access: [R+UR]. (A scaled index
  // makes a LEA or IMAD with it.) But where lanes leave a loop one after the other, ptxas keeps the window in
  // a register of each lane (13.0 for sm_90: S2R of SR_CgaCtaId, not S2UR).
  bool foldWindow(Operation& n, const Operation& made) {
    if (n.instruction->space != ptx::Space::kShared || made.instruction->op != Op::kAdd ||
        !usedOnce(n.sources[0]) || isProvidedInUnevenLoop(n.segment))
      return false;
    for (size_t i = 0; i < 2; ++i) {
      if (graph_.values[made.sources[i]].kind != ValueKind::kSharedAddress) continue;
      const Operation* index = graph_.makerOf(made.sources[1 - i]);
      const bool scaled = index != nullptr && !index->dropped &&
                          (index->instruction->op == Op::kShl || index->instruction->op == Op::kMul);
      if (scaled || graph_.isConstant(made.sources[1 - i])) return false;
      absorb(n, 0, made);
      return true;
    }
    return false;
  }

  // Where a variable of constant memory begins is a part of the LDC that reads it: c[3][R + 16].
  bool foldVariable(Operation& n, const Operation& made) {
    if (n.instruction->space != ptx::Space::kConst || made.instruction->op != Op::kAdd) return false;
    for (size_t i = 0; i < 2; ++i) {
      if (graph_.values[made.sources[i]].kind != ValueKind::kConstantBank) continue;
      n.sources[0] = made.sources[1 - i];
      return true;
    }
    return false;
  }

  void foldAdd(Operation& n, const Instruction& in) {
    if (n.sources.size() < 2) return;
    if (bits(n) == 64) return foldWideAdd(n, in);
    if (bits(n) < 16) return;
    // FLO computes 31 - clz(x).
    if (const Operation* clz = maker(n.sources[1], n); in.op == Op::kSub && clz != nullptr &&
                                                       clz->instruction->op == Op::kClz &&
                                                       graph_.isConstant(n.sources[0], 31)) {
      absorb(n, 1, *clz);
      n.unit = chainUnit(profile_, Pipe::kSpecial, 1);
      return;
    }
    n.balanced = !in.modifiers.carry_out;
    if (n.narrow) dropWidening(n);
    if (in.op == Op::kAdd) {
      holdConstants(n);
      addOneOfTwo(n);
    }
    for (size_t i = 0; i < 2; ++i) {
      const Operation* made = maker(n.sources[i], n);
      if (made == nullptr || !isInteger(made->instruction->type)) continue;
      const Op op = made->instruction->op;
      if (resultBits(*made) != bits(n)) continue;
      if (!usedOnce(n.sources[i]) && !(op == Op::kShl && isOnlyAdded(n.sources[i]))) continue;
      // The addend of IMAD can be negated. A product by a constant can also be subtracted: by the negative
      // constant.
      const bool negates = in.op == Op::kAdd || i == 0 ||
                           std::ranges::any_of(made->sources, [&](Value v) { return graph_.isConstant(v); });
      if (bits(n) == 16 && !isShift(*made)) continue;
      if (op == Op::kMul && !isWideProduct(*made) && negates) {
        // To the upper half of a product a pair is added, whose lower half is zero.
        const bool upper = made->instruction->modifiers.part == ptx::Part::kHi;
        n.unit = upper ? productUnit(profile_, 2, 1, 1, 0) : multiplyAddUnit(profile_);
        n.balanced = false;
      } else if (isShift(*made) && in.op == Op::kAdd) {  // LEA, LEA.HI, which hold the distance
        n.unit = chainUnit(profile_, Pipe::kInt, 1);
        absorb(n, i, *made);
        n.sources[i + 1] = zero_;
        return;
      } else if ((op == Op::kAdd || op == Op::kSub) && made->balanced && made->sources.size() == 2 &&
                 n.sources.size() == 2 && !addsOneOfTwo(n) && !addsOneOfTwo(*made)) {
        n.unit = chainUnit(profile_, Pipe::kInt, 1);
        n.balanced = false;
      } else {
        continue;
      }
      absorb(n, i, *made);
      return;
    }
  }

  // A number of 32 bits need not be made wider for a sum of which only the lower half is read, as for an
  // address of local memory.
  void dropWidening(Operation& n) {
    for (size_t i = 0; i < n.sources.size(); ++i) {
      const Operation* made = maker(n.sources[i], n);
      if (made == nullptr || made->instruction->op != Op::kCvt || made->guard != kNone) continue;
      const Instruction& from = *made->instruction;
      if (isInteger(from.type) && isInteger(from.type2) && bits(from.type2) == 32 && bits(from.type) == 64)
        absorb(n, i, *made);
    }
  }

  // Whether a sum adds one of two constants as a predicate says: that is VIADD of one, and VIADD of the other
  // under the predicate, and no part of an IADD3 (ptxas 13.0 for sm_90: all 135 such sums of 1 or 0 of the
  // truth suite's open part).
  bool addsOneOfTwo(const Operation& sum) {
    return sum.instruction->op == Op::kAdd &&
           std::ranges::any_of(sum.sources, [&](Value v) { return selectionOfTwo(v, sum) != nullptr; });
  }
  Operation* selectionOfTwo(Value v, const Operation& sum) {
    Operation* made = graph_.makerOf(v);
    const bool is = maker(v, sum) != nullptr && made->instruction->op == Op::kSelp && usedOnce(v) &&
                    made->sources.size() > 2 && bits(*made) == 32 && graph_.isConstant(made->sources[0]) &&
                    graph_.isConstant(made->sources[1]);
    return is ? made : nullptr;
  }
  // The two are added where the sum is, though the selection may have been made before a loop. A register
  // that is added to itself is written last, by a move, as both VIADD read it (ptxas 13.0 for sm_90: 8 pairs
  // of constants, each also from before a loop and as a short body, 2026-11-27). The selection stands for one
  // of the VIADD.
  void addOneOfTwo(const Operation& sum) {
    if (sum.sources.size() != 2 || bits(sum) != 32 || sum.guard != kNone) return;
    for (size_t i = 0; i < 2; ++i) {
      const Operation* selection = selectionOfTwo(sum.sources[i], sum);
      if (selection == nullptr) continue;
      const bool in_place = sum.sources[1 - i] == sum.destinations[0] && !isUnrolled(sum.segment);
      sums_of_one_.push_back({indexOf(*selection), indexOf(sum), in_place});
      return;
    }
  }

  struct SumOfOne {
    uint32_t selection = 0, sum = 0;
    bool in_place = false;
  };

  uint32_t indexOf(const Operation& operation) const {
    return static_cast<uint32_t>(&operation - graph_.operations.data());
  }

  void placeSumsOfOne() {
    for (const SumOfOne& of : sums_of_one_) {
      const uint32_t segment = graph_.operations[of.sum].segment;
      std::vector<uint32_t>& list = graph_.segments[segment].operations;
      if (std::ranges::find(list, of.sum) == list.end()) continue;
      if (graph_.operations[of.selection].segment != segment) {
        const uint32_t moved = moveSelection(of.selection, segment);
        list.insert(std::ranges::find(list, of.sum), moved);
      }
      if (!of.in_place) continue;
      const uint32_t move = addMove(of.sum);
      list.insert(std::next(std::ranges::find(list, of.sum)), move);
    }
  }

  uint32_t moveSelection(uint32_t from, uint32_t segment) {
    Operation selection = graph_.operations[from];
    graph_.operations[from].dropped = true;
    selection.segment = segment;
    selection.pinned = selection.chooses = true;
    const Value result = selection.destinations[0];
    const uint32_t moved = graph_.addOperation(std::move(selection));
    graph_.values[result].definition = moved;
    return moved;
  }

  uint32_t addMove(uint32_t of) {
    Operation move;
    move.pc = graph_.operations[of].pc;
    move.segment = graph_.operations[of].segment;
    move.unit = chainUnit(profile_, Pipe::kInt, 1);
    move.balanced = move.pinned = move.pure = move.late = true;
    move.sources = {graph_.operations[of].destinations[0]};
    return graph_.addOperation(std::move(move));
  }

  bool isUnrolled(uint32_t segment) const {
    const uint32_t loop = graph_.segments[segment].loop;
    return loop != kNone && graph_.loops[loop].unrolled;
  }

  // Whether an addition of 64 bits can do this operation itself: it extends a sign (IADD3, LEA.HI.X.SX32) or
  // shifts (LEA, LEA.HI.X).
  bool isIndex(const Operation& made) const {
    const Instruction& from = *made.instruction;
    if (from.op == Op::kCvt) return ptx::isSigned(from.type2) && bits(from.type2) == 32;
    return from.op == Op::kShl && made.sources.size() == 2 && graph_.isConstant(made.sources[1]);
  }
  // VIADD holds the constants, so that neither needs a register.
  void holdConstants(const Operation& sum) {
    for (const Value v : sum.sources) {
      if (Operation* made = selectionOfTwo(v, sum)) made->sources[0] = made->sources[1] = zero_;
    }
  }

  // Whether a shifted value is only used in sums. Each sum is a LEA then, and the shift is not needed
  // (ptxas 13.0 for sm_90: 110 shifts of the truth suite's open part with two or more sums and no other use
  // are so, 7 are not).
  bool isOnlyAdded(Value v) {
    const auto [at, is_new] = only_added_.try_emplace(v, true);
    if (!is_new) return at->second;
    for (const Operation& reader : graph_.operations) {
      if (reader.dropped || std::ranges::count(reader.sources, v) == 0) continue;
      const bool sums = reader.instruction != nullptr && reader.instruction->op == Op::kAdd &&
                        isInteger(reader.instruction->type) && bits(reader) == 32 &&
                        reader.sources.size() == 2 && std::ranges::count(reader.sources, v) == 1 &&
                        std::ranges::none_of(reader.sources, [&](Value s) { return graph_.isConstant(s); });
      if (!sums) at->second = false;
    }
    return at->second;
  }

  // By a constant; a narrower integer is not shifted right by LEA.HI.
  bool isShift(const Operation& made) const {
    const Op op = made.instruction->op;
    return (op == Op::kShl || (op == Op::kShr && bits(made) == 32)) && made.sources.size() == 2 &&
           graph_.isConstant(made.sources[1]);
  }

  // IMAD.WIDE takes a 64-bit addend, also within the product of 64-bit integers; a shifted addend makes LEA
  // and LEA.HI.X; and IADD3 with two carries adds three integers.
  void foldWideAdd(Operation& n, const Instruction& in) {
    if (in.op != Op::kAdd || foldRotation(n)) return;
    for (size_t i = 0; i < 2; ++i) {
      const Operation* made = maker(n.sources[i], n);
      if (made == nullptr) continue;
      const Instruction& from = *made->instruction;
      if (from.op == Op::kMul && from.modifiers.part == ptx::Part::kWide && bits(from.type) == 32) {
        n.unit = wideMultiplyAddUnit(profile_);
      } else if (usedOnce(n.sources[i]) && (isIndex(*made) || isSumOfTwo(n, *made))) {
        n.unit = chainUnit(profile_, Pipe::kInt, 2);
      } else if (from.op == Op::kMul && bits(from.type) == 64 && !made->narrow && usedOnce(n.sources[i]) &&
                 from.modifiers.part != ptx::Part::kHi &&
                 graph_.segments[made->segment].loop == graph_.segments[n.segment].loop) {
        // The upper half of the same product has the other products of words.
        n.unit = hasUpperHalf(*made) ? productUnit(profile_, 2, 2, 1, 0) : made->unit;
      } else {
        continue;
      }
      absorb(n, i, *made);
      return;
    }
  }

  // Whether `made`, which the sum `n` takes, is itself a sum of two integers of 64 bits, neither with a carry
  // for others.
  bool isSumOfTwo(const Operation& n, const Operation& made) const {
    return made.instruction->op == Op::kAdd && bits(made) == 64 && made.sources.size() == 2 &&
           n.sources.size() == 2 && !n.instruction->modifiers.carry_out &&
           !made.instruction->modifiers.carry_out && made.unit.issues == 2;
  }

  bool hasUpperHalf(const Operation& product) const {
    return std::ranges::any_of(graph_.segments[product.segment].operations, [&](uint32_t o) {
      const Operation& other = graph_.operations[o];
      return !other.dropped && other.instruction != nullptr && other.instruction->op == Op::kMul &&
             other.instruction->modifiers.part == ptx::Part::kHi && bits(other.instruction->type) == 64 &&
             other.sources == product.sources;
    });
  }

  using TwoShifts = std::array<const Operation*, 2>;

  // The two shifts that `n` joins, x << k and y >> w - k in either order, where w is its width and k a
  // constant.
  std::optional<TwoShifts> shiftsThatMeet(const Operation& n) {
    if (n.sources.size() != 2) return std::nullopt;
    TwoShifts made{};
    uint64_t distance = 0;
    for (size_t i = 0; i < 2; ++i) {
      made[i] = maker(n.sources[i], n);
      if (made[i] == nullptr || !usedOnce(n.sources[i]) || made[i]->sources.size() != 2) return std::nullopt;
      const Instruction& from = *made[i]->instruction;
      const bool shifts = from.op == Op::kShl || (from.op == Op::kShr && !ptx::isSigned(from.type));
      if (!shifts || bits(from.type) != bits(n) || !graph_.isConstant(made[i]->sources[1]))
        return std::nullopt;
      distance += graph_.values[made[i]->sources[1]].bits & 0xFFFFFFFFU;
    }
    const bool meet = made[0]->instruction->op != made[1]->instruction->op && distance == bits(n);
    return meet ? std::optional(made) : std::nullopt;
  }

  // x << k | x >> 64 - k, for which nvcc writes an addition: two SHF.L.W, or other names of the halves.
  bool foldRotation(Operation& n) {
    if (bits(n) != 64 || n.narrow) return false;
    const auto shifts = shiftsThatMeet(n);
    if (!shifts || (*shifts)[0]->sources[0] != (*shifts)[1]->sources[0]) return false;
    const bool swaps = graph_.isConstant((*shifts)[0]->sources[1], 32);
    n.unit = sequenceUnit(profile_, Pipe::kInt, swaps ? 0 : 2, 1);
    n.sources = {(*shifts)[0]->sources[0]};
    return true;
  }

  // x << k | y >> 32 - k: one SHF, which shifts the pair of both.
  bool foldFunnel(Operation& n) {
    const auto shifts = shiftsThatMeet(n);
    if (!shifts) return false;
    n.unit = sequenceUnit(profile_, Pipe::kInt, 1, 1);
    n.sources = {(*shifts)[0]->sources[0], (*shifts)[1]->sources[0]};
    shifted_.insert(&n);
    return true;
  }

  // By how many bits an operation shifts to the left, which a product by a power of two does, too.
  std::optional<uint32_t> shiftsLeftBy(const Operation& made) const {
    const Instruction& from = *made.instruction;
    if (resultBits(made) != 32 || made.sources.size() != 2 || !graph_.isConstant(made.sources[1]))
      return std::nullopt;
    const auto constant = static_cast<uint32_t>(graph_.values[made.sources[1]].bits);
    if (from.op == Op::kShl) return constant;
    const bool product = from.op == Op::kMul && from.modifiers.part != ptx::Part::kHi &&
                         !isWideProduct(made) && !ptx::isSigned(from.type) && std::has_single_bit(constant);
    return product ? std::optional(static_cast<uint32_t>(std::countr_zero(constant))) : std::nullopt;
  }

  // x << k | y is a sum if y has no more than k bits: one LEA or IMAD, and no part of a LOP3.
  bool foldAppended(Operation& n) {
    for (size_t i = 0; i < n.sources.size() && n.sources.size() == 2; ++i) {
      const Operation* made = maker(n.sources[i], n);
      if (made == nullptr || !usedOnce(n.sources[i]) || graph_.isConstant(n.sources[1 - i])) continue;
      const auto distance = shiftsLeftBy(*made);
      if (!distance || significantBits(n.sources[1 - i]) > *distance) continue;
      n.unit =
          made->instruction->op == Op::kShl ? chainUnit(profile_, Pipe::kInt, 1) : multiplyAddUnit(profile_);
      absorb(n, i, *made);
      shifted_.insert(&n);
      return true;
    }
    return false;
  }

  // How many of the lowest bits of a value may be ones, as far as ptxas sees.
  uint32_t significantBits(Value v, int depth = 0) const {
    constexpr int kDeep = 6;
    constexpr uint32_t kAll = 64;
    const ValueInfo& info = graph_.values[v];
    if (info.kind == ValueKind::kConstant) return static_cast<uint32_t>(std::bit_width(info.bits));
    if (depth > kDeep || info.definitions != 1 || info.definition == kNone) return kAll;
    const Operation& made = graph_.operations[info.definition];
    if (made.instruction == nullptr || made.guard != kNone) return kAll;
    const Instruction& in = *made.instruction;
    const auto of = [&](size_t i) { return significantBits(made.sources[i], depth + 1); };
    if (in.kind == Kind::kLoad) return ptx::isSigned(in.type) || ptx::isFloat(in.type) ? kAll : bits(in.type);
    if (in.kind != Kind::kRegister || made.sources.empty() || ptx::isFloat(in.type)) return kAll;
    const bool by_constant = made.sources.size() == 2 && graph_.isConstant(made.sources[1]);
    const auto distance = [&] { return static_cast<uint32_t>(graph_.values[made.sources[1]].bits & 63U); };
    switch (in.op) {
      case Op::kAnd:
        return made.sources.size() == 2 ? std::min(of(0), of(1)) : kAll;
      case Op::kOr:
      case Op::kXor:
      case Op::kSelp:
        return made.sources.size() >= 2 ? std::max(of(0), of(1)) : kAll;
      case Op::kShl:
        return by_constant ? std::min(of(0) + distance(), kAll) : kAll;
      case Op::kShr:
        return by_constant && !ptx::isSigned(in.type)
                   ? std::min(of(0), bits(in.type)) - std::min({of(0), bits(in.type), distance()})
                   : kAll;
      case Op::kCvt:
        return ptx::isSigned(in.type2) || ptx::isFloat(in.type2) ? kAll : std::min(of(0), bits(in.type2));
      default:
        return kAll;
    }
  }

  // SHF.W reads no more than 5 bits of the distance.
  void dropWrap(Operation& n, const Instruction& in) {
    if (bits(n) != 32 || bits(in.type) != 32 || n.sources.size() != 2) return;
    if (in.op == Op::kShr && ptx::isSigned(in.type)) return;
    const Operation* made = maker(n.sources[1], n);
    if (made == nullptr || made->instruction->op != Op::kAnd || bits(*made) != 32 ||
        made->sources.size() != 2 || !graph_.isConstant(made->sources[1], 31) || !usedOnce(n.sources[1]))
      return;
    n.sources[1] = made->sources[0];
  }

  // VIADDMNMX computes the minimum or maximum of a sum, VIMNMX3 that of three numbers.
  void foldExtremum(Operation& n, const Instruction& in) {
    for (size_t i = 0; i < n.sources.size(); ++i) {
      const Operation* made = maker(n.sources[i], n);
      if (made == nullptr || !usedOnce(n.sources[i]) || made->sources.size() != 2 || addsOneOfTwo(*made))
        continue;
      const Instruction& from = *made->instruction;
      const bool sum = (from.op == Op::kAdd || from.op == Op::kSub) && bits(from.type) == 32;
      if (!sum && !(from.op == in.op && from.type == in.type)) continue;
      absorb(n, i, *made);
      return;
    }
  }

  size_t distinct(const Operation& n, size_t leave_out, const Operation& made) const {
    std::vector<Value> all = made.sources;
    for (size_t i = 0; i < n.sources.size(); ++i) {
      if (i != leave_out) all.push_back(n.sources[i]);
    }
    std::sort(all.begin(), all.end());
    return static_cast<size_t>(std::unique(all.begin(), all.end()) - all.begin());
  }

  // LOP3 computes any function of three inputs; 64 bits take two of it. What a mask clears need not be
  // cleared by a conversion before.
  void foldLogic(Operation& n) {
    dropMaskedConversion(n);
    for (size_t i = 0; i < n.sources.size() && bits(n) >= 16;) {
      const Operation* made = maker(n.sources[i], n);
      const bool merges = made != nullptr && isLogic(made->instruction->op) && bits(*made) == bits(n) &&
                          usedOnce(n.sources[i]) && distinct(n, i, *made) <= 3 && !shifted_.contains(made);
      if (!merges) {
        ++i;
        continue;
      }
      if (made->unit.issues > n.unit.issues) n.unit = made->unit;  // of 64 bits, only a half may be computed
      absorb(n, i, *made);
    }
  }

  void dropMaskedConversion(Operation& n) {
    if (n.instruction->op != Op::kAnd || n.sources.size() != 2 || bits(n) != 32) return;
    for (size_t i = 0; i < 2; ++i) {
      const Operation* made = maker(n.sources[i], n);
      if (made == nullptr || made->instruction->op != Op::kCvt || !graph_.isConstant(n.sources[1 - i]))
        continue;
      const Instruction& from = *made->instruction;
      if (!isInteger(from.type) || !isInteger(from.type2) || bits(from.type2) > 16 || from.modifiers.sat)
        continue;
      if (graph_.values[n.sources[1 - i]].bits >> bits(from.type2) == 0) absorb(n, i, *made);
    }
  }

  void foldMultiply(Operation& n) {
    // A factor that fits into 32 bits saves one product of the three.
    const bool small = std::ranges::any_of(
        n.sources, [&](Value v) { return graph_.isConstant(v) && graph_.values[v].bits >> 32U == 0; });
    constexpr uint8_t kSmall = 3;
    if (bits(n) == 64 && !isWideProduct(n) && small && n.unit.issues > kSmall &&
        n.instruction->modifiers.part != ptx::Part::kHi)
      n.unit = productUnit(profile_, kSmall, 3, 1, 1);
    if (resultBits(n) != 32 || isWideProduct(n) || n.sources.size() < 2) return;
    const bool power = std::any_of(n.sources.begin(), n.sources.end(), [&](Value v) {
      return graph_.isConstant(v) && std::has_single_bit(graph_.values[v].bits & 0xFFFFFFFFU);
    });
    if (power) {
      n.unit = chainUnit(profile_, Pipe::kInt, 1);
      n.balanced = true;
    }
  }

  // Negation and absolute value are modifiers of the instruction that reads the value.
  void foldFloat(Operation& n) {
    for (size_t i = 0; i < n.sources.size(); ++i) {
      const Operation* made = maker(n.sources[i], n);
      if (made == nullptr || (made->instruction->op != Op::kNeg && made->instruction->op != Op::kAbs))
        continue;
      if (ptx::isFloat(made->instruction->type) && made->sources.size() == 1) absorb(n, i, *made);
    }
    if (n.instruction->op == Op::kCvt && n.instruction->modifiers.sat) foldSaturation(n);
    // div.approx by a number that is known, where a loop is unrolled, is a product with its reciprocal.
    if (n.instruction->op == Op::kDiv && n.instruction->modifiers.approx && n.sources.size() > 1 &&
        graph_.isConstant(n.sources[1]))
      n.unit = chainUnit(profile_, Pipe::kFp32, 1);
  }

  // FADD.SAT, FMUL.SAT and FFMA.SAT saturate what they compute.
  void foldSaturation(Operation& n) {
    if (n.instruction->type != Type::kF32 || n.instruction->type2 != Type::kF32 || n.sources.size() != 1)
      return;
    const Operation* made = maker(n.sources[0], n);
    if (made == nullptr || !usedOnce(n.sources[0]) || made->instruction->type != Type::kF32) return;
    const Op op = made->instruction->op;
    if (op != Op::kAdd && op != Op::kSub && op != Op::kMul && op != Op::kFma) return;
    n.unit = made->unit;
    n.sources = made->sources;
  }

  void foldCompare(Operation& n, const Instruction& in) {
    if (n.sources.size() < 2 || !isInteger(in.type)) return;
    const bool equality =
        in.modifiers.compare == ptx::Compare::kEq || in.modifiers.compare == ptx::Compare::kNe;
    if (bits(in.type) == 16) dropExtension(n);
    if (bits(in.type) == 16 && equality && ptx::isSigned(in.type)) extendVariables(n);
    if (!equality || bits(in.type) < 32) return;
    Operation* made = maker(n.sources[0], n);
    if (made == nullptr || !usedOnce(n.sources[0])) return;
    const Instruction& from = *made->instruction;
    // LOP3 can also write "is not zero" to a predicate, and that of the other half takes it as an input.
    if (isLogic(from.op) && bits(from.type) == bits(in.type) && graph_.isConstant(n.sources[1], 0) &&
        !shifted_.contains(made) && !takesHalf(*made))
      absorb(n, 0, *made);
    if (bits(in.type) != 32) return;
    // A comparison of a predicate that was turned into a number gives the predicate itself.
    if (from.op == Op::kSelp && made->sources.size() == 3 && graph_.isConstant(made->sources[0]) &&
        graph_.isConstant(made->sources[1]) && graph_.isConstant(n.sources[1]) &&
        n.destinations.size() == 1 && n.guard == kNone && graph_.values[n.destinations[0]].definitions == 1 &&
        graph_.resolve(made->sources[2]) != n.destinations[0]) {
      graph_.values[n.destinations[0]].alias = graph_.resolve(made->sources[2]);
      n.dropped = true;
      renameSources();
    }
  }

  // A mask of one half of 64 bits costs nothing, and what it is applied to is computed as if it were not
  // there.
  bool takesHalf(const Operation& logic) const {
    constexpr uint64_t kHalf = 0xFFFFFFFF;
    return logic.instruction->op == Op::kAnd && bits(logic.instruction->type) == 64 &&
           std::ranges::any_of(logic.sources, [&](Value v) {
             return graph_.isConstant(v, kHalf) || graph_.isConstant(v, ~kHalf);
           });
  }

  // A word that comes from several places is extended by a PRMT before it is compared (23 kernels of the
  // truth suite's open part and of 199 more compare 127 such words; their SASS has as many PRMT in 15 of
  // them: ptxas 13.0 for sm_90, 2026-11-27).
  void extendVariables(Operation& n) {
    const auto variables = std::ranges::count_if(n.sources, [&](Value v) {
      return graph_.values[v].kind == ValueKind::kRegister && graph_.values[v].definitions > 1;
    });
    if (variables > 0) n.unit = compareUnit(profile_, 1 + static_cast<uint32_t>(variables));
  }

  // A load has extended a byte, or a signed number, already.
  void dropExtension(Operation& n) {
    const Operation* made = maker(n.sources[0], n);
    if (made == nullptr || made->instruction->kind != Kind::kLoad) return;
    const Type type = made->instruction->type;
    if (bits(type) == 8 || ptx::isSigned(type)) n.unit.issues = 1;
  }

  // and, or of predicates: the comparison that produces one of them takes the other as an input.
  void foldPredicates(Operation& n) {
    for (size_t i = 0; i < n.sources.size() && n.sources.size() == 2; ++i) {
      const Operation* made = maker(n.sources[i], n);
      const bool merges = made != nullptr && made->instruction->op == Op::kSetp && usedOnce(n.sources[i]) &&
                          made->destinations.size() == 1 &&
                          made->instruction->modifiers.bool_op == ptx::BoolOp::kNone;
      if (!merges) continue;
      n.unit = made->unit;
      absorb(n, i, *made);
      return;
    }
  }

  void renameSources() {
    for (Operation& operation : graph_.operations) {
      for (Value& v : operation.sources) v = graph_.resolve(v);
      if (operation.guard != kNone) operation.guard = graph_.resolve(operation.guard);
    }
    uses_ = countUses(graph_);
  }

  Graph& graph_;
  const DeviceProfile& profile_;
  Value zero_ = kNone;
  std::vector<uint32_t> uses_;
  std::map<uint32_t, bool> uneven_;  // by loop
  std::vector<SumOfOne> sums_of_one_;
  std::map<Value, bool> only_added_;    // shifted values, before their sums are LEA
  std::set<const Operation*> shifted_;  // SHF, though an `or` in PTX
};

}  // namespace

void foldPairs(Graph& graph) {
  Pairs(graph).fold();
}

void dropUnused(Graph& graph) {
  std::vector<uint32_t> uses = countUses(graph);
  std::vector<uint32_t> work(graph.operations.size());
  for (uint32_t o = 0; o < work.size(); ++o) work[o] = o;
  std::vector<std::vector<uint32_t>> makers(graph.values.size());
  for (uint32_t o = 0; o < graph.operations.size(); ++o) {
    for (const Value v : graph.operations[o].destinations) makers[graph.resolve(v)].push_back(o);
  }
  while (!work.empty()) {
    Operation& operation = graph.operations[work.back()];
    work.pop_back();
    if (operation.dropped || operation.pinned || operation.writes_memory ||
        operation.transfer != Transfer::kNot)
      continue;
    const bool read = std::any_of(operation.destinations.begin(), operation.destinations.end(),
                                  [&](Value v) { return uses[graph.resolve(v)] > 0; });
    if (read) continue;
    operation.dropped = true;
    for (const Value v : operation.sources) {
      const Value source = graph.resolve(v);
      if (--uses[source] > 0) continue;
      work.insert(work.end(), makers[source].begin(), makers[source].end());
    }
  }
}

}  // namespace warpscope::sim::lowering
