// Decodes one PTX instruction: its kind (instruction_kind.h), and where its operands are (table_operands.h).
// This is the second half of decoding.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "kernels/sim/simt/decode_layout.h"

namespace warpscope::sim {

class InstructionDecoder {
 public:
  InstructionDecoder(const LoadedModule& module, const KernelLayout& layout, Code& code)
      : loaded_(module), module_(*module.module), layout_(layout), code_(code) {}

  // `first` is the index of the function's first instruction in Code. Branch targets are set; reconvergence
  // points are not. Errors name the line and the instruction.
  Expected<Instruction> decode(const FunctionLayout& function, const ptx::Instruction& from, uint32_t first);

 private:
  Expected<void> decodeByKind();
  Expected<void> complete();
  Expected<void> decodeOperands();
  Expected<void> decodeMemory();
  Expected<void> decodeAsyncCopy();
  Expected<void> decodeBulk();
  Expected<void> decodeTensor();
  Expected<void> addFurtherAddress(const ptx::Operand& address, FurtherAddress& further);
  Expected<void> decodeClusterAddress();
  Expected<void> decodeAddress(const ptx::Operand& operand);
  Expected<void> decodeMoveAddress();
  void addConstWindow();
  Expected<void> decodeCall();
  void addSource(const ptx::Operand& operand, ptx::Type type);
  void addDestination(const ptx::Operand& operand);
  Row constant(uint64_t bits, uint32_t bytes);
  const ptx::Variable& variable(const ptx::Operand& operand) const;
  uint64_t placeOf(
      const ptx::Operand& operand) const;  // of a variable: its address, or its offset in its space
  bool isKernelParameter(const ptx::Operand& operand) const;
  ptx::Type widthOf(const ptx::Operand& operand) const;
  tl::unexpected<Error> refuse(const std::string& why) const;

  const LoadedModule& loaded_;
  const ptx::Module& module_;
  const KernelLayout& layout_;
  Code& code_;
  std::map<std::pair<uint64_t, uint32_t>, uint32_t> constants_;
  const FunctionLayout* function_ = nullptr;
  const ptx::Instruction* from_ = nullptr;
  uint32_t first_ = 0;
  Instruction out_;
};

}  // namespace warpscope::sim
