// f32 and f64 operations in the processor's current rounding mode, and handlers for their .ftz and .sat
// forms.
#pragma once

#include "kernels/sim/simt/alu/float_types.h"

namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA {
namespace {

// The .ftz and .sat modes of f32.
struct Plain {
  static constexpr bool kFlush = false, kSaturate = false;
};
struct Flush {
  static constexpr bool kFlush = true, kSaturate = false;
};
struct Saturate {
  static constexpr bool kFlush = false, kSaturate = true;
};
struct FlushAndSaturate {
  static constexpr bool kFlush = true, kSaturate = true;
};

template <class Mode>
[[gnu::always_inline]] inline float operand(float value) {
  return Mode::kFlush ? flushed(value) : value;
}
template <class Mode>
[[gnu::always_inline]] inline float finished(float value) {
  if constexpr (Mode::kSaturate) return saturated(value);
  return canonical(value);
}
template <class Mode>
[[gnu::always_inline]] inline float result(float value) {
  if constexpr (Mode::kFlush) value = flushed(value);
  return finished<Mode>(value);
}
// .ftz flushes every result that is subnormal after rounding to 24 bits. That includes results which, rounded
// to the fewer bits of a subnormal number, would become the smallest normal one. `scaled` is the result times
// kScale; it can overflow on the way only where the result is too large to be flushed.
inline constexpr float kScale = 0x1p64F, kSmallestScaled = 0x1p-62F;
template <class Mode>
[[gnu::always_inline]] inline float result(float value, float scaled) {
  const float zero = floatOfBits(bitsOfFloat(value) & 0x80000000U);
  const bool tiny = (__builtin_fabsf(value) <= 0x1p-126F) & (__builtin_fabsf(scaled) < kSmallestScaled);
  return finished<Mode>(tiny ? zero : value);
}

template <class Mode>
struct AddFloat {
  float operator()(float a, float b) const { return result<Mode>(operand<Mode>(a) + operand<Mode>(b)); }
};
template <class Mode>
struct SubtractFloat {
  float operator()(float a, float b) const { return result<Mode>(operand<Mode>(a) - operand<Mode>(b)); }
};
template <class Mode>
struct MultiplyFloat {
  float operator()(float a, float b) const {
    const float x = operand<Mode>(a), y = operand<Mode>(b);
    const float value = x * y;
    if constexpr (!Mode::kFlush) return finished<Mode>(value);
    return result<Mode>(value, (x * kScale) * y);
  }
};
template <class Mode>
struct FusedFloat {
  float operator()(float a, float b, float c) const {
    const float x = operand<Mode>(a), y = operand<Mode>(b), z = operand<Mode>(c);
    const float value = __builtin_fmaf(x, y, z);
    if constexpr (!Mode::kFlush) return finished<Mode>(value);
    return result<Mode>(value, __builtin_fmaf(x * kScale, y, z * kScale));
  }
};
// c - a * b and a * b - c, rounded once.
template <class Mode>
struct SubtractProductFloat {
  float operator()(float a, float b, float c) const { return FusedFloat<Mode>{}(-a, b, c); }
};
template <class Mode>
struct SubtractFromProductFloat {
  float operator()(float a, float b, float c) const { return FusedFloat<Mode>{}(a, b, -c); }
};
template <class Mode>
struct DivideFloat {
  float operator()(float a, float b) const {
    const float x = operand<Mode>(a), y = operand<Mode>(b), value = x / y;
    if constexpr (!Mode::kFlush) return finished<Mode>(value);
    // No quotient is close enough below a power of two for rounding to 24 bits to reach it.
    const bool tiny = __builtin_fabsf(x) * kScale < __builtin_fabsf(y) * kSmallestScaled;
    return result<Mode>(value, tiny ? 0.0F : kScale);
  }
};
template <class Mode>
struct ReciprocalFloat {
  float operator()(float a) const { return DivideFloat<Mode>{}(1.0F, a); }
};
template <class Mode>
struct RootFloat {
  float operator()(float a) const { return result<Mode>(__builtin_sqrtf(operand<Mode>(a))); }
};

struct AddDouble {
  double operator()(double a, double b) const { return propagated(a + b, a, b); }
};
struct SubtractDouble {
  double operator()(double a, double b) const { return propagated(a - b, a, b); }
};
struct MultiplyDouble {
  double operator()(double a, double b) const { return propagated(a * b, a, b); }
};
struct FusedDouble {
  double operator()(double a, double b, double c) const {
    return propagated(__builtin_fma(a, b, c), a, b, c);
  }
};
struct SubtractProductDouble {
  double operator()(double a, double b, double c) const { return FusedDouble{}(-a, b, c); }
};
struct SubtractFromProductDouble {
  double operator()(double a, double b, double c) const { return FusedDouble{}(a, b, -c); }
};
struct DivideDouble {
  double operator()(double a, double b) const {
    return propagated(a / b, b, a);
  }  // a division is a program, which keeps the first NaN
};
struct ReciprocalDouble {
  double operator()(double a) const { return propagated(1.0 / a, a, a); }
};
struct RootDouble {
  double operator()(double a) const { return propagated(__builtin_sqrt(a), a, a); }
};

template <template <class> class Operation>
Handler unaryFloat(const ptx::Modifiers& m) {
  if (m.sat)
    return m.ftz ? &unary<Operation<FlushAndSaturate>, float, float>
                 : &unary<Operation<Saturate>, float, float>;
  return m.ftz ? &unary<Operation<Flush>, float, float> : &unary<Operation<Plain>, float, float>;
}
template <template <class> class Operation>
Handler binaryFloat(const ptx::Modifiers& m) {
  using F = float;
  if (m.sat)
    return m.ftz ? &binary<Operation<FlushAndSaturate>, F, F, F> : &binary<Operation<Saturate>, F, F, F>;
  return m.ftz ? &binary<Operation<Flush>, F, F, F> : &binary<Operation<Plain>, F, F, F>;
}
template <template <class> class Operation>
Handler ternaryFloat(const ptx::Modifiers& m) {
  using F = float;
  if (m.sat)
    return m.ftz ? &ternary<Operation<FlushAndSaturate>, F, F, F, F>
                 : &ternary<Operation<Saturate>, F, F, F, F>;
  return m.ftz ? &ternary<Operation<Flush>, F, F, F, F> : &ternary<Operation<Plain>, F, F, F, F>;
}

}  // namespace
}  // namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA
