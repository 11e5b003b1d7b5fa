#include "tests/differential/exact.h"

#include <bit>
#include <cmath>

namespace warpscope::test {
namespace {

bool roundsAway(Direction direction, bool negative, bool odd, bool half, bool below) {
  switch (direction) {
    case Direction::kNearest:
      return half && (below || odd);
    case Direction::kZero:
      return false;
    case Direction::kDown:
      return negative && (half || below);
    case Direction::kUp:
      return !negative && (half || below);
  }
  return false;
}

// Shifts the mantissa to 53 bits.
ParsedFloat normalized(ParsedFloat number) {
  const int shift = std::countl_zero(number.mantissa) - 11;
  number.mantissa <<= shift;
  number.exponent -= shift;
  return number;
}

}  // namespace

ParsedFloat parseFloat(uint64_t bits, FloatFormat format) {
  const uint64_t fraction = bits & ((uint64_t{1} << format.mantissa_bits) - 1);
  const auto field = static_cast<int>((bits >> format.mantissa_bits) & ((1U << format.exponent_bits) - 1U));
  ParsedFloat number;
  number.negative = (bits & format.signBit()) != 0;
  if (field == (1 << format.exponent_bits) - 1) {
    number.is_nan = fraction != 0;
    number.is_infinite = fraction == 0;
    return number;
  }
  number.mantissa = field == 0 ? fraction : fraction | (uint64_t{1} << format.mantissa_bits);
  number.exponent = (field == 0 ? 0 : field - 1) + format.smallestExponent() - format.mantissa_bits;
  return number;
}

long double valueOf(const ParsedFloat& number) {
  long double value = std::ldexp(static_cast<long double>(number.mantissa), number.exponent);
  if (number.is_nan) value = NAN;
  if (number.is_infinite) value = INFINITY;
  return number.negative ? -value : value;
}

Exact::Exact(Wide mantissa, int exponent, bool negative) : negative_(negative) {
  const int at = exponent + kPoint;
  auto limb = static_cast<size_t>(at / 64);
  const int shift = at % 64;
  const auto low = static_cast<uint64_t>(mantissa), high = static_cast<uint64_t>(mantissa >> 64);
  limbs_[limb] = low << shift;
  limbs_[limb + 1] = high << shift;
  if (shift > 0) {
    limbs_[limb + 1] |= low >> (64 - shift);
    limbs_[limb + 2] = high >> (64 - shift);
  }
}

Exact Exact::of(const ParsedFloat& number) {
  return {number.mantissa, number.exponent, number.negative};
}

Exact Exact::product(const ParsedFloat& a, const ParsedFloat& b) {
  return {Wide{a.mantissa} * b.mantissa, a.exponent + b.exponent, a.negative != b.negative};
}

Exact Exact::quotient(const ParsedFloat& a, const ParsedFloat& b) {
  const bool negative = a.negative != b.negative;
  if (a.mantissa == 0) return {0, 0, negative};
  const ParsedFloat x = normalized(a), y = normalized(b);
  const Wide dividend = Wide{x.mantissa} << 70;
  const Wide quotient = dividend / y.mantissa;
  const bool rest = quotient * y.mantissa != dividend;
  return {(quotient << 1) | (rest ? 1U : 0U), x.exponent - y.exponent - 71, negative};
}

Exact Exact::squareRoot(const ParsedFloat& a) {
  if (a.mantissa == 0) return {0, 0, a.negative};
  const ParsedFloat x = normalized(a);
  const int shift = (x.exponent & 1) != 0 ? 71 : 70;
  const Wide square = Wide{x.mantissa} << shift;
  Wide root = 0;
  for (int bit = 62; bit >= 0; --bit) {
    const Wide larger = root | (Wide{1} << bit);
    if (larger * larger <= square) root = larger;
  }
  const bool rest = root * root != square;
  return {(root << 1) | (rest ? 1U : 0U), (x.exponent - shift) / 2 - 1, false};
}

bool Exact::isZero() const {
  for (const uint64_t limb : limbs_) {
    if (limb != 0) return false;
  }
  return true;
}

Exact Exact::negated() const {
  Exact result = *this;
  result.negative_ = !negative_;
  return result;
}

int Exact::comparedMagnitude(const Exact& other) const {
  for (size_t i = kLimbs; i-- > 0;) {
    if (limbs_[i] != other.limbs_[i]) return limbs_[i] < other.limbs_[i] ? -1 : 1;
  }
  return 0;
}

Exact Exact::operator+(const Exact& other) const {
  const bool swap = comparedMagnitude(other) < 0;
  const Exact& large = swap ? other : *this;
  const Exact& small = swap ? *this : other;
  Exact result;
  result.negative_ = large.negative_;
  Wide carry = 0;
  const bool subtract = large.negative_ != small.negative_;
  for (size_t i = 0; i < kLimbs; ++i) {
    const Wide step = subtract ? Wide{large.limbs_[i]} - small.limbs_[i] - carry
                               : Wide{large.limbs_[i]} + small.limbs_[i] + carry;
    result.limbs_[i] = static_cast<uint64_t>(step);
    carry = (step >> 64) & 1U;
  }
  return result;
}

int Exact::top() const {
  for (size_t i = kLimbs; i-- > 0;) {
    if (limbs_[i] != 0) return static_cast<int>(64 * i) + 63 - std::countl_zero(limbs_[i]) - kPoint;
  }
  return -kPoint - 1;
}

bool Exact::bit(int exponent) const {
  const int at = exponent + kPoint;
  if (at < 0 || at >= static_cast<int>(64 * kLimbs)) return false;
  return ((limbs_[static_cast<size_t>(at / 64)] >> (at % 64)) & 1U) != 0;
}

bool Exact::anyBelow(int exponent) const {
  for (int at = -kPoint; at < exponent; ++at) {
    if ((at + kPoint) % 64 == 0 && at + 64 <= exponent) {
      if (limbs_[static_cast<size_t>((at + kPoint) / 64)] != 0) return true;
      at += 63;
    } else if (bit(at)) {
      return true;
    }
  }
  return false;
}

uint64_t Exact::bitsFrom(int exponent, int count) const {
  uint64_t bits = 0;
  for (int i = 0; i < count; ++i) bits |= uint64_t{bit(exponent + i)} << i;
  return bits;
}

Exact Exact::roundedToInteger(Direction direction) const {
  const bool half = bit(-1), below = anyBelow(-1);
  Exact result = *this;
  const size_t first = kPoint / 64;
  for (size_t i = 0; i < first; ++i) result.limbs_[i] = 0;
  if (roundsAway(direction, negative_, bit(0), half, below)) result = result + Exact(1, 0, negative_);
  result.negative_ = negative_;
  return result;
}

__extension__ __int128 Exact::integer(__int128 lowest, __int128 highest) const {
  if (isZero()) return 0;
  if (top() > 100) return negative_ ? lowest : highest;
  const size_t first = kPoint / 64;
  const Wide magnitude = (Wide{limbs_[first + 1]} << 64) | limbs_[first];
  __extension__ const auto value =
      negative_ ? -static_cast<__int128>(magnitude) : static_cast<__int128>(magnitude);
  return value < lowest ? lowest : value > highest ? highest : value;
}

uint64_t Exact::rounded(FloatFormat format, Direction direction, bool negative_zero) const {
  if (isZero()) return negative_zero ? format.signBit() : 0;
  const int smallest = format.smallestExponent();
  const int exponent = std::max(top(), smallest);
  const uint64_t sign = negative_ ? format.signBit() : 0;
  if (exponent > 1 - smallest) {  // beyond the exponent of the largest number
    const bool finite =
        direction == Direction::kZero || direction == (negative_ ? Direction::kUp : Direction::kDown);
    return sign | (format.infinity() - (finite ? 1U : 0U));
  }
  const int last = exponent - format.mantissa_bits;
  uint64_t kept = bitsFrom(last, format.mantissa_bits + 1);
  const bool away = roundsAway(direction, negative_, (kept & 1U) != 0, bit(last - 1), anyBelow(last - 1));
  kept += away ? 1U : 0U;
  // A carry propagates into the exponent, up to infinity, as it should.
  return sign | ((static_cast<uint64_t>(exponent - smallest) << format.mantissa_bits) + kept);
}

}  // namespace warpscope::test
