// Logic and shifts on registers and predicates: and, or, xor, not, cnot, lop3, shl, shr, shf, prmt (PTX
// 9.7.8, 9.7.9.7).
#include "kernels/sim/simt/alu/integer_types.h"
#include "kernels/sim/simt/alu/selectors.h"

namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA {
namespace {

template <class T>
struct And {
  T operator()(T a, T b) const { return static_cast<T>(a & b); }
};
template <class T>
struct Or {
  T operator()(T a, T b) const { return static_cast<T>(a | b); }
};
template <class T>
struct Xor {
  T operator()(T a, T b) const { return static_cast<T>(a ^ b); }
};
template <class T>
struct Not {
  T operator()(T a) const { return static_cast<T>(~a); }
};
template <class T>
struct LogicalNot {
  T operator()(T a) const { return a == 0 ? T{1} : T{0}; }
};

// Shift amounts beyond the width shift everything out.
template <class T>
struct ShiftLeft {
  T operator()(T a, uint32_t b) const {
    constexpr uint32_t kBits = 8 * sizeof(T);
    return b < kBits ? narrow<T>(Wide<T>(a) << (b & (kBits - 1))) : T{0};
  }
};
template <class T>
struct ShiftRight {
  T operator()(T a, uint32_t b) const {
    constexpr uint32_t kBits = 8 * sizeof(T);
    if constexpr (kIsSigned<T>) {
      return static_cast<T>(a >> (b < kBits ? b : kBits - 1));
    } else {
      return b < kBits ? static_cast<T>(a >> (b & (kBits - 1))) : T{0};
    }
  }
};
template <bool left, bool wrap>
struct FunnelShift {
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    const uint32_t amount = wrap ? c & 31U : c < 32 ? c : 32;
    const uint64_t both = (uint64_t{b} << 32) | a;
    return static_cast<uint32_t>(left ? (both << amount) >> 32 : both >> amount);
  }
};

// Each bit of the operands selects bit 4a + 2b + c of the table.
struct Lop3 {
  uint32_t low[4], change[4];  // by a, b: the value if c is 0, and whether c inverts it
  explicit Lop3(const Instruction& i) {
    for (uint32_t k = 0; k < 4; ++k) {
      low[k] = 0U - static_cast<uint32_t>((i.immediate >> (2 * k)) & 1);
      change[k] = low[k] ^ (0U - static_cast<uint32_t>((i.immediate >> (2 * k + 1)) & 1));
    }
  }
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    const uint32_t v0 = low[0] ^ (change[0] & c), v1 = low[1] ^ (change[1] & c);
    const uint32_t v2 = low[2] ^ (change[2] & c), v3 = low[3] ^ (change[3] & c);
    const uint32_t w0 = v0 ^ ((v0 ^ v1) & b), w1 = v2 ^ ((v2 ^ v3) & b);
    return w0 ^ ((w0 ^ w1) & a);
  }
};
// lop3.BoolOp d|p, a, b, c, table, q also sets p = (d != 0) BoolOp q.
void lop3WithPredicate(const Instruction& i, const Registers& r, uint32_t mask) {
  const Lop3 operation(i);
  const Source<uint32_t> a(r, i.sources[0]), b(r, i.sources[1]), c(r, i.sources[2]);
  const uint32_t nonzero = bitsOf<uint32_t>([&](uint32_t l) { return operation(a[l], b[l], c[l]) != 0; });
  const uint32_t q = readPredicate(i, r, 0);
  writeLanes<uint32_t>(r, i.destinations[0], mask, [&](uint32_t l) { return operation(a[l], b[l], c[l]); });
  writePredicate(r, i.predicate_destinations[0], mask,
                 i.modifiers.bool_op == ptx::BoolOp::kOr ? nonzero | q : nonzero & q);
}

template <ptx::Op op>
void predicateLogic(const Instruction& i, const Registers& r, uint32_t mask) {
  const uint32_t a = readPredicate(i, r, 0);
  const uint32_t b = op == ptx::Op::kNot ? 0 : readPredicate(i, r, 1);
  const uint32_t value = op == ptx::Op::kAnd   ? a & b
                         : op == ptx::Op::kOr  ? a | b
                         : op == ptx::Op::kXor ? a ^ b
                                               : ~a;
  writePredicate(r, i.predicate_destinations[0], mask, value);
}

// Byte `index` of the eight bytes b:a; bit 3 of a selector replicates the byte's sign bit instead.
[[gnu::always_inline]] inline uint32_t chosenByte(uint64_t bytes, uint32_t index) {
  return static_cast<uint32_t>(bytes >> (8 * (index & 7U))) & 0xFFU;
}
struct PermuteGeneric {
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    const uint64_t bytes = (uint64_t{b} << 32) | a;
    uint32_t result = 0;
    for (uint32_t k = 0; k < 4; ++k) {
      const uint32_t selector = (c >> (4 * k)) & 0xFU;
      const uint32_t byte = chosenByte(bytes, selector);
      const uint32_t sign = (byte & 0x80U) != 0 ? 0xFFU : 0U;
      result |= ((selector & 8U) != 0 ? sign : byte) << (8 * k);
    }
    return result;
  }
};
template <ptx::PrmtMode mode>
struct Permute {
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    const uint64_t bytes = (uint64_t{b} << 32) | a;
    const uint32_t n = c & 3U;
    uint32_t result = 0;
    for (uint32_t k = 0; k < 4; ++k) {
      uint32_t index = 0;
      if constexpr (mode == ptx::PrmtMode::kF4e) index = n + k;
      if constexpr (mode == ptx::PrmtMode::kB4e) index = n - k;
      if constexpr (mode == ptx::PrmtMode::kRc8) index = n;
      if constexpr (mode == ptx::PrmtMode::kEcl) index = n > k ? n : k;
      if constexpr (mode == ptx::PrmtMode::kEcr) index = n < k ? n : k;
      if constexpr (mode == ptx::PrmtMode::kRc16) index = 2 * (n & 1U) + (k & 1U);
      result |= chosenByte(bytes, index) << (8 * k);
    }
    return result;
  }
};

template <class T>
using AndHandler = Bind2<And, T>;
template <class T>
using OrHandler = Bind2<Or, T>;
template <class T>
using XorHandler = Bind2<Xor, T>;
template <class T>
using NotHandler = Bind1<Not, T>;
template <class T>
using CnotHandler = Bind1<LogicalNot, T>;
template <template <class> class Shift, class T>
struct BindShift {
  static constexpr Handler kHandler = &binary<Shift<T>, T, T, uint32_t>;
};
template <class T>
using LeftHandler = BindShift<ShiftLeft, T>;
template <class T>
using RightHandler = BindShift<ShiftRight, T>;

Handler selectPredicateLogic(ptx::Op op) {
  switch (op) {
    case ptx::Op::kAnd:
      return &predicateLogic<ptx::Op::kAnd>;
    case ptx::Op::kOr:
      return &predicateLogic<ptx::Op::kOr>;
    case ptx::Op::kXor:
      return &predicateLogic<ptx::Op::kXor>;
    case ptx::Op::kNot:
      return &predicateLogic<ptx::Op::kNot>;
    default:
      return nullptr;
  }
}

Handler selectFunnelShift(const ptx::Modifiers& modifiers) {
  using U = uint32_t;
  if (modifiers.shift_left) {
    return modifiers.wrap ? &ternary<FunnelShift<true, true>, U, U, U, U>
                          : &ternary<FunnelShift<true, false>, U, U, U, U>;
  }
  return modifiers.wrap ? &ternary<FunnelShift<false, true>, U, U, U, U>
                        : &ternary<FunnelShift<false, false>, U, U, U, U>;
}

template <ptx::PrmtMode mode>
constexpr Handler kPermute = &ternary<Permute<mode>, uint32_t, uint32_t, uint32_t, uint32_t>;
Handler selectPermute(ptx::PrmtMode mode) {
  switch (mode) {
    case ptx::PrmtMode::kF4e:
      return kPermute<ptx::PrmtMode::kF4e>;
    case ptx::PrmtMode::kB4e:
      return kPermute<ptx::PrmtMode::kB4e>;
    case ptx::PrmtMode::kRc8:
      return kPermute<ptx::PrmtMode::kRc8>;
    case ptx::PrmtMode::kEcl:
      return kPermute<ptx::PrmtMode::kEcl>;
    case ptx::PrmtMode::kEcr:
      return kPermute<ptx::PrmtMode::kEcr>;
    case ptx::PrmtMode::kRc16:
      return kPermute<ptx::PrmtMode::kRc16>;
    default:
      return &ternary<PermuteGeneric, uint32_t, uint32_t, uint32_t, uint32_t>;
  }
}

}  // namespace

Handler selectLogic(const ptx::Instruction& instruction) {
  const ptx::Type type = instruction.types[0];
  if (type == ptx::Type::kPred) return selectPredicateLogic(instruction.op);
  switch (instruction.op) {
    case ptx::Op::kAnd:
      return byUnsignedType<AndHandler>(unsignedOf(type));
    case ptx::Op::kOr:
      return byUnsignedType<OrHandler>(unsignedOf(type));
    case ptx::Op::kXor:
      return byUnsignedType<XorHandler>(unsignedOf(type));
    case ptx::Op::kNot:
      return byUnsignedType<NotHandler>(unsignedOf(type));
    case ptx::Op::kCnot:
      return byUnsignedType<CnotHandler>(unsignedOf(type));
    case ptx::Op::kShl:
      return byUnsignedType<LeftHandler>(unsignedOf(type));
    case ptx::Op::kShr:
      return ptx::isSigned(type) ? bySignedType<RightHandler>(type)
                                 : byUnsignedType<RightHandler>(unsignedOf(type));
    case ptx::Op::kShf:
      return selectFunnelShift(instruction.modifiers);
    case ptx::Op::kPrmt:
      return selectPermute(instruction.modifiers.prmt);
    case ptx::Op::kLop3:
      if (instruction.modifiers.bool_op != ptx::BoolOp::kNone) return &lop3WithPredicate;
      return &ternary<Lop3, uint32_t, uint32_t, uint32_t, uint32_t>;
    default:
      return nullptr;
  }
}

}  // namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA
