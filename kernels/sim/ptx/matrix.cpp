#include "kernels/sim/ptx/matrix.h"

namespace warpscope::ptx {

MatrixSize sizeOf(const Modifiers& modifiers, MatrixRole role) {
  switch (role) {
    case MatrixRole::kA:
      return {modifiers.m, modifiers.k};
    case MatrixRole::kB:
      return {modifiers.k, modifiers.n};
    case MatrixRole::kC:
    case MatrixRole::kD:
      break;
  }
  return {modifiers.m, modifiers.n};
}

uint32_t elementBits(Type type) {
  return 8 * bytesOf(type);
}

uint32_t fragmentRegisters(const Modifiers& modifiers, MatrixRole role, Type element) {
  constexpr uint32_t kLanes = 32, kRegisterBits = 32, kWmmaHalfRegisters = 8;
  const bool factor = role == MatrixRole::kA || role == MatrixRole::kB;
  if (modifiers.wmma && factor && element == Type::kF16) return kWmmaHalfRegisters;
  const MatrixSize size = sizeOf(modifiers, role);
  return size.rows * size.columns * elementBits(element) / kLanes / kRegisterBits;
}

Type fragmentRegisterType(Type element) {
  return element == Type::kF32 || element == Type::kS32 ? element : Type::kB32;
}

FragmentOperand fragmentOperand(const Instruction& instruction, char name) {
  const Modifiers& modifiers = instruction.modifiers;
  if (instruction.op != Op::kMma) return {modifiers.matrix, instruction.types[0]};
  switch (name) {
    case 'a':
      return {MatrixRole::kA, modifiers.type_a};
    case 'b':
      return {MatrixRole::kB, modifiers.type_b};
    case 'c':
      return {MatrixRole::kC, instruction.types[1]};
    default:
      return {MatrixRole::kD, instruction.types[0]};
  }
}

}  // namespace warpscope::ptx
