// Binds operands as written to the operand patterns of an opcode table entry: shapes, widths, kinds of types.
#pragma once

#include <string>
#include <vector>

#include "kernels/sim/ptx/operands.h"

namespace warpscope::ptx {

// An operand that an instruction of its own must first bring into a register.
struct NeedsRegister {
  size_t operand = 0;  // which operand of the instruction
  Type type = Type::kNone;
  RawOperand source;  // a special register or a constant predicate
};

struct Binding {
  Instruction instruction;
  std::vector<NeedsRegister> needs;
  std::string_view label, targets;  // names that are resolved later
};

// Chooses, among the forms that the opcode can mean, the one that fits the operands. Returns false when none
// does; `why` then says what is wrong with the operands.
bool bindOperands(const OpcodeMeaning& meaning, const std::vector<RawOperand>& operands, Binding& binding,
                  std::string& why);

}  // namespace warpscope::ptx
