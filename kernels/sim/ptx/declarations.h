// Declarations of variables and parameters (PTX ISA 5.4): space, alignment, type, dimensions, initialisers.
#pragma once

#include <string_view>
#include <vector>

#include "kernels/sim/ptx/parser_state.h"

namespace warpscope::ptx {

// ".global" -> kGlobal ...; false: not the directive of a space of variables.
bool spaceOfDirective(std::string_view directive, Space& space);

struct DeclaredVariable {
  std::string_view name;
  Variable variable;
  bool is_register = false;  // a parameter declared with .reg
};

// Behind the space's directive, up to and with the ';'.
std::vector<DeclaredVariable> parseVariables(ParserState& state, Space space, bool is_extern);

// "(.param .u64 a, .reg .b32 b)", from the opening parenthesis on.
std::vector<DeclaredVariable> parseParameters(ParserState& state);

// Behind '=': fills variable.initial (and its size, where the dimension was left open).
void parseInitializer(ParserState& state, const std::vector<uint64_t>& dimensions, uint32_t vector_length,
                      Variable& variable);

}  // namespace warpscope::ptx
