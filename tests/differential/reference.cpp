#include "tests/differential/reference.h"

#include <bit>
#include <cmath>

namespace warpscope::test {
namespace {

using ptx::Op;
using ptx::Type;

// Instructions whose result depends on all lanes: shfl, vote, match, activemask, redux, elect.
struct Warp {
  const Form& form;
  const std::array<Inputs, 32>& lanes;
  uint32_t executing;

  bool executes(uint32_t lane) const { return ((executing >> lane) & 1U) != 0; }
  template <class Test>
  uint32_t lanesWhere(Test test) const {
    uint32_t mask = 0;
    for (uint32_t lane = 0; lane < 32; ++lane) {
      if (executes(lane) && test(lane)) mask |= 1U << lane;
    }
    return mask;
  }
};

// The pseudo code of PTX 9.7.9.6.
Results shuffled(const Warp& warp, uint32_t lane) {
  const auto b = static_cast<int>(warp.lanes[lane][1][0] & 31U), c = static_cast<int>(warp.lanes[lane][2][0]);
  const int clamp = c & 31, segment = (c >> 8) & 31, me = static_cast<int>(lane);
  const int highest = (me & segment) | (clamp & ~segment), lowest = me & segment;
  int from = 0;
  bool valid = false;
  if (warp.form.has("up")) {
    from = me - b;
    valid = from >= highest;
  } else {
    from = warp.form.has("down") ? me + b : warp.form.has("bfly") ? (me ^ b) : lowest | (b & ~segment);
    valid = from <= highest;
  }
  Results results{exactly(warp.lanes[static_cast<size_t>(valid ? from : me)][0][0])};
  results.push_back(exactly(valid));
  return results;
}

Results voted(const Warp& warp) {
  const uint32_t yes = warp.lanesWhere([&](uint32_t lane) { return warp.lanes[lane][0][0] != 0; });
  if (warp.form.has("ballot")) return {exactly(yes)};
  if (warp.form.has("all")) return {exactly(yes == warp.executing)};
  if (warp.form.has("any")) return {exactly(yes != 0)};
  return {exactly(yes == 0 || yes == warp.executing)};
}

Results matched(const Warp& warp, uint32_t lane) {
  const uint32_t same =
      warp.lanesWhere([&](uint32_t other) { return warp.lanes[other][0][0] == warp.lanes[lane][0][0]; });
  if (warp.form.has("any")) return {exactly(same)};
  const bool all = same == warp.executing;
  return {exactly(all ? same : 0), exactly(all)};
}

Results reduced(const Warp& warp) {
  const Type type = warp.form.types[0];
  std::vector<__int128> values;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (warp.executes(lane)) values.push_back(integerOf(warp.lanes[lane][0][0], type));
  }
  __extension__ __int128 total = values[0];
  for (size_t i = 1; i < values.size(); ++i) {
    const auto value = values[i];
    if (warp.form.has("add")) total += value;
    if (warp.form.has("min")) total = std::min(total, value);
    if (warp.form.has("max")) total = std::max(total, value);
    if (warp.form.has("and")) total &= value;
    if (warp.form.has("or")) total |= value;
    if (warp.form.has("xor")) total ^= value;
  }
  return {exactly(lowBits(static_cast<uint64_t>(total), 32))};
}

Results crossLaneReference(const Warp& warp, uint32_t lane) {
  switch (warp.form.entry->op) {
    case Op::kShfl:
      return shuffled(warp, lane);
    case Op::kVote:
      return voted(warp);
    case Op::kMatch:
      return matched(warp, lane);
    case Op::kActivemask:
      return {exactly(warp.executing)};
    case Op::kRedux:
      return reduced(warp);
    default: {  // the leader is not specified; the GPU takes the lowest lane
      const auto leader = static_cast<uint32_t>(std::countr_zero(warp.executing));
      return {exactly(leader), exactly(lane == leader)};
    }
  }
}

size_t destinationsOf(const Form& form) {
  size_t count = form.writes_carry ? 1 : 0;
  for (const Slot& slot : form.slots) count += slot.is_destination ? 1 : 0;
  return count;
}

bool isNear(const Result& expected, long double value, uint64_t bits) {
  const ParsedFloat found = parseFloat(bits, expected.format);
  if (std::isnan(value)) return found.is_nan;
  if (found.is_nan) return false;
  const long double number = valueOf(found);
  const long double largest = valueOf(parseFloat(expected.format.infinity() - 1, expected.format));
  const long double slack = expected.relative * std::fabs(value) + expected.absolute;
  if (std::isinf(value)) return number == value;
  if (std::isinf(number))
    return std::signbit(number) == std::signbit(value) && std::fabs(value) + slack >= largest;
  const long double smallest_normal = std::ldexp(1.0L, expected.format.smallestExponent());
  if (number == 0 && expected.flushes && std::fabs(value) < smallest_normal * 1.001L) return true;
  return std::fabs(number - value) <= slack;
}

}  // namespace

std::array<Results, 32> reference(const Form& form, const std::array<Inputs, 32>& lanes) {
  std::array<Results, 32> all;
  const Warp warp{form, lanes, form.lanes};
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (!warp.executes(lane)) continue;
    Results results;
    if (isCrossLane(form.entry->op)) {
      results = crossLaneReference(warp, lane);
    } else {
      for (const auto kind : {&floatReference, &approximateReference, &convertReference, &compareReference,
                              &logicReference, &integerReference}) {
        results = kind(form, lanes[lane]);
        if (!results.empty()) break;
      }
    }
    if (!results.empty()) results.resize(destinationsOf(form));
    all[lane] = std::move(results);
  }
  return all;
}

bool isAcceptable(const Result& expected, const Value& found) {
  switch (expected.rule) {
    case Result::Rule::kAny:
      return true;
    case Result::Rule::kExact:
      return expected.bits == found;
    case Result::Rule::kNear:
      break;
  }
  const auto width = static_cast<uint32_t>(1 + expected.format.exponent_bits + expected.format.mantissa_bits);
  for (uint32_t part = 0; part < expected.parts; ++part) {
    if (!isNear(expected, expected.value[part], lowBits(found[0] >> (width * part), width))) return false;
  }
  return true;
}

FloatFormat formatOf(Type type) {
  switch (type) {
    case Type::kF16:
    case Type::kF16x2:
      return kF16;
    case Type::kBf16:
    case Type::kBf16x2:
      return kBf16;
    case Type::kF64:
      return kF64;
    default:
      return kF32;
  }
}

Direction directionOf(const Form& form) {
  if (form.has("rz")) return Direction::kZero;
  if (form.has("rm")) return Direction::kDown;
  if (form.has("rp")) return Direction::kUp;
  return Direction::kNearest;
}

uint64_t lowBits(uint64_t value, uint32_t bits) {
  return bits >= 64 ? value : value & ((uint64_t{1} << bits) - 1);
}

__extension__ __int128 integerOf(uint64_t value, Type type) {
  const uint32_t bits = bitsOf(type);
  const uint64_t low = lowBits(value, bits);
  __extension__ __int128 result = low;
  if (ptx::isSigned(type) && ((low >> (bits - 1)) & 1U) != 0) result -= static_cast<__int128>(1) << bits;
  return result;
}

uint64_t flushedToZero(uint64_t bits, FloatFormat format) {
  return (bits & format.infinity()) == 0 ? bits & format.signBit() : bits;
}

bool isTiny(const Exact& value, FloatFormat format, Direction direction) {
  const FloatFormat wider{format.exponent_bits + 1, format.mantissa_bits};
  const ParsedFloat rounded = parseFloat(value.rounded(wider, direction, false), wider);
  return std::fabs(valueOf(rounded)) < std::ldexp(1.0L, format.smallestExponent());
}

uint64_t canonicalNan(FloatFormat format) {
  return format.signBit() - 1;
}

Result exactly(uint64_t bits) {
  Result result;
  result.bits[0] = bits;
  return result;
}

Result undefined() {
  Result result;
  result.rule = Result::Rule::kAny;
  return result;
}

}  // namespace warpscope::test
