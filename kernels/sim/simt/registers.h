// A warp's registers as rows: one row is 32 lanes of 32 bits (128 bytes). A 64-bit register takes two rows,
// read as 32 lanes of 64 bits; a 128-bit one takes four. 8- and 16-bit values are zero-extended to 32 bits;
// f16x2 and bf16x2 fill all 32. A kernel's constants (immediates, replicated for 32 lanes) are rows of the
// same shape that all its warps share. A predicate is one uint32_t with bit i for lane i.
#pragma once

#include <cstdint>

namespace warpscope::sim {

inline constexpr uint32_t kRowWords = 32;

// Identifies a row: >= 0 counts from the frame's first row; < 0 is ~index into the kernel's constant rows.
struct Row {
  int32_t index = 0;
};
inline Row constantRow(uint32_t i) {
  return {static_cast<int32_t>(~i)};
}

// Identifies a predicate of the frame. 0 is the carry flag CC of add.cc and the like; kNoPredicate means none
// (always true as a guard, dropped as a destination).
using PredicateIndex = uint16_t;
inline constexpr PredicateIndex kCarry = 0;
inline constexpr PredicateIndex kNoPredicate = 0xFFFF;

// A handler's view of the frame of the function being executed. Owns nothing; rows are 128-byte aligned.
struct Registers {
  uint32_t* rows;
  const uint32_t* constants;
  uint32_t* predicates;

  const uint32_t* in(Row row) const {
    return row.index >= 0 ? rows + row.index * static_cast<int64_t>(kRowWords)
                          : constants + ~row.index * static_cast<int64_t>(kRowWords);
  }
  const uint64_t* in64(Row row) const { return reinterpret_cast<const uint64_t*>(in(row)); }
  uint32_t* out(Row row) const { return rows + row.index * static_cast<int64_t>(kRowWords); }
  uint64_t* out64(Row row) const { return reinterpret_cast<uint64_t*>(out(row)); }
};

}  // namespace warpscope::sim
