// Approximate functions: the value, and the bound that the PTX ISA 9.0 (9.7.3, 9.7.4) states.
#include <cmath>

#include "tests/differential/reference.h"

namespace warpscope::test {
namespace {

using ptx::Op;
using ptx::Type;

constexpr long double kUlp = 0x1p-23L;  // of f32, relative to the power of two of the number

// If the bound holds only within some range, only the kind of number is known outside it.
Result bounded(long double value, long double relative, long double absolute) {
  Result result;
  result.rule = Result::Rule::kNear;
  result.value[0] = value;
  result.relative = relative;
  result.absolute = absolute;
  return result;
}

Result sineOrCosine(Op op, long double x) {
  if (std::isnan(x) || std::isinf(x)) return bounded(NAN, 0, 0);
  const long double magnitude = std::fabs(x), value = op == Op::kSin ? std::sin(x) : std::cos(x);
  constexpr long double kPi = 3.14159265358979323846L;
  if (magnitude <= 2 * kPi) return bounded(value, 0, 0x1p-20L);
  if (magnitude <= 100 * kPi) return bounded(value, 0, 0x1p-14L);
  return undefined();
}

Result dividedApproximately(const Form& form, long double a, long double b) {
  if (form.has("approx") && std::fabs(b) > 0x1p126L && !std::isinf(b)) {
    return bounded(std::isinf(a)
                       ? static_cast<long double>(NAN)
                       : (std::signbit(a) != std::signbit(b) ? -0.0L : 0.0L) * (std::isnan(a) ? a : 1),
                   0, 0);
  }
  const bool in_range = std::isnan(b) || std::isinf(b) || b == 0 || std::fabs(b) >= 0x1p-126L;
  if (!in_range) return undefined();
  return bounded(a / b, 2 * kUlp, 0x1p-148L);
}

Result functionOf32(const Form& form, long double a, long double b) {
  switch (form.entry->op) {
    case Op::kRcp:
      return bounded(1 / a, kUlp, 0x1p-149L);
    case Op::kSqrt:
      return bounded(std::sqrt(a), 2 * kUlp, 0);
    case Op::kRsqrt:
      return bounded(1 / std::sqrt(a), 2 * kUlp, 0);
    case Op::kSin:
    case Op::kCos:
      return sineOrCosine(form.entry->op, a);
    case Op::kLg2:
      return bounded(std::log2(a), 0x1p-22L, a > 0.5L && a < 2 ? 0x1p-22L : 0);
    case Op::kEx2:
      return bounded(std::exp2(a), 2 * kUlp, 0x1p-148L);
    case Op::kTanh:
      return bounded(std::tanh(a), 0x1p-11L, 0);
    default:
      return dividedApproximately(form, a, b);
  }
}

// .ftz works on the upper 32 bits of f64 only. Otherwise it is a program, for which the PTX ISA states no
// bound.
Result functionOf64(const Form& form, uint64_t bits) {
  if (!form.has("ftz")) {
    Result result = bounded(1 / std::sqrt(valueOf(parseFloat(bits, kF64))), 0x1p-51L, 0);
    result.format = kF64;
    return result;
  }
  const uint64_t upper = flushedToZero(bits & 0xFFFF'FFFF'0000'0000U, kF64);
  const long double a = valueOf(parseFloat(upper, kF64));
  const long double value = form.entry->op == Op::kRcp ? 1 / a : 1 / std::sqrt(a);
  Result result = bounded(value, 0x1p-19L, 0x1p-1022L);
  result.format = kF64;
  return result;
}

Result functionOf16(const Form& form, const Value& in, FloatFormat format, uint32_t parts) {
  Result result;
  result.rule = Result::Rule::kNear;
  result.format = format;
  result.parts = parts;
  const bool half = format.mantissa_bits == 10;
  const bool exponential = form.entry->op == Op::kEx2;
  result.relative = exponential ? (half ? 0x1p-9L : 0x1p-7L) : 0;
  // tanh.approx.bf16: the stated bound is 2^-8, but an H100 gives -0.62890625 for tanh(-0.74609375) =
  // -0.63281275.
  result.absolute = exponential ? (half ? 0x1p-24L : 0) : (half ? 0x1p-10L : 0x1.001p-8L);
  for (uint32_t part = 0; part < parts; ++part) {
    uint64_t bits = (in[0] >> (16 * part)) & 0xFFFFU;
    if (form.has("ftz")) bits = flushedToZero(bits, format);
    const long double a = valueOf(parseFloat(bits, format));
    result.value[part] = exponential ? std::exp2(a) : std::tanh(a);
  }
  return result;
}

}  // namespace

Results approximateReference(const Form& form, const Inputs& in) {
  const Type type = form.types[0];
  const Op op = form.entry->op;
  const bool approximate = form.has("approx") || form.has("full");
  if (!ptx::isFloat(type) || !approximate || op > Op::kTanh) return {};
  Result result;
  if (type == Type::kF64) {
    result = functionOf64(form, in[0][0]);
  } else if (type == Type::kF32) {
    const auto operand = [&](size_t i) {
      if (i >= in.size()) return 0.0L;
      return valueOf(parseFloat(form.has("ftz") ? flushedToZero(in[i][0], kF32) : in[i][0], kF32));
    };
    result = functionOf32(form, operand(0), operand(1));
  } else {
    const bool is_packed = type == Type::kF16x2 || type == Type::kBf16x2;
    result = functionOf16(form, in[0], formatOf(type), is_packed ? 2 : 1);
  }
  result.flushes = form.has("ftz");
  return {result};
}

}  // namespace warpscope::test
