// Integer arithmetic without multiplication: add, sub, div, rem, abs, neg, min, max, sad (PTX 9.7.1).
#include "kernels/sim/simt/alu/integer_types.h"
#include "kernels/sim/simt/alu/selectors.h"

namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA {
namespace {

template <class T>
struct Add {
  T operator()(T a, T b) const { return narrow<T>(Wide<T>(a) + Wide<T>(b)); }
};
template <class T>
struct Subtract {
  T operator()(T a, T b) const { return narrow<T>(Wide<T>(a) - Wide<T>(b)); }
};

template <bool subtract>
struct SaturatingAdd {
  int32_t operator()(int32_t a, int32_t b) const {
    const int64_t sum = subtract ? int64_t{a} - b : int64_t{a} + b;
    return static_cast<int32_t>(sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum);
  }
};

// The 32-bit quotient. Exact: a quotient that is not an integer is further from the next integer than
// double's rounding error.
[[gnu::always_inline]] inline uint32_t quotientOf(uint32_t a, uint32_t b) {
  const double quotient = static_cast<double>(a) / static_cast<double>(b);
#ifdef __SSE4_1__  // floor is an instruction, conversion to unsigned is not: its bits below 2^52
  return static_cast<uint32_t>(__builtin_bit_cast(uint64_t, __builtin_floor(quotient) + 0x1p52));
#else
  return static_cast<uint32_t>(static_cast<int64_t>(quotient));
#endif
}

// Division by zero gives all ones for quotient and remainder, as the code that ptxas generates does.
template <class T>
struct Divide {
  T operator()(T a, T b) const {
    if constexpr (sizeof(T) == 8) {
      if (b == 0) return static_cast<T>(~T{0});
      if constexpr (kIsSigned<T>) {
        if (b == -1) return narrow<T>(0 - Wide<T>(a));
      }
      return static_cast<T>(a / b);
    } else if constexpr (kIsSigned<T>) {
      const T divisor = b == 0 || b == -1 ? T{1} : b;
      const T quotient =
          static_cast<T>(static_cast<int32_t>(static_cast<double>(a) / static_cast<double>(divisor)));
      return b == 0 ? T{-1} : b == -1 ? narrow<T>(0 - Wide<T>(a)) : quotient;
    } else {
      return b == 0 ? static_cast<T>(~T{0}) : static_cast<T>(quotientOf(a, b));
    }
  }
};
template <class T>
struct Remainder {
  T operator()(T a, T b) const {
    const T quotient = Divide<T>{}(a, b);
    return b == 0 ? static_cast<T>(~T{0}) : narrow<T>(Wide<T>(a) - Wide<T>(quotient) * Wide<T>(b));
  }
};

template <class T>
struct Absolute {
  T operator()(T a) const { return a < 0 ? narrow<T>(0 - Wide<T>(a)) : a; }
};
template <class T>
struct Negate {
  T operator()(T a) const { return narrow<T>(0 - Wide<T>(a)); }
};
template <class T>
struct Minimum {
  T operator()(T a, T b) const { return a < b ? a : b; }
};
template <class T>
struct Maximum {
  T operator()(T a, T b) const { return a > b ? a : b; }
};
template <template <class> class Base>
struct Relu {
  int32_t operator()(int32_t a, int32_t b) const {
    const int32_t value = Base<int32_t>{}(a, b);
    return value < 0 ? 0 : value;
  }
};
template <class T>
struct SumOfDifferences {
  T operator()(T a, T b, T c) const {
    const Wide<T> difference = a < b ? Wide<T>(b) - Wide<T>(a) : Wide<T>(a) - Wide<T>(b);
    return narrow<T>(Wide<T>(c) + difference);
  }
};

template <class T>
using AddHandler = Bind2<Add, T>;
template <class T>
using SubtractHandler = Bind2<Subtract, T>;
template <class T>
using DivideHandler = Bind2<Divide, T>;
template <class T>
using RemainderHandler = Bind2<Remainder, T>;
template <class T>
using AbsoluteHandler = Bind1<Absolute, T>;
template <class T>
using NegateHandler = Bind1<Negate, T>;
template <class T>
using MinimumHandler = Bind2<Minimum, T>;
template <class T>
using MaximumHandler = Bind2<Maximum, T>;
template <class T>
using SadHandler = Bind3<SumOfDifferences, T>;

}  // namespace

Handler selectInteger(const ptx::Instruction& instruction) {
  const ptx::Type type = instruction.types[0];
  const bool saturate = instruction.modifiers.sat;
  switch (instruction.op) {
    case ptx::Op::kAdd:
      if (saturate) return &binary<SaturatingAdd<false>, int32_t, int32_t, int32_t>;
      return byIntegerType<AddHandler>(unsignedOf(type));
    case ptx::Op::kSub:
      if (saturate) return &binary<SaturatingAdd<true>, int32_t, int32_t, int32_t>;
      return byIntegerType<SubtractHandler>(unsignedOf(type));
    case ptx::Op::kDiv:
      return byIntegerType<DivideHandler>(type);
    case ptx::Op::kRem:
      return byIntegerType<RemainderHandler>(type);
    case ptx::Op::kAbs:
      return bySignedType<AbsoluteHandler>(type);
    case ptx::Op::kNeg:
      return bySignedType<NegateHandler>(type);
    case ptx::Op::kMin:
      if (instruction.modifiers.relu) return &binary<Relu<Minimum>, int32_t, int32_t, int32_t>;
      return byIntegerType<MinimumHandler>(type);
    case ptx::Op::kMax:
      if (instruction.modifiers.relu) return &binary<Relu<Maximum>, int32_t, int32_t, int32_t>;
      return byIntegerType<MaximumHandler>(type);
    case ptx::Op::kSad:
      return byIntegerType<SadHandler>(type);
    default:
      return nullptr;
  }
}

}  // namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA
