// Cuts PTX text into tokens (PTX ISA 4.1 to 4.5). A token is a view into the text, which must outlive it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpscope::ptx {

struct Token {
  enum class Kind : uint8_t {
    kName,       // "add.s32", "%r1", "%tid.x", "$L__BB0_2", "_", "L1::no_allocate" within an opcode
    kDirective,  // ".reg", ".u32"
    kNumber,     // "0x1F", "12U", "0f3F800000", "1.5e3"
    kString,     // without its quotes
    kSymbol,     // one character, or one of << >> <= >= == != && ||
    kEnd,
  };
  Kind kind = Kind::kEnd;
  std::string_view text;
  uint32_t line = 1;
  bool is(std::string_view what) const { return kind != Kind::kString && text == what; }
};

struct LexedText {
  std::vector<Token> tokens;  // the last is kEnd
  // Set where a character or comment cannot be understood; the tokens before it are kept.
  std::string error;
  uint32_t error_line = 0;
};

LexedText lex(std::string_view text);

// Returns a piece of text as one line, without comments and with white space folded.
std::string foldedText(std::string_view text);

}  // namespace warpscope::ptx
