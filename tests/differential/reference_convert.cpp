// Conversions.
#include <algorithm>

#include "tests/differential/reference.h"

namespace warpscope::test {
namespace {

__extension__ using Int = __int128;
using ptx::Op;
using ptx::Type;

struct Limits {
  Int lowest, highest;
};
Limits limitsOf(Type type) {
  const uint32_t bits = bitsOf(type);
  if (ptx::isSigned(type)) return {-(Int{1} << (bits - 1)), (Int{1} << (bits - 1)) - 1};
  return {0, (Int{1} << bits) - 1};
}

// The integer in a register wider than its type: sign- or zero-extended.
Result inRegister(Int value, const Slot& slot) {
  const uint64_t narrow = lowBits(static_cast<uint64_t>(value), bitsOf(slot.type));
  return exactly(lowBits(static_cast<uint64_t>(integerOf(narrow, slot.type)), slot.register_bits));
}

Direction integerDirection(const Form& form) {
  if (form.has("rzi")) return Direction::kZero;
  if (form.has("rmi")) return Direction::kDown;
  if (form.has("rpi")) return Direction::kUp;
  return Direction::kNearest;
}
bool roundsToInteger(const Form& form) {
  return form.has("rni") || form.has("rzi") || form.has("rmi") || form.has("rpi");
}

Result floatToInteger(const Form& form, const ParsedFloat& number) {
  const Slot& to = form.slots[0];
  const Limits limits = limitsOf(to.type);
  if (number.is_nan) {  // 9.7.9.22
    const bool top = form.types[1] == Type::kF64 || bitsOf(to.type) == 64;
    return inRegister(top ? Int{1} << (bitsOf(to.type) - 1) : 0, to);
  }
  if (number.is_infinite) return inRegister(number.negative ? limits.lowest : limits.highest, to);
  const Exact rounded = Exact::of(number).roundedToInteger(integerDirection(form));
  return inRegister(rounded.integer(limits.lowest, limits.highest), to);
}

uint64_t one(FloatFormat format) {
  return ((uint64_t{1} << (format.exponent_bits - 1)) - 1) << format.mantissa_bits;
}

// Conversion of a NaN between floating-point types on an H100: it becomes the destination's canonical NaN;
// from and to f64 it keeps sign and payload and is made quiet; a plain copy leaves it unchanged.
uint64_t convertedNan(const Form& form, uint64_t bits, FloatFormat from, FloatFormat to) {
  const bool is_copy = form.words.size() == 3 && (from.mantissa_bits == 7 || from.mantissa_bits >= 23);
  if (is_copy && from.mantissa_bits == to.mantissa_bits && from.mantissa_bits != 7) return bits;
  if (is_copy && from.mantissa_bits == 7 && to.mantissa_bits == 23) return bits << 16;
  if (to.mantissa_bits != 52 && from.mantissa_bits != 52) return canonicalNan(to);
  if (form.has("ftz") && to.mantissa_bits == 52) bits = canonicalNan(from);
  const uint64_t sign = (bits & from.signBit()) != 0 ? to.signBit() : 0;
  const int wider = to.mantissa_bits - from.mantissa_bits;
  const uint64_t payload = bits & ((uint64_t{1} << from.mantissa_bits) - 1);
  return sign | to.infinity() | (uint64_t{1} << (to.mantissa_bits - 1)) |
         (wider >= 0 ? payload << wider : payload >> -wider);
}

uint64_t toFloat(const Form& form, const Exact& value, bool negative_zero, FloatFormat to) {
  uint64_t bits = value.rounded(to, directionOf(form), negative_zero);
  const bool negative = (bits & to.signBit()) != 0;
  if (form.has("ftz") && to.mantissa_bits == 23 && isTiny(value, to, directionOf(form))) bits &= to.signBit();
  if (form.has("sat")) bits = negative ? 0 : std::min(bits, one(to));
  if (form.has("relu") && negative) bits = 0;
  if (form.has("satfinite") && (bits & ~to.signBit()) == to.infinity()) bits -= 1;
  return bits;
}

uint64_t floatToFloat(const Form& form, uint64_t bits, FloatFormat from, FloatFormat to) {
  // An H100 flushes no operand when converting to f16, which is visible if rounding moves it away from zero.
  if (form.has("ftz") && from.mantissa_bits == 23 && to.mantissa_bits != 10) bits = flushedToZero(bits, from);
  const ParsedFloat number = parseFloat(bits, from);
  if (number.is_nan) return form.has("sat") ? 0 : convertedNan(form, bits, from, to);
  if (number.is_infinite) {
    if ((form.has("sat") || form.has("relu")) && number.negative) return 0;
    if (form.has("sat")) return one(to);
    return (to.infinity() - (form.has("satfinite") ? 1 : 0)) | (number.negative ? to.signBit() : 0);
  }
  Exact value = Exact::of(number);
  if (roundsToInteger(form)) value = value.roundedToInteger(integerDirection(form));
  return toFloat(form, value, number.negative, to);
}

// To nearest, ties away from zero, in the upper 19 bits. What is neither finite nor rounded is cut.
uint64_t toTf32(const Form& form, uint64_t bits) {
  constexpr uint64_t kPlace = 1 << 13;  // the last one that is kept
  const auto isFinite = [](uint64_t of) {
    const ParsedFloat number = parseFloat(of, kF32);
    return !number.is_nan && !number.is_infinite;
  };
  const uint64_t rest = bits % kPlace;
  const bool up = isFinite(bits) && rest >= kPlace / 2;
  const uint64_t result = bits - rest + (up ? kPlace : 0);
  return form.has("satfinite") && !isFinite(result) ? result - kPlace : result;
}

Exact exactInteger(Int value) {
  return {static_cast<Wide>(value < 0 ? -value : value), 0, value < 0};
}

Result packedConversion(const Form& form, const Inputs& in) {
  const Type field = form.types[0];
  const uint32_t bits = bitsOf(field);
  const Limits limits = limitsOf(field);
  const auto clamped_field = [&](const Value& value) {
    const Int integer = integerOf(value[0], Type::kS32);
    return lowBits(static_cast<uint64_t>(std::clamp(integer, limits.lowest, limits.highest)), bits);
  };
  uint64_t result = (clamped_field(in[0]) << bits) | clamped_field(in[1]);
  if (in.size() > 2) result |= in[2][0] << (2 * bits);
  return exactly(lowBits(result, 32));
}

}  // namespace

Results convertReference(const Form& form, const Inputs& in) {
  if (form.entry->op == Op::kCvtPack) return {packedConversion(form, in)};
  if (form.entry->op != Op::kCvt) return {};
  const Type to = form.types[0], from = form.types[1];
  if (to == Type::kF16x2 || to == Type::kBf16x2) {
    const uint64_t high = floatToFloat(form, in[0][0], kF32, formatOf(to));
    return {exactly((high << 16) | floatToFloat(form, in[1][0], kF32, formatOf(to)))};
  }
  if (to == Type::kTf32) return {exactly(toTf32(form, in[0][0]))};
  if (ptx::isFloat(from)) {
    const FloatFormat format = formatOf(from);
    if (ptx::isFloat(to)) return {exactly(floatToFloat(form, in[0][0], format, formatOf(to)))};
    const bool flush = form.has("ftz") && from == Type::kF32;
    return {floatToInteger(form, parseFloat(flush ? flushedToZero(in[0][0], format) : in[0][0], format))};
  }
  const Int value = integerOf(in[0][0], from);
  if (ptx::isFloat(to)) return {exactly(toFloat(form, exactInteger(value), false, formatOf(to)))};
  const Limits limits = limitsOf(to);
  return {
      inRegister(form.has("sat") ? std::clamp(value, limits.lowest, limits.highest) : value, form.slots[0])};
}

}  // namespace warpscope::test
