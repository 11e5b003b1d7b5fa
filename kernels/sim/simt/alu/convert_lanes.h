// The loop of cvt, whose registers may be wider than its types: the low bits of a source are read, and a
// destination is sign- or zero-extended.
#pragma once

#include "kernels/sim/simt/alu/lanes.h"

namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA {
namespace {

inline void lowWords(const Registers& r, Row row, uint32_t* words) {
  const uint64_t* wide = r.in64(row);
  forLanes([&](uint32_t lane) { words[lane] = static_cast<uint32_t>(wide[lane]); });
}

// Extends 32-bit words holding `bits`-wide values into the destination of destination_bits.
[[gnu::noinline]] void writeExtended(const Instruction& i, const Registers& r, uint32_t mask,
                                     const uint32_t* words, uint32_t bits, bool is_signed) {
  const uint32_t unused = 64 - bits;
  const auto extended = [&](uint32_t lane) {
    const uint64_t top = uint64_t{words[lane]} << unused;
    return is_signed ? static_cast<uint64_t>(static_cast<int64_t>(top) >> unused) : top >> unused;
  };
  if (i.destination_bits == 64) {
    writeLanes<uint64_t>(r, i.destinations[0], mask, extended);
  } else {
    const uint32_t kept = i.destination_bits >= 32 ? 0xFFFFFFFFU : (1U << i.destination_bits) - 1U;
    writeLanes<uint32_t>(r, i.destinations[0], mask,
                         [&](uint32_t lane) { return static_cast<uint32_t>(extended(lane)) & kept; });
  }
}

template <class D, class A, bool extend_sign, class Conversion>
[[gnu::always_inline]] inline void convertLanes(const Instruction& i, const Registers& r, uint32_t mask,
                                                Conversion conversion) {
  alignas(64) uint32_t narrowed[32];
  const auto* in = reinterpret_cast<const Word<A>*>(r.in(i.sources[0]));
  if constexpr (sizeof(A) < 8) {
    if (i.source_bits == 64) {
      lowWords(r, i.sources[0], narrowed);
      in = narrowed;
    }
  }
  if constexpr (sizeof(D) < 8) {
    if (i.destination_bits != 0) {
      alignas(64) uint32_t values[32];
      forLanes([&](uint32_t lane) { values[lane] = toWord<D>(conversion(fromWord<A>(in[lane]))); });
      writeExtended(i, r, mask, values, 8 * sizeof(D), extend_sign);
      return;
    }
  }
  writeLanes<D>(r, i.destinations[0], mask, [&](uint32_t lane) { return conversion(fromWord<A>(in[lane])); });
}

}  // namespace
}  // namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA
