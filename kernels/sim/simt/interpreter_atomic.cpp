// Atomic read-modify-write, one lane after another.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>

#include "kernels/sim/simt/atomic_operation.h"
#include "kernels/sim/simt/interpreter_state.h"

namespace warpscope::sim {

namespace {

using ptx::AtomOp;
using ptx::Type;

float flushed(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0F, value) : value;
}

float fromHalf(uint32_t half) {
  const uint32_t sign = (half & 0x8000U) << 16, exponent = (half >> 10) & 31U, fraction = half & 0x3FFU;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7F800000U | (fraction << 13));
  if (exponent == 0)
    return std::bit_cast<float>(sign |
                                std::bit_cast<uint32_t>(std::ldexp(static_cast<float>(fraction), -24)));
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
}
// Rounds to nearest even; a NaN becomes the one that a GPU gives.
uint32_t toHalf(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value), sign = (bits >> 16) & 0x8000U;
  if (std::isnan(value)) return 0x7FFFU;
  const float magnitude = std::fabs(value);
  if (magnitude >= 65520.0F) return sign | 0x7C00U;
  if (magnitude < 0x1p-14F) return sign | static_cast<uint32_t>(std::nearbyint(std::ldexp(magnitude, 24)));
  const uint32_t rounded = (bits & 0x7FFFFFFFU) + 0xFFFU + ((bits >> 13) & 1U);
  return sign | ((rounded - 0x38000000U) >> 13);
}
float fromBfloat(uint32_t value) {
  return std::bit_cast<float>(value << 16);
}
uint32_t toBfloat(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return 0x7FFFU;
  return (bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16;
}

uint64_t addHalves(uint64_t a, uint64_t b, bool two, bool bfloat) {
  const auto one = [&](uint32_t x, uint32_t y) {
    // The sum of two is exact in 24 bits, or far enough from a tie that rounding twice gives the same result.
    return bfloat ? toBfloat(fromBfloat(x) + fromBfloat(y)) : toHalf(fromHalf(x) + fromHalf(y));
  };
  const uint32_t low = one(a & 0xFFFFU, b & 0xFFFFU) & 0xFFFFU;
  if (!two) return low;
  return low | ((one((a >> 16) & 0xFFFFU, (b >> 16) & 0xFFFFU) & 0xFFFFU) << 16);
}

uint64_t addFloats(uint64_t a, uint64_t b, bool flush) {
  float x = std::bit_cast<float>(static_cast<uint32_t>(a)),
        y = std::bit_cast<float>(static_cast<uint32_t>(b));
  if (flush) x = flushed(x), y = flushed(y);
  const float sum = flush ? flushed(x + y) : x + y;
  return std::isnan(sum) ? 0x7FFFFFFFU : std::bit_cast<uint32_t>(sum);
}
// As on an H100, a NaN is kept. In global memory the operand's has precedence over the memory's; in shared
// memory, where the program itself adds, the memory's comes first and is made quiet.
uint64_t addDoubles(uint64_t a, uint64_t b, bool global) {
  constexpr uint64_t kQuiet = 0x0008'0000'0000'0000U, kFresh = 0xFFF8'0000'0000'0000U;
  const double x = std::bit_cast<double>(a), y = std::bit_cast<double>(b), sum = x + y;
  if (!std::isnan(sum)) return std::bit_cast<uint64_t>(sum);
  if (global) return std::isnan(y) ? b : std::isnan(x) ? a : kFresh;
  return (std::isnan(x) ? a : std::isnan(y) ? b : kFresh) | kQuiet;
}

uint64_t add(Type type, uint64_t a, uint64_t b, bool global) {
  switch (type) {
    case Type::kF32:
      // "atom.add.f32 on global memory flushes subnormal inputs and results to sign-preserving zero; on
      // shared memory it supports subnormal inputs and results" (PTX ISA 9.0, 9.7.13.5, atom).
      return addFloats(a, b, global);
    case Type::kF64:
      return addDoubles(a, b, global);
    case Type::kF16:
    case Type::kF16x2:
      return addHalves(a, b, type == Type::kF16x2, false);
    case Type::kBf16:
    case Type::kBf16x2:
      return addHalves(a, b, type == Type::kBf16x2, true);
    default:
      return a + b;
  }
}

// Compares the 64 bits as the type does.
bool less(Type type, uint64_t a, uint64_t b) {
  if (type == Type::kS32) return static_cast<int32_t>(a) < static_cast<int32_t>(b);
  if (type == Type::kS64) return static_cast<int64_t>(a) < static_cast<int64_t>(b);
  return a < b;
}

}  // namespace

uint64_t combine(AtomOp op, Type type, uint64_t old, uint64_t b, uint64_t c, bool global) {
  switch (op) {
    case AtomOp::kAdd:
      return add(type, old, b, global);
    case AtomOp::kExch:
      return b;
    case AtomOp::kCas:
      return old == b ? c : old;
    case AtomOp::kMin:
      return less(type, b, old) ? b : old;
    case AtomOp::kMax:
      return less(type, old, b) ? b : old;
    case AtomOp::kInc:
      return old >= b ? 0 : old + 1;
    case AtomOp::kDec:
      return old == 0 || old > b ? b : old - 1;
    case AtomOp::kAnd:
      return old & b;
    case AtomOp::kOr:
      return old | b;
    case AtomOp::kXor:
      return old ^ b;
    default:
      return old;
  }
}

void combineElements(AtomOp op, Type type, std::byte* to, const std::byte* from, uint64_t bytes,
                     bool global) {
  const uint32_t size = ptx::bytesOf(type);
  for (uint64_t at = 0; at + size <= bytes; at += size) {
    uint64_t old = 0, operand = 0;
    std::memcpy(&old, to + at, size);
    std::memcpy(&operand, from + at, size);
    const uint64_t value = combine(op, type, old, operand, 0, global);
    std::memcpy(to + at, &value, size);
  }
}

namespace {

template <class Word, class RowWord>
void modifyLanes(Block::State& block, const Warp& warp, const LaneAccess& access, const RowWord* b,
                 const RowWord* c, RowWord* old_values) {
  const Instruction& in = access.instruction;
  const bool global = access.space == ptx::Space::kGlobal;
  for (uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    std::byte* at = (access.owner == nullptr ? block : *access.owner)
                        .hostAddress(warp, access.space, lane, access.addresses[lane]);
    const uint64_t third = c == nullptr ? 0 : c[lane];
    const auto combined = [&](Word from) {
      return static_cast<Word>(combine(in.modifiers.atom_op, in.type, from, static_cast<Word>(b[lane]),
                                       static_cast<Word>(third), global));
    };
    Word old;
    if (access.concurrent) {
      const std::atomic_ref<Word> word(*reinterpret_cast<Word*>(at));
      old = word.load(std::memory_order_relaxed);
      while (!word.compare_exchange_weak(old, combined(old), std::memory_order_relaxed)) {
      }
    } else {
      std::memcpy(&old, at, sizeof old);
      const Word value = combined(old);
      std::memcpy(at, &value, sizeof value);
    }
    if (global) {
      block.launch.memory->noteWritten(access.addresses[lane], sizeof(Word));
      if (SharedWords* words = block.launch.shared_words)
        words->changed(access.pc, access.addresses[lane], sizeof(Word), old);
    }
    if (old_values != nullptr) old_values[lane] = old;
  }
}

}  // namespace

bool Block::State::atomic(const Warp& warp, const LaneAccess& access) {
  const Instruction& in = access.instruction;
  const Registers& registers = access.registers;
  const uint32_t bytes = ptx::bytesOf(in.type);
  if (!valid(warp, access, bytes)) return false;
  // A reduction returns nothing, though PTX may name a register for a result: it would be whatever the host's
  // threads had left by then.
  const bool answers = !access.concurrent && in.destination_count > 0 && in.destinations[0].index != kSinkRow;
  const bool three = in.source_count > 2;
  if (bytes == 8) {
    modifyLanes<uint64_t>(*this, warp, access, registers.in64(in.sources[1]),
                          three ? registers.in64(in.sources[2]) : nullptr,
                          answers ? registers.out64(in.destinations[0]) : nullptr);
    return true;
  }
  const uint32_t* b = registers.in(in.sources[1]);
  const uint32_t* c = three ? registers.in(in.sources[2]) : nullptr;
  uint32_t* old_values = answers ? registers.out(in.destinations[0]) : nullptr;
  if (bytes == 2) {
    modifyLanes<uint16_t>(*this, warp, access, b, c, old_values);
  } else {
    modifyLanes<uint32_t>(*this, warp, access, b, c, old_values);
  }
  return true;
}

}  // namespace warpscope::sim
