#include "kernels/sim/ptx/operands.h"

#include "kernels/sim/ptx/types.h"

namespace warpscope::ptx {
namespace {

using Kind = RawOperand::Kind;

std::nullopt_t because(std::string& why, std::string what) {
  if (why.empty()) why = std::move(what);
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<RawOperand>> OperandReader::readAll(std::string& why) {
  std::vector<RawOperand> operands;
  TokenCursor& cursor = state_.cursor;
  if (cursor.peek().is(";")) return operands;
  do {
    std::optional<RawOperand> operand = read(why);
    if (!operand) return std::nullopt;
    operands.push_back(std::move(*operand));
  } while (cursor.accept(","));
  if (!cursor.peek().is(";"))
    return because(why, fmt::format("{} is not expected here", describe(cursor.peek())));
  return operands;
}

std::optional<RawOperand> OperandReader::read(std::string& why) {
  TokenCursor& cursor = state_.cursor;
  const Token& token = cursor.peek();
  if (token.is("[")) return readAddress(why);
  if (token.is("{")) return readVector(why);
  const bool negated_name = token.is("!") && cursor.peek(1).kind == Token::Kind::kName;
  if (token.kind == Token::Kind::kName || negated_name) {
    if (token.text == "WARP_SZ") return readConstant(why);
    return readNamed(why);
  }
  if (beginsConstant(cursor)) return readConstant(why);
  return because(why, fmt::format("an operand is expected, not {}", describe(token)));
}

std::optional<RawOperand> OperandReader::readConstant(std::string& why) {
  RawOperand operand;
  operand.kind = Kind::kConstant;
  operand.name = state_.cursor.peek().text;
  const std::optional<Constant> constant = parseConstant(state_.cursor, why);
  if (!constant) return std::nullopt;
  operand.constant = *constant;
  return operand;
}

std::optional<RawOperand> OperandReader::readNamed(std::string& why) {
  TokenCursor& cursor = state_.cursor;
  const bool negated = cursor.accept("!");
  RawOperand operand = resolve(cursor.next().text);
  operand.operand.negated = negated;
  if (negated && operand.kind != Kind::kRegister) {
    return because(why, fmt::format("only a predicate register can be negated, not '{}'", operand.name));
  }
  if (operand.kind == Kind::kVariable && !readOffset(operand, why)) return std::nullopt;
  const bool may_be_first = operand.kind == Kind::kRegister || operand.kind == Kind::kSink;
  if (may_be_first && cursor.accept("|")) {
    if (cursor.peek().kind != Token::Kind::kName) return because(why, "a register is expected after '|'");
    operand.second.push_back(resolve(cursor.next().text));
  }
  return operand;
}

// Reads what follows a variable's name: "+ 4", "+ -4", "[2]".
bool OperandReader::readOffset(RawOperand& operand, std::string& why) {
  TokenCursor& cursor = state_.cursor;
  const bool indexed = cursor.accept("[");
  if (!indexed && !cursor.peek().is("+") && !cursor.peek().is("-")) return true;
  const std::optional<Constant> offset = parseConstant(cursor, why);
  if (!offset) return false;
  if (offset->isFloat()) return because(why, "an address' offset must be a whole number"), false;
  uint64_t bytes = offset->bits;
  if (indexed) {
    if (!cursor.accept("]")) return because(why, "an index lacks its ']'"), false;
    bytes *= bytesOf(operand.type);
    operand.is_indexed = true;
  }
  operand.operand.offset = static_cast<int64_t>(bytes);
  return true;
}

RawOperand OperandReader::resolve(std::string_view name) {
  RawOperand operand;
  operand.name = name;
  if (name == "_") {
    operand.kind = Kind::kSink;
    operand.operand.kind = Operand::Kind::kSink;
    return operand;
  }
  if (findSpecialRegister(name, operand.special)) {
    operand.kind = Kind::kSpecial;
    return operand;
  }
  if (const auto known = scopes_.findRegister(name)) {
    operand.type = known->type;
    operand.operand.kind = Operand::Kind::kRegister;
    operand.operand.index = known->index;
    operand.kind = Kind::kRegister;
    if (known->vector_length == 1) return operand;
    RawOperand vector;
    vector.kind = Kind::kVector;
    vector.name = name;
    for (uint32_t i = 0; i < known->vector_length; ++i) {
      vector.parts.push_back(operand);
      vector.parts.back().operand.index += i;
    }
    return vector;
  }
  const auto in_function = scopes_.findVariable(name);
  const auto in_module = state_.variables.find(name);
  if (in_function || in_module != state_.variables.end()) {
    operand.kind = Kind::kVariable;
    operand.operand.kind = Operand::Kind::kVariable;
    operand.operand.local = in_function && in_function->local;
    operand.operand.index = in_function ? in_function->index : in_module->second;
    const Variable& variable = scopes_.variable(operand.operand, state_.module);
    operand.space = variable.space;
    operand.type = variable.type;
  } else if (const auto function = state_.functions.find(name); function != state_.functions.end()) {
    operand.kind = Kind::kFunction;
    operand.operand.kind = Operand::Kind::kFunction;
    operand.operand.index = function->second;
  }
  return operand;
}

std::optional<RawOperand> OperandReader::readAddress(std::string& why) {
  TokenCursor& cursor = state_.cursor;
  cursor.next();
  RawOperand address;
  address.kind = Kind::kAddress;
  address.operand.kind = Operand::Kind::kAddress;
  const Token& token = cursor.peek();
  if (token.kind == Token::Kind::kName && token.text != "WARP_SZ") {
    cursor.next();
    const RawOperand base = resolve(token.text);
    if (base.kind != Kind::kRegister && base.kind != Kind::kVariable) {
      return because(why, fmt::format("'{}' is neither a register nor a variable", token.text));
    }
    address.operand = base.operand;
    address.operand.kind = Operand::Kind::kAddress;
    address.operand.has_base = base.kind == Kind::kRegister;
    address.type = base.kind == Kind::kRegister ? base.type : Type::kNone;
    address.space = base.space;
    const bool signed_offset = cursor.peek().is("+") || cursor.peek().is("-");
    if (signed_offset) {
      RawOperand offset;
      if (!readOffset(offset, why)) return std::nullopt;
      address.operand.offset = offset.operand.offset;
    }
  } else {
    const std::optional<RawOperand> absolute = readConstant(why);
    if (!absolute) return std::nullopt;
    if (absolute->constant.isFloat()) return because(why, "an address must be a whole number");
    address.operand.absolute = true;
    address.operand.offset = static_cast<int64_t>(absolute->constant.bits);
  }
  if (cursor.accept(",")) {  // the coordinates of a texture or surface: one or a vector
    std::optional<RawOperand> coordinates = read(why);
    if (!coordinates) return std::nullopt;
    if (coordinates->kind == Kind::kVector) {
      address.parts = std::move(coordinates->parts);
    } else {
      address.parts.push_back(std::move(*coordinates));
    }
  }
  if (!cursor.accept("]"))
    return because(why, fmt::format("an address lacks its ']' before {}", describe(cursor.peek())));
  return address;
}

std::optional<RawOperand> OperandReader::readVector(std::string& why) {
  TokenCursor& cursor = state_.cursor;
  cursor.next();
  RawOperand vector;
  vector.kind = Kind::kVector;
  do {
    if (cursor.peek().is("{")) return because(why, "vectors do not nest");
    std::optional<RawOperand> part = read(why);
    if (!part) return std::nullopt;
    vector.parts.push_back(std::move(*part));
  } while (cursor.accept(","));
  if (!cursor.accept("}")) return because(why, "a vector lacks its '}'");
  return vector;
}

}  // namespace warpscope::ptx
