// Kinds of instructions whose handlers are not written yet.
#include "kernels/device/sim/simt/alu/lanes.h"
#include "kernels/device/sim/simt/alu/selectors.h"

namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA {

Handler selectPackedCompare(const ptx::Instruction&) {
  return nullptr;
}
Handler selectConvert(const ptx::Instruction& instruction) {
  return instruction.op == ptx::Op::kCvtPack ? selectConvertPack(instruction)
                                             : selectConvertInteger(instruction);
}
Handler selectDirected(const ptx::Instruction&) {
  return nullptr;
}
Handler selectHalf(const ptx::Instruction&) {
  return nullptr;
}
Handler selectApproximate(const ptx::Instruction&) {
  return nullptr;
}

}  // namespace warpscope::sim::alu::WARPSCOPE_ALU_ISA
