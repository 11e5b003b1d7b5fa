// The one list of what of PTX is supported. Each entry is an instruction form: its name, the types and
// modifiers it takes and its operands. The parser accepts by it, the executor chooses by it, `warpscope ptx
// --list` and the documentation print it, and a test demands that each entry is executed at least once.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "kernels/sim/ptx/instruction.h"

namespace warpscope::ptx {

// How an entry is written:
//   modifiers  the words behind the name, apart by spaces, in the order in which they are listed; a text may
//              have them in any order, as ptxas takes it. "sat" a word; "sat?" it may be absent; "{round}"
//              one word of a group (opcode_words.cpp); "+sync" implied, not written; "T", "U", "V" the first,
//              second and third type.
//   types      what T may be, apart by spaces; behind a ';' what U may be, and V.
//   operands   apart by commas: "d", "p", "q" destinations (p and q predicates), any other letter a source.
//              "d:u32" its type, where that is not T; "a:wide" twice as wide as T. "b?" may be absent.
//              "d|p" two destinations, the second one may be absent. Before a letter: '~' its register may be
//              wider than the type; '*' a vector where .v2 or .v4 stands, a wider register also; '_' a sink
//              may stand there. "[a]" address, "#i" immediate, "{a}" vector of parts that fill T, "&a"
//              address of a variable or function, "%a" special register, "label", "targets", "callee".
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

// What of PTX is not supported, by the beginning of its instructions' names, and why.
struct RefusedInstruction {
  const char* prefix;  // "tex": also "tex.2d", not "texture"
  const char* reason;
};
std::span<const RefusedInstruction> refusedInstructions();

}  // namespace warpscope::ptx
