// The words that follow an instruction's name (".sat", ".rn", ".global") and what each of them means.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "kernels/sim/ptx/instruction.h"

namespace warpscope::ptx {

// The meaning of an opcode by itself, before its operands are read.
struct OpcodeMatch {
  const OpcodeEntry* entry = nullptr;
  std::array<Type, 3> types{};
  Space space = Space::kGeneric;
  Modifiers modifiers;
};

struct OpcodeWord {
  std::string_view word;
  void (*apply)(OpcodeMatch&);
};

// The words of a group: "round" -> rn rz rm rp. Empty if there is no such group.
std::span<const OpcodeWord> wordGroup(std::string_view group);
// A word that is by itself in an entry; nullptr if it is unknown.
const OpcodeWord* singleWord(std::string_view word);

}  // namespace warpscope::ptx
