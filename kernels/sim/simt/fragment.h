// Where the elements of a matrix are that a warp holds together (mma, wmma): PTX ISA 9.7.14.5 gives the
// layout for mma. That of wmma is not documented; it is what an NVIDIA H100 (driver 580.159.04, 2026-11-23)
// was seen to load for every shape, type and layout: the same tiles of 8 by 8, 8 by 16 or 8 by 32 bytes, one
// after another.
#pragma once

#include <cstdint>

#include "kernels/sim/ptx/matrix.h"
#include "kernels/sim/simt/registers.h"

namespace warpscope::sim {

struct Cell {
  uint32_t row = 0, column = 0;
};

class FragmentLayout {
 public:
  FragmentLayout(const ptx::Modifiers& modifiers, ptx::MatrixRole role, ptx::Type element);

  uint32_t registers() const { return registers_; }
  // Registers from this one on repeat those before: wmma's factors of halves.
  uint32_t distinctRegisters() const { return distinct_; }
  uint32_t elementsOfRegister() const { return 32 / bits_; }
  uint32_t elementBits() const { return bits_; }
  // How many elements of a register are neighbours in memory: all or one.
  uint32_t neighbours(bool column_major) const {
    return column_major == transposed_ ? elementsOfRegister() : 1;
  }
  // How many registers hold neighbours in memory, which one access moves: two words of sums in a row
  // (ptxas 13.0 for sm_90: STG.64).
  uint32_t registersTogether(bool column_major) const {
    return !is_factor_ && bits_ == 32 && column_major == transposed_ ? 2 : 1;
  }
  // The loads or stores of a lane that move the matrix.
  uint32_t accesses(bool column_major) const {
    return distinct_ * elementsOfRegister() / (neighbours(column_major) * registersTogether(column_major));
  }
  // The cell that is element `part`, counted from the lowest bits, of a lane's register.
  Cell cellOf(uint32_t lane, uint32_t reg, uint32_t part) const;

 private:
  Cell factorCell(uint32_t lane, uint32_t reg, uint32_t part) const;
  Cell sumCell(uint32_t lane, uint32_t element) const;

  uint32_t bits_ = 32, registers_ = 0, distinct_ = 0;
  // As if B were transposed to n x k, and m8n32 were the transposed m32n8.
  uint32_t rows_ = 0, columns_ = 0;
  bool is_factor_ = false;
  bool is_a_ = false;        // blocks of 8 rows come before those of columns
  bool transposed_ = false;  // the matrix itself is the transposed one
};

}  // namespace warpscope::sim
