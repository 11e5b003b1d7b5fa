// cvt between integers, and cvt.pack (PTX 9.7.9.22, 9.7.9.23).
#include "kernels/sim/simt/alu/convert_lanes.h"
#include "kernels/sim/simt/alu/integer_types.h"
#include "kernels/sim/simt/alu/selectors.h"

namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA {
namespace {

template <class D, class A>
void convertInteger(const Instruction& i, const Registers& r, uint32_t mask) {
  convertLanes<D, A, kIsSigned<D>>(i, r, mask, [](A a) { return static_cast<D>(a); });
}

// .sat clamps to D's range.
template <class T>
inline constexpr T kLargest = static_cast<T>(kIsSigned<T> ? static_cast<Wide<T>>(~Wide<T>{0}) >>
                                                                (8 * (sizeof(Wide<T>) - sizeof(T)) + 1)
                                                          : static_cast<Wide<T>>(~Wide<T>{0}));
template <class T>
inline constexpr T kSmallest = static_cast<T>(kIsSigned<T> ? static_cast<T>(~kLargest<T>) : T{0});

template <class D, class A>
[[gnu::always_inline]] inline D clamped(A a) {
  if constexpr (kIsSigned<A>) {
    const int64_t value{a};
    if constexpr (kIsSigned<D>) {
      if (value < int64_t{kSmallest<D>}) return kSmallest<D>;
      return value > int64_t{kLargest<D>} ? kLargest<D> : static_cast<D>(a);
    } else {
      if (value < 0) return D{0};
      return static_cast<uint64_t>(value) > uint64_t{kLargest<D>} ? kLargest<D> : static_cast<D>(a);
    }
  } else {
    return uint64_t{a} > static_cast<uint64_t>(kLargest<D>) ? kLargest<D> : static_cast<D>(a);
  }
}
template <class D, class A>
void convertSaturating(const Instruction& i, const Registers& r, uint32_t mask) {
  convertLanes<D, A, kIsSigned<D>>(i, r, mask, [](A a) { return clamped<D>(a); });
}

template <class D, class A>
constexpr Handler handlerOf(bool saturate) {
  return saturate ? &convertSaturating<D, A> : &convertInteger<D, A>;
}

template <class A>
Handler selectDestination(ptx::Type type, bool saturate) {
  switch (type) {
    case ptx::Type::kU8:
      return handlerOf<uint8_t, A>(saturate);
    case ptx::Type::kS8:
      return handlerOf<int8_t, A>(saturate);
    case ptx::Type::kU16:
      return handlerOf<uint16_t, A>(saturate);
    case ptx::Type::kS16:
      return handlerOf<int16_t, A>(saturate);
    case ptx::Type::kU32:
      return handlerOf<uint32_t, A>(saturate);
    case ptx::Type::kS32:
      return handlerOf<int32_t, A>(saturate);
    case ptx::Type::kU64:
      return handlerOf<uint64_t, A>(saturate);
    case ptx::Type::kS64:
      return handlerOf<int64_t, A>(saturate);
    default:
      return nullptr;
  }
}

// cvt.pack.sat.D.s32{.b32} d, a, b{, c}: c shifted left by two fields; a's field lies above b's.
[[gnu::always_inline]] inline uint32_t packedField(int32_t value, uint32_t bits, bool is_signed) {
  const int32_t top = static_cast<int32_t>((1U << (is_signed ? bits - 1 : bits)) - 1U);
  const int32_t bottom = is_signed ? -top - 1 : 0;
  const int32_t kept = value > top ? top : value < bottom ? bottom : value;
  return static_cast<uint32_t>(kept) & ((1U << bits) - 1U);
}
template <uint32_t bits, bool is_signed>
void packSaturated(const Instruction& i, const Registers& r, uint32_t mask) {
  const Source<int32_t> a(r, i.sources[0]), b(r, i.sources[1]);
  const bool with_c = i.source_count > 2;
  const Source<uint32_t> c(r, with_c ? i.sources[2] : i.sources[0]);
  writeLanes<uint32_t>(r, i.destinations[0], mask, [&](uint32_t lane) {
    const uint32_t fields =
        (packedField(a[lane], bits, is_signed) << bits) | packedField(b[lane], bits, is_signed);
    const uint32_t rest = with_c && bits < 16 ? c[lane] << ((2 * bits) & 31U) : 0U;
    return fields | rest;
  });
}

// b32 is read and written as u32.
ptx::Type withSign(ptx::Type type) {
  return ptx::isSigned(type) ? type : unsignedOf(type);
}

}  // namespace

Handler selectConvertInteger(const ptx::Instruction& instruction) {
  const ptx::Type to = withSign(instruction.types[0]);
  const bool saturate = instruction.modifiers.sat;
  switch (withSign(instruction.types[1])) {
    case ptx::Type::kU8:
      return selectDestination<uint8_t>(to, saturate);
    case ptx::Type::kS8:
      return selectDestination<int8_t>(to, saturate);
    case ptx::Type::kU16:
      return selectDestination<uint16_t>(to, saturate);
    case ptx::Type::kS16:
      return selectDestination<int16_t>(to, saturate);
    case ptx::Type::kU32:
      return selectDestination<uint32_t>(to, saturate);
    case ptx::Type::kS32:
      return selectDestination<int32_t>(to, saturate);
    case ptx::Type::kU64:
      return selectDestination<uint64_t>(to, saturate);
    case ptx::Type::kS64:
      return selectDestination<int64_t>(to, saturate);
    default:
      return nullptr;
  }
}

Handler selectConvertPack(const ptx::Instruction& instruction) {
  switch (instruction.types[0]) {
    case ptx::Type::kU8:
      return &packSaturated<8, false>;
    case ptx::Type::kS8:
      return &packSaturated<8, true>;
    case ptx::Type::kU16:
      return &packSaturated<16, false>;
    case ptx::Type::kS16:
      return &packSaturated<16, true>;
    default:
      return nullptr;  // u4, s4, u2 and s2 are not register types here
  }
}

}  // namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA
