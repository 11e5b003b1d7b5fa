#include "kernels/sim/simt/matrix_multiply.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "kernels/sim/simt/fragment.h"

namespace warpscope::sim {
namespace {

using ptx::MatrixRole;
using ptx::Type;

struct FloatFormat {
  uint32_t exponent_bits, fraction_bits;
  uint32_t infinity() const { return ((1U << exponent_bits) - 1) << fraction_bits; }
  uint32_t signBit() const { return 1U << (exponent_bits + fraction_bits); }
  uint32_t nan() const { return signBit() - 1; }
  int32_t bias() const { return (1 << (exponent_bits - 1)) - 1; }
};

constexpr FloatFormat formatOf(Type type) {
  switch (type) {
    case Type::kF16:
      return {5, 10};
    case Type::kBf16:
      return {8, 7};
    case Type::kTf32:
      return {8, 10};
    default:
      return {8, 23};
  }
}

constexpr int32_t kBitsBelowScale = 25;

struct Term {
  int64_t magnitude = 0;
  int32_t exponent = 0, scale = 0;
  bool is_negative = false;
};

// sum * 2^exponent as a number of the format; towards zero, or to nearest with ties to even.
uint32_t packed(int64_t sum, int32_t exponent, const FloatFormat& format, bool to_nearest) {
  const uint32_t sign = sum < 0 ? format.signBit() : 0;
  const auto magnitude = static_cast<uint64_t>(sum < 0 ? -sum : sum);
  if (magnitude == 0) return 0;
  const auto fraction_bits = static_cast<int32_t>(format.fraction_bits);
  const int32_t lowest = 1 - format.bias() - fraction_bits;  // of a subnormal's last bit
  int32_t last = std::max(exponent + 63 - std::countl_zero(magnitude) - fraction_bits, lowest);
  uint64_t kept = 0;
  if (last <= exponent) {
    kept = magnitude << (exponent - last);
  } else if (last - exponent < 64) {
    const int32_t cut = last - exponent;
    kept = magnitude >> cut;
    const uint64_t rest = magnitude & ((uint64_t{1} << cut) - 1), half = uint64_t{1} << (cut - 1);
    if (to_nearest && (rest > half || (rest == half && kept % 2 == 1))) ++kept;
  }
  if (kept == 0) return 0;
  if (kept >> (format.fraction_bits + 1) != 0) {
    kept >>= 1;
    ++last;
  }
  if (kept >> format.fraction_bits == 0) return sign | static_cast<uint32_t>(kept);
  const int32_t biased = last + fraction_bits + format.bias();
  if (biased >= (1 << format.exponent_bits) - 1) return sign | format.infinity();
  const uint64_t fraction = kept & ((uint64_t{1} << format.fraction_bits) - 1);
  return sign | static_cast<uint32_t>(biased) << format.fraction_bits | static_cast<uint32_t>(fraction);
}

// What is not a number among the terms.
struct Exceptions {
  bool nan = false, positive = false, negative = false;
  void addInfinity(bool is_negative) { (is_negative ? negative : positive) = true; }
  bool any() const { return nan || positive || negative; }
};

void addProduct(const TensorNumber& a, const TensorNumber& b, Term& term, Exceptions& exceptions) {
  const bool is_negative = a.is_negative != b.is_negative;
  if (a.is_nan || b.is_nan) {
    exceptions.nan = true;
  } else if (a.is_infinite || b.is_infinite) {
    const bool zero = (!a.is_infinite && a.magnitude == 0) || (!b.is_infinite && b.magnitude == 0);
    if (zero) exceptions.nan = true;
    if (!zero) exceptions.addInfinity(is_negative);
  } else {
    term = {int64_t{a.magnitude} * b.magnitude, a.exponent + b.exponent, a.scale + b.scale, is_negative};
  }
}

constexpr uint32_t kMostRows = 32, kMostColumns = 32;  // of a fragment's matrix
template <class T>
using Matrix = std::array<std::array<T, kMostColumns>, kMostRows>;

// Visits the registers' elements: (cell, bits).
template <class Visit>
void forEachElement(const FragmentLayout& layout, const Instruction& in, const Registers& registers,
                    uint32_t first_source, const Visit& visit) {
  const uint32_t bits = layout.elementBits();
  const uint32_t mask = bits == 32 ? ~0U : (1U << bits) - 1;
  for (uint32_t reg = 0; reg < layout.distinctRegisters(); ++reg) {
    const uint32_t* row = registers.in(in.sources[first_source + reg]);
    for (uint32_t lane = 0; lane < 32; ++lane) {
      for (uint32_t part = 0; part < layout.elementsOfRegister(); ++part)
        visit(layout.cellOf(lane, reg, part), (row[lane] >> (part * bits)) & mask);
    }
  }
}

// The four matrices of an instruction and where their registers are.
struct Operands {
  explicit Operands(const Instruction& in)
      : a(in.modifiers, MatrixRole::kA, in.modifiers.type_a),
        b(in.modifiers, MatrixRole::kB, in.modifiers.type_b),
        c(in.modifiers, MatrixRole::kC, in.type2),
        d(in.modifiers, MatrixRole::kD, in.type) {}
  FragmentLayout a, b, c, d;
};

void writeResult(const FragmentLayout& layout, const Instruction& in, const Registers& registers,
                 const Matrix<uint32_t>& values) {
  for (uint32_t reg = 0; reg < layout.registers(); ++reg) {
    if (in.destinations[reg].index == kSinkRow) continue;
    uint32_t* row = registers.out(in.destinations[reg]);
    for (uint32_t lane = 0; lane < 32; ++lane) {
      uint32_t word = 0;
      for (uint32_t part = 0; part < layout.elementsOfRegister(); ++part) {
        const Cell cell = layout.cellOf(lane, reg, part);
        word |= values[cell.row][cell.column] << (part * layout.elementBits());
      }
      row[lane] = word;
    }
  }
}

// wmma of tf32 numbers is done four products at a time; all else in one sum.
uint32_t dotInSteps(std::span<const TensorNumber> a, std::span<const TensorNumber> b, const TensorNumber& c,
                    const Instruction& in) {
  constexpr size_t kStep = 4;
  const TensorSumTypes types{in.type2, in.type};
  if (!in.modifiers.wmma || in.modifiers.type_a != Type::kTf32) return tensorDot(a, b, c, types);
  const uint32_t first = tensorDot(a.first(kStep), b.first(kStep), c, types);
  return tensorDot(a.subspan(kStep), b.subspan(kStep), tensorAddend(first, in.type), types);
}

void multiplyFloats(const Instruction& in, const Registers& registers, uint32_t /*mask*/) {
  const Operands operands(in);
  const ptx::Modifiers& modifiers = in.modifiers;
  Matrix<TensorNumber> a, b_columns, c;
  forEachElement(operands.a, in, registers, 0, [&](Cell cell, uint32_t bits) {
    a[cell.row][cell.column] = tensorNumber(bits, modifiers.type_a);
  });
  forEachElement(operands.b, in, registers, operands.a.registers(), [&](Cell cell, uint32_t bits) {
    b_columns[cell.column][cell.row] = tensorNumber(bits, modifiers.type_b);
  });
  forEachElement(operands.c, in, registers, operands.a.registers() + operands.b.registers(),
                 [&](Cell cell, uint32_t bits) { c[cell.row][cell.column] = tensorAddend(bits, in.type2); });
  Matrix<uint32_t> d;
  for (uint32_t row = 0; row < modifiers.m; ++row) {
    for (uint32_t column = 0; column < modifiers.n; ++column) {
      d[row][column] = dotInSteps(std::span(a[row]).first(modifiers.k),
                                  std::span(b_columns[column]).first(modifiers.k), c[row][column], in);
    }
  }
  writeResult(operands.d, in, registers, d);
}

void multiplyIntegers(const Instruction& in, const Registers& registers, uint32_t /*mask*/) {
  const Operands operands(in);
  const ptx::Modifiers& modifiers = in.modifiers;
  const auto value = [](uint32_t bits, Type type) -> int64_t {
    return type == Type::kS8 ? int64_t{static_cast<int8_t>(bits)} : int64_t{bits};
  };
  Matrix<int64_t> a, b, c;
  forEachElement(operands.a, in, registers, 0,
                 [&](Cell cell, uint32_t bits) { a[cell.row][cell.column] = value(bits, modifiers.type_a); });
  forEachElement(operands.b, in, registers, operands.a.registers(),
                 [&](Cell cell, uint32_t bits) { b[cell.row][cell.column] = value(bits, modifiers.type_b); });
  forEachElement(operands.c, in, registers, operands.a.registers() + operands.b.registers(),
                 [&](Cell cell, uint32_t bits) { c[cell.row][cell.column] = static_cast<int32_t>(bits); });
  Matrix<uint32_t> d;
  for (uint32_t row = 0; row < modifiers.m; ++row) {
    for (uint32_t column = 0; column < modifiers.n; ++column) {
      int64_t sum = c[row][column];
      for (uint32_t k = 0; k < modifiers.k; ++k) sum += a[row][k] * b[k][column];
      if (modifiers.saturate_finite) {
        sum = std::clamp<int64_t>(sum, std::numeric_limits<int32_t>::min(),
                                  std::numeric_limits<int32_t>::max());
      }
      d[row][column] = static_cast<uint32_t>(sum);
    }
  }
  writeResult(operands.d, in, registers, d);
}

// movmatrix.trans: lane l holds two neighbours of row l / 4.
void transpose(const Instruction& in, const Registers& registers, uint32_t /*mask*/) {
  std::array<std::array<uint32_t, 8>, 8> values;
  const uint32_t* from = registers.in(in.sources[0]);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    for (uint32_t part = 0; part < 2; ++part)
      values[lane / 4][lane % 4 * 2 + part] = (from[lane] >> (16 * part)) & 0xFFFFU;
  }
  if (in.destinations[0].index == kSinkRow) return;
  uint32_t* to = registers.out(in.destinations[0]);
  for (uint32_t lane = 0; lane < 32; ++lane)
    to[lane] = values[lane % 4 * 2][lane / 4] | values[lane % 4 * 2 + 1][lane / 4] << 16;
}

}  // namespace

TensorNumber tensorNumber(uint32_t bits, Type type) {
  const FloatFormat format = formatOf(type);
  if (type == Type::kTf32) bits >>= 13;
  TensorNumber number;
  number.is_negative = (bits & format.signBit()) != 0;
  const uint32_t exponent = (bits & ~format.signBit()) >> format.fraction_bits;
  const uint32_t fraction = bits & ((1U << format.fraction_bits) - 1);
  if (exponent == (1U << format.exponent_bits) - 1) {
    number.is_nan = fraction != 0;
    number.is_infinite = fraction == 0;
    return number;
  }
  number.magnitude = exponent == 0 ? fraction : fraction | 1U << format.fraction_bits;
  number.scale = static_cast<int32_t>(std::max(exponent, 1U)) - format.bias();
  number.exponent = number.scale - static_cast<int32_t>(format.fraction_bits);
  return number;
}

TensorNumber tensorAddend(uint32_t bits, Type type) {
  TensorNumber number = tensorNumber(bits, type);
  if (type == Type::kF16 && number.magnitude != 0)
    number.scale = number.exponent + 31 - std::countl_zero(number.magnitude);
  return number;
}

namespace {

uint32_t dot(std::span<const TensorNumber> a, std::span<const TensorNumber> b, const TensorNumber& c,
             Type result) {
  constexpr size_t kMostTerms = 33;
  std::array<Term, kMostTerms> terms;
  Exceptions exceptions;
  addProduct(c, {.magnitude = 1}, terms[0], exceptions);
  for (size_t i = 0; i < a.size(); ++i) addProduct(a[i], b[i], terms[i + 1], exceptions);
  const FloatFormat format = formatOf(result);
  if (exceptions.any()) {
    if (exceptions.nan || (exceptions.positive && exceptions.negative)) return format.nan();
    return format.infinity() | (exceptions.negative ? format.signBit() : 0);
  }
  int32_t largest = std::numeric_limits<int32_t>::min();
  for (size_t i = 0; i <= a.size(); ++i) {
    if (terms[i].magnitude != 0) largest = std::max(largest, terms[i].scale);
  }
  if (largest == std::numeric_limits<int32_t>::min()) return 0;
  const int32_t last = largest - kBitsBelowScale;
  int64_t sum = 0;
  for (size_t i = 0; i <= a.size(); ++i) {
    const Term& term = terms[i];
    if (term.magnitude == 0) continue;
    const int32_t cut = last - term.exponent;
    const int64_t kept = cut <= 0 ? term.magnitude << -cut : cut < 63 ? term.magnitude >> cut : 0;
    sum += term.is_negative ? -kept : kept;
  }
  return packed(sum, last, format, result == Type::kF16);
}

uint32_t halfOf(uint32_t bits) {
  const TensorNumber number = tensorNumber(bits, Type::kF32);
  const FloatFormat format = formatOf(Type::kF16);
  if (number.is_nan) return format.nan();
  const uint32_t sign = number.is_negative ? format.signBit() : 0;
  return sign |
         (number.is_infinite ? format.infinity() : packed(number.magnitude, number.exponent, format, true));
}

}  // namespace

uint32_t tensorDot(std::span<const TensorNumber> a, std::span<const TensorNumber> b, const TensorNumber& c,
                   const TensorSumTypes& types) {
  if (types.result != Type::kF16 || types.addend == Type::kF16) return dot(a, b, c, types.result);
  return halfOf(dot(a, b, c, Type::kF32));
}

Handler selectMatrixHandler(const ptx::Instruction& instruction) {
  if (instruction.op == ptx::Op::kMovmatrix) return &transpose;
  if (instruction.op != ptx::Op::kMma) return nullptr;
  return instruction.types[0] == Type::kS32 ? &multiplyIntegers : &multiplyFloats;
}

}  // namespace warpscope::sim
