// Finds the opcode table entries that an opcode as written ("ld.global.nc.v4.f32") can mean. The table's
// texts are compiled into forms once.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kernels/sim/ptx/opcode_table.h"
#include "kernels/sim/ptx/opcode_words.h"

namespace warpscope::ptx {

// One operand of an entry (see OpcodeEntry::operands).
struct OperandPattern {
  enum class Shape : uint8_t {
    kValue,  // register, immediate or (destination) sink
    kAddress,
    kImmediate,
    kImage,     // <a>: a texture or surface and its coordinates, [a, {x, y}]
    kFragment,  // (a): the registers that hold a lane's part of a matrix
    kPack,      // {a}: source vector
    kUnpack,    // {d}: destination vector
    kVariableAddress,
    kSpecial,
    kLabel,
    kTargets,
    kCallee,
  };
  Shape shape = Shape::kValue;
  // The source of an operand's type: one of the opcode's types, or a fixed one.
  enum class TypeFrom : uint8_t { kFirst, kSecond, kThird, kFixed, kTwiceFirst, kAddressSized };
  TypeFrom type_from = TypeFrom::kFirst;
  Type fixed = Type::kNone;
  bool is_destination = false, may_be_absent = false, may_be_wider = false, may_be_vector = false;
  bool may_be_sink = false;
  bool has_second = false;  // d|p: the next pattern is the second destination, kSink when absent
  std::string name;
};

// One word of an entry's modifiers.
struct WordSlot {
  std::vector<OpcodeWord> words;  // empty for a type slot
  int type = -1;                  // 0 .. 2: which type; -1: not a type slot
  bool may_be_absent = false;
};

struct OpcodeForm {
  const OpcodeEntry* entry = nullptr;
  std::vector<std::string_view> name_words;  // those after the first
  std::vector<OpcodeWord> implied;
  std::vector<WordSlot> slots;
  std::vector<std::vector<Type>> types;
  std::vector<OperandPattern> operands;
};

// Lists mistakes in the table's own texts; a test demands that there are none.
std::vector<std::string> mistakesInOpcodeTable();

struct FormMatch {
  OpcodeMatch opcode;
  const OpcodeForm* form = nullptr;
};

// The possible meanings of an opcode: several entries where only the operands decide (mov); if none, `why`
// gives the reason.
struct OpcodeMeaning {
  std::vector<FormMatch> matches;
  std::string why;
};
OpcodeMeaning meaningOf(std::string_view opcode);

// Remembers meaningOf by text, since a module has few distinct opcodes.
class OpcodeCache {
 public:
  const OpcodeMeaning& meaning(std::string_view opcode);

 private:
  std::unordered_map<std::string, OpcodeMeaning> known_;
};

}  // namespace warpscope::ptx
