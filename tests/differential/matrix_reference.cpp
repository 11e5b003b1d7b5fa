#include "tests/differential/matrix_reference.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/differential/exact.h"

namespace warpscope::test {
namespace {

using ptx::Type;

ParsedFloat parsed(uint32_t bits, Type type) {
  switch (type) {
    case Type::kF16:
      return parseFloat(bits, kF16);
    case Type::kBf16:
      return parseFloat(bits, kBf16);
    case Type::kTf32:  // the lowest bits do not count
      return parseFloat(bits & 0xFFFFE000U, kF32);
    default:
      return parseFloat(bits, kF32);
  }
}

long double signedValue(const ParsedFloat& number) {
  const long double value = std::fabs(valueOf(number));
  return number.negative ? -value : value;
}

// A term of a sum, and the power of two of its bit before the point: those of its factors together.
struct Term {
  long double value = 0;
  int scale = 0;
};

int scaleOf(long double value, Type type) {
  const int smallest = (type == Type::kF16 ? kF16 : kF32).smallestExponent();
  return value == 0 ? smallest : std::max(std::ilogb(value), smallest);
}

// The largest scale decides below which bit all are cut.
uint32_t roundedSum(const std::vector<Term>& terms, Type result) {
  const FloatFormat format = result == Type::kF16 ? kF16 : kF32;
  int largest = std::numeric_limits<int>::min();
  for (const Term& term : terms) {
    if (term.value != 0) largest = std::max(largest, term.scale);
  }
  if (largest == std::numeric_limits<int>::min()) return 0;
  const int unit = largest - 25;
  long double sum = 0;
  for (const Term& term : terms) sum += std::trunc(std::ldexp(term.value, -unit));
  const Exact exact(static_cast<Wide>(std::fabs(sum)), unit, sum < 0);
  const bool too_large = std::ldexp(std::fabs(sum), unit) >= 0x1p128L;
  if (result != Type::kF16 && too_large)
    return static_cast<uint32_t>(format.infinity() | (sum < 0 ? format.signBit() : 0));
  const uint64_t bits =
      exact.rounded(format, result == Type::kF16 ? Direction::kNearest : Direction::kZero, false);
  return bits == format.signBit() ? 0 : static_cast<uint32_t>(bits);
}

// For columns `first` to `end` - 1 of a.
uint32_t floatSum(const BitMatrix& a, const BitMatrix& b, uint32_t row, uint32_t column, uint32_t addend,
                  const MatrixTypes& types, uint32_t first, uint32_t end) {
  const FloatFormat format = types.d == Type::kF16 ? kF16 : kF32;
  const auto nan = static_cast<uint32_t>(format.signBit() - 1);
  std::vector<Term> terms;
  bool infinite[2] = {false, false};
  const ParsedFloat c = parsed(addend, types.c);
  if (c.is_nan) return nan;
  if (c.is_infinite) infinite[c.negative ? 1 : 0] = true;
  if (!c.is_infinite) terms.push_back({signedValue(c), scaleOf(signedValue(c), Type::kF32)});
  for (uint32_t k = first; k < end; ++k) {
    const ParsedFloat x = parsed(a.at(row, k), types.a), y = parsed(b.at(k, column), types.b);
    if (x.is_nan || y.is_nan) return nan;
    if (x.is_infinite || y.is_infinite) {
      if (x.isZero() || y.isZero()) return nan;
      infinite[x.negative != y.negative ? 1 : 0] = true;
    } else {
      const long double left = signedValue(x), right = signedValue(y);
      terms.push_back({left * right, scaleOf(left, types.a) + scaleOf(right, types.b)});
    }
  }
  if (infinite[0] && infinite[1]) return nan;
  if (infinite[0]) return static_cast<uint32_t>(format.infinity());
  if (infinite[1]) return static_cast<uint32_t>(format.infinity() | format.signBit());
  return roundedSum(terms, types.d);
}

// The result of two types is an f32 that is rounded again; tf32 is summed in two steps by wmma.
uint32_t floatResult(const BitMatrix& a, const BitMatrix& b, uint32_t row, uint32_t column, uint32_t addend,
                     const MatrixTypes& types) {
  if (types.d == Type::kF16 && types.c == Type::kF32) {
    MatrixTypes single = types;
    single.d = Type::kF32;
    const ParsedFloat sum = parseFloat(floatSum(a, b, row, column, addend, single, 0, a.columns), kF32);
    if (sum.is_nan) return 0x7FFF;
    if (sum.is_infinite) return sum.negative ? 0xFC00 : 0x7C00;
    return static_cast<uint32_t>(Exact::of(sum).rounded(kF16, Direction::kNearest, sum.negative));
  }
  if (!types.in_two_steps) return floatSum(a, b, row, column, addend, types, 0, a.columns);
  const uint32_t half = floatSum(a, b, row, column, addend, types, 0, a.columns / 2);
  return floatSum(a, b, row, column, half, types, a.columns / 2, a.columns);
}

uint32_t integerSum(const BitMatrix& a, const BitMatrix& b, uint32_t row, uint32_t column, uint32_t addend,
                    const MatrixTypes& types) {
  const auto number = [](uint32_t bits, Type type) {
    return type == Type::kS8 ? static_cast<int>(static_cast<int8_t>(bits)) : static_cast<int>(bits & 0xFF);
  };
  int64_t sum = static_cast<int32_t>(addend);
  for (uint32_t k = 0; k < a.columns; ++k)
    sum += number(a.at(row, k), types.a) * number(b.at(k, column), types.b);
  constexpr int64_t kLeast = std::numeric_limits<int32_t>::min(), kMost = std::numeric_limits<int32_t>::max();
  if (types.saturate) sum = std::min(std::max(sum, kLeast), kMost);
  return static_cast<uint32_t>(sum);
}

}  // namespace

BitMatrix multiplied(const BitMatrix& a, const BitMatrix& b, const BitMatrix& c, const MatrixTypes& types) {
  BitMatrix d(c.rows, c.columns);
  for (uint32_t row = 0; row < d.rows; ++row) {
    for (uint32_t column = 0; column < d.columns; ++column) {
      d.at(row, column) = types.d == Type::kS32 ? integerSum(a, b, row, column, c.at(row, column), types)
                                                : floatResult(a, b, row, column, c.at(row, column), types);
    }
  }
  return d;
}

Place placeInMma(const std::string& shape, char letter, Type type, uint32_t lane, uint32_t i) {
  const uint32_t group = lane >> 2, thread = lane % 4;
  if (letter == 'c') return {shape == "m8n8k16" || i < 2 ? group : group + 8, thread * 2 + (i & 1)};
  const uint32_t bits = ptx::bytesOf(type) * 8;
  if (bits == 16) {
    if (letter == 'a') return {i % 4 < 2 ? group : group + 8, thread * 2 + (i & 1) + (i < 4 ? 0 : 8)};
    return {thread * 2 + (i & 1) + (i < 2 ? 0 : 8), group};
  }
  if (bits == 32) {
    if (letter == 'a') return {i % 2 == 0 ? group : group + 8, i < 2 ? thread : thread + 4};
    return {i == 0 ? thread : thread + 4, group};
  }
  if (letter == 'b') return {thread * 4 + (i & 3) + (i < 4 ? 0 : 16), group};
  if (shape == "m8n8k16") return {group, thread * 4 + i};
  if (shape == "m16n8k16") return {i < 4 ? group : group + 8, thread * 4 + (i & 3)};
  return {i < 4 || (i >= 8 && i < 12) ? group : group + 8, thread * 4 + (i & 3) + (i < 8 ? 0 : 16)};
}

}  // namespace warpscope::test
