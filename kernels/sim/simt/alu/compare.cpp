// Comparison and selection: setp, set, selp, slct (PTX 9.7.6). A test yields 32 bits, one per lane.
#include "kernels/sim/simt/alu/float_types.h"
#include "kernels/sim/simt/alu/integer_types.h"
#include "kernels/sim/simt/alu/selectors.h"

namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA {
namespace {

using Tests = uint32_t (*)(const Instruction&, const Registers&);

// The tests that are computed; all others are their inversions, or the same with the operands exchanged.
enum class Test : uint8_t { kEqual, kLess, kLessOrEqual, kOrdered };

template <class T, Test test, bool exchanged, bool inverted>
uint32_t compare(const Instruction& i, const Registers& r) {
  const Source<T> first(r, i.sources[exchanged ? 1 : 0]), second(r, i.sources[exchanged ? 0 : 1]);
  const uint32_t bits = bitsOf<T>([&](uint32_t lane) {
    const auto a = comparable(first[lane]), b = comparable(second[lane]);
    if constexpr (test == Test::kEqual) return a == b;
    if constexpr (test == Test::kLess) return a < b;
    if constexpr (test == Test::kLessOrEqual) return a <= b;
    if constexpr (test == Test::kOrdered) return (a == a) & (b == b);
  });
  return inverted ? ~bits : bits;
}

// Ordered and unequal means less or greater.
template <class T, bool inverted>
uint32_t compareUnequal(const Instruction& i, const Registers& r) {
  const uint32_t bits =
      compare<T, Test::kLess, false, false>(i, r) | compare<T, Test::kLess, true, false>(i, r);
  return inverted ? ~bits : bits;
}

template <class Use, class T>
Handler selectIntegerTest(ptx::Compare compare_op) {
  switch (compare_op) {
    case ptx::Compare::kEq:
      return Use::template kHandler<&compare<T, Test::kEqual, false, false>>;
    case ptx::Compare::kNe:
      return Use::template kHandler<&compare<T, Test::kEqual, false, true>>;
    case ptx::Compare::kLt:
    case ptx::Compare::kLo:
      return Use::template kHandler<&compare<T, Test::kLess, false, false>>;
    case ptx::Compare::kGt:
    case ptx::Compare::kHi:
      return Use::template kHandler<&compare<T, Test::kLess, true, false>>;
    case ptx::Compare::kLe:
    case ptx::Compare::kLs:
      return Use::template kHandler<&compare<T, Test::kLess, true, true>>;
    case ptx::Compare::kGe:
    case ptx::Compare::kHs:
      return Use::template kHandler<&compare<T, Test::kLess, false, true>>;
    default:
      return nullptr;
  }
}

template <class Use, class T>
Handler selectFloatTest(ptx::Compare compare_op) {
  switch (compare_op) {
    case ptx::Compare::kEq:
      return Use::template kHandler<&compare<T, Test::kEqual, false, false>>;
    case ptx::Compare::kNeu:
      return Use::template kHandler<&compare<T, Test::kEqual, false, true>>;
    case ptx::Compare::kLt:
      return Use::template kHandler<&compare<T, Test::kLess, false, false>>;
    case ptx::Compare::kGeu:
      return Use::template kHandler<&compare<T, Test::kLess, false, true>>;
    case ptx::Compare::kGt:
      return Use::template kHandler<&compare<T, Test::kLess, true, false>>;
    case ptx::Compare::kLeu:
      return Use::template kHandler<&compare<T, Test::kLess, true, true>>;
    case ptx::Compare::kLe:
      return Use::template kHandler<&compare<T, Test::kLessOrEqual, false, false>>;
    case ptx::Compare::kGtu:
      return Use::template kHandler<&compare<T, Test::kLessOrEqual, false, true>>;
    case ptx::Compare::kGe:
      return Use::template kHandler<&compare<T, Test::kLessOrEqual, true, false>>;
    case ptx::Compare::kLtu:
      return Use::template kHandler<&compare<T, Test::kLessOrEqual, true, true>>;
    case ptx::Compare::kNum:
      return Use::template kHandler<&compare<T, Test::kOrdered, false, false>>;
    case ptx::Compare::kNan:
      return Use::template kHandler<&compare<T, Test::kOrdered, false, true>>;
    case ptx::Compare::kNe:
      return Use::template kHandler<&compareUnequal<T, false>>;
    case ptx::Compare::kEqu:
      return Use::template kHandler<&compareUnequal<T, true>>;
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
