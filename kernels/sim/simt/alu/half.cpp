// f16 and bf16 arithmetic, scalar and packed in pairs: add, sub, mul, fma, abs, neg, min, max, ex2, tanh (PTX
// 9.7.4), and comparison of packed operands. Everything is computed in double, where it is exact or may
// safely be rounded once more, and then rounded.
#include "kernels/sim/simt/alu/elementary.h"
#include "kernels/sim/simt/alu/rounding.h"
#include "kernels/sim/simt/alu/selectors.h"

namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA {
namespace {

struct HalfKind {
  using Bits = HalfFormat;
  static double toDouble(uint32_t bits) { return floatOfHalf(bits); }
};
struct BfloatKind {
  using Bits = BfloatFormat;
  static double toDouble(uint32_t bits) { return floatOfBfloat(bits); }
};

template <class Kind>
[[gnu::always_inline]] inline uint32_t flushedBits(uint32_t bits) {
  return (bits & Kind::Bits::kInfinity) == 0 ? bits & static_cast<uint32_t>(Kind::Bits::kSign) : bits;
}

// The modifiers, which are the same for all lanes.
struct HalfMode {
  bool ftz, sat, relu;
  explicit HalfMode(const Instruction& i)
      : ftz(i.modifiers.ftz), sat(i.modifiers.sat), relu(i.modifiers.relu) {}
};
template <class Kind>
[[gnu::always_inline]] inline double load(uint32_t bits, const HalfMode& mode) {
  return Kind::toDouble(mode.ftz ? flushedBits<Kind>(bits) : bits);
}
// .ftz flushes results that are subnormal after rounding to the full precision of a normal number; these are
// more than the results that would be stored as subnormals.
template <class Kind>
inline constexpr double kFlushedBelow =
    (1.0 - 0.25 / static_cast<double>(uint64_t{1} << Kind::Bits::kMantissaBits)) *
    __builtin_bit_cast(double, static_cast<uint64_t>(1023 + Kind::Bits::kSmallestExponent) << 52);
template <class Kind>
[[gnu::always_inline]] inline uint32_t finish(double value, const HalfMode& mode) {
  if (mode.sat) value = value > 0 ? (value < 1 ? value : 1.0) : 0.0;
  if (mode.relu) value = value > 0 || isNan(value) ? value : 0.0;
  const uint32_t bits = roundedBits<typename Kind::Bits, ptx::Rounding::kRn>(value);
  const bool tiny = mode.ftz && __builtin_fabs(value) < kFlushedBelow<Kind>;
  return tiny ? bits & static_cast<uint32_t>(Kind::Bits::kSign) : bits;
}

template <class Kind>
struct AddHalf {
  HalfMode mode;
  explicit AddHalf(const Instruction& i) : mode(i) {}
  uint32_t operator()(uint32_t a, uint32_t b) const {
    return finish<Kind>(load<Kind>(a, mode) + load<Kind>(b, mode), mode);
  }
};
template <class Kind>
struct SubtractHalf {
  HalfMode mode;
  explicit SubtractHalf(const Instruction& i) : mode(i) {}
  uint32_t operator()(uint32_t a, uint32_t b) const {
    return finish<Kind>(load<Kind>(a, mode) - load<Kind>(b, mode), mode);
  }
};
template <class Kind>
struct MultiplyHalf {
  HalfMode mode;
  explicit MultiplyHalf(const Instruction& i) : mode(i) {}
  uint32_t operator()(uint32_t a, uint32_t b) const {
    return finish<Kind>(load<Kind>(a, mode) * load<Kind>(b, mode), mode);
  }
};
template <class Kind>
struct FusedHalf {
  HalfMode mode;
  double product_sign, addend_sign;  // 1 or -1
  explicit FusedHalf(const Instruction& i)
      : mode(i),
        product_sign(i.modifiers.minus_product ? -1 : 1),
        addend_sign(i.modifiers.minus_addend ? -1 : 1) {}
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    const double product = product_sign * load<Kind>(a, mode) * load<Kind>(b, mode);
    return finish<Kind>(sumToOdd(product, addend_sign * load<Kind>(c, mode)), mode);
  }
};

template <class Kind>
[[gnu::always_inline]] inline uint32_t canonicalBits(uint32_t bits) {
  return (bits & (Kind::Bits::kSign - 1)) > Kind::Bits::kInfinity ? Kind::Bits::kNan : bits;
}
template <class Kind>
struct AbsoluteHalf {
  bool ftz;
  explicit AbsoluteHalf(const Instruction& i) : ftz(i.modifiers.ftz) {}
  uint32_t operator()(uint32_t a) const {
    return canonicalBits<Kind>((ftz ? flushedBits<Kind>(a) : a) & (Kind::Bits::kSign - 1));
  }
};
template <class Kind>
struct NegateHalf {
  bool ftz;
  explicit NegateHalf(const Instruction& i) : ftz(i.modifiers.ftz) {}
  uint32_t operator()(uint32_t a) const {
    return canonicalBits<Kind>((ftz ? flushedBits<Kind>(a) : a) ^ Kind::Bits::kSign);
  }
};

// -0 < +0; see ExtremeFloat.
template <class Kind, bool maximum>
struct ExtremeHalf {
  bool ftz, nan, xorsign;
  explicit ExtremeHalf(const Instruction& i)
      : ftz(i.modifiers.ftz), nan(i.modifiers.nan), xorsign(i.modifiers.xorsign) {}
  uint32_t operator()(uint32_t a, uint32_t b) const {
    constexpr uint32_t kSign = Kind::Bits::kSign, kInfinity = Kind::Bits::kInfinity;
    const uint32_t x_bits = ftz ? flushedBits<Kind>(a) : a, y_bits = ftz ? flushedBits<Kind>(b) : b;
    const uint32_t drop = xorsign ? kSign : 0U;
    const uint32_t x = x_bits & ~drop, y = y_bits & ~drop;
    const bool x_nan = (x & (kSign - 1)) > kInfinity, y_nan = (y & (kSign - 1)) > kInfinity;
    // Order magnitude and sign as integers.
    const int32_t x_key =
        (x & kSign) != 0 ? -1 - static_cast<int32_t>(x & (kSign - 1)) : static_cast<int32_t>(x);
    const int32_t y_key =
        (y & kSign) != 0 ? -1 - static_cast<int32_t>(y & (kSign - 1)) : static_cast<int32_t>(y);
    uint32_t value = (maximum ? x_key > y_key : x_key < y_key) ? x : y;
    value = x_nan ? y : y_nan ? x : value;
    const bool is_nan = nan ? x_nan | y_nan : x_nan & y_nan;
    const uint32_t sign = xorsign ? (x_bits ^ y_bits) & kSign : 0U;
    return is_nan ? Kind::Bits::kNan : value | sign;
  }
};

template <class Kind>
struct ExponentialHalf {
  HalfMode mode;
  explicit ExponentialHalf(const Instruction& i) : mode(i) {}
  uint32_t operator()(uint32_t a) const { return finish<Kind>(exponential2(load<Kind>(a, mode)), mode); }
};
template <class Kind>
struct TangentHalf {
  HalfMode mode;
  explicit TangentHalf(const Instruction& i) : mode(i) {}
  uint32_t operator()(uint32_t a) const { return finish<Kind>(hyperbolicTangent(load<Kind>(a, mode)), mode); }
};

// Applies the operation to both halves of a packed register.
template <class Operation>
struct Packed {
  Operation operation;
  explicit Packed(const Instruction& i) : operation(i) {}
  uint32_t operator()(uint32_t a) const { return operation(a & 0xFFFFU) | (operation(a >> 16) << 16); }
  uint32_t operator()(uint32_t a, uint32_t b) const {
    return operation(a & 0xFFFFU, b & 0xFFFFU) | (operation(a >> 16, b >> 16) << 16);
  }
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    return operation(a & 0xFFFFU, b & 0xFFFFU, c & 0xFFFFU) | (operation(a >> 16, b >> 16, c >> 16) << 16);
  }
};

using U = uint32_t;
template <class Operation>
Handler unaryHalf(bool packed) {
  return packed ? &unary<Packed<Operation>, U, U> : &unary<Operation, U, U>;
}
template <class Operation>
Handler binaryHalf(bool packed) {
  return packed ? &binary<Packed<Operation>, U, U, U> : &binary<Operation, U, U, U>;
}
template <class Operation>
Handler ternaryHalf(bool packed) {
  return packed ? &ternary<Packed<Operation>, U, U, U, U> : &ternary<Operation, U, U, U, U>;
}

template <class Kind>
Handler selectKind(ptx::Op op, bool packed) {
  switch (op) {
    case ptx::Op::kAdd:
      return binaryHalf<AddHalf<Kind>>(packed);
    case ptx::Op::kSub:
      return binaryHalf<SubtractHalf<Kind>>(packed);
    case ptx::Op::kMul:
      return binaryHalf<MultiplyHalf<Kind>>(packed);
    case ptx::Op::kFma:
      return ternaryHalf<FusedHalf<Kind>>(packed);
    case ptx::Op::kAbs:
      return unaryHalf<AbsoluteHalf<Kind>>(packed);
    case ptx::Op::kNeg:
      return unaryHalf<NegateHalf<Kind>>(packed);
    case ptx::Op::kMin:
      return binaryHalf<ExtremeHalf<Kind, false>>(packed);
    case ptx::Op::kMax:
      return binaryHalf<ExtremeHalf<Kind, true>>(packed);
    case ptx::Op::kEx2:
      return unaryHalf<ExponentialHalf<Kind>>(packed);
    case ptx::Op::kTanh:
      return unaryHalf<TangentHalf<Kind>>(packed);
    default:
      return nullptr;
  }
}

// Tests one half (0: low) of packed operands.
template <class Kind>
uint32_t testHalf(const Instruction& i, const Registers& r, uint32_t half) {
  const Source<uint32_t> a(r, i.sources[0]), b(r, i.sources[1]);
  const HalfMode mode(i);
  const auto bits = [&](auto test) {
    return bitsOf<uint32_t>([&](uint32_t lane) {
      return test(load<Kind>((a[lane] >> (16 * half)) & 0xFFFFU, mode),
                  load<Kind>((b[lane] >> (16 * half)) & 0xFFFFU, mode));
    });
  };
  const auto less = [](double x, double y) { return x < y; };
  const auto less_or_equal = [](double x, double y) { return x <= y; };
  const auto greater = [](double x, double y) { return x > y; };
  const auto greater_or_equal = [](double x, double y) { return x >= y; };
  switch (i.modifiers.compare) {
    case ptx::Compare::kEq:
      return bits([](double x, double y) { return x == y; });
    case ptx::Compare::kNeu:
      return bits([](double x, double y) { return x != y; });
    case ptx::Compare::kNe:
      return bits(less) | bits(greater);
    case ptx::Compare::kEqu:
      return ~(bits(less) | bits(greater));
    case ptx::Compare::kLt:
      return bits(less);
    case ptx::Compare::kGeu:
      return ~bits(less);
    case ptx::Compare::kLe:
      return bits(less_or_equal);
    case ptx::Compare::kGtu:
      return ~bits(less_or_equal);
    case ptx::Compare::kGt:
      return bits(greater);
    case ptx::Compare::kLeu:
      return ~bits(greater);
    case ptx::Compare::kGe:
      return bits(greater_or_equal);
    case ptx::Compare::kLtu:
      return ~bits(greater_or_equal);
    case ptx::Compare::kNum:
      return bits([](double x, double y) { return !isNan(x) && !isNan(y); });
    case ptx::Compare::kNan:
      return bits([](double x, double y) { return isNan(x) || isNan(y); });
    default:
      return 0;
  }
}

// setp.f16x2 p|q: p for the low halves, q for the high ones. set: 1.0, or all ones, in each half.
template <class Kind>
void comparePacked(const Instruction& i, const Registers& r, uint32_t mask) {
  const uint32_t low = combined(i.modifiers.bool_op, testHalf<Kind>(i, r, 0), i, r);
  const uint32_t high = combined(i.modifiers.bool_op, testHalf<Kind>(i, r, 1), i, r);
  if (i.op == ptx::Op::kSetp) {
    writePredicate(r, i.predicate_destinations[0], mask, low);
    writePredicate(r, i.predicate_destinations[1], mask, high);
    return;
  }
  const uint32_t truth = i.type == ptx::Type::kF16x2    ? 0x3C00U
                         : i.type == ptx::Type::kBf16x2 ? 0x3F80U
                                                        : 0xFFFFU;
  writeLanes<uint32_t>(r, i.destinations[0], mask, [&](uint32_t lane) {
    const uint32_t bit = kLaneBits<uint32_t>.bit[lane];
    return ((low & bit) != 0 ? truth : 0U) | ((high & bit) != 0 ? truth << 16 : 0U);
  });
}

}  // namespace

Handler selectHalf(const ptx::Instruction& instruction) {
  switch (instruction.types[0]) {
    case ptx::Type::kF16:
      return selectKind<HalfKind>(instruction.op, false);
    case ptx::Type::kF16x2:
      return selectKind<HalfKind>(instruction.op, true);
    case ptx::Type::kBf16:
      return selectKind<BfloatKind>(instruction.op, false);
    case ptx::Type::kBf16x2:
      return selectKind<BfloatKind>(instruction.op, true);
    default:
      return nullptr;
  }
}

Handler selectPackedCompare(const ptx::Instruction& instruction) {
  const ptx::Type compared = instruction.op == ptx::Op::kSetp ? instruction.types[0] : instruction.types[1];
  if (compared == ptx::Type::kF16x2) return &comparePacked<HalfKind>;
  if (compared == ptx::Type::kBf16x2) return &comparePacked<BfloatKind>;
  return nullptr;
}

}  // namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA
