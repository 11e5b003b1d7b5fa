// Functions of the special function unit (MUFU), as ptxas 13.0 makes them for sm_90: the argument of a sine
// is scaled, and without .ftz arguments that are too small or too large are scaled before and results after.
// Divisions and roots that are rounded correctly branch past a subroutine for rare operands. All are taken
// apart, so that other instructions can come between, though not across that branch and its BSYNC.
#include <algorithm>

#include "kernels/sim/sm/lowering/expansion.h"
#include "kernels/sim/sm/lowering/passes.h"

namespace warpscope::sim::lowering {
namespace {

using ptx::Op;

class SpecialFunctions : Expansion {
 public:
  using Expansion::Expansion;

  void takeApart() {
    run([this](uint32_t o) { return takeApart(o); });
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
    const Value small = predicate(), scaled = number(), made = number();
    add(o, compares(), {argument}, small);
    graph_.operations[add(o, unit(Pipe::kFp32), {argument, small}, scaled)].guard = small;
    special(o, scaled, made);
    graph_.operations[finish(o, unit(Pipe::kFp32), {made, small}, result)].guard = small;
  }

  // MUFU.RCP, FCHK, five FFMA, BRA.
  void divide(uint32_t o) {
    const Value a = graph_.operations[o].sources[0], b = graph_.operations[o].sources[1];
    const Value result = graph_.operations[o].destinations[0], fits = predicate();
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
    finish(o, unit(Pipe::kFp32), {better, rest, quotient}, result);
    branch(o, fits);
    meet(o);
  }

  // MUFU.RSQ, IADD3, ISETP, BRA, two FMUL, two FFMA.
  void root(uint32_t o) {
    const Value x = graph_.operations[o].sources[0], result = graph_.operations[o].destinations[0];
    const Value y = number(), range = number(), fits = predicate();
    const Value near = number(), half = number(), rest = number();
    begin(o);
    special(o, x, y);
    add(o, unit(Pipe::kInt), {x}, range);
    add(o, compares(), {range}, fits);
    branch(o, fits);
    add(o, unit(Pipe::kFp32), {x, y}, near);
    add(o, unit(Pipe::kFp32), {y}, half);
    add(o, unit(Pipe::kFp32), {near, x}, rest);
    finish(o, unit(Pipe::kFp32), {rest, half, near}, result);
    meet(o);
  }

  // IADD3, LOP3, ISETP, BRA, MUFU.RCP, FFMA, FADD, FFMA.
  void reciprocal(uint32_t o) {
    const Value x = graph_.operations[o].sources[0], result = graph_.operations[o].destinations[0];
    const Value range = number(), exponent = number(), fits = predicate();
    const Value y = number(), error = number(), negative = number();
    begin(o);
    add(o, unit(Pipe::kInt), {x}, range);
    add(o, unit(Pipe::kInt), {range}, exponent);
    add(o, compares(), {exponent}, fits);
    branch(o, fits);
    special(o, x, y);
    add(o, unit(Pipe::kFp32), {x, y}, error);
    add(o, unit(Pipe::kFp32), {error}, negative);
    finish(o, unit(Pipe::kFp32), {y, negative}, result);
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
  void special(uint32_t o, Value from, Value to) { become(o, unit(Pipe::kSpecial), {from}, to); }

  static constexpr uint8_t kScaled = 4, kRounded = 10, kRoundedAlike = 8;  // instructions
  // Until the branch has been taken, and until the warp goes on behind a BSYNC (26 divisions and 33 roots of
  // the truth suite's open part by PC samples; H100, 580.159.04, 2026-11-27).
  static constexpr uint8_t kBranchCycles = 6, kMeetCycles = 14;
  static constexpr uint32_t kCheckedCycles = 8;  // a predicate of the special function unit comes later

  bool meets_ = false;
};

}  // namespace

void splitSpecialFunctions(Graph& graph) {
  SpecialFunctions(graph).takeApart();
}

}  // namespace warpscope::sim::lowering
