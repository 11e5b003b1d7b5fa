#include "kernels/sim/ptx/parser_state.h"

namespace warpscope::ptx {

ParserState::ParserState(std::string_view whole, std::string name, bool goes_on)
    : text(whole), lexed(lex(whole)), cursor{lexed.tokens}, keeps_going(goes_on) {
  module.name = std::move(name);
}

void ParserState::failAt(uint32_t line, const std::string& what) {
  if (!error) error = Error{ErrorKind::kBadRequest, fmt::format("{}:{}: {}", module.name, line, what)};
  cursor.position = cursor.tokens.size() - 1;
}

void ParserState::refuseAt(uint32_t line, const std::string& what) {
  if (!keeps_going) return failAt(line, what);
  if (ok()) unsupported.push_back({line, what});
}

bool ParserState::expect(std::string_view symbol) {
  if (cursor.accept(symbol)) return true;
  const Token& token = cursor.peek();
  failAt(token.line, fmt::format("'{}' is expected here, not {}", symbol, describe(token)));
  return false;
}

std::string_view ParserState::expectName(const char* what_for) {
  const Token& token = cursor.peek();
  if (token.kind == Token::Kind::kName) return cursor.next().text;
  failAt(token.line, fmt::format("{} is expected here, not {}", what_for, describe(token)));
  return {};
}

std::optional<Constant> ParserState::expectConstant() {
  const uint32_t at = line();
  std::string why;
  const std::optional<Constant> constant = parseConstant(cursor, why);
  if (!constant) failAt(at, why);
  return constant;
}

uint64_t ParserState::expectCount(const char* what, uint64_t most) {
  const uint32_t at = line();
  const std::optional<Constant> constant = expectConstant();
  if (!constant) return 0;
  const bool negative = constant->kind == Constant::Kind::kSigned && (constant->bits >> 63) != 0;
  if (constant->isFloat() || negative || constant->bits > most) {
    failAt(at, fmt::format("{} must be a whole number from 0 to {}", what, most));
    return 0;
  }
  return constant->bits;
}

void ParserState::skipPast(std::string_view symbol) {
  const uint32_t at = line();
  int depth = 0;
  while (cursor.peek().kind != Token::Kind::kEnd) {
    const Token& token = cursor.peek();
    if (depth == 0 && token.is(symbol)) {
      cursor.next();
      return;
    }
    // A brace that closes more than was opened ends the block: the symbol was forgotten.
    if (token.is("(") || token.is("[") || token.is("{")) ++depth;
    if (token.is(")") || token.is("]") || token.is("}")) --depth;
    if (depth < 0) break;
    cursor.next();
  }
  failAt(at, fmt::format("what begins here never ends with '{}'", symbol));
}

void ParserState::skipBraces() {
  if (expect("{")) skipPast("}");
}

std::string ParserState::textFrom(const Token& begin) const {
  const Token& last = cursor.position > 0 ? cursor.tokens[cursor.position - 1] : begin;
  const auto from = static_cast<size_t>(begin.text.data() - text.data());
  const auto to = static_cast<size_t>(last.text.data() + last.text.size() - text.data());
  return to > from ? foldedText(text.substr(from, to - from)) : std::string();
}

std::string describe(const Token& token) {
  if (token.kind == Token::Kind::kEnd) return "the end of the text";
  // The token may be of any length.
  constexpr size_t kShown = 60;
  const bool is_long = token.text.size() > kShown;
  return fmt::format("'{}{}'", token.text.substr(0, kShown), is_long ? "..." : "");
}

}  // namespace warpscope::ptx
