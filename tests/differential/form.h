// Instruction forms: every entry of the opcode table with each of its types and modifiers, spelled out. A
// form is derived from the table's text alone, so that the tests do not depend on the parser.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/sim/ptx/instruction.h"
#include "kernels/sim/ptx/opcode_table.h"

namespace warpscope::test {

// One operand. Values are passed in cells of 64 bits; 128-bit operands take two.
struct Slot {
  enum class Kind : uint8_t { kRegister, kImmediate };
  Kind kind = Kind::kRegister;
  std::string name;
  ptx::Type type = ptx::Type::kNone;
  uint32_t register_bits = 0;  // 1: a predicate
  bool is_destination = false;
  bool is_members = false;  // the mask of a .sync instruction's lanes
  bool is_part = false;     // part of a vector in braces
  bool is_second = false;   // follows a '|'
  uint64_t immediate = 0;

  uint32_t cells() const { return register_bits == 128 ? 2 : 1; }
};

struct Form {
  const ptx::OpcodeEntry* entry = nullptr;
  std::string opcode;              // "add.rn.ftz.f32"
  std::vector<std::string> words;  // of the opcode, the name's first
  std::array<ptx::Type, 3> types{};
  std::vector<Slot> slots;  // in PTX order
  bool reads_carry = false, writes_carry = false;
  uint32_t lanes = 0xFFFFFFFFU;  // the lanes of each warp that execute it
  // As a parser should produce it, for driving handlers directly.
  ptx::Instruction instruction;
  std::string variant;  // what distinguishes forms of the same opcode: "d|p", "64-bit registers"

  bool has(const std::string& word) const;
  std::string label() const { return variant.empty() ? opcode : opcode + " (" + variant + ")"; }
};

uint32_t bitsOf(ptx::Type type);
bool isRegisterOnly(ptx::Op op);  // executed by handlers alone
bool isCrossLane(ptx::Op op);

// All forms of register-only instructions that ptxas accepts for sm_90.
std::vector<Form> registerForms();

}  // namespace warpscope::test
