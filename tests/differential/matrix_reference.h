// What matrix instructions must compute, in long double arithmetic, and how mma distributes matrices among
// the lanes of a warp (PTX ISA 9.7.14.5), written down shape by shape. It shares no code with the simulator.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/sim/ptx/instruction.h"
#include "tests/differential/program.h"

namespace warpscope::test {

// Elements as bits, row by row.
struct BitMatrix {
  uint32_t rows = 0, columns = 0;
  std::vector<uint32_t> bits;
  BitMatrix(uint32_t r, uint32_t c) : rows(r), columns(c), bits(size_t{r} * c) {}
  uint32_t& at(uint32_t row, uint32_t column) { return bits[size_t{row} * columns + column]; }
  uint32_t at(uint32_t row, uint32_t column) const { return bits[size_t{row} * columns + column]; }
};

struct MatrixTypes {
  ptx::Type a, b, c, d;
  bool saturate = false;
  bool in_two_steps = false;  // along K
};
BitMatrix multiplied(const BitMatrix& a, const BitMatrix& b, const BitMatrix& c, const MatrixTypes& types);

struct Place {
  uint32_t row, column;
};
// Element i of a lane, in the order of its registers, for the `letter` (a, b, c) of a shape ("m16n8k16").
Place placeInMma(const std::string& shape, char letter, ptx::Type type, uint32_t lane, uint32_t i);

}  // namespace warpscope::test
