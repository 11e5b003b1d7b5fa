// cvt from and to floating point (PTX 9.7.9.22), in three steps: every source type becomes double, which is
// exact except for 64-bit integers (see loadInteger); .rni and the like round that to an integer; the result
// is clamped or rounded to the destination's type.
#include "kernels/sim/simt/alu/convert_lanes.h"
#include "kernels/sim/simt/alu/integer_types.h"
#include "kernels/sim/simt/alu/rounding.h"
#include "kernels/sim/simt/alu/selectors.h"

namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA {
namespace {

struct alignas(64) Doubles {
  double lane[32];
};

// A source of a floating-point type.
template <class A>
[[gnu::always_inline]] inline double exactDouble(A value, bool ftz) {
  if constexpr (sizeof(A) == 4) {
    return static_cast<double>(ftz ? canonical(flushed(value)) : value);
  } else if constexpr (sizeof(A) == 8) {
    return value;
  } else {
    return static_cast<double>(comparable(value));
  }
}
template <class A>
[[gnu::noinline]] void loadFloat(const Instruction& i, const Registers& r, Doubles& out) {
  alignas(64) uint32_t narrowed[32];
  const auto* words = reinterpret_cast<const Word<A>*>(r.in(i.sources[0]));
  if constexpr (sizeof(A) < 8) {
    if (i.source_bits == 64) {
      lowWords(r, i.sources[0], narrowed);
      words = narrowed;
    }
  }
  // An H100 ignores .ftz when it converts to f16: even the smallest f32 rounds up to the smallest f16.
  const bool ftz = i.modifiers.ftz && i.type != ptx::Type::kF16;
  forLanes([&](uint32_t lane) { out.lane[lane] = exactDouble(fromWord<A>(words[lane]), ftz); });
}

// An integer as a double. If it needs more than 53 bits it is rounded to odd, so that rounding it again is
// correct; where double is the destination, it is rounded as the instruction says.
[[gnu::always_inline]] inline double integerToDouble(uint64_t magnitude, bool negative, bool to_double,
                                                     ptx::Rounding rounding) {
  uint32_t shift = 0;
  while ((magnitude >> shift) >= (uint64_t{1} << 53)) ++shift;
  uint64_t kept = magnitude >> shift;
  const uint64_t rest = magnitude - (kept << shift);
  if (rest != 0) {
    const uint64_t half = uint64_t{1} << (shift - 1);
    bool increment = (kept & 1U) == 0;
    if (to_double) {
      switch (rounding) {
        case ptx::Rounding::kRz:
          increment = false;
          break;
        case ptx::Rounding::kRm:
          increment = negative;
          break;
        case ptx::Rounding::kRp:
          increment = !negative;
          break;
        default:
          increment = rest + (kept & 1U) > half;
          break;
      }
    }
    kept += increment ? 1U : 0U;
  }
  const double value = static_cast<double>(kept) * static_cast<double>(uint64_t{1} << shift);
  return negative ? -value : value;
}
template <class A>
[[gnu::noinline]] void loadInteger(const Instruction& i, const Registers& r, Doubles& out) {
  alignas(64) uint32_t narrowed[32];
  const auto* words = reinterpret_cast<const Word<A>*>(r.in(i.sources[0]));
  if constexpr (sizeof(A) < 8) {
    if (i.source_bits == 64) {
      lowWords(r, i.sources[0], narrowed);
      words = narrowed;
    }
    forLanes([&](uint32_t lane) { out.lane[lane] = static_cast<double>(fromWord<A>(words[lane])); });
  } else {
    for (uint32_t lane = 0; lane < 32; ++lane) {
      const bool negative = kIsSigned<A> && (words[lane] >> 63) != 0;
      out.lane[lane] = integerToDouble(negative ? 0 - words[lane] : words[lane], negative,
                                       i.type == ptx::Type::kF64, i.modifiers.rounding);
    }
  }
}

void roundToIntegers(ptx::Rounding rounding, Doubles& values) {
  double* lanes = values.lane;
  switch (rounding) {
    case ptx::Rounding::kRni:
      forLanes([&](uint32_t lane) { lanes[lane] = __builtin_rint(lanes[lane]); });
      break;
    case ptx::Rounding::kRzi:
      forLanes([&](uint32_t lane) { lanes[lane] = __builtin_trunc(lanes[lane]); });
      break;
    case ptx::Rounding::kRmi:
      forLanes([&](uint32_t lane) { lanes[lane] = __builtin_floor(lanes[lane]); });
      break;
    case ptx::Rounding::kRpi:
      forLanes([&](uint32_t lane) { lanes[lane] = __builtin_ceil(lanes[lane]); });
      break;
    default:
      break;
  }
}

// Clamps to D's range. NaN gives 0, or only the top bit where source or destination has 64 bits.
template <class D>
[[gnu::always_inline]] inline D clampedInteger(double value, bool wide) {
  constexpr uint32_t kBits = 8 * sizeof(D);
  constexpr D kTop = static_cast<D>(Wide<D>{1} << (kBits - 1));
  constexpr D kLargest =
      static_cast<D>(~static_cast<Wide<D>>(kIsSigned<D> ? static_cast<Wide<D>>(kTop) : Wide<D>{0}));
  constexpr double kBelow = kIsSigned<D> ? -static_cast<double>(uint64_t{1} << (kBits - 1)) : 0.0;
  constexpr double kBeyond = static_cast<double>(uint64_t{1} << (kBits - 1)) * (kIsSigned<D> ? 1.0 : 2.0);
  if (isNan(value)) return wide ? kTop : D{0};
  if constexpr (sizeof(D) == 8) {
    if (value >= kBeyond) return kLargest;
    if (value <= kBelow) return kIsSigned<D> ? kTop : D{0};
    return static_cast<D>(value);
  } else {  // the low bits of its sum with 1.5 * 2^52 are the integer
    const double top = kBeyond - 1.0;
    const double bounded = value > top ? top : value < kBelow ? kBelow : value;
    return static_cast<D>(bitsOfDouble(bounded + 0x1.8p52));
  }
}
template <class D>
[[gnu::noinline]] void storeInteger(const Instruction& i, const Registers& r, uint32_t mask,
                                    const Doubles& values) {
  const bool wide = sizeof(D) == 8 || i.type2 == ptx::Type::kF64;
  const auto value = [&](uint32_t lane) { return clampedInteger<D>(values.lane[lane], wide); };
  if constexpr (sizeof(D) < 8) {
    if (i.destination_bits != 0) {
      alignas(64) uint32_t words[32];
      forLanes([&](uint32_t lane) { words[lane] = toWord<D>(value(lane)); });
      writeExtended(i, r, mask, words, 8 * sizeof(D), kIsSigned<D>);
      return;
    }
  }
  writeLanes<D>(r, i.destinations[0], mask, value);
}

void saturate(Doubles& values) {
  forLanes([&](uint32_t lane) {
    const double value = values.lane[lane];
    values.lane[lane] = value > 0.0 ? (value < 1.0 ? value : 1.0) : 0.0;
  });
}
void clampNegative(Doubles& values) {
  forLanes([&](uint32_t lane) {
    const double value = values.lane[lane];
    values.lane[lane] = value > 0.0 || isNan(value) ? value : 0.0;
  });
}
// Applies .sat and .relu to the exact values: rounding later keeps 0 and 1.
void clampByModifiers(const ptx::Modifiers& modifiers, Doubles& values) {
  if (modifiers.sat) saturate(values);
  if (modifiers.relu) clampNegative(values);
}

template <class F, ptx::Rounding rounding>
[[gnu::noinline]] void roundLanes(const Doubles& values, uint32_t* bits) {
  forLanes([&](uint32_t lane) { bits[lane] = roundedBits<F, rounding>(values.lane[lane]); });
}
template <class F>
void roundFinite(const ptx::Modifiers& modifiers, const Doubles& values, uint32_t* bits) {
  switch (modifiers.rounding) {
    case ptx::Rounding::kRz:
      roundLanes<F, ptx::Rounding::kRz>(values, bits);
      break;
    case ptx::Rounding::kRm:
      roundLanes<F, ptx::Rounding::kRm>(values, bits);
      break;
    case ptx::Rounding::kRp:
      roundLanes<F, ptx::Rounding::kRp>(values, bits);
      break;
    case ptx::Rounding::kRna:
      roundLanes<F, ptx::Rounding::kRna>(values, bits);
      break;
    default:
      roundLanes<F, ptx::Rounding::kRn>(values, bits);
      break;
  }
}
// An f64 NaN keeps the bits that fit, as on an H100; other NaNs become F's canonical one.
template <class F>
void roundBy(const Instruction& i, const Doubles& values, uint32_t* bits) {
  const ptx::Modifiers& modifiers = i.modifiers;
  roundFinite<F>(modifiers, values, bits);
  if (i.type2 == ptx::Type::kF64) {
    forLanes([&](uint32_t lane) {
      const double value = values.lane[lane];
      bits[lane] = isNan(value) ? narrowedNan<F>(value) : bits[lane];
    });
  }
  if (modifiers.saturate_finite) {
    forLanes([&](uint32_t lane) {
      const bool infinite = (bits[lane] & (F::kSign - 1)) == F::kInfinity;
      bits[lane] -= infinite ? 1U : 0U;
    });
  }
}

// f16 and bf16; the upper bits of a wider register become zero.
template <class F>
[[gnu::noinline]] void storeHalf(const Instruction& i, const Registers& r, uint32_t mask,
                                 const Doubles& values) {
  alignas(64) uint32_t bits[32];
  roundBy<F>(i, values, bits);
  if (i.destination_bits != 0) {
    writeExtended(i, r, mask, bits, 16, false);
  } else {
    writeLanes<uint32_t>(r, i.destinations[0], mask, [&](uint32_t lane) { return bits[lane]; });
  }
}
// .ftz: see result() in float_operations.h.
[[gnu::noinline]] void flushLanes(const ptx::Modifiers& modifiers, const Doubles& values, uint32_t* bits) {
  constexpr uint32_t kSmallestScaled = 0x20800000;  // 2^-62
  Doubles scaled;
  alignas(64) uint32_t rounded[32];
  forLanes([&](uint32_t lane) { scaled.lane[lane] = values.lane[lane] * 0x1p64; });
  roundFinite<FloatFormat>(modifiers, scaled, rounded);
  forLanes([&](uint32_t lane) {
    const bool tiny = (rounded[lane] & 0x7FFFFFFFU) < kSmallestScaled;
    bits[lane] = tiny ? bits[lane] & 0x80000000U : bits[lane];
  });
}
void storeFloat(const Instruction& i, const Registers& r, uint32_t mask, const Doubles& values) {
  alignas(64) uint32_t bits[32];
  roundBy<FloatFormat>(i, values, bits);
  if (i.modifiers.ftz) flushLanes(i.modifiers, values, bits);
  if (i.destination_bits != 0) {
    writeExtended(i, r, mask, bits, 32, false);
  } else {
    writeLanes<uint32_t>(r, i.destinations[0], mask, [&](uint32_t lane) { return bits[lane]; });
  }
}
void storeDouble(const Instruction& i, const Registers& r, uint32_t mask, const Doubles& values) {
  writeLanes<double>(r, i.destinations[0], mask, [&](uint32_t lane) {
    return isNan(values.lane[lane]) ? quieted(values.lane[lane]) : values.lane[lane];
  });
}

using Load = void (*)(const Instruction&, const Registers&, Doubles&);
template <Load load>
void convert(const Instruction& i, const Registers& r, uint32_t mask) {
  Doubles values;
  load(i, r, values);
  roundToIntegers(i.modifiers.rounding, values);
  if (ptx::isFloat(i.type)) clampByModifiers(i.modifiers, values);
  switch (i.type) {
    case ptx::Type::kU8:
      storeInteger<uint8_t>(i, r, mask, values);
      break;
    case ptx::Type::kS8:
      storeInteger<int8_t>(i, r, mask, values);
      break;
    case ptx::Type::kU16:
      storeInteger<uint16_t>(i, r, mask, values);
      break;
    case ptx::Type::kS16:
      storeInteger<int16_t>(i, r, mask, values);
      break;
    case ptx::Type::kU32:
      storeInteger<uint32_t>(i, r, mask, values);
      break;
    case ptx::Type::kS32:
      storeInteger<int32_t>(i, r, mask, values);
      break;
    case ptx::Type::kU64:
      storeInteger<uint64_t>(i, r, mask, values);
      break;
    case ptx::Type::kS64:
      storeInteger<int64_t>(i, r, mask, values);
      break;
    case ptx::Type::kF16:
      storeHalf<HalfFormat>(i, r, mask, values);
      break;
    case ptx::Type::kBf16:
      storeHalf<BfloatFormat>(i, r, mask, values);
      break;
    case ptx::Type::kF32:
      storeFloat(i, r, mask, values);
      break;
    case ptx::Type::kF64:
      storeDouble(i, r, mask, values);
      break;
    default:
      break;
  }
}

// cvt.rn.f16x2.f32 d, a, b: a goes to the upper half, b to the lower.
template <class F>
void convertPair(const Instruction& i, const Registers& r, uint32_t mask) {
  alignas(64) uint32_t bits[2][32];
  for (uint32_t half = 0; half < 2; ++half) {
    Doubles values;
    const Source<float> a(r, i.sources[half]);
    forLanes([&](uint32_t lane) { values.lane[lane] = static_cast<double>(a[lane]); });
    clampByModifiers(i.modifiers, values);
    roundBy<F>(i, values, bits[half]);
  }
  writeLanes<uint32_t>(r, i.destinations[0], mask,
                       [&](uint32_t lane) { return (bits[0][lane] << 16) | bits[1][lane]; });
}

// cvt.rna.tf32.f32. The bits are those of the instructions that ptxas 13 writes for sm_90: half of the last
// place is added, unless the number is infinite or a NaN, and the lowest 13 bits are cleared, so that a NaN
// whose payload is there becomes infinite; with .satfinite both become finite.
void roundToTf32(const Instruction& i, const Registers& r, uint32_t mask) {
  constexpr uint32_t kLost = 0x1FFF, kHalf = 0x1000, kInfinity = 0x7F80'0000, kMagnitude = 0x7FFF'FFFF;
  const Source<uint32_t> a(r, i.sources[0]);
  writeLanes<uint32_t>(r, i.destinations[0], mask, [&](uint32_t lane) {
    const uint32_t bits = a[lane];
    const bool finite = (bits & kMagnitude) < kInfinity;
    const uint32_t rounded = (bits + (finite ? kHalf : 0)) & ~kLost;
    const bool clamped = i.modifiers.saturate_finite && (rounded & kMagnitude) >= kInfinity;
    return clamped ? rounded - (kLost + 1) : rounded;
  });
}

// The frequent conversions, without the detour through Doubles; convert() handles those with wider registers.
template <class D, class A>
void convertNearest(const Instruction& i, const Registers& r, uint32_t mask) {
  if (i.source_bits != 0 || i.destination_bits != 0) {
    return convert<&loadInteger<A>>(i, r, mask);
  }
  const Source<A> a(r, i.sources[0]);
  writeLanes<D>(r, i.destinations[0], mask, [&](uint32_t lane) { return static_cast<D>(a[lane]); });
}
void convertDoubleToFloat(const Instruction& i, const Registers& r, uint32_t mask) {
  const Source<double> a(r, i.sources[0]);
  writeLanes<uint32_t>(r, i.destinations[0], mask, [&](uint32_t lane) {
    const double value = a[lane];
    return isNan(value) ? narrowedNan<FloatFormat>(value) : bitsOfFloat(static_cast<float>(value));
  });
}
// Plain copies, which leave a NaN unchanged.
template <class Bits>
void copyFloat(const Instruction& i, const Registers& r, uint32_t mask) {
  if (i.source_bits != 0 || i.destination_bits != 0) return convert<&loadFloat<float>>(i, r, mask);
  const Source<Bits> a(r, i.sources[0]);
  writeLanes<Bits>(r, i.destinations[0], mask, [&](uint32_t lane) { return a[lane]; });
}
void widenBfloat(const Instruction& i, const Registers& r, uint32_t mask) {
  if (i.source_bits != 0 || i.destination_bits != 0) return convert<&loadFloat<Bfloat>>(i, r, mask);
  const Source<uint32_t> a(r, i.sources[0]);
  writeLanes<uint32_t>(r, i.destinations[0], mask, [&](uint32_t lane) { return a[lane] << 16; });
}
void convertFloatToDouble(const Instruction& i, const Registers& r, uint32_t mask) {
  const Source<float> a(r, i.sources[0]);
  writeLanes<double>(r, i.destinations[0], mask, [&](uint32_t lane) { return static_cast<double>(a[lane]); });
}

Handler selectFrequent(const ptx::Instruction& instruction) {
  const ptx::Type to = instruction.types[0], from = instruction.types[1];
  const ptx::Modifiers& m = instruction.modifiers;
  if (m.sat || m.ftz) return nullptr;
  if (to == ptx::Type::kF64 && from == ptx::Type::kF32) return &convertFloatToDouble;
  if (m.rounding == ptx::Rounding::kNone) {
    if (to == ptx::Type::kF32 && from == ptx::Type::kF32) return &copyFloat<uint32_t>;
    if (to == ptx::Type::kF64 && from == ptx::Type::kF64) return &copyFloat<uint64_t>;
    if (to == ptx::Type::kF32 && from == ptx::Type::kBf16) return &widenBfloat;
  }
  if (m.rounding != ptx::Rounding::kRn) return nullptr;
  if (to == ptx::Type::kF32) {
    if (from == ptx::Type::kS32) return &convertNearest<float, int32_t>;
    if (from == ptx::Type::kU32) return &convertNearest<float, uint32_t>;
    if (from == ptx::Type::kF64) return &convertDoubleToFloat;
  } else if (to == ptx::Type::kF64) {
    if (from == ptx::Type::kS32) return &convertNearest<double, int32_t>;
    if (from == ptx::Type::kU32) return &convertNearest<double, uint32_t>;
  }
  return nullptr;
}

}  // namespace

Handler selectConvertFloat(const ptx::Instruction& instruction) {
  if (const Handler handler = selectFrequent(instruction)) return handler;
  if (instruction.types[0] == ptx::Type::kF16x2) return &convertPair<HalfFormat>;
  if (instruction.types[0] == ptx::Type::kBf16x2) return &convertPair<BfloatFormat>;
  if (instruction.types[0] == ptx::Type::kTf32) return &roundToTf32;
  switch (instruction.types[1]) {
    case ptx::Type::kU8:
      return &convert<&loadInteger<uint8_t>>;
    case ptx::Type::kS8:
      return &convert<&loadInteger<int8_t>>;
    case ptx::Type::kU16:
      return &convert<&loadInteger<uint16_t>>;
    case ptx::Type::kS16:
      return &convert<&loadInteger<int16_t>>;
    case ptx::Type::kU32:
      return &convert<&loadInteger<uint32_t>>;
    case ptx::Type::kS32:
      return &convert<&loadInteger<int32_t>>;
    case ptx::Type::kU64:
      return &convert<&loadInteger<uint64_t>>;
    case ptx::Type::kS64:
      return &convert<&loadInteger<int64_t>>;
    case ptx::Type::kF16:
      return &convert<&loadFloat<Half>>;
    case ptx::Type::kBf16:
      return &convert<&loadFloat<Bfloat>>;
    case ptx::Type::kF32:
      return &convert<&loadFloat<float>>;
    case ptx::Type::kF64:
      return &convert<&loadFloat<double>>;
    default:
      return nullptr;
  }
}

Handler selectConvert(const ptx::Instruction& instruction) {
  if (instruction.op == ptx::Op::kCvtPack) return selectConvertPack(instruction);
  const bool floats = ptx::isFloat(instruction.types[0]) || ptx::isFloat(instruction.types[1]);
  return floats ? selectConvertFloat(instruction) : selectConvertInteger(instruction);
}

}  // namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA
