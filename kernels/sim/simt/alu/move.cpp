// Moves: mov, packing and unpacking vectors, cvta, isspacep (PTX 9.7.9).
#include "kernels/sim/simt/alu/integer_types.h"
#include "kernels/sim/simt/alu/selectors.h"
#include "kernels/sim/simt/windows.h"

namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA {
namespace {

template <class T>
void move(const Instruction& i, const Registers& r, uint32_t mask) {
  const Source<T> a(r, i.sources[0]);
  writeLanes<T>(r, i.destinations[0], mask, [&](uint32_t lane) { return a[lane]; });
}

[[gnu::always_inline]] inline Row rowBehind(Row row, int32_t rows) {
  // Constant rows count down from -1.
  return {row.index >= 0 ? row.index + rows : row.index - rows};
}

// A 128-bit value is two 64-bit halves of 32 lanes each.
void move128(const Instruction& i, const Registers& r, uint32_t mask) {
  for (int32_t half = 0; half < 2; ++half) {
    const Source<uint64_t> a(r, rowBehind(i.sources[0], 2 * half));
    writeLanes<uint64_t>(r, rowBehind(i.destinations[0], 2 * half), mask,
                         [&](uint32_t lane) { return a[lane]; });
  }
}

void movePredicate(const Instruction& i, const Registers& r, uint32_t mask) {
  writePredicate(r, i.predicate_destinations[0], mask, readPredicate(i, r, 0));
}

// Packs two parts of type T into a whole of twice the width.
template <class T, class Whole>
struct PackTwo {
  Whole operator()(T low, T high) const {
    return static_cast<Whole>(low | static_cast<Whole>(Wide<Whole>(high) << (8 * sizeof(T))));
  }
};
template <class T, class Whole>
void unpackTwo(const Instruction& i, const Registers& r, uint32_t mask) {
  const Source<Whole> a(r, i.sources[0]);
  // Both parts are read before either is written: one may be the source's own register.
  alignas(64) Word<Whole> whole[32];
  forLanes([&](uint32_t lane) { whole[lane] = a[lane]; });
  writeLanes<T>(r, i.destinations[0], mask, [&](uint32_t lane) { return static_cast<T>(whole[lane]); });
  writeLanes<T>(r, i.destinations[1], mask,
                [&](uint32_t lane) { return static_cast<T>(whole[lane] >> (8 * sizeof(T))); });
}

template <class T, class Whole, uint32_t count>
void packMany(const Instruction& i, const Registers& r, uint32_t mask) {
  alignas(64) Word<Whole> whole[32] = {};
  for (uint32_t part = 0; part < count; ++part) {
    const Source<T> a(r, i.sources[part]);
    forLanes([&](uint32_t lane) { whole[lane] |= Word<Whole>{a[lane]} << (8 * sizeof(T) * part); });
  }
  writeLanes<Whole>(r, i.destinations[0], mask,
                    [&](uint32_t lane) { return static_cast<Whole>(whole[lane]); });
}
template <class T, class Whole, uint32_t count>
void unpackMany(const Instruction& i, const Registers& r, uint32_t mask) {
  const Source<Whole> a(r, i.sources[0]);
  alignas(64) Word<Whole> whole[32];
  forLanes([&](uint32_t lane) { whole[lane] = a[lane]; });
  for (uint32_t part = 0; part < count; ++part) {
    writeLanes<T>(r, i.destinations[part], mask,
                  [&](uint32_t lane) { return static_cast<T>(whole[lane] >> (8 * sizeof(T) * part)); });
  }
}

// Packs a whole of two 64-bit words from parts of 64 or 32 bits.
void pack128(const Instruction& i, const Registers& r, uint32_t mask) {
  for (uint32_t half = 0; half < 2; ++half) {
    const Row out = rowBehind(i.destinations[0], static_cast<int32_t>(2 * half));
    if (i.vector == 2) {
      const Source<uint64_t> a(r, i.sources[half]);
      writeLanes<uint64_t>(r, out, mask, [&](uint32_t lane) { return a[lane]; });
    } else {
      const Source<uint32_t> low(r, i.sources[2 * half]), high(r, i.sources[2 * half + 1]);
      writeLanes<uint64_t>(r, out, mask,
                           [&](uint32_t lane) { return low[lane] | (uint64_t{high[lane]} << 32); });
    }
  }
}
void unpack128(const Instruction& i, const Registers& r, uint32_t mask) {
  for (uint32_t half = 0; half < 2; ++half) {
    const Source<uint64_t> a(r, rowBehind(i.sources[0], static_cast<int32_t>(2 * half)));
    if (i.vector == 2) {
      writeLanes<uint64_t>(r, i.destinations[half], mask, [&](uint32_t lane) { return a[lane]; });
    } else {
      writeLanes<uint32_t>(r, i.destinations[2 * half], mask,
                           [&](uint32_t lane) { return static_cast<uint32_t>(a[lane]); });
      writeLanes<uint32_t>(r, i.destinations[2 * half + 1], mask,
                           [&](uint32_t lane) { return static_cast<uint32_t>(a[lane] >> 32); });
    }
  }
}

template <class T, bool to_space>
struct ConvertAddress {
  T window;
  explicit ConvertAddress(const Instruction& i) : window(static_cast<T>(i.immediate)) {}
  T operator()(T address) const { return to_space ? address - window : address + window; }
};

template <class T>
void isInSpace(const Instruction& i, const Registers& r, uint32_t mask) {
  const Source<T> address(r, i.sources[0]);
  const auto in_window = [&](uint64_t base, uint64_t bytes = kWindowBytes) {
    return bitsOf<T>([&](uint32_t lane) { return uint64_t{address[lane]} - base < bytes; });
  };
  uint32_t bits = 0;
  if (i.space == ptx::Space::kSharedCluster) {
    bits = in_window(kSharedWindow, kSharedWindows);
  } else if (i.space == ptx::Space::kShared) {
    bits = in_window(kSharedWindow);
  } else if (i.space == ptx::Space::kLocal) {
    bits = in_window(kLocalWindow);
  } else if (i.space == ptx::Space::kParam) {
    bits = in_window(kParameterWindow);
  } else if (i.space == ptx::Space::kConst) {
    bits = in_window(i.immediate, i.target);
  } else {
    bits =
        ~(in_window(kSharedWindow, kSharedWindows) | in_window(kLocalWindow) | in_window(kParameterWindow));
  }
  writePredicate(r, i.predicate_destinations[0], mask, bits);
}

Handler selectMov(ptx::Type type) {
  switch (ptx::bytesOf(type)) {
    case 16:
      return &move128;
    case 8:
      return &move<uint64_t>;
    case 4:
      return &move<uint32_t>;
    case 2:
      return &move<uint16_t>;
    default:
      return type == ptx::Type::kPred ? &movePredicate : nullptr;
  }
}

uint32_t partsOf(const ptx::Instruction& instruction) {
  for (const ptx::Operand& operand : instruction.operands) {
    if (operand.kind == ptx::Operand::Kind::kVector) return static_cast<uint32_t>(operand.parts.size());
  }
  return 0;
}

Handler selectPack(uint32_t bytes, uint32_t parts) {
  if (bytes == 16) return parts == 2 || parts == 4 ? &pack128 : nullptr;
  if (parts == 2) {
    if (bytes == 8) return &binary<PackTwo<uint32_t, uint64_t>, uint64_t, uint32_t, uint32_t>;
    if (bytes == 4) return &binary<PackTwo<uint16_t, uint32_t>, uint32_t, uint16_t, uint16_t>;
    if (bytes == 2) return &binary<PackTwo<uint8_t, uint16_t>, uint16_t, uint8_t, uint8_t>;
  } else if (parts == 4) {
    if (bytes == 8) return &packMany<uint16_t, uint64_t, 4>;
    if (bytes == 4) return &packMany<uint8_t, uint32_t, 4>;
  }
  return nullptr;
}
Handler selectUnpack(uint32_t bytes, uint32_t parts) {
  if (bytes == 16) return parts == 2 || parts == 4 ? &unpack128 : nullptr;
  if (parts == 2) {
    if (bytes == 8) return &unpackTwo<uint32_t, uint64_t>;
    if (bytes == 4) return &unpackTwo<uint16_t, uint32_t>;
    if (bytes == 2) return &unpackTwo<uint8_t, uint16_t>;
  } else if (parts == 4) {
    if (bytes == 8) return &unpackMany<uint16_t, uint64_t, 4>;
    if (bytes == 4) return &unpackMany<uint8_t, uint32_t, 4>;
  }
  return nullptr;
}

}  // namespace

Handler selectMove(const ptx::Instruction& instruction) {
  const ptx::Type type = instruction.types[0];
  const uint32_t bytes = ptx::bytesOf(type);
  switch (instruction.op) {
    case ptx::Op::kMov:
    case ptx::Op::kMoveAddress:
      return selectMov(type);
    case ptx::Op::kMovePack:
      return selectPack(bytes, partsOf(instruction));
    case ptx::Op::kMoveUnpack:
      return selectUnpack(bytes, partsOf(instruction));
    case ptx::Op::kCvta:
      if (bytes == 8) {
        return instruction.modifiers.to_space ? &unary<ConvertAddress<uint64_t, true>, uint64_t, uint64_t>
                                              : &unary<ConvertAddress<uint64_t, false>, uint64_t, uint64_t>;
      }
      return instruction.modifiers.to_space ? &unary<ConvertAddress<uint32_t, true>, uint32_t, uint32_t>
                                            : &unary<ConvertAddress<uint32_t, false>, uint32_t, uint32_t>;
    case ptx::Op::kIsspacep:
      return &isInSpace<uint64_t>;
    default:
      return nullptr;
  }
}

}  // namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA
