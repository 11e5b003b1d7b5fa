// The selectors of this folder's files: each returns the handler of an instruction of its kind, or nullptr.
#pragma once

#include "kernels/sim/ptx/instruction.h"
#include "kernels/sim/simt/code.h"

#define WARPSCOPE_ALU_DECLARE_SELECTORS(isa)                         \
  namespace warpscope::sim::alu::isa {                               \
  Handler selectInteger(const ptx::Instruction& instruction);        \
  Handler selectMultiply(const ptx::Instruction& instruction);       \
  Handler selectBitField(const ptx::Instruction& instruction);       \
  Handler selectCarry(const ptx::Instruction& instruction);          \
  Handler selectLogic(const ptx::Instruction& instruction);          \
  Handler selectCompare(const ptx::Instruction& instruction);        \
  Handler selectPackedCompare(const ptx::Instruction& instruction);  \
  Handler selectMove(const ptx::Instruction& instruction);           \
  Handler selectConvertInteger(const ptx::Instruction& instruction); \
  Handler selectConvertFloat(const ptx::Instruction& instruction);   \
  Handler selectConvertPack(const ptx::Instruction& instruction);    \
  Handler selectConvert(const ptx::Instruction& instruction);        \
  Handler selectFloat(const ptx::Instruction& instruction);          \
  Handler selectDirected(const ptx::Instruction& instruction);       \
  Handler selectHalf(const ptx::Instruction& instruction);           \
  Handler selectApproximate(const ptx::Instruction& instruction);    \
  Handler selectCrossLane(const ptx::Instruction& instruction);      \
  Handler select(const ptx::Instruction& instruction);               \
  }

#ifdef WARPSCOPE_ALU_ISA
WARPSCOPE_ALU_DECLARE_SELECTORS(WARPSCOPE_ALU_ISA)
#else  // select.cpp, which chooses
WARPSCOPE_ALU_DECLARE_SELECTORS(portable)
#ifdef WARPSCOPE_ALU_HAS_AVX2
WARPSCOPE_ALU_DECLARE_SELECTORS(avx2)
#endif
#endif
