// The registers that hold a lane's part (fragment) of a matrix, for mma and wmma (9.7.14).
#pragma once

#include <cstdint>

#include "kernels/sim/ptx/instruction.h"

namespace warpscope::ptx {

struct MatrixSize {
  uint32_t rows = 0, columns = 0;
};
MatrixSize sizeOf(const Modifiers& modifiers, MatrixRole role);

// The bits of an element as it lies in a register: 8, 16 or 32.
uint32_t elementBits(Type type);
// How many 32-bit registers of each lane the matrix takes. wmma gives f16 factors eight, in which each
// element occurs as often as it fits.
uint32_t fragmentRegisters(const Modifiers& modifiers, MatrixRole role, Type element);
// The type that such a register must have: that of its one element, or b32.
Type fragmentRegisterType(Type element);

// The matrix that the operand `name` of an opcode table entry is, and its elements' type.
struct FragmentOperand {
  MatrixRole role = MatrixRole::kD;
  Type element = Type::kNone;
};
FragmentOperand fragmentOperand(const Instruction& instruction, char name);

}  // namespace warpscope::ptx
