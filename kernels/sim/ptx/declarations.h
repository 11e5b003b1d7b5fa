// Declarations of variables and parameters (PTX ISA 5.4): state space, alignment, type, dimensions,
// initialisers. Errors are reported through the ParserState.
#pragma once

#include <string_view>
#include <vector>

#include "kernels/sim/ptx/parser_state.h"

namespace warpscope::ptx {

// ".global" -> kGlobal ...; returns false if the directive does not name a state space of variables.
bool spaceOfDirective(std::string_view directive, Space& space);

struct DeclaredVariable {
  std::string_view name;
  Variable variable;
  bool is_register = false;  // a parameter declared with .reg
};

// Parses from after the space's directive up to and including the ';'.
std::vector<DeclaredVariable> parseVariables(ParserState& state, Space space, bool is_extern);

// Parses "(.param .u64 a, .reg .b32 b)", starting at the opening parenthesis.
std::vector<DeclaredVariable> parseParameters(ParserState& state);

// Parses what follows '=' and fills variable.initial (and its size, where the dimension was left open).
void parseInitializer(ParserState& state, const std::vector<uint64_t>& dimensions, uint32_t vector_length,
                      Variable& variable);

}  // namespace warpscope::ptx
