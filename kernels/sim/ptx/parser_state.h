// The state that all parts of the parser share: the tokens, the module so far, and the error. After a syntax
// error nothing more is parsed: the cursor moves to the end, so that every loop ends by itself. What is
// understood but not supported can be listed instead (reportModule).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/sim/ptx/constant_expression.h"
#include "kernels/sim/ptx/lexer.h"
#include "kernels/sim/ptx/opcode_match.h"
#include "kernels/sim/ptx/parser.h"

namespace warpscope::ptx {

class ParserState {
 public:
  ParserState(std::string_view text, std::string name, bool keeps_going);

  bool ok() const { return !error.has_value(); }
  // Reports a syntax error: "NAME:LINE: what".
  void failAt(uint32_t line, const std::string& what);
  // Reports something that is not supported: fails, or lists it and lets parsing continue.
  void refuseAt(uint32_t line, const std::string& what);

  // The next token must be `symbol`; otherwise a syntax error says what is there instead.
  bool expect(std::string_view symbol);
  std::string_view expectName(const char* what_for);
  // A constant expression that must be an integer in [0, most].
  uint64_t expectCount(const char* what, uint64_t most);
  std::optional<Constant> expectConstant();
  void skipPast(std::string_view symbol);  // past matching parentheses, brackets and braces
  void skipBraces();                       // from { to its }

  // The text from `begin` to the end of the last token taken.
  std::string textFrom(const Token& begin) const;
  uint32_t line() const { return cursor.peek().line; }

  std::string_view text;
  LexedText lexed;
  TokenCursor cursor;
  bool keeps_going;
  Module module;
  std::vector<Unsupported> unsupported;
  std::optional<Error> error;
  OpcodeCache opcodes;
  std::unordered_map<std::string_view, uint32_t> functions, variables;  // by name; the module's own
};

std::string describe(const Token& token);

}  // namespace warpscope::ptx
