// Types and special registers by name, and which registers an operand may be (PTX ISA 9.4: type checking
// rules).
#pragma once

#include <string_view>

#include "kernels/sim/ptx/instruction.h"

namespace warpscope::ptx {

bool isBits(Type type);                 // b8 .. b128
Type typeNamed(std::string_view name);  // "u32"; kNone if there is no such type
Type twiceAsWide(Type type);            // for mul.wide and mad.wide: u16 -> u32; kNone if there is none

// Equal sizes and agreeing kinds: bits agree with everything, signed with unsigned, a float kind with itself.
// With `may_be_wider` (ld, st and cvt) the register may be wider.
bool registerFits(Type of_register, Type wanted, bool may_be_wider);

// Special registers by name (PTX ISA 10).
struct SpecialRegister {
  Special special = Special::kZero;
  Type type = Type::kU32;
};

// Returns false if there is no such special register.
bool findSpecialRegister(std::string_view name, SpecialRegister& found);

}  // namespace warpscope::ptx
