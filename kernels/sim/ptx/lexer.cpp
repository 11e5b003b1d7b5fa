#include "kernels/sim/ptx/lexer.h"

#include <fmt/format.h>

#include <array>

namespace warpscope::ptx {
namespace {

// Unlike <cctype>'s, these do not depend on a locale and are defined for negative char.
bool isDigit(char c) {
  return c >= '0' && c <= '9';
}
bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool isSpace(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}
bool beginsName(char c) {
  return isLetter(c) || c == '_' || c == '$' || c == '%';
}
bool continuesName(char c) {
  return isLetter(c) || isDigit(c) || c == '_' || c == '$';
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  LexedText run() {
    result_.tokens.reserve(text_.size() / 4 + 1);
    while (result_.error.empty() && skipToToken()) next();
    result_.tokens.push_back({Token::Kind::kEnd, text_.substr(text_.size()), line_});
    return std::move(result_);
  }

 private:
  char at(size_t i) const { return i < text_.size() ? text_[i] : '\0'; }

  void reportError(std::string what) {
    result_.error = std::move(what);
    result_.error_line = line_;
  }

  // Skips white space, comments and preprocessor lines; returns false at the end of the text.
  bool skipToToken() {
    while (position_ < text_.size()) {
      const char c = text_[position_];
      if (c == '\n') ++line_;
      if (isSpace(c)) {
        ++position_;
      } else if ((c == '/' && at(position_ + 1) == '/') ||
                 (c == '#' && (position_ == 0 || text_[position_ - 1] == '\n'))) {
        skipLine();
      } else if (c == '/' && at(position_ + 1) == '*') {
        if (!skipBlockComment()) return false;
      } else {
        return true;
      }
    }
    return false;
  }

  void skipLine() { position_ = std::min(text_.find('\n', position_), text_.size()); }

  bool skipBlockComment() {
    const size_t end = text_.find("*/", position_ + 2);
    if (end == std::string_view::npos) {
      reportError("a comment begins here with /* and never ends");
      return false;
    }
    for (; position_ < end + 2; ++position_) line_ += text_[position_] == '\n';
    return true;
  }

  void next() {
    const char c = text_[position_];
    if (beginsName(c)) {
      name();
    } else if (isDigit(c) || (c == '.' && isDigit(at(position_ + 1)))) {
      number();
    } else if (c == '.' && continuesName(at(position_ + 1))) {
      size_t end = position_ + 1;
      while (continuesName(at(end))) ++end;
      push(Token::Kind::kDirective, end);
    } else if (c == '"') {
      string();
    } else {
      symbol();
    }
  }

  void push(Token::Kind kind, size_t end) {
    result_.tokens.push_back({kind, text_.substr(position_, end - position_), line_});
    position_ = end;
  }

  // Includes the words of an opcode, joined by '.' or '::', and the component of a special register or
  // vector.
  void name() {
    size_t end = position_ + 1;
    for (;;) {
      while (continuesName(at(end))) ++end;
      if (at(end) == '.' && continuesName(at(end + 1))) {
        end += 2;
      } else if (at(end) == ':' && at(end + 1) == ':' && continuesName(at(end + 2))) {
        end += 3;
      } else {
        break;
      }
    }
    push(Token::Kind::kName, end);
  }

  // Takes whatever looks like a number; constant_expression.cpp decides whether it is one.
  void number() {
    size_t end = position_;
    const bool is_bits = at(end) == '0' && isLetter(at(end + 1)) && at(end + 1) != 'e' && at(end + 1) != 'E';
    for (;; ++end) {
      const char c = at(end);
      const bool exponent_sign =
          (c == '+' || c == '-') && !is_bits && (at(end - 1) == 'e' || at(end - 1) == 'E');
      if (!isDigit(c) && !isLetter(c) && c != '.' && !exponent_sign) break;
    }
    push(Token::Kind::kNumber, end);
  }

  void string() {
    size_t end = position_ + 1;
    while (end < text_.size() && text_[end] != '"' && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
    if (at(end) != '"') return reportError("a string begins here and does not end on its line");
    result_.tokens.push_back({Token::Kind::kString, text_.substr(position_ + 1, end - position_ - 1), line_});
    position_ = end + 1;
  }

  void symbol() {
    static constexpr std::array<std::string_view, 8> kPairs = {
        "<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
    const std::string_view pair = text_.substr(position_, 2);
    for (const std::string_view known : kPairs) {
      if (pair == known) return push(Token::Kind::kSymbol, position_ + 2);
    }
    static constexpr std::string_view kSingles = ";,(){}[]<>+-*/%&|^~!=?:@.";
    if (kSingles.find(text_[position_]) == std::string_view::npos) {
      const auto code = static_cast<unsigned char>(text_[position_]);
      return reportError(code > 32 && code < 127
                             ? fmt::format("the character '{}' has no place in PTX", text_[position_])
                             : fmt::format("a byte 0x{:02x} has no place in PTX", code));
    }
    push(Token::Kind::kSymbol, position_ + 1);
  }

  std::string_view text_;
  size_t position_ = 0;
  uint32_t line_ = 1;
  LexedText result_;
};

}  // namespace

LexedText lex(std::string_view text) {
  return Lexer(text).run();
}

std::string foldedText(std::string_view text) {
  std::string folded;
  folded.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i);
    if (rest.starts_with("//")) {
      i = std::min(text.find('\n', i), text.size());
    } else if (rest.starts_with("/*")) {
      const size_t end = text.find("*/", i + 2);
      i = end == std::string_view::npos ? text.size() : end + 1;
    } else if (!isSpace(text[i])) {
      folded += text[i];
      continue;
    }
    if (!folded.empty() && folded.back() != ' ') folded += ' ';
  }
  while (!folded.empty() && folded.back() == ' ') folded.pop_back();
  return folded;
}

}  // namespace warpscope::ptx
