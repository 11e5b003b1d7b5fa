// Exact arithmetic on binary floating-point numbers, as large fixed-point integers, and rounding in every
// direction, with which the simulator's results are compared. It shares no code with the simulator.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace warpscope::test {

__extension__ using Wide = unsigned __int128;

struct FloatFormat {
  int exponent_bits = 8, mantissa_bits = 23;

  int smallestExponent() const { return 2 - (1 << (exponent_bits - 1)); }
  uint64_t infinity() const { return ((uint64_t{1} << exponent_bits) - 1) << mantissa_bits; }
  uint64_t signBit() const { return uint64_t{1} << (exponent_bits + mantissa_bits); }
};
inline constexpr FloatFormat kF16{5, 10}, kBf16{8, 7}, kF32{8, 23}, kF64{11, 52};

// mantissa * 2^exponent, unless it is NaN or infinite.
struct ParsedFloat {
  bool is_nan = false, is_infinite = false, negative = false;
  uint64_t mantissa = 0;
  int exponent = 0;

  bool isZero() const { return !is_nan && !is_infinite && mantissa == 0; }
};
ParsedFloat parseFloat(uint64_t bits, FloatFormat format);
long double valueOf(const ParsedFloat& number);

enum class Direction : uint8_t { kNearest, kZero, kDown, kUp };

class Exact {
 public:
  Exact() = default;
  Exact(Wide mantissa, int exponent, bool negative);
  static Exact of(const ParsedFloat& number);  // a finite one
  static Exact product(const ParsedFloat& a, const ParsedFloat& b);
  // Has so many bits, the last of which represents all lower ones, that rounding to f64 or less is correct.
  static Exact quotient(const ParsedFloat& a, const ParsedFloat& b);
  static Exact squareRoot(const ParsedFloat& a);

  bool isZero() const;
  bool negative() const { return negative_; }
  Exact negated() const;
  Exact operator+(const Exact& other) const;
  Exact roundedToInteger(Direction direction) const;
  // Clamped to the limits.
  __extension__ __int128 integer(__int128 lowest, __int128 highest) const;
  // A zero gets the requested sign.
  uint64_t rounded(FloatFormat format, Direction direction, bool negative_zero) const;

 private:
  static constexpr int kPoint = 2304;  // bit of 2^0
  static constexpr size_t kLimbs = 70;

  int top() const;  // exponent of the highest bit
  bool bit(int exponent) const;
  bool anyBelow(int exponent) const;
  uint64_t bitsFrom(int exponent, int count) const;
  int comparedMagnitude(const Exact& other) const;

  bool negative_ = false;
  std::array<uint64_t, kLimbs> limbs_{};
};

}  // namespace warpscope::test
