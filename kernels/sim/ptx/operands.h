// Operands as written, with names resolved, before it is known what the instruction expects of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/sim/ptx/parser_state.h"
#include "kernels/sim/ptx/scopes.h"
#include "kernels/sim/ptx/types.h"

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
    kName,  // unresolved so far: a label, a list of targets, a prototype
  } kind = Kind::kName;
  std::string_view name;
  Operand operand;                // for a register, variable, address or function
  Type type = Type::kNone;        // a register's own type; for an address, that of its base register
  Space space = Space::kGeneric;  // for a variable, and for an address based on one
  bool is_indexed = false;        // name[1], which is also an address
  Constant constant;
  SpecialRegister special;
  std::vector<RawOperand> parts;   // the elements of a vector; the coordinates in an address of an image
  std::vector<RawOperand> second;  // the b of a|b
};

class OperandReader {
 public:
  OperandReader(ParserState& state, Scopes& scopes) : state_(state), scopes_(scopes) {}

  // Reads up to, not including, the ';'. Returns nothing if an operand is wrong; `why` then says how.
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
