// Work that takes as long as one wants and whose result is known: rounds of x * kFactor + kAddend (Numerical
// Recipes' generator). Shared by device and host code.
#pragma once

#include <cstdint>

namespace warpscope {

constexpr uint32_t kFactor = 1664525, kAddend = 1013904223;

// Many rounds at once: x * factor + addend.
struct Rounds {
  uint32_t factor = 1, addend = 0;

  explicit constexpr Rounds(uint32_t work) {
    for (uint32_t i = 0; i < work; ++i) {
      factor *= kFactor;
      addend = addend * kFactor + kAddend;
    }
  }
  constexpr uint32_t of(uint32_t x) const { return x * factor + addend; }
};

}  // namespace warpscope
