#include "kernels/sim/ptx/function_parser.h"

#include "kernels/sim/ptx/types.h"

namespace warpscope::ptx {
namespace {

constexpr size_t kMostScopes = 1000;
// Bounds "%r<N>": more than any real function declares; each register is made only when it is used.
constexpr uint64_t kMostRegisters = 1U << 24;

}  // namespace

FunctionParser::FunctionParser(ParserState& state, Function function,
                               const std::vector<std::string_view>& names)
    : state_(state), function_(std::move(function)), scopes_(function_), reader_(state, scopes_) {
  for (uint32_t i = 0; i < names.size(); ++i) {
    if (names[i] != "_" && !scopes_.addVariable(names[i], i, true)) {
      state_.failAt(function_.ptx_line, fmt::format("two parameters are named '{}'", names[i]));
    }
  }
}

void FunctionParser::addRegisterParameters(const std::vector<RegisterParameter>& parameters,
                                           std::vector<RegisterParameter> results) {
  for (const auto* list : {&parameters, &std::as_const(results)}) {
    for (const RegisterParameter& parameter : *list) {
      if (!scopes_.addRegister(parameter.name, parameter.type, 1)) {
        state_.failAt(function_.ptx_line, fmt::format("two parameters are named '{}'", parameter.name));
        return;
      }
    }
  }
  register_results_ = std::move(results);
  Instruction like;
  like.ptx_line = function_.ptx_line;
  for (const RegisterParameter& parameter : parameters) {
    like.text = fmt::format("parameter {}", parameter.name);
    Operand value{.kind = Operand::Kind::kRegister};
    value.index = scopes_.findRegister(parameter.name)->index;
    emitParameterMove(Op::kLd, parameter.variable, value, parameter.type, like);
  }
}

void FunctionParser::parseBody() {
  if (!state_.expect("{")) return;
  const size_t outermost = scopes_.depth();
  while (state_.ok()) {
    const Token& token = state_.cursor.peek();
    if (token.kind == Token::Kind::kEnd) {
      state_.failAt(function_.ptx_line,
                    fmt::format("the body of {} lacks its closing brace", function_.name));
    } else if (token.is("}") && scopes_.depth() == outermost) {
      finish(token.line);
      state_.cursor.next();
      return;
    } else {
      parseStatement();
    }
  }
}

void FunctionParser::parseStatement() {
  const Token& token = state_.cursor.peek();
  statement_line_ = token.line;
  if (token.is("{")) {
    state_.cursor.next();
    if (scopes_.depth() > kMostScopes) return state_.failAt(token.line, "scopes nest too deeply");
    scopes_.open();
  } else if (token.is("}")) {
    state_.cursor.next();
    scopes_.close();
  } else if (token.is(";")) {
    state_.cursor.next();
  } else if (token.kind == Token::Kind::kDirective) {
    parseDirective();
  } else if (token.kind == Token::Kind::kName && state_.cursor.peek(1).is(":")) {
    parseLabel();
  } else {
    parseInstruction();
  }
}

void FunctionParser::parseDirective() {
  const Token& token = state_.cursor.next();
  Space space;
  if (token.is(".reg")) {
    parseRegisters();
  } else if (token.is(".loc")) {
    parseLocation();
  } else if (token.is(".pragma")) {
    if (state_.cursor.peek().text.find("nounroll") != std::string_view::npos)
      function_.not_unrolled.push_back(static_cast<uint32_t>(function_.instructions.size()));
    state_.skipPast(";");
  } else if (spaceOfDirective(token.text, space)) {
    parseBodyVariables(space);
  } else {
    state_.failAt(token.line, fmt::format("'{}' has no place in a function", token.text));
  }
}

// ".reg .b32 %r<26>, %x;"
void FunctionParser::parseRegisters() {
  uint32_t vector_length = 1;
  Type type = Type::kNone;
  while (state_.cursor.peek().kind == Token::Kind::kDirective) {
    const Token& token = state_.cursor.next();
    if (token.is(".v2") || token.is(".v4")) {
      vector_length = token.is(".v2") ? 2 : 4;
    } else if (token.is(".align")) {
      state_.expectCount("an alignment", 1U << 20);
    } else if (type = typeNamed(token.text.substr(1)); type == Type::kNone) {
      return state_.failAt(token.line, fmt::format("'{}' is not a type of registers", token.text));
    }
  }
  if (type == Type::kNone) return state_.failAt(state_.line(), "the registers' type is missing");
  do {
    const uint32_t line = state_.line();
    const std::string_view name = state_.expectName("a register's name");
    if (!state_.ok()) return;
    if (state_.cursor.accept("<")) {
      const Token& number = state_.cursor.next();
      const std::optional<Constant> count = parseNumber(number.text);
      if (!count || count->isFloat() || count->bits > kMostRegisters) {
        return state_.failAt(line, fmt::format("{} is not a count of registers", describe(number)));
      }
      state_.expect(">");
      scopes_.addRegisters(name, count->bits, type);
    } else if (!scopes_.addRegister(name, type, vector_length)) {
      return state_.failAt(line, fmt::format("register '{}' is declared twice", name));
    }
  } while (state_.cursor.accept(","));
  state_.expect(";");
}

void FunctionParser::parseBodyVariables(Space space) {
  const bool of_module = space == Space::kGlobal || space == Space::kConst;
  for (DeclaredVariable& declared : parseVariables(state_, space, false)) {
    auto& owner = of_module ? state_.module.variables : function_.variables;
    if (!scopes_.addVariable(declared.name, static_cast<uint32_t>(owner.size()), !of_module)) {
      return state_.failAt(statement_line_, fmt::format("variable '{}' is declared twice", declared.name));
    }
    owner.push_back(std::move(declared.variable));
  }
}

// ".loc file line column {, function_name label {+ offset}, inlined_at file line column}" (11.5.4).
void FunctionParser::parseLocation() {
  const auto point = [this] {
    SourcePoint result;
    result.file = static_cast<uint32_t>(state_.expectCount("a file's number", UINT32_MAX));
    result.line = static_cast<uint32_t>(state_.expectCount("a line", UINT32_MAX));
    result.column = static_cast<uint32_t>(state_.expectCount("a column", UINT32_MAX));
    return result;
  };
  source_ = {.at = point()};
  bool is_inlined = false;
  while (state_.ok() && state_.cursor.accept(",")) {
    const std::string_view word = state_.expectName("function_name or inlined_at");
    if (word == "function_name") {
      state_.expectName("a label");
      if (state_.cursor.accept("+")) state_.expectCount("an offset", UINT32_MAX);
    } else if (word == "inlined_at") {
      source_.inlined_at = source_.called_at = point();
      is_inlined = true;
    } else if (state_.ok()) {
      state_.failAt(state_.line(), fmt::format("'{}' has no place in a .loc", word));
    }
  }
  if (!is_inlined) return;
  // The place that it is inlined at may itself be in an inlined function; nvcc names that place first.
  const auto outer = inlined_at_.find(source_.inlined_at);
  if (outer != inlined_at_.end()) source_.inlined_at = outer->second;
  inlined_at_[source_.at] = source_.inlined_at;
}

void FunctionParser::parseLabel() {
  const Token& token = state_.cursor.next();
  state_.cursor.next();
  const Token& directive = state_.cursor.peek();
  bool is_new = true;
  if (directive.is(".branchtargets") || directive.is(".calltargets")) {
    state_.cursor.next();
    std::vector<std::string_view> names;
    do {
      names.push_back(state_.expectName("a name in a list of targets"));
    } while (state_.ok() && state_.cursor.accept(","));
    state_.expect(";");
    is_new = scopes_.addTargets(token.text, std::move(names));
  } else if (directive.is(".callprototype")) {
    state_.cursor.next();
    Signature signature;
    if (state_.cursor.peek().is("(")) {
      for (auto& declared : parseParameters(state_))
        signature.results.push_back(std::move(declared.variable));
    }
    state_.expectName("'_'");
    if (state_.cursor.peek().is("(")) {
      for (auto& declared : parseParameters(state_))
        signature.parameters.push_back(std::move(declared.variable));
    }
    state_.skipPast(";");
    is_new = scopes_.addSignature(token.text, std::move(signature));
  } else {
    const auto place = static_cast<uint32_t>(function_.instructions.size());
    is_new = scopes_.addLabel(token.text, place);
    function_.labels.try_emplace(place, token.text);
  }
  if (!is_new) state_.failAt(token.line, fmt::format("label '{}' is defined twice", token.text));
}

// Makes every path end with an instruction and every label precede one.
void FunctionParser::finish(uint32_t line) {
  const auto& instructions = function_.instructions;
  const auto end = static_cast<uint32_t>(instructions.size());
  bool falls_through = instructions.empty() || function_.labels.contains(end);
  if (!falls_through) {
    const Instruction& last = instructions.back();
    const bool ends = last.op == Op::kRet || last.op == Op::kExit || last.op == Op::kTrap ||
                      last.op == Op::kBra || last.op == Op::kBrx;
    falls_through = !ends || last.guard.kind != Operand::Kind::kNone;
  }
  if (falls_through) {
    Instruction ret;
    ret.op = Op::kRet;
    ret.entry = entryOf("ret", Op::kRet);
    statement_line_ = line;
    statement_text_ = "ret;";
    emitReturn(std::move(ret));
  }
  for (const LabelUse& use : scopes_.close()) {
    state_.refuseAt(use.line, fmt::format("{}: there is no label '{}' here",
                                          function_.instructions[use.instruction].text, use.label));
  }
}

}  // namespace warpscope::ptx
