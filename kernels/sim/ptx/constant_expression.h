// Constants and constant expressions (PTX ISA 4.5): 64-bit integers, signed or unsigned, and doubles.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kernels/sim/ptx/instruction.h"
#include "kernels/sim/ptx/lexer.h"

namespace warpscope::ptx {

struct Constant {
  enum class Kind : uint8_t { kSigned, kUnsigned, kDouble, kSingle } kind = Kind::kSigned;
  uint64_t bits = 0;  // an integer, a double, or (kSingle: written as 0f...) a float in the lower half
  bool isFloat() const { return kind == Kind::kDouble || kind == Kind::kSingle; }
  double asDouble() const;
};

// A position in a list of tokens that ends with kEnd. It does not own the tokens and never moves past kEnd.
struct TokenCursor {
  std::span<const Token> tokens;
  size_t position = 0;
  const Token& peek(size_t ahead = 0) const {
    return tokens[position + ahead < tokens.size() ? position + ahead : tokens.size() - 1];
  }
  const Token& next() {
    const Token& token = peek();
    if (position + 1 < tokens.size()) ++position;
    return token;
  }
  bool accept(std::string_view symbol) {
    if (!peek().is(symbol)) return false;
    next();
    return true;
  }
};

// Parses "0x1F", "017", "0b11", "12U", "0f3F800000", "0d...", "1.5". Returns nothing if the text is not a
// number or is too large for 64 bits.
std::optional<Constant> parseNumber(std::string_view text);

// Whether a constant expression can begin here.
bool beginsConstant(const TokenCursor& cursor);

// Reads one expression. Returns nothing if it is wrong; `error` then says why.
std::optional<Constant> parseConstant(TokenCursor& cursor, std::string& error);

// Returns the bits of a constant as a value of `type`, or nothing for a float where an integer is wanted or
// the reverse.
std::optional<uint64_t> constantAs(const Constant& constant, Type type);

}  // namespace warpscope::ptx
