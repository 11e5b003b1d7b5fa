// f32 and f64 arithmetic, rounded to nearest: add, sub, mul, fma, mad, div, rcp, sqrt, abs, neg, min, max,
// testp, copysign (PTX 9.7.3). Other roundings: directed.cpp; .approx and .full: approximate.cpp.
#include "kernels/sim/simt/alu/float_operations.h"
#include "kernels/sim/simt/alu/selectors.h"

namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA {
namespace {

// These go through the adder: a NaN becomes the NaN that an addition gives, whatever its sign.
template <bool flush>
struct AbsoluteFloat {
  float operator()(float a) const {
    const uint32_t bits = bitsOfFloat(flush ? flushed(a) : a);
    return canonical(floatOfBits(bits & 0x7FFFFFFFU));
  }
};
template <bool flush>
struct NegateFloat {
  float operator()(float a) const {
    const uint32_t bits = bitsOfFloat(flush ? flushed(a) : a);
    return canonical(floatOfBits(bits ^ 0x80000000U));
  }
};
struct AbsoluteDouble {
  double operator()(double a) const {
    return isNan(a) ? quieted(a) : doubleOfBits(bitsOfDouble(a) & ~(uint64_t{1} << 63));
  }
};
struct NegateDouble {
  double operator()(double a) const {
    return isNan(a) ? quieted(a) : doubleOfBits(bitsOfDouble(a) ^ (uint64_t{1} << 63));
  }
};

// -0 < +0. If one operand is a NaN the other is the result, unless .NaN is given; .xorsign.abs compares
// magnitudes and gives the result the product's sign.
template <bool maximum, bool flush, bool nan, bool xorsign>
struct ExtremeFloat {
  float operator()(float a, float b) const {
    if (flush) {
      a = flushed(a);
      b = flushed(b);
    }
    const uint32_t sign = (bitsOfFloat(a) ^ bitsOfFloat(b)) & 0x80000000U;
    if (xorsign) {
      a = floatOfBits(bitsOfFloat(a) & 0x7FFFFFFFU);
      b = floatOfBits(bitsOfFloat(b) & 0x7FFFFFFFU);
    }
    const bool both_zero = a == b;  // or equal magnitudes, when the signs agree
    const uint32_t zero = maximum ? bitsOfFloat(a) & bitsOfFloat(b) : bitsOfFloat(a) | bitsOfFloat(b);
    const float chosen = (maximum ? a > b : a < b) ? a : b;
    float value = both_zero ? floatOfBits(zero) : chosen;
    value = isNan(a) ? b : isNan(b) ? a : value;
    if (nan) value = isNan(a) | isNan(b) ? floatOfBits(kNan32) : value;
    if (xorsign) value = isNan(value) ? value : floatOfBits(bitsOfFloat(value) | sign);
    return canonical(value);
  }
};
template <bool maximum>
struct ExtremeDouble {
  double operator()(double a, double b) const {
    const uint64_t zero = maximum ? bitsOfDouble(a) & bitsOfDouble(b) : bitsOfDouble(a) | bitsOfDouble(b);
    const double chosen = (maximum ? a > b : a < b) ? a : b;
    const double value = a == b ? doubleOfBits(zero) : chosen;
    if (isNan(a) & isNan(b)) return propagated(a, a, b);
    return isNan(a) ? b : isNan(b) ? a : value;
  }
};

template <class Bits>
void copySign(const Instruction& i, const Registers& r, uint32_t mask) {
  const Source<Bits> a(r, i.sources[0]), b(r, i.sources[1]);  // gives b the sign of a
  constexpr Bits kSign = Bits{1} << (8 * sizeof(Bits) - 1);
  writeLanes<Bits>(r, i.destinations[0], mask,
                   [&](uint32_t lane) { return (a[lane] & kSign) | (b[lane] & ~kSign); });
}

template <class Bits, Bits infinity, Bits smallest_normal>
void testProperty(const Instruction& i, const Registers& r, uint32_t mask) {
  const Source<Bits> a(r, i.sources[0]);
  const auto bits = [&](auto test) {
    return bitsOf<Bits>([&](uint32_t lane) { return test(static_cast<Bits>(a[lane] & (~Bits{0} >> 1))); });
  };
  uint32_t value = 0;
  switch (i.modifiers.test) {
    case ptx::TestProperty::kFinite:
      value = bits([](Bits v) { return v < infinity; });
      break;
    case ptx::TestProperty::kInfinite:
      value = bits([](Bits v) { return v == infinity; });
      break;
    case ptx::TestProperty::kNumber:
      value = bits([](Bits v) { return v <= infinity; });
      break;
    case ptx::TestProperty::kNotanumber:
      value = bits([](Bits v) { return v > infinity; });
      break;
    case ptx::TestProperty::kNormal:  // including zeros
      value = bits([](Bits v) { return ((v >= smallest_normal) & (v < infinity)) | (v == 0); });
      break;
    case ptx::TestProperty::kSubnormal:
      value = bits([](Bits v) { return v < smallest_normal && v != 0; });
      break;
    case ptx::TestProperty::kNone:
      break;
  }
  writePredicate(r, i.predicate_destinations[0], mask, value);
}

template <bool maximum, bool flush>
Handler extremeFloat(const ptx::Modifiers& m) {
  using F = float;
  if (m.xorsign) {
    return m.nan ? &binary<ExtremeFloat<maximum, flush, true, true>, F, F, F>
                 : &binary<ExtremeFloat<maximum, flush, false, true>, F, F, F>;
  }
  return m.nan ? &binary<ExtremeFloat<maximum, flush, true, false>, F, F, F>
               : &binary<ExtremeFloat<maximum, flush, false, false>, F, F, F>;
}

Handler selectFloat32(const ptx::Instruction& instruction) {
  const ptx::Modifiers& m = instruction.modifiers;
  switch (instruction.op) {
    case ptx::Op::kAdd:
      return binaryFloat<AddFloat>(m);
    case ptx::Op::kSub:
      return binaryFloat<SubtractFloat>(m);
    case ptx::Op::kMul:
      return binaryFloat<MultiplyFloat>(m);
    case ptx::Op::kMad:
    case ptx::Op::kFma:
      if (m.minus_product) return ternaryFloat<SubtractProductFloat>(m);
      if (m.minus_addend) return ternaryFloat<SubtractFromProductFloat>(m);
      return ternaryFloat<FusedFloat>(m);
    case ptx::Op::kDiv:
      return binaryFloat<DivideFloat>(m);
    case ptx::Op::kRcp:
      return unaryFloat<ReciprocalFloat>(m);
    case ptx::Op::kSqrt:
      return unaryFloat<RootFloat>(m);
    case ptx::Op::kAbs:
      return m.ftz ? &unary<AbsoluteFloat<true>, float, float> : &unary<AbsoluteFloat<false>, float, float>;
    case ptx::Op::kNeg:
      return m.ftz ? &unary<NegateFloat<true>, float, float> : &unary<NegateFloat<false>, float, float>;
    case ptx::Op::kMin:
      return m.ftz ? extremeFloat<false, true>(m) : extremeFloat<false, false>(m);
    case ptx::Op::kMax:
      return m.ftz ? extremeFloat<true, true>(m) : extremeFloat<true, false>(m);
    case ptx::Op::kTestp:
      return &testProperty<uint32_t, 0x7F800000U, 0x00800000U>;
    case ptx::Op::kCopysign:
      return &copySign<uint32_t>;
    default:
      return nullptr;
  }
}

Handler selectFloat64(const ptx::Instruction& instruction) {
  using D = double;
  switch (instruction.op) {
    case ptx::Op::kAdd:
      return &binary<AddDouble, D, D, D>;
    case ptx::Op::kSub:
      return &binary<SubtractDouble, D, D, D>;
    case ptx::Op::kMul:
      return &binary<MultiplyDouble, D, D, D>;
    case ptx::Op::kMad:
    case ptx::Op::kFma:
      if (instruction.modifiers.minus_product) return &ternary<SubtractProductDouble, D, D, D, D>;
      if (instruction.modifiers.minus_addend) return &ternary<SubtractFromProductDouble, D, D, D, D>;
      return &ternary<FusedDouble, D, D, D, D>;
    case ptx::Op::kDiv:
      return &binary<DivideDouble, D, D, D>;
    case ptx::Op::kRcp:
      return &unary<ReciprocalDouble, D, D>;
    case ptx::Op::kSqrt:
      return &unary<RootDouble, D, D>;
    case ptx::Op::kAbs:
      return &unary<AbsoluteDouble, D, D>;
    case ptx::Op::kNeg:
      return &unary<NegateDouble, D, D>;
    case ptx::Op::kMin:
      return &binary<ExtremeDouble<false>, D, D, D>;
    case ptx::Op::kMax:
      return &binary<ExtremeDouble<true>, D, D, D>;
    case ptx::Op::kTestp:
      return &testProperty<uint64_t, 0x7FF0000000000000U, 0x0010000000000000U>;
    case ptx::Op::kCopysign:
      return &copySign<uint64_t>;
    default:
      return nullptr;
  }
}

}  // namespace

Handler selectFloat(const ptx::Instruction& instruction) {
  if (instruction.types[0] == ptx::Type::kF32) return selectFloat32(instruction);
  if (instruction.types[0] == ptx::Type::kF64) return selectFloat64(instruction);
  return nullptr;
}

}  // namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA
