// Extended precision: add, sub and mad with .cc, and addc, subc, madc (PTX 9.7.2). Each lane's carry flag is
// a bit of predicate kCarry; for subtractions it is the borrow.
#include "kernels/sim/simt/alu/integer_types.h"
#include "kernels/sim/simt/alu/selectors.h"

namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA {
namespace {

__extension__ using Unsigned128 = unsigned __int128;
__extension__ using Signed128 = __int128;

enum class Step : uint8_t { kAdd, kSubtract };

// Computes a (+ or -) b (+ or -) carry, and the carry or borrow out.
template <class T>
struct Carried {
  T value;
  bool carry;
};
template <class T, Step step>
[[gnu::always_inline]] inline Carried<T> withCarry(T a, T b, T carry) {
  if constexpr (step == Step::kAdd) {
    const T sum = a + b, total = sum + carry;
    return {total, sum < a || total < sum};
  } else {
    const T difference = a - b, total = difference - carry;
    return {total, a < b || difference < carry};
  }
}

template <class T, Step step, class Left, class Right>
[[gnu::always_inline]] inline void carryChain(const Instruction& i, const Registers& r, uint32_t mask,
                                              bool carry_in, Left left, Right right) {
  const T carries = carry_in ? r.predicates[kCarry] : 0U;
  alignas(64) T values[32], out[32];
  forLanes([&](uint32_t lane) {
    const T carry = (carries & kLaneBits<T>.bit[lane]) != 0 ? T{1} : T{0};
    const Carried<T> result = withCarry<T, step>(left(lane), right(lane), carry);
    values[lane] = result.value;
    out[lane] = result.carry ? T{1} : T{0};
  });
  writeLanes<T>(r, i.destinations[0], mask, [&](uint32_t lane) { return values[lane]; });
  if (i.modifiers.carry_out) {
    writePredicate(r, kCarry, mask, bitsOf<T>([&](uint32_t lane) { return out[lane] != 0; }));
  }
}

template <class T, Step step>
void addOrSubtract(const Instruction& i, const Registers& r, uint32_t mask) {
  const Source<T> a(r, i.sources[0]), b(r, i.sources[1]);
  const bool carry_in = i.op == ptx::Op::kAddc || i.op == ptx::Op::kSubc;
  carryChain<T, step>(
      i, r, mask, carry_in, [&](uint32_t lane) { return a[lane]; }, [&](uint32_t lane) { return b[lane]; });
}

// T is the type of the words, Product a type of twice the width, signed for signed .hi.
template <class T, class Factor, class Product, bool high>
void multiplyAdd(const Instruction& i, const Registers& r, uint32_t mask) {
  const Source<Factor> a(r, i.sources[0]), b(r, i.sources[1]);
  const Source<T> c(r, i.sources[2]);
  carryChain<T, Step::kAdd>(
      i, r, mask, i.op == ptx::Op::kMadc,
      [&](uint32_t lane) {
        if constexpr (high)
          return static_cast<T>((static_cast<Product>(a[lane]) * b[lane]) >> (8 * sizeof(T)));
        return static_cast<T>(static_cast<T>(a[lane]) * static_cast<T>(b[lane]));
      },
      [&](uint32_t lane) { return c[lane]; });
}

Handler selectMultiplyAdd(const ptx::Instruction& instruction) {
  const bool high = instruction.modifiers.part == ptx::Part::kHi;
  switch (instruction.types[0]) {
    case ptx::Type::kU32:
      return high ? &multiplyAdd<uint32_t, uint32_t, uint64_t, true>
                  : &multiplyAdd<uint32_t, uint32_t, uint64_t, false>;
    case ptx::Type::kS32:
      return high ? &multiplyAdd<uint32_t, int32_t, int64_t, true>
                  : &multiplyAdd<uint32_t, uint32_t, uint64_t, false>;
    case ptx::Type::kU64:
      return high ? &multiplyAdd<uint64_t, uint64_t, Unsigned128, true>
                  : &multiplyAdd<uint64_t, uint64_t, Unsigned128, false>;
    case ptx::Type::kS64:
      return high ? &multiplyAdd<uint64_t, int64_t, Signed128, true>
                  : &multiplyAdd<uint64_t, uint64_t, Unsigned128, false>;
    default:
      return nullptr;
  }
}

template <class T>
Handler selectStep(ptx::Op op) {
  const bool subtract = op == ptx::Op::kSub || op == ptx::Op::kSubc;
  return subtract ? &addOrSubtract<T, Step::kSubtract> : &addOrSubtract<T, Step::kAdd>;
}

}  // namespace

Handler selectCarry(const ptx::Instruction& instruction) {
  switch (instruction.op) {
    case ptx::Op::kMad:
    case ptx::Op::kMadc:
      return selectMultiplyAdd(instruction);
    case ptx::Op::kAdd:
    case ptx::Op::kAddc:
    case ptx::Op::kSub:
    case ptx::Op::kSubc:
      switch (ptx::bytesOf(instruction.types[0])) {
        case 4:
          return selectStep<uint32_t>(instruction.op);
        case 8:
          return selectStep<uint64_t>(instruction.op);
        default:
          return nullptr;
      }
    default:
      return nullptr;
  }
}

}  // namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA
