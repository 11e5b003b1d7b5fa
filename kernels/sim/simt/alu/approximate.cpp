// The approximate functions for f32, and for f64 as starting values. NVIDIA's tables are not public, so
// results differ from a GPU's, within the bounds that the PTX ISA 9.0 states (9.7.3); ours are the exact
// values, rounded:
//
//   rcp.approx.f32         1 ulp           div.approx.f32   2 ulp for |b| in [2^-126, 2^126]
//   rsqrt.approx.f32       2^-22.9         div.full.f32     2 ulp
//   sqrt.approx.f32        2^-23           ex2.approx.f32   2 ulp
//   lg2.approx.f32         2^-22 absolute for 0.5 < a < 2, else 2^-22 relative
//   sin, cos.approx.f32    2^-20.5 absolute in [-2 pi, 2 pi], 2^-14.7 in [-100 pi, 100 pi]
//   tanh.approx.f32        2^-11           rcp, rsqrt.approx.ftz.f64   2^-20
//   ex2.approx.f16         2^-9.9          ex2.approx.ftz.bf16    2^-7
//   tanh.approx.f16        2^-10.987 absolute   tanh.approx.bf16  2^-8 absolute    (half.cpp)
#include "kernels/sim/simt/alu/elementary.h"
#include "kernels/sim/simt/alu/selectors.h"

namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA {
namespace {

template <bool flush>
[[gnu::always_inline]] inline float operand(float value) {
  return flush ? flushed(value) : value;
}
template <bool flush>
[[gnu::always_inline]] inline float result(double value) {
  const float rounded = static_cast<float>(value);
  return canonical(flush ? flushed(rounded) : rounded);
}

template <bool flush>
struct Reciprocal {
  float operator()(float a) const { return result<flush>(1.0 / static_cast<double>(operand<flush>(a))); }
};
template <bool flush>
struct ReciprocalRoot {
  float operator()(float a) const {
    return result<flush>(1.0 / __builtin_sqrt(static_cast<double>(operand<flush>(a))));
  }
};
template <bool flush>
struct Root {
  float operator()(float a) const {
    return result<flush>(__builtin_sqrt(static_cast<double>(operand<flush>(a))));
  }
};
template <bool flush>
struct Exponential {
  float operator()(float a) const {
    return result<flush>(exponential2(static_cast<double>(operand<flush>(a))));
  }
};
template <bool flush>
struct Logarithm {
  float operator()(float a) const {
    return result<flush>(logarithm2(static_cast<double>(operand<flush>(a))));
  }
};
template <bool flush>
struct Tangent {
  float operator()(float a) const {
    return result<flush>(hyperbolicTangent(static_cast<double>(operand<flush>(a))));
  }
};

// The GPU first multiplies by 1 / (2 pi) in f32, rounding towards zero; for large arguments the error is that
// of this product.
[[gnu::always_inline]] inline double turnsOf(float a) {
  const double product = static_cast<double>(a) * static_cast<double>(0x1.45f306p-3F);
  const float rounded = static_cast<float>(product);
  const bool beyond = __builtin_fabs(static_cast<double>(rounded)) > __builtin_fabs(product);
  return static_cast<double>(beyond ? floatOfBits(bitsOfFloat(rounded) - 1) : rounded);
}
template <bool flush, uint32_t quarters>
struct Sine {
  float operator()(float a) const {
    const float x = operand<flush>(a);
    const float value = result<flush>(sineOfTurns(turnsOf(x), quarters));
    return quarters == 0 && x == 0.0F ? x : value;
  }
};

// a * (1 / b), where 1 / b is zero for |b| > 2^126.
template <bool flush>
struct Quotient {
  float operator()(float a, float b) const {
    const float x = operand<flush>(a), y = operand<flush>(b);
    const bool huge = __builtin_fabsf(y) > 0x1p126F;
    const float zero = floatOfBits(bitsOfFloat(y) & 0x80000000U);
    return result<flush>(huge ? static_cast<double>(x * zero)
                              : static_cast<double>(x) / static_cast<double>(y));
  }
};
template <bool flush>
struct FullQuotient {
  float operator()(float a, float b) const {
    return result<flush>(static_cast<double>(operand<flush>(a)) / static_cast<double>(operand<flush>(b)));
  }
};

// .ftz.f64 uses and produces only the upper 32 bits.
[[gnu::always_inline]] inline double upperHalf(double value) {
  const uint64_t bits = bitsOfDouble(value) & 0xFFFF'FFFF'0000'0000U;
  return doubleOfBits((bits & 0x7FF0'0000'0000'0000U) == 0 ? bits & (uint64_t{1} << 63) : bits);
}
[[gnu::always_inline]] inline double upperResult(double value) {
  return isNan(value) ? doubleOfBits(0x7FFF'FFFF'0000'0000U) : upperHalf(value);
}
struct ReciprocalDouble {
  double operator()(double a) const { return upperResult(1.0 / upperHalf(a)); }
};
struct ReciprocalRootDouble {
  double operator()(double a) const { return upperResult(1.0 / __builtin_sqrt(upperHalf(a))); }
};
// Without .ftz, programs refine that value by one third-order step, which also covers subnormal numbers.
struct ImprovedRootDouble {
  double operator()(double a) const {
    const bool positive = a > 0.0 && a < doubleOfBits(0x7FF0'0000'0000'0000U);
    const bool small = a < 0x1p-1022;
    const double x = positive ? (small ? a * 0x1p54 : a) : 1.0;
    const double start = upperHalf(1.0 / __builtin_sqrt(x));
    const double rest = __builtin_fma(x, -(start * start), 1.0);
    const double root = __builtin_fma(__builtin_fma(rest, 0.375, 0.5), rest * start, start);
    if (positive) return small ? root * 0x1p27 : root;
    if (isNan(a)) return quieted(a);
    return a == 0.0 ? 1.0 / a : a < 0.0 ? doubleOfBits(kNan64) : 0.0;
  }
};

template <template <bool> class Function>
Handler unaryApproximate(bool flush) {
  return flush ? &unary<Function<true>, float, float> : &unary<Function<false>, float, float>;
}

}  // namespace

Handler selectApproximate(const ptx::Instruction& instruction) {
  const ptx::Op op = instruction.op;
  const bool ftz = instruction.modifiers.ftz;
  if (instruction.types[0] == ptx::Type::kF64) {
    if (op == ptx::Op::kRcp) return &unary<ReciprocalDouble, double, double>;
    if (op == ptx::Op::kRsqrt)
      return ftz ? &unary<ReciprocalRootDouble, double, double> : &unary<ImprovedRootDouble, double, double>;
    return nullptr;
  }
  if (instruction.types[0] != ptx::Type::kF32) return nullptr;
  using F = float;
  switch (op) {
    case ptx::Op::kRcp:
      return unaryApproximate<Reciprocal>(ftz);
    case ptx::Op::kRsqrt:
      return unaryApproximate<ReciprocalRoot>(ftz);
    case ptx::Op::kSqrt:
      return unaryApproximate<Root>(ftz);
    case ptx::Op::kEx2:
      return unaryApproximate<Exponential>(ftz);
    case ptx::Op::kLg2:
      return unaryApproximate<Logarithm>(ftz);
    case ptx::Op::kTanh:
      return unaryApproximate<Tangent>(ftz);
    case ptx::Op::kSin:
      return ftz ? &unary<Sine<true, 0>, F, F> : &unary<Sine<false, 0>, F, F>;
    case ptx::Op::kCos:
      return ftz ? &unary<Sine<true, 1>, F, F> : &unary<Sine<false, 1>, F, F>;
    case ptx::Op::kDiv:
      if (instruction.modifiers.full)
        return ftz ? &binary<FullQuotient<true>, F, F, F> : &binary<FullQuotient<false>, F, F, F>;
      return ftz ? &binary<Quotient<true>, F, F, F> : &binary<Quotient<false>, F, F, F>;
    default:
      return nullptr;
  }
}

}  // namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA
