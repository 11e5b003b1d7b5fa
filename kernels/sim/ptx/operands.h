// Operands as written, names resolved, before it is known what the instruction wants of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/sim/ptx/parser_state.h"
#include "kernels/sim/ptx/scopes.h"
#include "kernels/sim/ptx/special_registers.h"

namespace warpscope::ptx {

struct RawOperand {
  enum class Kind : uint8_t {
    kRegister,
    kConstant,
    kVariable,  // its address: name, name + 4, name[1]
    kFunction,
    kSpecial,
    kAddress,  // [ ... ]
    kVector,
    kSink,
    kName,  // unknown so far: a label, targets, a prototype
  } kind = Kind::kName;
  std::string_view name;
  Operand operand;                // of a register, variable, address, function
  Type type = Type::kNone;        // a register's; of an address: its base register's
  Space space = Space::kGeneric;  // of a variable, and of an address made of one
  bool is_indexed = false;        // name[1], which is also an address
  Constant constant;
  SpecialRegister special;
  std::vector<RawOperand> parts;   // of a vector
  std::vector<RawOperand> second;  // a|b: b
};

class OperandReader {
 public:
  OperandReader(ParserState& state, Scopes& scopes) : state_(state), scopes_(scopes) {}

  // Up to, not with, the ';'. Nothing: `why` says what is wrong.
  std::optional<std::vector<RawOperand>> readAll(std::string& why);
  std::optional<RawOperand> read(std::string& why);

 private:
  std::optional<RawOperand> readNamed(std::string& why);
  std::optional<RawOperand> readAddress(std::string& why);
  std::optional<RawOperand> readVector(std::string& why);
  std::optional<RawOperand> readConstant(std::string& why);
  bool readOffset(RawOperand& operand, std::string& why);
  RawOperand resolve(std::string_view name);

  ParserState& state_;
  Scopes& scopes_;
};

}  // namespace warpscope::ptx
