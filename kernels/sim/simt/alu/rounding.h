// Exact rounding of doubles to narrower formats, in every direction, by integer arithmetic that vectorises.
#pragma once

#include "kernels/sim/simt/alu/float_types.h"

namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA {
namespace {

template <uint32_t exponent_bits, uint32_t mantissa_bits>
struct Format {
  static constexpr uint32_t kMantissaBits = mantissa_bits;
  static constexpr int64_t kSmallestExponent = 2 - (int64_t{1} << (exponent_bits - 1));
  static constexpr uint64_t kInfinity = ((uint64_t{1} << exponent_bits) - 1) << mantissa_bits;
  static constexpr uint64_t kSign = uint64_t{1} << (exponent_bits + mantissa_bits);
  static constexpr uint32_t kNan = static_cast<uint32_t>(kSign - 1);  // the NaN that arithmetic gives
};
using HalfFormat = Format<5, 10>;
using BfloatFormat = Format<8, 7>;
using FloatFormat = Format<8, 23>;
using Tf32Format = Format<8, 10>;  // in the upper bits of an f32

// The bits of `value` rounded to F; a NaN becomes F's canonical one. kNone rounds to nearest, ties to even.
template <class F, ptx::Rounding rounding>
[[gnu::always_inline]] inline uint32_t roundedBits(double value) {
  constexpr bool kDown = rounding == ptx::Rounding::kRm, kUp = rounding == ptx::Rounding::kRp;
  constexpr bool kZero = rounding == ptx::Rounding::kRz, kAway = rounding == ptx::Rounding::kRna;
  const uint64_t bits = bitsOfDouble(value), magnitude = bits & ~(uint64_t{1} << 63);
  const bool negative = (bits >> 63) != 0;
  const int64_t exponent = static_cast<int64_t>(magnitude >> 52) - 1023;
  const uint64_t fraction = magnitude & 0x000F'FFFF'FFFF'FFFFU;
  const uint64_t mantissa = exponent == -1023 ? fraction : fraction | 0x0010'0000'0000'0000U;

  // Below the smallest normal number more bits are lost, in the end all of them.
  const int64_t below = exponent < F::kSmallestExponent ? F::kSmallestExponent - exponent : 0;
  const auto lost =
      static_cast<uint64_t>(below > int64_t{F::kMantissaBits} + 2 ? int64_t{F::kMantissaBits} + 2 : below) +
      52 - F::kMantissaBits;
  const uint64_t kept = mantissa >> lost, rest = mantissa & ((uint64_t{1} << lost) - 1);
  const uint64_t half = uint64_t{1} << (lost - 1);
  bool increment = false;
  if constexpr (kDown) {
    increment = negative && rest != 0;
  } else if constexpr (kUp) {
    increment = !negative && rest != 0;
  } else if constexpr (kAway) {
    increment = rest >= half;
  } else if constexpr (!kZero) {
    increment = rest + (kept & 1U) > half;
  }
  const uint64_t base =
      below > 0 ? 0 : static_cast<uint64_t>(exponent - F::kSmallestExponent) << F::kMantissaBits;
  uint64_t result = base + kept + (increment ? 1U : 0U);
  const bool to_infinity = !(kZero || (kDown && !negative) || (kUp && negative));
  result = result >= F::kInfinity ? F::kInfinity - (to_infinity ? 0U : 1U) : result;
  result = magnitude == 0x7FF0'0000'0000'0000U ? F::kInfinity : result;
  result |= negative ? F::kSign : 0U;
  return static_cast<uint32_t>(magnitude > 0x7FF0'0000'0000'0000U ? F::kNan : result);
}

// Keeps a NaN's sign and the upper bits of its payload, and makes it quiet.
template <class F>
[[gnu::always_inline]] inline uint32_t narrowedNan(double nan) {
  constexpr uint64_t kFraction = (uint64_t{1} << F::kMantissaBits) - 1;
  const uint64_t bits = bitsOfDouble(quieted(nan));
  const uint64_t fraction = (bits >> (52 - F::kMantissaBits)) & kFraction;
  return static_cast<uint32_t>(((bits >> 63) != 0 ? F::kSign : 0U) | F::kInfinity | fraction);
}

// a + b as a double whose last bit says whether anything was lost, so that rounding it again is correct.
[[gnu::always_inline]] inline double sumToOdd(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a, a_part = sum - b_part;
  const double error = (a - a_part) + (b - b_part);
  const uint64_t bits = bitsOfDouble(sum);
  const bool outwards = (error > 0) == (sum > 0);
  const uint64_t odd = outwards ? bits + 1 : bits - 1;
  const bool adjust = (error > 0 || error < 0) && (bits & 1U) == 0;
  return doubleOfBits(adjust ? odd : bits);
}

}  // namespace
}  // namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA
