// Results that are known when a kernel is compiled: ptxas computes integers of constants itself, and halves
// that are converted from constants, so that polynomials of halves have their coefficients as immediates.
#include <algorithm>

#include "kernels/sim/sm/lowering/graph.h"
#include "kernels/sim/sm/lowering/passes.h"

namespace warpscope::sim::lowering {
namespace {

using ptx::Op;
using ptx::Type;

uint64_t cut(uint64_t bits, uint32_t bytes) {
  return bytes >= 8 ? bits : bits & ((uint64_t{1} << (8 * bytes)) - 1);
}

// The number that a register of this type holds, with its sign.
uint64_t extended(uint64_t bits, Type type) {
  const uint32_t unused = 64 - 8 * ptx::bytesOf(type);
  if (unused == 0) return bits;
  return ptx::isSigned(type) ? static_cast<uint64_t>(static_cast<int64_t>(bits << unused) >> unused)
                             : (bits << unused) >> unused;
}

std::optional<uint64_t> sum(const Instruction& in, uint64_t a, uint64_t b) {
  if (in.modifiers.carry_out || in.modifiers.sat) return {};
  return in.op == Op::kAdd ? a + b : a - b;
}

std::optional<uint64_t> product(const Instruction& in, uint64_t a, uint64_t b) {
  if (in.modifiers.part == ptx::Part::kHi) return {};
  return extended(a, in.type) * extended(b, in.type);
}

std::optional<uint64_t> shifted(const Instruction& in, uint64_t a, uint64_t b) {
  const uint32_t bits = 8 * ptx::bytesOf(in.type);
  const auto by = static_cast<uint32_t>(std::min<uint64_t>(b & 0xFFFFFFFFU, bits));
  if (in.op == Op::kShl) return by >= 64 ? 0 : a << by;
  const uint64_t from = extended(a, in.type);
  if (ptx::isSigned(in.type)) return static_cast<uint64_t>(static_cast<int64_t>(from) >> std::min(by, 63U));
  return by >= 64 ? 0 : from >> by;
}

std::optional<uint64_t> integer(const Instruction& in, const std::vector<uint64_t>& from) {
  const size_t count = from.size();
  switch (in.op) {
    case Op::kAdd:
    case Op::kSub:
      return count == 2 ? sum(in, from[0], from[1]) : std::nullopt;
    case Op::kMul:
      return count == 2 ? product(in, from[0], from[1]) : std::nullopt;
    case Op::kShl:
    case Op::kShr:
      return count == 2 ? shifted(in, from[0], from[1]) : std::nullopt;
    case Op::kAnd:
      return count == 2 ? std::optional(from[0] & from[1]) : std::nullopt;
    case Op::kOr:
      return count == 2 ? std::optional(from[0] | from[1]) : std::nullopt;
    case Op::kXor:
      return count == 2 ? std::optional(from[0] ^ from[1]) : std::nullopt;
    case Op::kNot:
      return count == 1 ? std::optional(~from[0]) : std::nullopt;
    case Op::kMovePack: {
      if (count != 2 || ptx::bytesOf(in.type) > 8) return {};
      const uint32_t half = ptx::bytesOf(in.type) / 2;
      return cut(from[0], half) | cut(from[1], half) << (8 * half);
    }
    case Op::kCvt:
      if (count != 1 || in.modifiers.sat || ptx::isFloat(in.type2)) return {};
      return extended(from[0], in.type2);
    default:
      return {};
  }
}

bool isHalf(Type type) {
  return type == Type::kF16 || type == Type::kBf16;
}

}  // namespace

std::optional<uint64_t> resultOfConstants(const Graph& graph, const Operation& operation) {
  const Instruction& in = *operation.instruction;
  if (in.kind != Kind::kRegister || operation.destinations.size() != 1 || operation.sources.empty())
    return {};
  if (in.type == Type::kPred || in.type == Type::kNone) return {};
  std::vector<uint64_t> from;
  for (const Value v : operation.sources) {
    const Value source = graph.resolve(v);
    if (!graph.isConstant(source)) return {};
    from.push_back(graph.values[source].bits);
  }
  // Which half it is does not matter, but whether it is zero.
  if (in.op == Op::kCvt && isHalf(in.type) && in.type2 == Type::kF32) return from[0] == 0 ? 0 : 0x3C01;
  if (ptx::isFloat(in.type)) return {};
  const std::optional<uint64_t> result = integer(in, from);
  const bool wide = in.op == Op::kMul && in.modifiers.part == ptx::Part::kWide;
  return result ? std::optional(cut(*result, ptx::bytesOf(in.type) * (wide ? 2 : 1))) : std::nullopt;
}

}  // namespace warpscope::sim::lowering
