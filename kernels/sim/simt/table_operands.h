// The operands of an opcode table entry as decoding needs them: what each is, and which type its register or
// immediate has. ptx/opcode_match.h reads the same text for the parser.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/sim/ptx/instruction.h"

namespace warpscope::sim {

// One operand of an opcode table entry ("d:u32", "[a]", "p"): see OpcodeEntry.
struct TableOperand {
  std::string_view text;  // without the prefixes of the letter
  bool is_destination = false, is_predicate_destination = false;
};

std::vector<TableOperand> tableOperands(const char* operands);

// The type that a pattern names behind its colon; else the instruction's.
ptx::Type typeOf(const TableOperand& pattern, const ptx::Instruction& of);

// An untyped value of this size, or of the next larger one.
ptx::Type bitsOf(uint32_t bytes);

}  // namespace warpscope::sim
