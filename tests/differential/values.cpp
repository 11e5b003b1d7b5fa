#include "tests/differential/values.h"

namespace warpscope::test {
namespace {

using ptx::Op;
using ptx::Type;

using Random = std::mt19937_64;

const std::vector<uint64_t>& integerEdges() {
  static const std::vector<uint64_t> kEdges = {0,
                                               1,
                                               2,
                                               3,
                                               7,
                                               8,
                                               15,
                                               16,
                                               31,
                                               32,
                                               33,
                                               63,
                                               64,
                                               65,
                                               127,
                                               128,
                                               255,
                                               256,
                                               0x7FFF,
                                               0x8000,
                                               0xFFFF,
                                               0x10000,
                                               0x7FFFFF,
                                               0x800000,
                                               0xFFFFFF,
                                               0x7FFFFFFF,
                                               0x80000000,
                                               0x80000001,
                                               0xFFFFFFFE,
                                               0xFFFFFFFF,
                                               0x1'0000'0000,
                                               0x7FFF'FFFF'FFFF'FFFF,
                                               0x8000'0000'0000'0000,
                                               0x8000'0000'0000'0001,
                                               0xFFFF'FFFF'FFFF'FFFE,
                                               0xFFFF'FFFF'FFFF'FFFF,
                                               0xFFFF'FFFF'0000'0000,
                                               0x0020'0000'0000'0001,
                                               0x5555'5555'5555'5555};
  return kEdges;
}

// Zeros, subnormals, the limits of normal numbers, ones, limits of integers, infinities, quiet and signalling
// NaNs; with both signs.
std::vector<uint64_t> floatEdges(FloatFormat format) {
  const uint64_t infinity = format.infinity(), hidden = uint64_t{1} << format.mantissa_bits;
  const uint64_t one = ((uint64_t{1} << (format.exponent_bits - 1)) - 1) << format.mantissa_bits;
  std::vector<uint64_t> edges = {0,
                                 1,
                                 2,
                                 hidden / 2,
                                 hidden - 1,
                                 hidden,
                                 hidden + 1,
                                 one - 1,
                                 one,
                                 one + 1,
                                 one + hidden,
                                 one - hidden,
                                 one + hidden / 2,
                                 infinity - 1,
                                 infinity - hidden,
                                 infinity,
                                 infinity + 1,
                                 infinity + hidden / 2,
                                 infinity + hidden / 2 + 1,
                                 infinity + hidden - 1};
  for (const int power : {7, 8, 15, 16, 31, 32, 63, 64, 126, 127}) {
    const uint64_t field = one + (static_cast<uint64_t>(power) << format.mantissa_bits);
    if (field + 1 < infinity) edges.insert(edges.end(), {field - 1, field, field + 1});
  }
  const size_t count = edges.size();
  for (size_t i = 0; i < count; ++i) edges.push_back(edges[i] | format.signBit());
  return edges;
}

uint64_t pick(const std::vector<uint64_t>& values, Random& random) {
  return values[random() % values.size()];
}

// Near one, so that sums cancel, products stay finite, and halves of integers occur.
uint64_t moderateFloat(FloatFormat format, Random& random) {
  const uint64_t one = ((uint64_t{1} << (format.exponent_bits - 1)) - 1) << format.mantissa_bits;
  const uint64_t exponent = random() % 8;
  uint64_t fraction = random() & ((uint64_t{1} << format.mantissa_bits) - 1);
  if (random() % 2 == 0) fraction &= ~((uint64_t{1} << (format.mantissa_bits / 2 + 2)) - 1);
  const uint64_t value =
      one - (uint64_t{4} << format.mantissa_bits) + (exponent << format.mantissa_bits) + fraction;
  return value | (random() % 2 == 0 ? format.signBit() : 0);
}

uint64_t floatValue(FloatFormat format, Random& random) {
  static const std::vector<uint64_t> kEdges16 = floatEdges(kF16), kEdgesB16 = floatEdges(kBf16),
                                     kEdges32 = floatEdges(kF32), kEdges64 = floatEdges(kF64);
  switch (random() % 4) {
    case 0:
      return random();
    case 1:
      return moderateFloat(format, random);
    default:
      break;
  }
  return pick(format.mantissa_bits == 10   ? kEdges16
              : format.mantissa_bits == 7  ? kEdgesB16
              : format.mantissa_bits == 23 ? kEdges32
                                           : kEdges64,
              random);
}

uint64_t operandValue(const Slot& slot, Random& random) {
  if (slot.is_members) return 0;
  if (slot.register_bits == 1) return random() & 1U;
  return randomValue(slot.type, random);
}

// Only a few distinct values, so that lanes agree.
uint64_t agreeingValue(uint32_t thread, Random& random) {
  const uint64_t warp = thread / 32;
  if (warp % 4 == 0) return 42 + warp;
  return 0x1'0000'0000U * (random() % 2) + random() % 3;
}

// The addend of an fma for which the sum nearly vanishes.
void cancel(const Form& form, Inputs& in) {
  const Type type = form.types[0];
  if (type != Type::kF32 && type != Type::kF64) return;
  const FloatFormat format = formatOf(type);
  const ParsedFloat a = parseFloat(in[0][0], format), b = parseFloat(in[1][0], format);
  if (a.is_nan || b.is_nan || a.is_infinite || b.is_infinite) return;
  in[2][0] = Exact::product(a, b).negated().rounded(format, Direction::kNearest, false);
}

}  // namespace

uint64_t randomValue(Type type, Random& random) {
  switch (type) {
    case Type::kF16x2:
    case Type::kBf16x2: {
      const FloatFormat format = formatOf(type);
      return lowBits(floatValue(format, random), 16) | (lowBits(floatValue(format, random), 16) << 16);
    }
    case Type::kF16:
    case Type::kBf16:
    case Type::kF32:
    case Type::kF64:
      return floatValue(formatOf(type), random);
    default:
      break;
  }
  const uint64_t narrow = random() >> (random() % 64);
  switch (random() % 3) {
    case 0:
      return random();
    case 1:
      return random() % 2 == 0 ? narrow : 0 - narrow;
    default:
      return pick(integerEdges(), random);
  }
}

std::vector<Inputs> inputsOf(const Form& form, uint32_t threads) {
  Random random(std::hash<std::string>{}(form.opcode));
  const Op op = form.entry->op;
  std::vector<Inputs> all(threads);
  for (uint32_t thread = 0; thread < threads; ++thread) {
    Inputs& in = all[thread];
    for (const Slot& slot : form.slots) {
      if (slot.is_destination || slot.kind == Slot::Kind::kImmediate) continue;
      Value value{operandValue(slot, random), slot.register_bits == 128 ? random() : 0};
      if (slot.is_members) value[0] = form.lanes;
      const bool compared = op == Op::kMatch && in.empty();
      if (compared || (op == Op::kVote && in.empty() && (thread / 32) % 4 < 2)) {
        value[0] = op == Op::kVote ? (thread / 32) % 2 : agreeingValue(thread, random);
      }
      value[0] = lowBits(value[0], slot.register_bits);
      in.push_back(value);
    }
    if (form.reads_carry) in.push_back({random() & 1U, 0});
    if (op == Op::kFma && random() % 8 == 0) cancel(form, in);
  }
  return all;
}

}  // namespace warpscope::test
