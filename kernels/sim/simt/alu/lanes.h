// The loops with which handlers process the 32 lanes of a warp. On x86-64 everything in this folder except
// select.cpp is compiled twice, portably and for AVX2, each in its own namespace (WARPSCOPE_ALU_ISA).
// Whatever is not a selector is in an anonymous namespace, and little is included, so that the linker never
// replaces a portable function by one compiled for AVX2.
//
// A loop computes all 32 lanes, whatever the mask: directly into the destination when all lanes execute,
// otherwise into a buffer from which the executing lanes are blended in. No operation may therefore trap on
// values that idle lanes hold.
#pragma once

#ifndef WARPSCOPE_ALU_ISA
#error "compiled by CMake for each instruction set, see simt/CMakeLists.txt"
#endif

#include <cstdint>

#include "kernels/sim/simt/code.h"

#if defined(__clang__)
#define WARPSCOPE_INDEPENDENT_LANES _Pragma("clang loop vectorize(assume_safety)")
#else
#define WARPSCOPE_INDEPENDENT_LANES _Pragma("GCC ivdep")
#endif

namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA {
namespace {

inline constexpr uint32_t kAllLanes = 0xFFFFFFFFU;

// The element of a row that holds a value of type T.
template <uint32_t bytes>
struct WordOf {
  using Type = uint32_t;
};
template <>
struct WordOf<8> {
  using Type = uint64_t;
};
template <class T>
using Word = typename WordOf<sizeof(T)>::Type;

template <class T>
[[gnu::always_inline]] inline T fromWord(Word<T> word) {
  if constexpr (sizeof(T) == 1) {
    return __builtin_bit_cast(T, static_cast<uint8_t>(word));
  } else if constexpr (sizeof(T) == 2) {
    return __builtin_bit_cast(T, static_cast<uint16_t>(word));
  } else {
    return __builtin_bit_cast(T, word);
  }
}

template <class T>
[[gnu::always_inline]] inline Word<T> toWord(T value) {
  if constexpr (sizeof(T) == 1) {
    return __builtin_bit_cast(uint8_t, value);
  } else if constexpr (sizeof(T) == 2) {
    return __builtin_bit_cast(uint16_t, value);
  } else {
    return __builtin_bit_cast(Word<T>, value);
  }
}

// A source's row as values of T.
template <class T>
class Source {
 public:
  [[gnu::always_inline]] Source(const Registers& registers, Row row)
      : words_(reinterpret_cast<const Word<T>*>(registers.in(row))) {}
  [[gnu::always_inline]] T operator[](uint32_t lane) const { return fromWord<T>(words_[lane]); }

 private:
  const Word<T>* words_;
};

template <class Body>
[[gnu::always_inline]] inline void forLanes(Body body) {
  WARPSCOPE_INDEPENDENT_LANES
  for (uint32_t lane = 0; lane < 32; ++lane) body(lane);
}

template <class W>
struct LaneBits {
  alignas(64) W bit[32];
};
template <class W>
constexpr LaneBits<W> makeLaneBits() {
  LaneBits<W> bits{};
  for (uint32_t lane = 0; lane < 32; ++lane) bits.bit[lane] = W{1} << lane;
  return bits;
}
template <class W>
inline constexpr LaneBits<W> kLaneBits = makeLaneBits<W>();

template <class W>
[[gnu::noinline]] void blend(W* out, const W* values, uint32_t mask) {
  const W wide_mask = mask;
  forLanes([&](uint32_t lane) {
    out[lane] = (wide_mask & kLaneBits<W>.bit[lane]) != 0 ? values[lane] : out[lane];
  });
}

// Sets destination = value(lane) for the lanes in the mask.
template <class T, class Value>
[[gnu::always_inline]] inline void writeLanes(const Registers& registers, Row row, uint32_t mask,
                                              Value value) {
  if (row.index == kSinkRow) return;
  alignas(64) Word<T> buffer[32];
  Word<T>* out = reinterpret_cast<Word<T>*>(registers.out(row));
  Word<T>* target = mask == kAllLanes ? out : buffer;
  forLanes([&](uint32_t lane) { target[lane] = toWord<T>(value(lane)); });
  if (mask != kAllLanes) blend(out, buffer, mask);
}

// Returns bits of which bit `lane` is test(lane), for a test on values of type T.
template <class T, class Test>
[[gnu::always_inline]] inline uint32_t bitsOf(Test test) {
  Word<T> bits = 0;
  forLanes([&](uint32_t lane) { bits |= test(lane) ? kLaneBits<Word<T>>.bit[lane] : Word<T>{0}; });
  return static_cast<uint32_t>(bits);
}

[[gnu::always_inline]] inline void writePredicate(const Registers& registers, PredicateIndex index,
                                                  uint32_t mask, uint32_t bits) {
  if (index == kNoPredicate) return;
  uint32_t& predicate = registers.predicates[index];
  predicate = (predicate & ~mask) | (bits & mask);
}

// A predicate operand; an absent one is true, or false if negated.
[[gnu::always_inline]] inline uint32_t readPredicate(const Instruction& instruction,
                                                     const Registers& registers, uint32_t which) {
  const PredicateIndex index = instruction.predicate_sources[which];
  const uint32_t bits = index == kNoPredicate ? kAllLanes : registers.predicates[index];
  return instruction.predicate_source_negated[which] ? ~bits : bits;
}

// Test results combined with setp's or set's predicate source.
[[gnu::always_inline]] inline uint32_t combined(ptx::BoolOp op, uint32_t tests, const Instruction& i,
                                                const Registers& r) {
  switch (op) {
    case ptx::BoolOp::kAnd:
      return tests & readPredicate(i, r, 0);
    case ptx::BoolOp::kOr:
      return tests | readPredicate(i, r, 0);
    case ptx::BoolOp::kXor:
      return tests ^ readPredicate(i, r, 0);
    default:
      return tests;
  }
}

// Handlers of an operation that has no state, or that derives it from the instruction.
template <class Operation>
[[gnu::always_inline]] inline Operation makeOperation(const Instruction& instruction) {
  if constexpr (requires { Operation(instruction); }) {
    return Operation(instruction);
  } else {
    return Operation{};
  }
}

template <class Operation, class D, class A>
void unary(const Instruction& i, const Registers& r, uint32_t mask) {
  const auto operation = makeOperation<Operation>(i);
  const Source<A> a(r, i.sources[0]);
  writeLanes<D>(r, i.destinations[0], mask, [&](uint32_t lane) { return operation(a[lane]); });
}

template <class Operation, class D, class A, class B>
void binary(const Instruction& i, const Registers& r, uint32_t mask) {
  const auto operation = makeOperation<Operation>(i);
  const Source<A> a(r, i.sources[0]);
  const Source<B> b(r, i.sources[1]);
  writeLanes<D>(r, i.destinations[0], mask, [&](uint32_t lane) { return operation(a[lane], b[lane]); });
}

template <class Operation, class D, class A, class B, class C>
void ternary(const Instruction& i, const Registers& r, uint32_t mask) {
  const auto operation = makeOperation<Operation>(i);
  const Source<A> a(r, i.sources[0]);
  const Source<B> b(r, i.sources[1]);
  const Source<C> c(r, i.sources[2]);
  writeLanes<D>(r, i.destinations[0], mask,
                [&](uint32_t lane) { return operation(a[lane], b[lane], c[lane]); });
}

}  // namespace
}  // namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA
