// Binds operands as written to what an opcode table entry wants: shapes, widths, kinds of types.
#pragma once

#include <string>
#include <vector>

#include "kernels/sim/ptx/operands.h"

namespace warpscope::ptx {

// An operand that must first be brought into a register, by an instruction of its own.
struct NeedsRegister {
  size_t operand = 0;  // of the instruction
  Type type = Type::kNone;
  RawOperand source;  // a special register or a constant predicate
};

struct Binding {
  Instruction instruction;
  std::vector<NeedsRegister> needs;
  std::string_view label, targets;  // names yet to be resolved
};

// Of the forms that the opcode can mean, the one that fits. False: `why` says what is wrong with the
// operands.
bool bindOperands(const OpcodeMeaning& meaning, const std::vector<RawOperand>& operands, Binding& binding,
                  std::string& why);

}  // namespace warpscope::ptx
