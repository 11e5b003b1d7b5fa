// The one list of the PTX that is supported. Each entry is an instruction form: its name, the types and
// modifiers it takes, and its operands. The parser accepts what it lists, the executor chooses handlers by
// it, `warpscope ptx --list` and the documentation print it, and a test demands that each entry is executed
// at least once.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "kernels/sim/ptx/instruction.h"

namespace warpscope::ptx {

// How an entry is written:
//   modifiers  the words after the name, separated by spaces, in the order in which they are listed; PTX text
//              may have them in any order, as ptxas accepts it. "sat" is a word; "sat?" may be absent;
//              "{round}" is one word of a group (opcode_words.cpp); "+sync" is implied and not written; "T",
//              "U", "V" are the first, second and third type.
//   types      what T may be, separated by spaces; after a ';' what U may be, and then V.
//   operands   separated by commas: "d", "p", "q" are destinations (p and q predicates), other letters
//   sources.
//              "d:u32" gives its type where that is not T; "a:wide" is twice as wide as T. "b?" may be
//              absent. "d|p" are two destinations, of which the second may be absent. Before a letter: '~'
//              its register may be wider than the type; '*' it is a vector where .v2 or .v4 is written, and
//              its registers may be wider; '_' it may be a sink. "[a]" is an address, "#i" an immediate,
//              "(a)" the registers of a lane's part of a matrix (matrix.h), "<a:U>" a texture, surface or
//              tensor map with coordinates of type U, "{a}" a vector of parts that fill T,
//              "&a" the address of a variable or function, "%a" a special register; "label", "targets" and
//              "callee" are what they say.
struct OpcodeEntry {
  const char* name;  // "add", "shfl.sync", "cp.async"
  Op op;
  const char* modifiers;
  const char* types;
  const char* operands;
  const char* section;  // of the PTX ISA 9.0: "9.7.1"
};

std::span<const OpcodeEntry> opcodeTable();
inline size_t indexInOpcodeTable(const OpcodeEntry& entry) {
  return static_cast<size_t>(&entry - opcodeTable().data());
}
// "add{.sat}.s32 d, a, b": for listings.
std::string formatEntry(const OpcodeEntry& entry);

// PTX instructions that are not supported, by the beginning of their names, and why.
struct RefusedInstruction {
  const char* prefix;  // "tex": also "tex.2d", not "texture"
  const char* reason;
};
std::span<const RefusedInstruction> refusedInstructions();

}  // namespace warpscope::ptx
