// Floating-point values as registers hold them, and where NVIDIA's arithmetic goes beyond IEEE 754: a single
// NaN for 32- and 16-bit types, flushing of subnormals (.ftz), clamping to [0, 1] (.sat).
#pragma once

#include "kernels/sim/simt/alu/lanes.h"

namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA {
namespace {

inline constexpr uint32_t kNan32 = 0x7FFFFFFFU;

// Storage only: arithmetic goes through float or double.
struct Half {
  uint16_t bits;
};
struct Bfloat {
  uint16_t bits;
};
// Subnormals are read as zeros of the same sign.
struct FlushedFloat {
  float value;
};
struct FlushedHalf {
  uint16_t bits;
};

[[gnu::always_inline]] inline uint32_t bitsOfFloat(float value) {
  return __builtin_bit_cast(uint32_t, value);
}
[[gnu::always_inline]] inline float floatOfBits(uint32_t bits) {
  return __builtin_bit_cast(float, bits);
}
[[gnu::always_inline]] inline uint64_t bitsOfDouble(double value) {
  return __builtin_bit_cast(uint64_t, value);
}
[[gnu::always_inline]] inline double doubleOfBits(uint64_t bits) {
  return __builtin_bit_cast(double, bits);
}

[[gnu::always_inline]] inline bool isNan(float value) {
  return value != value;
}
[[gnu::always_inline]] inline bool isNan(double value) {
  return value != value;
}

// f32 arithmetic turns every NaN into this one.
[[gnu::always_inline]] inline float canonical(float value) {
  return isNan(value) ? floatOfBits(kNan32) : value;
}
// Clamps to [0, 1]; NaN and -0 give +0.
[[gnu::always_inline]] inline float saturated(float value) {
  return value > 0.0F ? (value < 1.0F ? value : 1.0F) : 0.0F;
}

// f64: a NaN operand is made quiet and passed on as an H100 does (the PTX ISA leaves the payload open): with
// two operands the second has precedence; with three the second, then the third, then the first. A newly made
// NaN is the default one.
inline constexpr uint64_t kQuiet64 = 0x0008'0000'0000'0000U;
inline constexpr uint64_t kNan64 = 0xFFF8'0000'0000'0000U;
[[gnu::always_inline]] inline double quieted(double nan) {
  return doubleOfBits(bitsOfDouble(nan) | kQuiet64);
}
[[gnu::always_inline]] inline double propagated(double value, double a, double b) {
  const double fresh = isNan(value) ? doubleOfBits(kNan64) : value;
  return isNan(b) ? quieted(b) : isNan(a) ? quieted(a) : fresh;
}
[[gnu::always_inline]] inline double propagated(double value, double a, double b, double c) {
  const double rest = propagated(value, a, c);
  return isNan(b) ? quieted(b) : rest;
}

[[gnu::always_inline]] inline float flushed(float value) {
  const uint32_t bits = bitsOfFloat(value);
  return floatOfBits((bits & 0x7F800000U) == 0 ? bits & 0x80000000U : bits);
}
[[gnu::always_inline]] inline uint32_t flushedHalf(uint32_t bits) {
  return (bits & 0x7C00U) == 0 ? bits & 0x8000U : bits;
}

// Exact. Multiplying by 2^112 moves the exponent from f16's bias to f32's, subnormals included.
[[gnu::always_inline]] inline float floatOfHalf(uint32_t bits) {
  const uint32_t magnitude = (bits & 0x7FFFU) << 13;
  const uint32_t finite = bitsOfFloat(floatOfBits(magnitude) * 0x1p112F);
  const uint32_t value = (bits & 0x7C00U) == 0x7C00U ? magnitude | 0x7F800000U : finite;
  return floatOfBits(value | ((bits & 0x8000U) << 16));
}
[[gnu::always_inline]] inline float floatOfBfloat(uint32_t bits) {
  return floatOfBits(bits << 16);
}

// The value by which a comparison compares.
template <class T>
[[gnu::always_inline]] inline T comparable(T value) {
  return value;
}
[[gnu::always_inline]] inline float comparable(FlushedFloat value) {
  return flushed(value.value);
}
[[gnu::always_inline]] inline float comparable(Half value) {
  return floatOfHalf(value.bits);
}
[[gnu::always_inline]] inline float comparable(FlushedHalf value) {
  return floatOfHalf(flushedHalf(value.bits));
}
[[gnu::always_inline]] inline float comparable(Bfloat value) {
  return floatOfBfloat(value.bits);
}

}  // namespace
}  // namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA
