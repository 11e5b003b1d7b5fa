#include "kernels/sim/simt/fragment.h"

#include <algorithm>
#include <utility>

namespace warpscope::sim {

using ptx::MatrixRole;

FragmentLayout::FragmentLayout(const ptx::Modifiers& modifiers, MatrixRole role, ptx::Type element)
    : bits_(ptx::elementBits(element)), registers_(ptx::fragmentRegisters(modifiers, role, element)) {
  const ptx::MatrixSize size = ptx::sizeOf(modifiers, role);
  const bool swapped = modifiers.m == 8 && modifiers.n == 32;  // D^T = B^T A^T
  is_factor_ = role == MatrixRole::kA || role == MatrixRole::kB;
  is_a_ = role == (swapped ? MatrixRole::kB : MatrixRole::kA);
  transposed_ = is_factor_ ? role == MatrixRole::kB : swapped;
  rows_ = size.rows;
  columns_ = size.columns;
  if (transposed_) std::swap(rows_, columns_);
  distinct_ = rows_ * columns_ * bits_ / 1024;
}

Cell FragmentLayout::cellOf(uint32_t lane, uint32_t reg, uint32_t part) const {
  const uint32_t at = reg % distinct_;
  Cell cell = is_factor_ ? factorCell(lane, at, part) : sumCell(lane, at * elementsOfRegister() + part);
  if (transposed_) std::swap(cell.row, cell.column);
  return cell;
}

// A register is a block of 8 rows by 128 bits; four lanes share a row.
Cell FragmentLayout::factorCell(uint32_t lane, uint32_t reg, uint32_t part) const {
  const uint32_t elements = elementsOfRegister();
  const uint32_t blocks_along_k = columns_ / (4 * elements);
  uint32_t row_block = reg / blocks_along_k, k_block = reg % blocks_along_k;
  if (is_a_) {  // in tiles of 16 rows, whose halves alternate
    const uint32_t halves = std::min(rows_ / 8, 2U), of_tile = halves * blocks_along_k;
    row_block = reg / of_tile * halves + reg % of_tile % halves;
    k_block = reg % of_tile / halves;
  }
  return {row_block * 8 + lane / 4, (k_block * 4 + lane % 4) * elements + part};
}

// Pairs of neighbours in a row, in blocks of 8 by 8.
Cell FragmentLayout::sumCell(uint32_t lane, uint32_t element) const {
  const uint32_t pair = element / 2, halves = std::min(rows_ / 8, 2U);
  const uint32_t half = pair % halves, tile = pair / halves;
  const uint32_t row = half * 8 + lane / 4, column = lane % 4 * 2 + element % 2;
  return rows_ > 16 ? Cell{tile * 16 + row, column} : Cell{row, tile * 8 + column};
}

}  // namespace warpscope::sim
