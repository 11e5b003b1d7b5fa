// Functions that the GPU approximates, computed in double precision by polynomials, so that they vectorise
// and give the same results on every host. Their relative error (for sine and cosine: absolute) is below
// 2^-34, far within the bounds that approximate.cpp lists.
#pragma once

#include "kernels/sim/simt/alu/float_types.h"

namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA {
namespace {

// Rounds x to an integer, for |x| < 2^51: adding 1.5 * 2^52 leaves no fraction bits.
inline constexpr double kRoundingShift = 0x1.8p52;
[[gnu::always_inline]] inline double nearestInteger(double x) {
  return (x + kRoundingShift) - kRoundingShift;
}

// 2^x; overflows and underflows only far beyond f32's range.
[[gnu::always_inline]] inline double exponential2(double x) {
  const double bounded = x > 1000.0 ? 1000.0 : x < -1000.0 ? -1000.0 : x;
  const double shifted = bounded + kRoundingShift;
  const double y = (bounded - (shifted - kRoundingShift)) * 0x1.62e42fefa39efp-1;  // times ln 2
  double sum = 1.0 / 3628800;
  sum = sum * y + 1.0 / 362880;
  sum = sum * y + 1.0 / 40320;
  sum = sum * y + 1.0 / 5040;
  sum = sum * y + 1.0 / 720;
  sum = sum * y + 1.0 / 120;
  sum = sum * y + 1.0 / 24;
  sum = sum * y + 1.0 / 6;
  sum = sum * y + 0.5;
  sum = sum * y + 1.0;
  sum = sum * y + 1.0;
  // The integer lies in the low bits of the shifted value.
  const double power = doubleOfBits((bitsOfDouble(shifted) + 1023) << 52);
  const double value = x > 1000.0 ? doubleOfBits(0x7FF0'0000'0000'0000U) : x < -1000.0 ? 0.0 : sum * power;
  return isNan(x) ? x : value;
}

// log2 of a normal double.
[[gnu::always_inline]] inline double logarithm2(double x) {
  const uint64_t bits = bitsOfDouble(x);
  // This gives the exponent that leaves a mantissa in [sqrt(1/2), sqrt(2)); OR-ing in the bits of 2^52 makes
  // it a double.
  const uint64_t raised = bits + (0x3FF0'0000'0000'0000U - 0x3FE6'A09E'667F'3BCDU);
  const double exponent = doubleOfBits((raised >> 52) | 0x4330'0000'0000'0000U) - (0x1p52 + 1023.0);
  const double mantissa = doubleOfBits(bits - (raised & 0xFFF0'0000'0000'0000U) + 0x3FF0'0000'0000'0000U);
  const double s = (mantissa - 1.0) / (mantissa + 1.0), t = s * s;
  double sum = 1.0 / 17;
  sum = sum * t + 1.0 / 15;
  sum = sum * t + 1.0 / 13;
  sum = sum * t + 1.0 / 11;
  sum = sum * t + 1.0 / 9;
  sum = sum * t + 1.0 / 7;
  sum = sum * t + 1.0 / 5;
  sum = sum * t + 1.0 / 3;
  sum = sum * t + 1.0;
  const double value = exponent + s * sum * 0x1.71547652b82fep+1;  // times 2 / ln 2
  const double edge = x == 0.0  ? -doubleOfBits(0x7FF0'0000'0000'0000U)
                      : x > 0.0 ? x
                                : doubleOfBits(0x7FF8'0000'0000'0000U);
  return x > 0.0 && x < doubleOfBits(0x7FF0'0000'0000'0000U) ? value : edge;
}

// sin(2 pi t) and cos(2 pi t): the sine of t advanced by `quarters` quarter turns.
[[gnu::always_inline]] inline double sineOfTurns(double t, uint32_t quarters) {
  const bool finite = t - t == 0.0;
  const double turns = finite ? t : 0.0;
  const double rest = (turns > 0x1p50 || turns < -0x1p50) ? 0.0 : turns - nearestInteger(turns);
  const double shifted = rest * 4.0 + kRoundingShift;
  const double y = (rest - (shifted - kRoundingShift) * 0.25) * 0x1.921fb54442d18p+2;
  const uint64_t quadrant = (bitsOfDouble(shifted) + quarters) & 3U;
  const double z = y * y;
  double sine = 1.0 / 6227020800.0;
  sine = sine * z - 1.0 / 39916800;
  sine = sine * z + 1.0 / 362880;
  sine = sine * z - 1.0 / 5040;
  sine = sine * z + 1.0 / 120;
  sine = sine * z - 1.0 / 6;
  sine = sine * z * y + y;
  double cosine = 1.0 / 479001600;
  cosine = cosine * z - 1.0 / 3628800;
  cosine = cosine * z + 1.0 / 40320;
  cosine = cosine * z - 1.0 / 720;
  cosine = cosine * z + 1.0 / 24;
  cosine = cosine * z - 0.5;
  cosine = cosine * z + 1.0;
  const double magnitude = (quadrant & 1U) != 0 ? cosine : sine;
  const double value = (quadrant & 2U) != 0 ? -magnitude : magnitude;
  return finite ? value : doubleOfBits(0x7FF8'0000'0000'0000U);
}

[[gnu::always_inline]] inline double hyperbolicTangent(double x) {
  const double power = exponential2(x * 0x1.71547652b82fep+1);  // e^(2x)
  const double large = power > 0x1p60 ? 1.0 : (power - 1.0) / (power + 1.0);
  const double z = x * x;
  const double small = x + x * z * (-1.0 / 3 + z * (2.0 / 15 + z * (-17.0 / 315 + z * (62.0 / 2835))));
  return z < 0x1p-8 ? small : large;
}

}  // namespace
}  // namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA
