// Integer divisions of 32 bits or less, counts of bits and reductions of a warp, as the machine instructions
// that ptxas 13.0 makes of them for sm_90: other instructions come between, so that two divisions take little
// longer than one.
#include <map>

#include "kernels/sim/sm/lowering/expansion.h"
#include "kernels/sim/sm/lowering/passes.h"

namespace warpscope::sim::lowering {
namespace {

using ptx::Op;

class Divisions : Expansion {
 public:
  using Expansion::Expansion;

  void takeApart() {
    run([this](uint32_t o) { return takeReciprocal(o); });
    run([this](uint32_t o) { return takeApart(o); });
  }

 private:
  // reciprocals.cpp has made an operation of what depends on the divisor alone.
  bool takeReciprocal(uint32_t o) {
    const Operation& operation = graph_.operations[o];
    if (operation.dropped || operation.instruction != nullptr || operation.guard != kNone ||
        operation.sources.size() != 1 || operation.destinations.size() != 1)
      return false;
    for (const bool is_signed : {false, true}) {
      if (!isLike(operation.unit, reciprocalUnit(is_signed, *graph_.profile))) continue;
      reciprocal(o, is_signed);
      return true;
    }
    return false;
  }

  bool takeApart(uint32_t o) {
    const Operation& operation = graph_.operations[o];
    if (operation.dropped || operation.instruction == nullptr || operation.guard != kNone ||
        operation.destinations.size() != 1)
      return false;
    const Instruction& in = *operation.instruction;
    const Unit& unit = operation.unit;
    const bool divides = in.op == Op::kDiv || in.op == Op::kRem;
    if (divides && operation.sources.size() == 3 && known_.contains(operation.sources[2]) &&
        isLike(unit, divideByKnownUnit(in, *graph_.profile)))
      divide(o);
    else if (in.op == Op::kClz && unit.on_special == 1 && unit.issues == 2)
      countZeros(o);
    else if (in.op == Op::kRedux && unit.pipe == Pipe::kSpecial && unit.issues == 2)
      reduce(o);
    else if (in.op == Op::kPopc && unit.pipe == Pipe::kSpecial && unit.issues == 3)
      countOnes(o);
    else
      return false;
    return true;
  }

  static bool isLike(const Unit& a, const Unit& b) {
    return a.pipe == b.pipe && a.issues == b.issues && a.on_special == b.on_special &&
           a.latency_cycles == b.latency_cycles;
  }

  // I2F.RP, MUFU.RCP, VIADD, F2I, 0, -x, IMAD, IMAD.HI; whether the divisor is zero. A signed one is made of
  // its absolute value, whose negative is needed, too.
  void reciprocal(uint32_t o, bool is_signed) {
    const Value divisor = graph_.operations[o].sources[0], result = graph_.operations[o].destinations[0];
    Divisor known{.is_zero = predicate(), .magnitude = is_signed ? number() : divisor};
    if (is_signed) add(o, unit(Pipe::kInt), {divisor}, known.magnitude);
    const Value real = number(), inverse = number(), near = number(), whole = number();
    add(o, unit(Pipe::kSpecial), {known.magnitude}, real);
    become(o, unit(Pipe::kSpecial), {real}, inverse);
    add(o, unit(Pipe::kInt), {inverse}, near);
    add(o, unit(Pipe::kSpecial), {near}, whole);
    const Value zero = number(), negative = number(), error = number();
    move(o, {}, zero);
    move(o, {whole}, negative);
    add(o, multiplyAddUnit(*graph_.profile), {negative, known.magnitude}, error);
    finish(o, wideMultiplyAddUnit(*graph_.profile), {whole, error, zero}, result);
    add(o, compares(), {divisor}, known.is_zero);
    if (is_signed) {
      known.negative = number();
      move(o, {known.magnitude}, known.negative);
    }
    known_[result] = known;
  }

  // IMAD.HI, -q (unless the divisor's negative is known), IMAD, twice ISETP with corrections, and what a
  // division by zero gives.
  void divide(uint32_t o) {
    const Instruction& in = *graph_.operations[o].instruction;
    const Value result = graph_.operations[o].destinations[0], known = graph_.operations[o].sources[2];
    const bool is_signed = ptx::isSigned(in.type), quotient_wanted = in.op == Op::kDiv;
    const Divisor divisor = known_.at(known);
    Value dividend = graph_.operations[o].sources[0], sign = kNone;
    if (is_signed) {
      sign = predicate();
      dividend = magnitudeAndSign(o, sign, quotient_wanted);
    }
    const Value quotient = number(), rest = number();
    become(o, wideMultiplyAddUnit(*graph_.profile), {known, dividend}, quotient);
    Value factor = divisor.negative;
    if (!is_signed) {
      factor = number();
      move(o, {quotient}, factor);
    }
    add(o, multiplyAddUnit(*graph_.profile), {quotient, factor, dividend}, rest);
    const Value first = predicate(), second = predicate(), less = number();
    Value made = quotient;
    add(o, compares(), {rest, divisor.magnitude}, first);
    guarded(o, {rest, divisor.magnitude}, first, less);
    if (quotient_wanted) {
      made = number();
      guarded(o, {quotient}, first, made);
    }
    add(o, compares(), {less, divisor.magnitude}, second);
    const Value corrected = number();
    guarded(o, {quotient_wanted ? made : less}, second, corrected);
    Value signed_result = corrected;
    if (is_signed) guarded(o, {corrected}, sign, signed_result = number());
    const uint32_t last = finish(o, unit(Pipe::kInt), {signed_result, divisor.is_zero}, result);
    graph_.operations[last].guard = divisor.is_zero;
  }

  // IABS and a copy; the sign of the XOR for a quotient, of the dividend for a remainder.
  Value magnitudeAndSign(uint32_t o, Value sign, bool quotient_wanted) {
    const Value dividend = graph_.operations[o].sources[0], divisor = graph_.operations[o].sources[1];
    const Value magnitude = number(), copy = number();
    add(o, unit(Pipe::kInt), {dividend}, magnitude);
    move(o, {magnitude}, copy);
    Value decides = dividend;
    if (quotient_wanted) add(o, unit(Pipe::kInt), {dividend, divisor}, decides = number());
    add(o, compares(), {decides}, sign);
    return copy;
  }

  // FLO and 31 - x.
  void countZeros(uint32_t o) {
    const Value result = graph_.operations[o].destinations[0], highest = number();
    become(o, unit(Pipe::kSpecial), graph_.operations[o].sources, highest);
    finish(o, unit(Pipe::kInt), {highest}, result);
  }

  // REDUX, and a copy of its uniform register.
  void reduce(uint32_t o) {
    const Value result = graph_.operations[o].destinations[0], all = number();
    const Unit copy = multiplyAddUnit(*graph_.profile);
    Unit unit = graph_.operations[o].unit;
    unit.issues = unit.on_pipe = 1;
    unit.latency_cycles = static_cast<uint16_t>(unit.latency_cycles - copy.latency_cycles);
    become(o, unit, graph_.operations[o].sources, all);
    finish(o, copy, {all}, result);
  }

  // POPC of both words, and the sum.
  void countOnes(uint32_t o) {
    const Value result = graph_.operations[o].destinations[0], low = number(), high = number();
    add(o, unit(Pipe::kSpecial), graph_.operations[o].sources, low);
    become(o, unit(Pipe::kSpecial), graph_.operations[o].sources, high);
    finish(o, unit(Pipe::kInt), {low, high}, result);
  }

  void move(uint32_t o, std::vector<Value> sources, Value to) {
    const uint32_t made = add(o, unit(Pipe::kInt), std::move(sources), to);
    graph_.operations[made].balanced = true;
  }

  void guarded(uint32_t o, std::vector<Value> sources, Value guard, Value to) {
    sources.push_back(guard);
    const uint32_t made = add(o, unit(Pipe::kInt), std::move(sources), to);
    graph_.operations[made].guard = guard;
    graph_.operations[made].balanced = true;
  }

  struct Divisor {
    Value is_zero = kNone, magnitude = kNone;
    Value negative = kNone;  // of the magnitude, if it is signed
  };
  std::map<Value, Divisor> known_;  // by reciprocal
};

}  // namespace

void splitDivisions(Graph& graph) {
  Divisions(graph).takeApart();
}

}  // namespace warpscope::sim::lowering
