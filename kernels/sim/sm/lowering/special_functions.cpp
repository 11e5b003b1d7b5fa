// Functions of the special function unit (MUFU), as ptxas 13.0 makes them for sm_90: the argument of a sine
// is scaled, and without .ftz arguments that are too small or too large are scaled before and results after.
// Divisions and roots that are rounded correctly branch past a subroutine for rare operands. All are taken
// apart, so that other instructions can come between, though not across that branch and its BSYNC.
#include <algorithm>

#include "kernels/sim/sm/lowering/graph.h"
#include "kernels/sim/sm/lowering/passes.h"
#include "kernels/sim/sm/lowering/units.h"

namespace warpscope::sim::lowering {
namespace {

using ptx::Op;

class SpecialFunctions {
 public:
  explicit SpecialFunctions(Graph& graph) : graph_(graph) {}

  void takeApart() {
    for (SegmentInfo& segment : graph_.segments) {
      const std::vector<uint32_t> list = segment.operations;
      segment.operations.clear();
      for (const uint32_t o : list) {
        list_ = &segment.operations;
        if (!takeApart(o)) list_->push_back(o);
      }
    }
  }

 private:
  bool takeApart(uint32_t o) {
    const Operation& operation = graph_.operations[o];
    if (operation.dropped || operation.instruction == nullptr || operation.guard != kNone ||
        operation.instruction->type != ptx::Type::kF32 || operation.destinations.size() != 1)
      return false;
    const Unit& unit = operation.unit;
    const Op op = operation.instruction->op;
    if (operation.sources.size() == 2) {
      if (op != Op::kDiv || !isRounded(unit)) return false;
      divide(o);
      return true;
    }
    if (operation.sources.size() != 1) return false;
    const bool is_angle = op == Op::kSin || op == Op::kCos;
    if (is_angle && unit.pipe == Pipe::kSpecial && unit.issues == 2)
      scaleArgument(o);
    else if (unit.pipe == Pipe::kFp32 && unit.on_special == 1 && unit.issues == kScaled)
      scaleBoth(o);
    else if (op == Op::kSqrt && isRounded(unit))
      root(o);
    else if (op == Op::kRcp && isRounded(unit))
      reciprocal(o);
    else
      return false;
    return true;
  }

  static bool isRounded(const Unit& unit) {
    return unit.on_special > 0 && (unit.issues == kRounded || unit.issues == kRoundedAlike);
  }

  // FMUL.RZ by 1 / 2 pi, MUFU.SIN or MUFU.COS.
  void scaleArgument(uint32_t o) {
    const Value scaled = number();
    add(o, unit(Pipe::kFp32), graph_.operations[o].sources, scaled);
    special(o, scaled, graph_.operations[o].destinations[0]);
  }

  // FSETP, @P FMUL, MUFU, @P FMUL or FADD.
  void scaleBoth(uint32_t o) {
    const Value argument = graph_.operations[o].sources[0], result = graph_.operations[o].destinations[0];
    const Value small = graph_.addValue(ValueKind::kPredicate), scaled = number(), made = number();
    add(o, compares(), {argument}, small);
    graph_.operations[add(o, unit(Pipe::kFp32), {argument, small}, scaled)].guard = small;
    special(o, scaled, made);
    graph_.operations[finish(o, {made, small}, result)].guard = small;
  }

  // MUFU.RCP, FCHK, five FFMA, BRA.
  void divide(uint32_t o) {
    const Value a = graph_.operations[o].sources[0], b = graph_.operations[o].sources[1];
    const Value result = graph_.operations[o].destinations[0], fits = graph_.addValue(ValueKind::kPredicate);
    const Value y = number(), error = number(), better = number(), quotient = number(), rest = number();
    begin(o);
    special(o, b, y);
    Unit check = unit(Pipe::kSpecial);
    check.latency_cycles = static_cast<uint16_t>(check.latency_cycles + kCheckedCycles);
    add(o, check, {a, b}, fits);
    add(o, unit(Pipe::kFp32), {b, y}, error);
    add(o, unit(Pipe::kFp32), {y, error}, better);
    add(o, unit(Pipe::kFp32), {a, better}, quotient);
    add(o, unit(Pipe::kFp32), {b, quotient, a}, rest);
    finish(o, {better, rest, quotient}, result);
    branch(o, fits);
    meet(o);
  }

  // MUFU.RSQ, IADD3, ISETP, BRA, two FMUL, two FFMA.
  void root(uint32_t o) {
    const Value x = graph_.operations[o].sources[0], result = graph_.operations[o].destinations[0];
    const Value y = number(), range = number(), fits = graph_.addValue(ValueKind::kPredicate);
    const Value near = number(), half = number(), rest = number();
    begin(o);
    special(o, x, y);
    add(o, unit(Pipe::kInt), {x}, range);
    add(o, compares(), {range}, fits);
    branch(o, fits);
    add(o, unit(Pipe::kFp32), {x, y}, near);
    add(o, unit(Pipe::kFp32), {y}, half);
    add(o, unit(Pipe::kFp32), {near, x}, rest);
    finish(o, {rest, half, near}, result);
    meet(o);
  }

  // IADD3, LOP3, ISETP, BRA, MUFU.RCP, FFMA, FADD, FFMA.
  void reciprocal(uint32_t o) {
    const Value x = graph_.operations[o].sources[0], result = graph_.operations[o].destinations[0];
    const Value range = number(), exponent = number(), fits = graph_.addValue(ValueKind::kPredicate);
    const Value y = number(), error = number(), negative = number();
    begin(o);
    add(o, unit(Pipe::kInt), {x}, range);
    add(o, unit(Pipe::kInt), {range}, exponent);
    add(o, compares(), {exponent}, fits);
    branch(o, fits);
    special(o, x, y);
    add(o, unit(Pipe::kFp32), {x, y}, error);
    add(o, unit(Pipe::kFp32), {error}, negative);
    finish(o, {y, negative}, result);
    meet(o);
  }

  // BSSY, unless all lanes have the same operands.
  void begin(uint32_t o) {
    meets_ = graph_.operations[o].unit.issues == kRounded;
    if (!meets_) return;
    add(o, {.pipe = Pipe::kBranch, .issues = 1, .latency_cycles = 1}, {}, kNone);
  }

  void branch(uint32_t o, Value fits) {
    const Unit unit{.pipe = Pipe::kBranch, .issues = 1, .latency_cycles = 1, .holds_cycles = kBranchCycles};
    add(o, unit, {fits}, kNone);
  }

  // BSYNC.
  void meet(uint32_t o) {
    if (!meets_) return;
    const Unit unit{.pipe = Pipe::kBranch,
                    .issues = 1,
                    .latency_cycles = 1,
                    .holds_cycles = kMeetCycles,
                    .settles = true};
    add(o, unit, {}, kNone);
  }

  // The instruction itself is MUFU.
  void special(uint32_t o, Value from, Value to) {
    Operation& operation = graph_.operations[o];
    operation.sources = {from};
    operation.destinations = {to};
    operation.unit = unit(Pipe::kSpecial);
    if (graph_.values[to].definitions == 0) {
      graph_.values[to].definitions = 1;
      graph_.values[to].definition = o;
    }
    list_->push_back(o);
  }

  // Adds the instruction that makes the result from now on.
  uint32_t finish(uint32_t o, std::vector<Value> sources, Value result) {
    const uint32_t definitions = graph_.values[result].definitions;
    const uint32_t last = add(o, unit(Pipe::kFp32), std::move(sources), result);
    graph_.values[result].definitions = definitions;
    if (definitions == 1) graph_.values[result].definition = last;
    return last;
  }

  uint32_t add(uint32_t o, Unit cost, std::vector<Value> sources, Value to) {
    Operation operation;
    operation.pc = graph_.operations[o].pc;
    operation.segment = graph_.operations[o].segment;
    operation.unit = cost;
    operation.sources = std::move(sources);
    if (to != kNone) operation.destinations = {to};
    operation.pure = true;
    const uint32_t made = graph_.addOperation(std::move(operation));
    list_->push_back(made);
    return made;
  }

  Value number() { return graph_.addValue(ValueKind::kRegister); }
  Unit unit(Pipe pipe) const { return chainUnit(*graph_.profile, pipe, 1); }
  Unit compares() const {
    Unit compare = unit(Pipe::kInt);
    compare.latency_cycles = kPredicateCycles;
    return compare;
  }

  static constexpr uint8_t kScaled = 4, kRounded = 10, kRoundedAlike = 8;  // instructions
  // Until the branch has been taken, and until the warp goes on behind a BSYNC (26 divisions and 33 roots of
  // the truth suite's open part by PC samples; H100, 580.159.04, 2026-11-27).
  static constexpr uint8_t kBranchCycles = 6, kMeetCycles = 14;
  static constexpr uint32_t kCheckedCycles = 8;  // a predicate of the special function unit comes later

  std::vector<uint32_t>* list_ = nullptr;
  bool meets_ = false;
  Graph& graph_;
};

}  // namespace

void splitSpecialFunctions(Graph& graph) {
  SpecialFunctions(graph).takeApart();
}

}  // namespace warpscope::sim::lowering
