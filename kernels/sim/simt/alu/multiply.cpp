// Integer multiplication: mul, mad (lo, hi, wide), mul24, mad24, dp4a, dp2a (PTX 9.7.1).
#include "kernels/sim/simt/alu/integer_types.h"
#include "kernels/sim/simt/alu/selectors.h"

namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA {
namespace {

template <class T>
struct TwiceOf;
template <>
struct TwiceOf<uint16_t> {
  using Type = uint32_t;
};
template <>
struct TwiceOf<int16_t> {
  using Type = int32_t;
};
template <>
struct TwiceOf<uint32_t> {
  using Type = uint64_t;
};
template <>
struct TwiceOf<int32_t> {
  using Type = int64_t;
};
__extension__ using Signed128 = __int128;
__extension__ using Unsigned128 = unsigned __int128;
template <>
struct TwiceOf<uint64_t> {
  using Type = Unsigned128;
};
template <>
struct TwiceOf<int64_t> {
  using Type = Signed128;
};
template <class T>
using Twice = typename TwiceOf<T>::Type;

template <class T>
[[gnu::always_inline]] inline T highHalf(T a, T b) {
  return static_cast<T>((static_cast<Twice<T>>(a) * b) >> (8 * sizeof(T)));
}

template <class T>
struct MultiplyLow {
  T operator()(T a, T b) const { return narrow<T>(Wide<T>(a) * Wide<T>(b)); }
};
template <class T>
struct MultiplyHigh {
  T operator()(T a, T b) const { return highHalf(a, b); }
};
template <class T>
struct MultiplyWide {
  Twice<T> operator()(T a, T b) const { return static_cast<Twice<T>>(a) * b; }
};
template <class T>
struct MultiplyAddLow {
  T operator()(T a, T b, T c) const { return narrow<T>(Wide<T>(a) * Wide<T>(b) + Wide<T>(c)); }
};
template <class T>
struct MultiplyAddHigh {
  T operator()(T a, T b, T c) const { return narrow<T>(Wide<T>(highHalf(a, b)) + Wide<T>(c)); }
};
template <class T>
struct MultiplyAddWide {
  Twice<T> operator()(T a, T b, Twice<T> c) const {
    return narrow<Twice<T>>(static_cast<Wide<Twice<T>>>(static_cast<Twice<T>>(a) * b) + Wide<Twice<T>>(c));
  }
};

[[gnu::always_inline]] inline int32_t saturatedSum(int32_t a, int32_t b) {
  const int64_t sum = int64_t{a} + b;
  return static_cast<int32_t>(sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum);
}
struct MultiplyAddHighSaturating {
  int32_t operator()(int32_t a, int32_t b, int32_t c) const { return saturatedSum(highHalf(a, b), c); }
};

// The 48-bit product of the operands' low 24 bits.
[[gnu::always_inline]] inline uint64_t product24(uint32_t a, uint32_t b) {
  return uint64_t{a & 0xFFFFFFU} * (b & 0xFFFFFFU);
}
[[gnu::always_inline]] inline int64_t product24(int32_t a, int32_t b) {
  const auto extend = [](int32_t value) {
    return static_cast<int32_t>(static_cast<uint32_t>(value) << 8) >> 8;
  };
  return int64_t{extend(a)} * extend(b);
}
template <class T, bool high>  // high: bits 47..16
struct Multiply24 {
  T operator()(T a, T b) const { return static_cast<T>(product24(a, b) >> (high ? 16 : 0)); }
};
template <class T, bool high>
struct MultiplyAdd24 {
  T operator()(T a, T b, T c) const { return narrow<T>(Wide<T>(Multiply24<T, high>{}(a, b)) + Wide<T>(c)); }
};
struct MultiplyAdd24HighSaturating {
  int32_t operator()(int32_t a, int32_t b, int32_t c) const {
    return saturatedSum(Multiply24<int32_t, true>{}(a, b), c);
  }
};

[[gnu::always_inline]] inline int32_t byteOf(uint32_t word, uint32_t index, bool is_signed) {
  const uint32_t byte = (word >> (8 * index)) & 0xFFU;
  return is_signed ? static_cast<int32_t>(static_cast<int8_t>(byte)) : static_cast<int32_t>(byte);
}
template <bool signed_a, bool signed_b>
struct DotOfFour {
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    uint32_t sum = c;
    for (uint32_t k = 0; k < 4; ++k) {
      sum += static_cast<uint32_t>(byteOf(a, k, signed_a) * byteOf(b, k, signed_b));
    }
    return sum;
  }
};
template <bool signed_a, bool signed_b>
struct DotOfTwo {
  uint32_t first;  // first byte of b: 0 for .lo, 2 for .hi
  explicit DotOfTwo(const Instruction& i) : first(i.modifiers.part == ptx::Part::kHi ? 2 : 0) {}
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    uint32_t sum = c;
    for (uint32_t k = 0; k < 2; ++k) {
      const uint32_t half = (a >> (16 * k)) & 0xFFFFU;
      const int32_t extended =
          signed_a ? static_cast<int32_t>(static_cast<int16_t>(half)) : static_cast<int32_t>(half);
      sum += static_cast<uint32_t>(extended * byteOf(b, first + k, signed_b));
    }
    return sum;
  }
};

template <class T>
using LowHandler = Bind2<MultiplyLow, T>;
template <class T>
using HighHandler = Bind2<MultiplyHigh, T>;
template <class T>
using AddLowHandler = Bind3<MultiplyAddLow, T>;
template <class T>
using AddHighHandler = Bind3<MultiplyAddHigh, T>;

template <class T>
Handler wideHandler(bool add) {
  return add ? &ternary<MultiplyAddWide<T>, Twice<T>, T, T, Twice<T>>
             : &binary<MultiplyWide<T>, Twice<T>, T, T>;
}

Handler selectPart(const ptx::Instruction& instruction, bool add) {
  const ptx::Type type = instruction.types[0];
  switch (instruction.modifiers.part) {
    case ptx::Part::kHi:
      if (instruction.modifiers.sat)
        return &ternary<MultiplyAddHighSaturating, int32_t, int32_t, int32_t, int32_t>;
      return add ? byIntegerType<AddHighHandler>(type) : byIntegerType<HighHandler>(type);
    case ptx::Part::kWide:
      switch (type) {
        case ptx::Type::kU16:
          return wideHandler<uint16_t>(add);
        case ptx::Type::kS16:
          return wideHandler<int16_t>(add);
        case ptx::Type::kU32:
          return wideHandler<uint32_t>(add);
        case ptx::Type::kS32:
          return wideHandler<int32_t>(add);
        default:
          return nullptr;
      }
    default:
      return add ? byIntegerType<AddLowHandler>(unsignedOf(type))
                 : byIntegerType<LowHandler>(unsignedOf(type));
  }
}

template <class T, bool high>
Handler handler24(bool add) {
  return add ? &ternary<MultiplyAdd24<T, high>, T, T, T, T> : &binary<Multiply24<T, high>, T, T, T>;
}
Handler select24(const ptx::Instruction& instruction, bool add) {
  if (instruction.modifiers.sat)
    return &ternary<MultiplyAdd24HighSaturating, int32_t, int32_t, int32_t, int32_t>;
  const bool high = instruction.modifiers.part == ptx::Part::kHi;
  switch (instruction.types[0]) {
    case ptx::Type::kU32:
      return high ? handler24<uint32_t, true>(add) : handler24<uint32_t, false>(add);
    case ptx::Type::kS32:
      return high ? handler24<int32_t, true>(add) : handler24<int32_t, false>(add);
    default:
      return nullptr;
  }
}

template <template <bool, bool> class Dot>
Handler selectDot(const ptx::Instruction& instruction) {
  const bool signed_a = instruction.types[0] == ptx::Type::kS32,
             signed_b = instruction.types[1] == ptx::Type::kS32;
  using U = uint32_t;
  if (signed_a)
    return signed_b ? &ternary<Dot<true, true>, U, U, U, U> : &ternary<Dot<true, false>, U, U, U, U>;
  return signed_b ? &ternary<Dot<false, true>, U, U, U, U> : &ternary<Dot<false, false>, U, U, U, U>;
}

}  // namespace

Handler selectMultiply(const ptx::Instruction& instruction) {
  switch (instruction.op) {
    case ptx::Op::kMul:
      return selectPart(instruction, false);
    case ptx::Op::kMad:
      return selectPart(instruction, true);
    case ptx::Op::kMul24:
      return select24(instruction, false);
    case ptx::Op::kMad24:
      return select24(instruction, true);
    case ptx::Op::kDp4a:
      return selectDot<DotOfFour>(instruction);
    case ptx::Op::kDp2a:
      return selectDot<DotOfTwo>(instruction);
    default:
      return nullptr;
  }
}

}  // namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA
