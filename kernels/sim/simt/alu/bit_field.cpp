// Counting and moving bits: popc, clz, bfind, fns, brev, bfe, bfi, bmsk, szext (PTX 9.7.1).
#include "kernels/sim/simt/alu/integer_types.h"
#include "kernels/sim/simt/alu/selectors.h"

namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA {
namespace {

template <class T>
struct PopulationCount {
  uint32_t operator()(T a) const {
    if constexpr (sizeof(T) == 8) {
      return PopulationCount<uint32_t>{}(static_cast<uint32_t>(a)) +
             PopulationCount<uint32_t>{}(static_cast<uint32_t>(a >> 32));
    } else {  // by pairs, nibbles, bytes: this vectorises on every host
      uint32_t v = a - ((a >> 1) & 0x55555555U);
      v = (v & 0x33333333U) + ((v >> 2) & 0x33333333U);
      return (((v + (v >> 4)) & 0x0F0F0F0FU) * 0x01010101U) >> 24;
    }
  }
};

// Fills with ones from the highest set bit downwards.
template <class T>
[[gnu::always_inline]] inline T smeared(T a) {
  for (uint32_t shift = 1; shift < 8 * sizeof(T); shift *= 2) a |= a >> shift;
  return a;
}
template <class T>
struct CountLeadingZeros {
  uint32_t operator()(T a) const {
    return static_cast<uint32_t>(8 * sizeof(T)) - PopulationCount<T>{}(smeared(a));
  }
};

// The highest bit that differs from the sign bit (for u32: the highest set bit); all ones if there is none.
template <class T, bool shift_amount>
struct FindHighest {
  uint32_t operator()(T a) const {
    if constexpr (kIsSigned<T>) a = a < 0 ? static_cast<T>(~a) : a;
    const uint32_t bits = PopulationCount<Wide<T>>{}(smeared(static_cast<Wide<T>>(a)));
    const uint32_t found = shift_amount ? static_cast<uint32_t>(8 * sizeof(T)) - bits : bits - 1;
    return bits == 0 ? 0xFFFFFFFFU : found;
  }
};

// fns: the offset-th set bit of mask at or above (negative offset: at or below) base; all ones if there is
// none.
struct FindNthSet {
  uint32_t operator()(uint32_t mask, uint32_t base, int32_t offset) const {
    if (base > 31) return 0xFFFFFFFFU;
    if (offset == 0) return ((mask >> base) & 1U) != 0 ? base : 0xFFFFFFFFU;
    if (offset == INT32_MIN) return 0;  // PTX 9.7.1 leaves this open; an H100 gives 0
    const int32_t step = offset > 0 ? 1 : -1;
    uint32_t remaining = offset > 0 ? static_cast<uint32_t>(offset) : 0U - static_cast<uint32_t>(offset);
    for (int32_t position = static_cast<int32_t>(base); position >= 0 && position < 32; position += step) {
      if (((mask >> position) & 1U) != 0 && --remaining == 0) return static_cast<uint32_t>(position);
    }
    return 0xFFFFFFFFU;
  }
};

template <class T>
struct Reverse {
  T operator()(T a) const {
    if constexpr (sizeof(T) == 8) {
      return (T{Reverse<uint32_t>{}(static_cast<uint32_t>(a))} << 32) |
             Reverse<uint32_t>{}(static_cast<uint32_t>(a >> 32));
    } else {
      a = ((a >> 1) & 0x55555555U) | ((a & 0x55555555U) << 1);
      a = ((a >> 2) & 0x33333333U) | ((a & 0x33333333U) << 2);
      a = ((a >> 4) & 0x0F0F0F0FU) | ((a & 0x0F0F0F0FU) << 4);
      a = ((a >> 8) & 0x00FF00FFU) | ((a & 0x00FF00FFU) << 8);
      return (a >> 16) | (a << 16);
    }
  }
};

// Ones in the low `length` bits.
template <class T>
[[gnu::always_inline]] inline T lowOnes(uint32_t length) {
  constexpr uint32_t kBits = 8 * sizeof(T);
  return length < kBits ? static_cast<T>((T{1} << (length & (kBits - 1))) - 1) : static_cast<T>(~T{0});
}

// A position or length. PTX 9.7.1 takes only the low byte of both, 0 .. 255; for 64-bit operands an H100
// takes any larger value as 255.
template <class T>
[[gnu::always_inline]] inline uint32_t fieldBound(uint32_t value) {
  return sizeof(T) == 8 ? (value < 0xFFU ? value : 0xFFU) : value & 0xFFU;
}

// A signed field that reaches beyond the operand is filled with the operand's sign bit, otherwise with the
// field's own top bit.
template <class T>
struct ExtractField {
  T operator()(T value, uint32_t b, uint32_t c) const {
    constexpr uint32_t kBits = 8 * sizeof(T);
    using U = Wide<T>;
    const uint32_t position = fieldBound<T>(b), length = fieldBound<T>(c);
    const U shifted = position < kBits ? static_cast<U>(value) >> (position & (kBits - 1)) : U{0};
    const U ones = lowOnes<U>(length);
    U sign = 0;
    if constexpr (kIsSigned<T>) {
      const uint32_t last = position + length - 1;
      const uint32_t sign_bit = last < kBits ? last : kBits - 1;
      sign = length == 0 ? U{0} : (static_cast<U>(value) >> sign_bit) & 1U;
      // Bits beyond the operand are copies of the sign, too.
      const U beyond = position < kBits ? ~(~U{0} >> (position & (kBits - 1))) : ~U{0};
      return static_cast<T>(((shifted | (sign != 0 ? beyond : U{0})) & ones) | (sign != 0 ? ~ones : U{0}));
    }
    return static_cast<T>(shifted & ones);
  }
};

template <class T>
void insertField(const Instruction& i, const Registers& r, uint32_t mask) {
  const Source<T> a(r, i.sources[0]), b(r, i.sources[1]);
  const Source<uint32_t> c(r, i.sources[2]), d(r, i.sources[3]);
  writeLanes<T>(r, i.destinations[0], mask, [&](uint32_t lane) {
    constexpr uint32_t kBits = 8 * sizeof(T);
    const uint32_t position = fieldBound<T>(c[lane]), length = fieldBound<T>(d[lane]);
    const T field = position < kBits ? static_cast<T>(lowOnes<T>(length) << (position & (kBits - 1))) : T{0};
    return static_cast<T>((b[lane] & ~field) | ((a[lane] << (position & (kBits - 1))) & field));
  });
}

template <bool wrap>
struct BitMask {
  uint32_t operator()(uint32_t position, uint32_t width) const {
    if (wrap) {
      position &= 31U;
      width &= 31U;
    }
    return position < 32 ? lowOnes<uint32_t>(width) << (position & 31U) : 0U;
  }
};

template <bool is_signed, bool wrap>
struct ExtendFrom {
  uint32_t operator()(uint32_t a, uint32_t b) const {
    const uint32_t width = wrap ? b & 31U : b < 32 ? b : 32;
    const uint32_t ones = lowOnes<uint32_t>(width);
    const bool negative = is_signed && width != 0 && ((a >> ((width - 1) & 31U)) & 1U) != 0;
    return negative ? a | ~ones : a & ones;
  }
};

template <class T>
struct BfeHandler {
  static constexpr Handler kHandler = &ternary<ExtractField<T>, T, T, uint32_t, uint32_t>;
};
template <class T>
struct BfindHandler {
  static constexpr Handler kHandler = &unary<FindHighest<T, false>, uint32_t, T>;
};
template <class T>
struct BfindShiftHandler {
  static constexpr Handler kHandler = &unary<FindHighest<T, true>, uint32_t, T>;
};

Handler selectExtension(const ptx::Instruction& instruction) {
  using U = uint32_t;
  const bool wrap = instruction.modifiers.wrap;
  if (instruction.op == ptx::Op::kBmsk)
    return wrap ? &binary<BitMask<true>, U, U, U> : &binary<BitMask<false>, U, U, U>;
  if (ptx::isSigned(instruction.types[0])) {
    return wrap ? &binary<ExtendFrom<true, true>, U, U, U> : &binary<ExtendFrom<true, false>, U, U, U>;
  }
  return wrap ? &binary<ExtendFrom<false, true>, U, U, U> : &binary<ExtendFrom<false, false>, U, U, U>;
}

}  // namespace

Handler selectBitField(const ptx::Instruction& instruction) {
  const ptx::Type type = instruction.types[0];
  const bool wide = ptx::bytesOf(type) == 8;
  switch (instruction.op) {
    case ptx::Op::kPopc:
      return wide ? &unary<PopulationCount<uint64_t>, uint32_t, uint64_t>
                  : &unary<PopulationCount<uint32_t>, uint32_t, uint32_t>;
    case ptx::Op::kClz:
      return wide ? &unary<CountLeadingZeros<uint64_t>, uint32_t, uint64_t>
                  : &unary<CountLeadingZeros<uint32_t>, uint32_t, uint32_t>;
    case ptx::Op::kBfind:
      return instruction.modifiers.shift_amount ? byWideType<BfindShiftHandler>(type)
                                                : byWideType<BfindHandler>(type);
    case ptx::Op::kFns:
      return &ternary<FindNthSet, uint32_t, uint32_t, uint32_t, int32_t>;
    case ptx::Op::kBrev:
      return wide ? &unary<Reverse<uint64_t>, uint64_t, uint64_t>
                  : &unary<Reverse<uint32_t>, uint32_t, uint32_t>;
    case ptx::Op::kBfe:
      return byWideType<BfeHandler>(type);
    case ptx::Op::kBfi:
      return wide ? &insertField<uint64_t> : &insertField<uint32_t>;
    case ptx::Op::kBmsk:
    case ptx::Op::kSzext:
      return selectExtension(instruction);
    default:
      return nullptr;
  }
}

}  // namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA
