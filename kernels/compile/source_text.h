// What can be read off CUDA C++ without compiling it: words, brackets, and what is code. A compiler accepts
// or refuses the text elsewhere, so a glance suffices here.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace warpscope {

bool isWordCharacter(char c);  // of names and keywords

// The same text with spaces for comments, literals and the preprocessor's lines. Lines stay where they are.
std::string codeOnly(std::string_view source);

// The place where `word` stands by itself, from `from` on; npos: nowhere.
size_t findWord(std::string_view text, std::string_view word, size_t from = 0);
inline bool hasWord(std::string_view text, std::string_view word) {
  return findWord(text, word) != std::string_view::npos;
}

// The place of the bracket that closes the one at `open`; npos: there is none.
size_t closingBracket(std::string_view text, size_t open);

// What says that the lines behind it are those of `file`, from the first: a line with its end.
std::string lineDirective(const std::filesystem::path& file);

std::string_view trimmed(std::string_view text);  // without spaces around

// "a, b(c, d), e" at the commas that are outside of brackets: "a", "b(c, d)", "e", without spaces around.
// Quotation marks hold their content together, too.
std::vector<std::string> splitOutsideBrackets(std::string_view text, char separator);
// A parameter list, or the types of one: angle brackets are brackets, too, and empty parts are left out.
std::vector<std::string> splitParameters(std::string_view list);

}  // namespace warpscope
