// Comparison and selection: setp, set, selp, slct (PTX 9.7.6). A test yields 32 bits, one per lane.
#include <type_traits>

#include "kernels/sim/simt/alu/float_types.h"
#include "kernels/sim/simt/alu/integer_types.h"
#include "kernels/sim/simt/alu/selectors.h"

namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA {
namespace {

using Tests = uint32_t (*)(const Instruction&, const Registers&);

// The tests for which there is code. Every other comparison is one of these with its operands exchanged, its
// result inverted, or both.
enum class Test : uint8_t { kNone, kEqual, kLess, kLessOrEqual, kUnequal, kOrdered };

struct Comparison {
  Test test = Test::kNone;
  bool exchanged = false;
  uint32_t inverted = 0;  // all ones: the result is inverted
};
constexpr uint32_t kInverted = 0xFFFFFFFFU;

constexpr Comparison integerComparison(ptx::Compare compare_op) {
  switch (compare_op) {
    case ptx::Compare::kEq:
      return {Test::kEqual};
    case ptx::Compare::kNe:
      return {Test::kEqual, false, kInverted};
    case ptx::Compare::kLt:
    case ptx::Compare::kLo:
      return {Test::kLess};
    case ptx::Compare::kGt:
    case ptx::Compare::kHi:
      return {Test::kLess, true};
    case ptx::Compare::kLe:
    case ptx::Compare::kLs:
      return {Test::kLess, true, kInverted};
    case ptx::Compare::kGe:
    case ptx::Compare::kHs:
      return {Test::kLess, false, kInverted};
    default:
      return {};
  }
}

constexpr Comparison floatComparison(ptx::Compare compare_op) {
  switch (compare_op) {
    case ptx::Compare::kEq:
      return {Test::kEqual};
    case ptx::Compare::kNeu:
      return {Test::kEqual, false, kInverted};
    case ptx::Compare::kLt:
      return {Test::kLess};
    case ptx::Compare::kGeu:
      return {Test::kLess, false, kInverted};
    case ptx::Compare::kGt:
      return {Test::kLess, true};
    case ptx::Compare::kLeu:
      return {Test::kLess, true, kInverted};
    case ptx::Compare::kLe:
      return {Test::kLessOrEqual};
    case ptx::Compare::kGtu:
      return {Test::kLessOrEqual, false, kInverted};
    case ptx::Compare::kGe:
      return {Test::kLessOrEqual, true};
    case ptx::Compare::kLtu:
      return {Test::kLessOrEqual, true, kInverted};
    case ptx::Compare::kNum:
      return {Test::kOrdered};
    case ptx::Compare::kNan:
      return {Test::kOrdered, false, kInverted};
    case ptx::Compare::kNe:
      return {Test::kUnequal};
    case ptx::Compare::kEqu:
      return {Test::kUnequal, false, kInverted};
    default:
      return {};
  }
}

// Comparisons by ptx::Compare.
struct Comparisons {
  Comparison of[static_cast<size_t>(ptx::Compare::kNan) + 1];
};
constexpr Comparisons tabulate(Comparison (*comparison)(ptx::Compare)) {
  Comparisons table{};
  for (size_t i = 0; i < sizeof table.of / sizeof *table.of; ++i) {
    table.of[i] = comparison(static_cast<ptx::Compare>(i));
  }
  return table;
}
inline constexpr Comparisons kIntegerComparisons = tabulate(&integerComparison);
inline constexpr Comparisons kFloatComparisons = tabulate(&floatComparison);

template <class T, Test test>
uint32_t compare(const Instruction& i, const Registers& r) {
  constexpr const Comparisons& kTable =
      std::is_floating_point_v<decltype(comparable(T{}))> ? kFloatComparisons : kIntegerComparisons;
  const Comparison form = kTable.of[static_cast<size_t>(i.modifiers.compare)];
  const Source<T> first(r, i.sources[form.exchanged ? 1 : 0]), second(r, i.sources[form.exchanged ? 0 : 1]);
  const uint32_t bits = bitsOf<T>([&](uint32_t lane) {
    const auto a = comparable(first[lane]), b = comparable(second[lane]);
    if constexpr (test == Test::kEqual) return a == b;
    if constexpr (test == Test::kLess) return a < b;
    if constexpr (test == Test::kLessOrEqual) return a <= b;
    if constexpr (test == Test::kUnequal) return (a < b) | (b < a);  // of ordered values
    if constexpr (test == Test::kOrdered) return !isNan(a) & !isNan(b);
  });
  return bits ^ form.inverted;
}

template <class Use, class T>
Handler selectIntegerTest(ptx::Compare compare_op) {
  switch (integerComparison(compare_op).test) {
    case Test::kEqual:
      return Use::template kHandler<&compare<T, Test::kEqual>>;
    case Test::kLess:
      return Use::template kHandler<&compare<T, Test::kLess>>;
    default:
      return nullptr;
  }
}

template <class Use, class T>
Handler selectFloatTest(ptx::Compare compare_op) {
  switch (floatComparison(compare_op).test) {
    case Test::kEqual:
      return Use::template kHandler<&compare<T, Test::kEqual>>;
    case Test::kLess:
      return Use::template kHandler<&compare<T, Test::kLess>>;
    case Test::kLessOrEqual:
      return Use::template kHandler<&compare<T, Test::kLessOrEqual>>;
    case Test::kUnequal:
      return Use::template kHandler<&compare<T, Test::kUnequal>>;
    case Test::kOrdered:
      return Use::template kHandler<&compare<T, Test::kOrdered>>;
    default:
      return nullptr;
  }
}

template <class Use>
Handler selectTest(ptx::Type type, ptx::Compare test, bool ftz) {
  switch (type) {
    case ptx::Type::kB16:
    case ptx::Type::kU16:
      return selectIntegerTest<Use, uint16_t>(test);
    case ptx::Type::kS16:
      return selectIntegerTest<Use, int16_t>(test);
    case ptx::Type::kB32:
    case ptx::Type::kU32:
      return selectIntegerTest<Use, uint32_t>(test);
    case ptx::Type::kS32:
      return selectIntegerTest<Use, int32_t>(test);
    case ptx::Type::kB64:
    case ptx::Type::kU64:
      return selectIntegerTest<Use, uint64_t>(test);
    case ptx::Type::kS64:
      return selectIntegerTest<Use, int64_t>(test);
    case ptx::Type::kF32:
      return ftz ? selectFloatTest<Use, FlushedFloat>(test) : selectFloatTest<Use, float>(test);
    case ptx::Type::kF64:
      return selectFloatTest<Use, double>(test);
    case ptx::Type::kF16:
      return ftz ? selectFloatTest<Use, FlushedHalf>(test) : selectFloatTest<Use, Half>(test);
    case ptx::Type::kBf16:
      return selectFloatTest<Use, Bfloat>(test);
    default:
      return nullptr;
  }
}

struct SetPredicate {
  template <Tests tests>
  static void handle(const Instruction& i, const Registers& r, uint32_t mask) {
    const uint32_t bits = tests(i, r);
    const uint32_t p = combined(i.modifiers.bool_op, bits, i, r);
    const uint32_t q = combined(i.modifiers.bool_op, ~bits, i, r);
    writePredicate(r, i.predicate_destinations[0], mask, p);
    writePredicate(r, i.predicate_destinations[1], mask, q);
  }
  template <Tests tests>
  static constexpr Handler kHandler = &handle<tests>;
};

// True is all ones, or 1.0 in the destination's type.
struct SetRegister {
  template <Tests tests>
  static void handle(const Instruction& i, const Registers& r, uint32_t mask) {
    const uint32_t bits = combined(i.modifiers.bool_op, tests(i, r), i, r);
    uint32_t truth = 0xFFFFFFFFU;
    if (i.type == ptx::Type::kF32) truth = 0x3F800000U;
    if (i.type == ptx::Type::kF16) truth = 0x3C00U;
    if (i.type == ptx::Type::kBf16) truth = 0x3F80U;
    if (i.type == ptx::Type::kU16 || i.type == ptx::Type::kS16) truth = 0xFFFFU;
    writeLanes<uint32_t>(r, i.destinations[0], mask, [&](uint32_t lane) {
      return (bits & kLaneBits<uint32_t>.bit[lane]) != 0 ? truth : 0U;
    });
  }
  template <Tests tests>
  static constexpr Handler kHandler = &handle<tests>;
};

template <class T>
void selectByPredicate(const Instruction& i, const Registers& r, uint32_t mask) {
  const Source<T> a(r, i.sources[0]), b(r, i.sources[1]);
  const T bits = readPredicate(i, r, 0);
  writeLanes<T>(r, i.destinations[0], mask,
                [&](uint32_t lane) { return (bits & kLaneBits<T>.bit[lane]) != 0 ? a[lane] : b[lane]; });
}

// slct: chooses a where c >= 0, including -0; NaN chooses b.
template <class T, class C>
struct SelectBySign {
  T operator()(T a, T b, C c) const { return comparable(c) >= 0 ? a : b; }
};
template <class T>
Handler selectSlct(ptx::Type by, bool ftz) {
  if (by != ptx::Type::kF32) return &ternary<SelectBySign<T, int32_t>, T, T, T, int32_t>;
  return ftz ? &ternary<SelectBySign<T, FlushedFloat>, T, T, T, FlushedFloat>
             : &ternary<SelectBySign<T, float>, T, T, T, float>;
}

}  // namespace

Handler selectCompare(const ptx::Instruction& instruction) {
  const ptx::Modifiers& modifiers = instruction.modifiers;
  const ptx::Type type = instruction.types[0];
  switch (instruction.op) {
    case ptx::Op::kSetp:
      if (type == ptx::Type::kF16x2 || type == ptx::Type::kBf16x2) return selectPackedCompare(instruction);
      return selectTest<SetPredicate>(type, modifiers.compare, modifiers.ftz);
    case ptx::Op::kSet:
      if (ptx::bytesOf(type) == 4 &&
          (instruction.types[1] == ptx::Type::kF16x2 || instruction.types[1] == ptx::Type::kBf16x2)) {
        return selectPackedCompare(instruction);
      }
      return selectTest<SetRegister>(instruction.types[1], modifiers.compare, modifiers.ftz);
    case ptx::Op::kSelp:
      // 16-bit values are held in 32 bits.
      return ptx::bytesOf(type) == 8 ? &selectByPredicate<uint64_t> : &selectByPredicate<uint32_t>;
    case ptx::Op::kSlct:
      return ptx::bytesOf(type) == 8 ? selectSlct<uint64_t>(instruction.types[1], modifiers.ftz)
                                     : selectSlct<uint32_t>(instruction.types[1], modifiers.ftz);
    default:
      return nullptr;
  }
}

}  // namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA
