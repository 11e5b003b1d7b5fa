// Finds the file whose selector knows an instruction.
#include "kernels/sim/simt/alu/lanes.h"
#include "kernels/sim/simt/alu/selectors.h"

namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA {
namespace {

Handler selectArithmetic(const ptx::Instruction& instruction) {
  const ptx::Modifiers& modifiers = instruction.modifiers;
  switch (instruction.types[0]) {
    case ptx::Type::kF16:
    case ptx::Type::kF16x2:
    case ptx::Type::kBf16:
    case ptx::Type::kBf16x2:
      return selectHalf(instruction);
    case ptx::Type::kF32:
    case ptx::Type::kF64:
      if (modifiers.approx || modifiers.full) return selectApproximate(instruction);
      if (modifiers.rounding == ptx::Rounding::kNone || modifiers.rounding == ptx::Rounding::kRn) {
        return selectFloat(instruction);
      }
      return selectDirected(instruction);
    default:
      break;
  }
  if (modifiers.carry_out) return selectCarry(instruction);
  for (const auto selector : {&selectInteger, &selectMultiply}) {
    if (const Handler handler = selector(instruction)) return handler;
  }
  return nullptr;
}

}  // namespace

Handler select(const ptx::Instruction& instruction) {
  using ptx::Op;
  const Op op = instruction.op;
  if (op == Op::kAddc || op == Op::kSubc || op == Op::kMadc) return selectCarry(instruction);
  if (op >= Op::kPopc && op <= Op::kSzext) return selectBitField(instruction);
  if (op >= Op::kRsqrt && op <= Op::kTanh) {
    const bool narrow = ptx::bytesOf(instruction.types[0]) == 2 ||
                        instruction.types[0] == ptx::Type::kF16x2 ||
                        instruction.types[0] == ptx::Type::kBf16x2;
    return narrow ? selectHalf(instruction) : selectApproximate(instruction);
  }
  if (op >= Op::kAdd && op <= Op::kSqrt) return selectArithmetic(instruction);
  if (op >= Op::kSet && op <= Op::kSlct) return selectCompare(instruction);
  if (op >= Op::kAnd && op <= Op::kPrmt) return selectLogic(instruction);
  if (op == Op::kCvt || op == Op::kCvtPack) return selectConvert(instruction);
  if (op >= Op::kMov && op <= Op::kIsspacep) return selectMove(instruction);
  return selectCrossLane(instruction);
}

}  // namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA
