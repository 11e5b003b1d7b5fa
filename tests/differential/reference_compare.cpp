// Comparison and selection.
#include <string>

#include "tests/differential/reference.h"

namespace warpscope::test {
namespace {

using ptx::Op;
using ptx::Type;

// The relation of two operands; unordered if either is a NaN.
enum class Relation : uint8_t { kLess, kEqual, kGreater, kUnordered };

Relation relationOf(uint64_t a, uint64_t b, Type type, bool ftz) {
  if (!ptx::isFloat(type)) {
    const auto x = integerOf(a, type), y = integerOf(b, type);
    return x < y ? Relation::kLess : x > y ? Relation::kGreater : Relation::kEqual;
  }
  const FloatFormat format = formatOf(type);
  const long double x = valueOf(parseFloat(ftz ? flushedToZero(a, format) : a, format));
  const long double y = valueOf(parseFloat(ftz ? flushedToZero(b, format) : b, format));
  if (x != x || y != y) return Relation::kUnordered;
  return x < y ? Relation::kLess : x > y ? Relation::kGreater : Relation::kEqual;
}

bool isTrue(const std::string& test, Relation relation) {
  const bool unordered = relation == Relation::kUnordered, equal = relation == Relation::kEqual;
  const bool less = relation == Relation::kLess, greater = relation == Relation::kGreater;
  if (test == "num") return !unordered;
  if (test == "nan") return unordered;
  if (test == "eq") return equal;
  if (test == "ne") return less || greater;
  if (test == "lt" || test == "lo") return less;
  if (test == "le" || test == "ls") return less || equal;
  if (test == "gt" || test == "hi") return greater;
  if (test == "ge" || test == "hs") return greater || equal;
  if (test == "equ") return equal || unordered;
  if (test == "neu") return !equal;
  if (test == "ltu") return less || unordered;
  if (test == "leu") return !greater;
  if (test == "gtu") return greater || unordered;
  return !less;  // geu
}

bool combined(const Form& form, bool test, const Inputs& in) {
  if (form.has("and")) return test && in[2][0] != 0;
  if (form.has("or")) return test || in[2][0] != 0;
  if (form.has("xor")) return test != (in[2][0] != 0);
  return test;
}

Type halfOf(Type type) {
  return type == Type::kF16x2 ? Type::kF16 : type == Type::kBf16x2 ? Type::kBf16 : type;
}

uint64_t truthOf(Type type) {
  switch (type) {
    case Type::kF32:
      return 0x3F800000U;
    case Type::kF16:
    case Type::kF16x2:
      return 0x3C00U;
    case Type::kBf16:
    case Type::kBf16x2:
      return 0x3F80U;
    default:
      return lowBits(~uint64_t{0}, bitsOf(type));
  }
}

Results comparison(const Form& form, const Inputs& in) {
  const bool set = form.entry->op == Op::kSet;
  const Type type = set ? form.types[1] : form.types[0];
  const Type half = halfOf(type);
  const std::string& test = form.words[1];
  const auto test_at = [&](uint32_t shift) {
    const uint64_t a = lowBits(in[0][0] >> shift, bitsOf(half)), b = lowBits(in[1][0] >> shift, bitsOf(half));
    return isTrue(test, relationOf(a, b, half, form.has("ftz")));
  };
  if (half != type) {
    const bool low = test_at(0), high = test_at(16);
    const uint64_t truth = truthOf(form.types[0]) & 0xFFFFU;  // for each half
    if (set) return {exactly((low ? truth : 0) | (high ? truth << 16 : 0))};
    Results results{exactly(combined(form, low, in))};
    if (form.slots[1].is_second) results.push_back(exactly(combined(form, high, in)));
    return results;
  }
  const bool value = test_at(0);
  if (set) return {exactly(combined(form, value, in) ? truthOf(form.types[0]) : 0)};
  Results results{exactly(combined(form, value, in))};
  if (form.slots[1].is_second) results.push_back(exactly(combined(form, !value, in)));
  return results;
}

}  // namespace

Results compareReference(const Form& form, const Inputs& in) {
  switch (form.entry->op) {
    case Op::kSet:
    case Op::kSetp:
      return comparison(form, in);
    case Op::kSelp:
      return {exactly(in[2][0] != 0 ? in[0][0] : in[1][0])};
    case Op::kSlct: {
      const Relation relation = relationOf(in[2][0], 0, form.types[1], form.has("ftz"));
      return {exactly(relation == Relation::kEqual || relation == Relation::kGreater ? in[0][0] : in[1][0])};
    }
    default:
      return {};
  }
}

}  // namespace warpscope::test
