// Integer arithmetic, bit fields and carry chains.
#include <bit>

#include "tests/differential/reference.h"

namespace warpscope::test {
namespace {

__extension__ using Int = __int128;
using ptx::Op;
using ptx::Type;

struct Range {
  Int lowest, highest;
};
Range rangeOf(Type type) {
  const uint32_t bits = bitsOf(type);
  if (ptx::isSigned(type)) return {-(Int{1} << (bits - 1)), (Int{1} << (bits - 1)) - 1};
  return {0, (Int{1} << bits) - 1};
}
Int clamped(Int value, Type type) {
  const Range range = rangeOf(type);
  return value < range.lowest ? range.lowest : value > range.highest ? range.highest : value;
}
Result wrapped(Int value, Type type) {
  return exactly(lowBits(static_cast<uint64_t>(value), bitsOf(type)));
}

// The part of a product that .lo, .hi or .wide keeps, as an integer of `type`, or of twice its width.
Int productPart(const Form& form, Int a, Int b, Type type) {
  const auto product = static_cast<Wide>(a) * static_cast<Wide>(b);
  if (!form.has("hi")) return static_cast<Int>(product);
  const uint32_t bits = bitsOf(type);
  if (bits < 64) return static_cast<Int>(product) >> bits;
  return static_cast<Int>(static_cast<int64_t>(static_cast<uint64_t>(product >> 64)));
}

Int low24(Int value, bool is_signed) {
  const Int bits = value & 0xFFFFFF;
  return is_signed && bits >= 0x800000 ? bits - 0x1000000 : bits;
}

Int dotProduct(const Form& form, const Inputs& in, uint32_t count) {
  const Type a = form.types[0] == Type::kS32 ? Type::kS8 : Type::kU8;
  const Type a_wide = form.types[0] == Type::kS32 ? Type::kS16 : Type::kU16;
  const Type b = form.types[1] == Type::kS32 ? Type::kS8 : Type::kU8;
  const uint32_t first = form.has("hi") ? 2 : 0;
  Int sum = static_cast<Int>(in[2][0]);
  for (uint32_t i = 0; i < count; ++i) {
    const Int x = count == 4 ? integerOf(in[0][0] >> (8 * i), a) : integerOf(in[0][0] >> (16 * i), a_wide);
    sum += x * integerOf(in[1][0] >> (8 * (first + i)), b);
  }
  return sum;
}

uint32_t highestBit(uint64_t value, bool shift_amount, uint32_t bits) {
  if (value == 0) return 0xFFFFFFFFU;
  const auto found = static_cast<uint32_t>(63 - std::countl_zero(value));
  return shift_amount ? bits - 1 - found : found;
}

// ptxas's program for fns is wrong for the most negative offset; the ISA states no limit.
uint32_t nthSet(uint32_t mask, uint32_t base, int64_t offset) {
  if (offset == INT32_MIN) return 0;
  if (offset == 0) return ((mask >> base) & 1U) != 0 ? base : 0xFFFFFFFFU;
  std::vector<uint32_t> positions;  // from base outwards
  if (offset > 0) {
    for (uint32_t i = base; i < 32; ++i) {
      if (((mask >> i) & 1U) != 0) positions.push_back(i);
    }
  } else {
    for (uint32_t i = base + 1; i-- > 0;) {
      if (((mask >> i) & 1U) != 0) positions.push_back(i);
    }
  }
  const auto which = static_cast<uint64_t>(offset > 0 ? offset : -offset) - 1;
  return which < positions.size() ? positions[which] : 0xFFFFFFFFU;
}

// The ISA takes the low byte of positions and lengths; for 64-bit operands an H100 takes larger values as
// 255.
uint32_t fieldBound(uint32_t value, uint32_t bits) {
  return bits == 64 ? std::min(value, 255U) : value & 0xFFU;
}

// The ISA's own pseudo code for bfe.
uint64_t extractedField(uint64_t a, uint32_t position, uint32_t length, Type type) {
  const int msb = static_cast<int>(bitsOf(type)) - 1;
  const auto bit_at = [&](int i) { return ((a >> i) & 1U) != 0; };
  const int pos = static_cast<int>(fieldBound(position, bitsOf(type)));
  const int len = static_cast<int>(fieldBound(length, bitsOf(type)));
  bool sign = false;
  if (ptx::isSigned(type) && len != 0) sign = bit_at(std::min(pos + len - 1, msb));
  uint64_t d = 0;
  for (int i = 0; i <= msb; ++i) {
    const bool bit = i < len && pos + i <= msb ? bit_at(pos + i) : sign;
    d |= uint64_t{bit} << i;
  }
  return d;
}

uint64_t insertedField(uint64_t a, uint64_t b, uint32_t position, uint32_t length, uint32_t bits) {
  const uint32_t pos = fieldBound(position, bits), len = fieldBound(length, bits);
  for (uint32_t i = 0; i < len && pos + i < bits; ++i) {
    b &= ~(uint64_t{1} << (pos + i));
    b |= ((a >> i) & 1U) << (pos + i);
  }
  return b;
}

uint64_t reversed(uint64_t value, uint32_t bits) {
  uint64_t result = 0;
  for (uint32_t i = 0; i < bits; ++i) result |= ((value >> i) & 1U) << (bits - 1 - i);
  return result;
}

Results bitReference(const Form& form, const Inputs& in) {
  const Type type = form.types[0];
  const uint32_t bits = bitsOf(type);
  const uint64_t a = in[0][0];
  switch (form.entry->op) {
    case Op::kPopc:
      return {exactly(static_cast<uint64_t>(std::popcount(a)))};
    case Op::kClz:
      return {exactly(static_cast<uint64_t>(std::countl_zero(a)) - (64 - bits))};
    case Op::kBfind: {
      const Int value = integerOf(a, type);
      return {
          exactly(highestBit(static_cast<uint64_t>(value < 0 ? ~value : value), form.has("shiftamt"), bits))};
    }
    case Op::kFns:
      if (in[1][0] > 31) return {undefined()};
      return {exactly(
          nthSet(static_cast<uint32_t>(a), static_cast<uint32_t>(in[1][0]), static_cast<int32_t>(in[2][0])))};
    case Op::kBrev:
      return {exactly(reversed(a, bits))};
    case Op::kBfe:
      return {
          exactly(extractedField(a, static_cast<uint32_t>(in[1][0]), static_cast<uint32_t>(in[2][0]), type))};
    case Op::kBfi:
      return {exactly(insertedField(a, in[1][0], static_cast<uint32_t>(in[2][0]),
                                    static_cast<uint32_t>(in[3][0]), bits))};
    case Op::kBmsk: {
      const bool wrap = form.has("wrap");
      const uint64_t position = wrap ? a & 31U : a, width = wrap ? in[1][0] & 31U : in[1][0];
      uint64_t mask = 0;
      for (uint64_t i = position; i < 32 && i < position + width; ++i) mask |= uint64_t{1} << i;
      return {exactly(mask)};
    }
    case Op::kSzext: {
      const uint64_t width = form.has("wrap") ? in[1][0] & 31U : std::min<uint64_t>(in[1][0], 32);
      const bool sign = ptx::isSigned(type) && width > 0 && ((a >> (width - 1)) & 1U) != 0;
      uint64_t value = lowBits(a, static_cast<uint32_t>(width));
      if (sign) value |= 0xFFFFFFFFU & ~((uint64_t{1} << width) - 1);
      return {exactly(value)};
    }
    default:
      return {};
  }
}

Results carryReference(const Form& form, const Inputs& in) {
  const Type type = form.types[0];
  const uint32_t bits = bitsOf(type);
  const Wide modulus = Wide{1} << bits;
  const Op op = form.entry->op;
  const Wide carry = form.reads_carry && in.back()[0] != 0 ? 1 : 0;
  Wide left = lowBits(in[0][0], bits), right = lowBits(in[1][0], bits);
  const bool multiply = op == Op::kMad || op == Op::kMadc;
  if (multiply) {
    left = static_cast<Wide>(productPart(form, integerOf(in[0][0], type), integerOf(in[1][0], type), type)) %
           modulus;
    right = lowBits(in[2][0], bits);
  }
  const bool subtract = op == Op::kSub || op == Op::kSubc;
  const Wide total = subtract ? left - right - carry : left + right + carry;
  Results results{exactly(static_cast<uint64_t>(total % modulus))};
  if (form.writes_carry) results.push_back(exactly(subtract ? left < right + carry : total >= modulus));
  return results;
}

Results divisionReference(const Form& form, const Inputs& in) {
  const Type type = form.types[0];
  const Int a = integerOf(in[0][0], type), b = integerOf(in[1][0], type);
  // Not specified by the ISA; all ones on NVIDIA's GPUs.
  if (b == 0) return {exactly(lowBits(~uint64_t{0}, bitsOf(type)))};
  return {wrapped(form.entry->op == Op::kDiv ? a / b : a % b, type)};
}

}  // namespace

Results integerReference(const Form& form, const Inputs& in) {
  const Type type = form.types[0];
  if (ptx::isFloat(type)) return {};
  const Op op = form.entry->op;
  if (form.writes_carry || form.reads_carry) return carryReference(form, in);
  if (op == Op::kDp4a) return {wrapped(dotProduct(form, in, 4), Type::kU32)};
  if (op == Op::kDp2a) return {wrapped(dotProduct(form, in, 2), Type::kU32)};
  if (op >= Op::kPopc && op <= Op::kSzext) return bitReference(form, in);
  const Int a = in.empty() ? 0 : integerOf(in[0][0], type), b = in.size() < 2 ? 0 : integerOf(in[1][0], type);
  const Type to = form.slots[0].type;  // twice as wide for .wide
  const Int c = in.size() < 3 ? 0 : integerOf(in[2][0], form.slots[3].type);
  const bool saturate = form.has("sat");
  switch (op) {
    case Op::kAdd:
      return {wrapped(saturate ? clamped(a + b, type) : a + b, type)};
    case Op::kSub:
      return {wrapped(saturate ? clamped(a - b, type) : a - b, type)};
    case Op::kMul:
      return {wrapped(productPart(form, a, b, type), to)};
    case Op::kMad: {
      if (saturate) return {wrapped(clamped(productPart(form, a, b, type) + c, type), type)};
      return {wrapped(
          static_cast<Int>(static_cast<Wide>(productPart(form, a, b, type)) + static_cast<Wide>(c)), to)};
    }
    case Op::kMul24:
    case Op::kMad24: {
      const Int product = low24(a, ptx::isSigned(type)) * low24(b, ptx::isSigned(type));
      const Int part = form.has("hi") ? product >> 16 : product;
      return {wrapped(saturate ? clamped(part + c, type) : part + c, type)};
    }
    case Op::kSad:
      return {wrapped(c + (a < b ? b - a : a - b), type)};
    case Op::kDiv:
    case Op::kRem:
      return divisionReference(form, in);
    case Op::kAbs:
      return {wrapped(a < 0 ? -a : a, type)};
    case Op::kNeg:
      return {wrapped(-a, type)};
    case Op::kMin:
    case Op::kMax: {
      const Int chosen = (op == Op::kMin) == (a < b) ? a : b;
      return {wrapped(form.has("relu") && chosen < 0 ? 0 : chosen, type)};
    }
    default:
      return {};
  }
}

}  // namespace warpscope::test
