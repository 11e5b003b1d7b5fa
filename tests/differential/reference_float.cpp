// Floating-point arithmetic of all widths with exact rounding.
#include "tests/differential/reference.h"

namespace warpscope::test {
namespace {

using ptx::Op;
using ptx::Type;

constexpr uint64_t kDefaultNan64 = 0xFFF8'0000'0000'0000U;

// The operands of one operation (or of one half of a packed one), and the modifiers of its form.
struct Operation {
  const Form& form;
  FloatFormat format;
  std::vector<uint64_t> bits;
  std::vector<ParsedFloat> operands;

  bool anyNan() const {
    for (const ParsedFloat& operand : operands) {
      if (operand.is_nan) return true;
    }
    return false;
  }
};

bool isDouble(FloatFormat format) {
  return format.mantissa_bits == 52;
}

// f64 passes a NaN on, made quiet. With several, an H100 takes the second operand's, then the third's; div,
// which is a program, takes the first. The PTX ISA leaves the payload open.
uint64_t nanOf(const Operation& operation) {
  if (!isDouble(operation.format)) return canonicalNan(operation.format);
  const size_t count = operation.operands.size();
  const bool in_order = operation.form.entry->op == Op::kDiv;
  for (const size_t i : in_order ? std::array<size_t, 3>{0, 1, 2} : std::array<size_t, 3>{1, 2, 0}) {
    if (i < count && operation.operands[i].is_nan) return operation.bits[i] | (uint64_t{1} << 51);
  }
  return kDefaultNan64;
}

uint64_t infinity(FloatFormat format, bool negative) {
  return format.infinity() | (negative ? format.signBit() : 0);
}

uint64_t roundedResult(const Operation& operation, const Exact& value, bool negative_zero) {
  const uint64_t bits = value.rounded(operation.format, directionOf(operation.form), negative_zero);
  const bool flushes =
      operation.form.has("ftz") && isTiny(value, operation.format, directionOf(operation.form));
  return flushes ? bits & operation.format.signBit() : bits;
}

// product + addend; the sign of an exact zero follows IEEE 754.
uint64_t sum(const Operation& o, const ParsedFloat& a, const ParsedFloat* b, ParsedFloat c) {
  const bool product_negative = b == nullptr ? a.negative : a.negative != b->negative;
  const bool product_infinite = a.is_infinite || (b != nullptr && b->is_infinite);
  if (b != nullptr && ((a.is_infinite && b->isZero()) || (a.isZero() && b->is_infinite))) return nanOf(o);
  if (product_infinite && c.is_infinite && product_negative != c.negative) return nanOf(o);
  if (product_infinite) return infinity(o.format, product_negative);
  if (c.is_infinite) return infinity(o.format, c.negative);
  const Exact product = b == nullptr ? Exact::of(a) : Exact::product(a, *b);
  const Exact total = product + Exact::of(c);
  const bool both_negative = product_negative && c.negative;
  const bool agree = product.isZero() && c.isZero() && product_negative == c.negative;
  return roundedResult(o, total, agree ? both_negative : directionOf(o.form) == Direction::kDown);
}

uint64_t product(const Operation& o) {
  const ParsedFloat &a = o.operands[0], &b = o.operands[1];
  const bool negative = a.negative != b.negative;
  if ((a.is_infinite && b.isZero()) || (a.isZero() && b.is_infinite)) return nanOf(o);
  if (a.is_infinite || b.is_infinite) return infinity(o.format, negative);
  return roundedResult(o, Exact::product(a, b), negative);
}

uint64_t quotient(const Operation& o, const ParsedFloat& a, const ParsedFloat& b) {
  const bool negative = a.negative != b.negative;
  if ((a.is_infinite && b.is_infinite) || (a.isZero() && b.isZero())) return nanOf(o);
  if (a.is_infinite || b.isZero()) return infinity(o.format, negative);
  if (b.is_infinite) return negative ? o.format.signBit() : 0;
  return roundedResult(o, Exact::quotient(a, b), negative);
}

uint64_t squareRoot(const Operation& o) {
  const ParsedFloat& a = o.operands[0];
  if (a.negative && !a.isZero()) return nanOf(o);
  if (a.is_infinite) return infinity(o.format, false);
  return roundedResult(o, Exact::squareRoot(a), a.negative);
}

uint64_t extreme(const Operation& o) {
  const Form& form = o.form;
  const bool maximum = form.entry->op == Op::kMax;
  const uint64_t sign = o.format.signBit();
  const bool a_nan = o.operands[0].is_nan, b_nan = o.operands[1].is_nan;
  if ((a_nan && b_nan) || (form.has("NaN") && (a_nan || b_nan))) return nanOf(o);
  uint64_t a = o.bits[0], b = o.bits[1];
  const uint64_t product_sign = (a ^ b) & sign;
  if (form.has("xorsign")) {
    a &= ~sign;
    b &= ~sign;
  }
  uint64_t chosen = 0;
  if (a_nan || b_nan) {
    chosen = a_nan ? b : a;
  } else {
    const long double x = valueOf(parseFloat(a, o.format)), y = valueOf(parseFloat(b, o.format));
    const bool a_less = x < y || (x == y && (a & sign) != 0);
    chosen = a_less == maximum ? b : a;
  }
  return form.has("xorsign") ? chosen | product_sign : chosen;
}

uint64_t saturated(uint64_t bits, FloatFormat format) {
  const ParsedFloat number = parseFloat(bits, format);
  const uint64_t one = (uint64_t{1} << (format.exponent_bits - 1)) - 1;
  if (number.is_nan || number.negative) return 0;
  return valueOf(number) > 1 ? one << format.mantissa_bits : bits;
}

uint64_t arithmetic(const Operation& o) {
  ParsedFloat one;
  one.mantissa = 1;
  const Op op = o.form.entry->op;
  if (o.anyNan()) return nanOf(o);
  switch (op) {
    case Op::kAdd:
      return sum(o, o.operands[0], nullptr, o.operands[1]);
    case Op::kSub: {
      ParsedFloat negated = o.operands[1];
      negated.negative = !negated.negative;
      return sum(o, o.operands[0], nullptr, negated);
    }
    case Op::kMul:
      return product(o);
    case Op::kFma:
    case Op::kMad:
      return sum(o, o.operands[0], &o.operands[1], o.operands[2]);
    case Op::kDiv:
      return quotient(o, o.operands[0], o.operands[1]);
    case Op::kRcp:
      return quotient(o, one, o.operands[0]);
    default:
      return squareRoot(o);
  }
}

// abs and neg of a NaN give what addition gives ("unspecified NaN" in the PTX ISA).
uint64_t signOperation(const Operation& o) {
  const uint64_t sign = o.format.signBit();
  if (o.operands[0].is_nan) return nanOf(o);
  return o.form.entry->op == Op::kAbs ? o.bits[0] & ~sign : o.bits[0] ^ sign;
}

uint64_t evaluate(const Operation& o) {
  const Op op = o.form.entry->op;
  if (op == Op::kAbs || op == Op::kNeg) return signOperation(o);
  if (op == Op::kMin || op == Op::kMax) return extreme(o);
  uint64_t bits = arithmetic(o);
  if (o.form.has("sat")) bits = saturated(bits, o.format);
  if (o.form.has("relu")) {
    const ParsedFloat number = parseFloat(bits, o.format);
    if (!number.is_nan && number.negative) bits = 0;
  }
  return bits;
}

Results testedProperty(const Form& form, uint64_t bits) {
  const FloatFormat format = formatOf(form.types[0]);
  const ParsedFloat number = parseFloat(bits, format);
  const bool finite = !number.is_nan && !number.is_infinite;
  const bool normal = finite && (number.mantissa >> format.mantissa_bits) != 0;
  bool value = finite && !normal && !number.isZero();  // subnormal
  if (form.has("finite")) value = finite;
  if (form.has("infinite")) value = number.is_infinite;
  if (form.has("number")) value = !number.is_nan;
  if (form.has("notanumber")) value = number.is_nan;
  if (form.has("normal")) value = normal || number.isZero();  // ptxas implements it so
  return {exactly(value)};
}

}  // namespace

Results floatReference(const Form& form, const Inputs& in) {
  const Type type = form.types[0];
  const Op op = form.entry->op;
  if (!ptx::isFloat(type) || op > Op::kSqrt || form.has("approx") || form.has("full")) return {};
  if (op == Op::kTestp) return testedProperty(form, in[0][0]);
  if (op == Op::kCopysign) {
    const uint64_t sign = formatOf(type).signBit();
    return {exactly((in[0][0] & sign) | (in[1][0] & ~sign))};
  }
  const bool is_packed = type == Type::kF16x2 || type == Type::kBf16x2;
  uint64_t result = 0;
  for (uint32_t half = 0; half < (is_packed ? 2U : 1U); ++half) {
    Operation operation{form, formatOf(type), {}, {}};
    for (const Value& value : in) {
      uint64_t bits = is_packed ? (value[0] >> (16 * half)) & 0xFFFFU : value[0];
      if (form.has("ftz")) bits = flushedToZero(bits, operation.format);
      operation.bits.push_back(bits);
      operation.operands.push_back(parseFloat(bits, operation.format));
    }
    result |= evaluate(operation) << (16 * half);
  }
  return {exactly(result)};
}

}  // namespace warpscope::test
