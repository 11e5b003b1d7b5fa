// Logic, shifts, permutation and moves.
#include "tests/differential/reference.h"

namespace warpscope::test {
namespace {

using ptx::Op;
using ptx::Type;

uint64_t shifted(const Form& form, uint64_t a, uint64_t amount) {
  const Type type = form.types[0];
  const uint32_t bits = bitsOf(type);
  if (form.entry->op == Op::kShl) return amount >= bits ? 0 : lowBits(a << amount, bits);
  const bool sign = ptx::isSigned(type) && ((a >> (bits - 1)) & 1U) != 0;
  uint64_t result = 0;
  for (uint32_t i = 0; i < bits; ++i) {
    const uint64_t from = i + amount;
    const bool bit = from < bits ? ((a >> from) & 1U) != 0 : sign;
    result |= uint64_t{bit} << i;
  }
  return result;
}

uint32_t funnelShifted(const Form& form, uint64_t a, uint64_t b, uint64_t c) {
  const uint64_t amount = form.has("wrap") ? c & 31U : std::min<uint64_t>(c, 32);
  const Wide both = (Wide{b} << 32) | a;
  return static_cast<uint32_t>(form.has("l") ? (both << amount) >> 32 : both >> amount);
}

uint64_t lookedUp(uint64_t a, uint64_t b, uint64_t c, uint64_t table) {
  uint64_t result = 0;
  for (uint32_t i = 0; i < 32; ++i) {
    const uint64_t index = 4 * ((a >> i) & 1U) + 2 * ((b >> i) & 1U) + ((c >> i) & 1U);
    result |= ((table >> index) & 1U) << i;
  }
  return result;
}

// The tables of PTX 9.7.9.7: bytes 3, 2, 1, 0 of d for selectors 0 .. 3.
uint32_t permuted(const Form& form, uint64_t a, uint64_t b, uint64_t c) {
  struct Mode {
    const char* word;
    int bytes[4][4];
  };
  static constexpr Mode kModes[] = {
      {"f4e", {{3, 2, 1, 0}, {4, 3, 2, 1}, {5, 4, 3, 2}, {6, 5, 4, 3}}},
      {"b4e", {{5, 6, 7, 0}, {6, 7, 0, 1}, {7, 0, 1, 2}, {0, 1, 2, 3}}},
      {"rc8", {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}}},
      {"ecl", {{3, 2, 1, 0}, {3, 2, 1, 1}, {3, 2, 2, 2}, {3, 3, 3, 3}}},
      {"ecr", {{0, 0, 0, 0}, {1, 1, 1, 0}, {2, 2, 1, 0}, {3, 2, 1, 0}}},
      {"rc16", {{1, 0, 1, 0}, {3, 2, 3, 2}, {1, 0, 1, 0}, {3, 2, 3, 2}}},
  };
  const auto byte_at = [&](int i) {
    return static_cast<uint32_t>((i < 4 ? a >> (8 * i) : b >> (8 * (i - 4))) & 0xFFU);
  };
  uint32_t result = 0;
  for (const Mode& mode : kModes) {
    if (!form.has(mode.word)) continue;
    for (int i = 0; i < 4; ++i) result |= byte_at(mode.bytes[c & 3U][3 - i]) << (8 * i);
    return result;
  }
  for (int i = 0; i < 4; ++i) {
    const auto selector = static_cast<uint32_t>(c >> (4 * i)) & 0xFU;
    const uint32_t byte = byte_at(static_cast<int>(selector & 7U));
    const uint32_t sign = (byte & 0x80U) != 0 ? 0xFFU : 0;
    result |= ((selector & 8U) != 0 ? sign : byte) << (8 * i);
  }
  return result;
}

Results packed(const Form& form, const Inputs& in) {
  const uint32_t bits = bitsOf(form.types[0]) / static_cast<uint32_t>(in.size());
  Wide whole = 0;
  for (size_t i = 0; i < in.size(); ++i) whole |= Wide{lowBits(in[i][0], bits)} << (bits * i);
  Result result = exactly(static_cast<uint64_t>(whole));
  result.bits[1] = static_cast<uint64_t>(whole >> 64);
  return {result};
}

Results unpacked(const Form& form, const Value& value) {
  const auto parts = static_cast<uint32_t>(form.slots.size() - 1);
  const uint32_t bits = bitsOf(form.types[0]) / parts;
  const Wide whole = (Wide{value[1]} << 64) | value[0];
  Results results;
  for (uint32_t i = 0; i < parts; ++i) {
    results.push_back(exactly(lowBits(static_cast<uint64_t>(whole >> (bits * i)), bits)));
  }
  return results;
}

Results lop3(const Form& form, const Inputs& in) {
  uint64_t table = 0;
  for (const Slot& slot : form.slots) {
    if (slot.kind == Slot::Kind::kImmediate) table = slot.immediate;
  }
  const uint64_t d = lookedUp(in[0][0], in[1][0], in[2][0], table);
  Results results{exactly(d)};
  if (form.has("and")) results.push_back(exactly(d != 0 && in[3][0] != 0));
  if (form.has("or")) results.push_back(exactly(d != 0 || in[3][0] != 0));
  return results;
}

}  // namespace

Results logicReference(const Form& form, const Inputs& in) {
  const Type type = form.types[0];
  const uint32_t bits = type == Type::kPred ? 1 : bitsOf(type);
  switch (form.entry->op) {
    case Op::kAnd:
      return {exactly(in[0][0] & in[1][0])};
    case Op::kOr:
      return {exactly(in[0][0] | in[1][0])};
    case Op::kXor:
      return {exactly(in[0][0] ^ in[1][0])};
    case Op::kNot:
      return {exactly(lowBits(~in[0][0], bits))};
    case Op::kCnot:
      return {exactly(lowBits(in[0][0], bits) == 0)};
    case Op::kShl:
    case Op::kShr:
      return {exactly(shifted(form, in[0][0], in[1][0]))};
    case Op::kShf:
      return {exactly(funnelShifted(form, in[0][0], in[1][0], in[2][0]))};
    case Op::kLop3:
      return lop3(form, in);
    case Op::kPrmt:
      return {exactly(permuted(form, in[0][0], in[1][0], in[2][0]))};
    case Op::kMov: {
      Result result = exactly(in[0][0]);
      result.bits[1] = in[0][1];
      return {result};
    }
    case Op::kMovePack:
      return packed(form, in);
    case Op::kMoveUnpack:
      return unpacked(form, in[0]);
    default:
      return {};
  }
}

}  // namespace warpscope::test
