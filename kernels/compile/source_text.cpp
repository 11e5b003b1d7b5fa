#include "kernels/compile/source_text.h"

#include <algorithm>
#include <cctype>

namespace warpscope {
namespace {

// The end of what begins at `at`, if that is a comment, a literal or a preprocessor's line; otherwise `at`.
size_t skipped(std::string_view text, size_t at) {
  const auto end_after = [&](std::string_view mark, size_t from) {
    const size_t found = text.find(mark, from);
    return found == std::string_view::npos ? text.size() : found + mark.size();
  };
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("//")) return std::min(text.find('\n', at), text.size());
  if (rest.starts_with("/*")) return end_after("*/", at + 2);
  if (rest.starts_with("R\"") && (at == 0 || !isWordCharacter(text[at - 1]))) {
    const size_t open = text.find('(', at);
    if (open == std::string_view::npos) return text.size();
    return end_after(")" + std::string(text.substr(at + 2, open - at - 2)) + "\"", open);
  }
  const char first = rest.front();
  if (first == '#') {
    size_t end = at;
    do end = std::min(text.find('\n', end + 1), text.size());
    while (end < text.size() && text[end - 1] == '\\');
    return end;
  }
  // An apostrophe after a digit separates digits.
  if (first != '"' && (first != '\'' || (at > 0 && isWordCharacter(text[at - 1])))) return at;
  for (size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == first || text[i] == '\n')
      return i + 1;
  }
  return text.size();
}

}  // namespace

bool isWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string codeOnly(std::string_view source) {
  std::string code(source);
  for (size_t at = 0; at < source.size();) {
    const size_t end = skipped(source, at);
    for (size_t i = at; i < end; ++i) {
      if (code[i] != '\n') code[i] = ' ';
    }
    at = std::max(end, at + 1);
  }
  return code;
}

size_t findWord(std::string_view text, std::string_view word, size_t from) {
  for (size_t at = text.find(word, from); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const bool begins = at == 0 || !isWordCharacter(text[at - 1]);
    const size_t end = at + word.size();
    if (begins && (end == text.size() || !isWordCharacter(text[end]))) return at;
  }
  return std::string_view::npos;
}

size_t closingBracket(std::string_view text, size_t open) {
  constexpr std::string_view kOpening = "([{<", kClosing = ")]}>";
  const char opening = text[open], closing = kClosing[kOpening.find(opening)];
  size_t depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    if (text[i] == opening) ++depth;
    if (text[i] == closing && --depth == 0) return i;
  }
  return std::string_view::npos;
}

std::string lineDirective(const std::filesystem::path& file) {
  std::string name;
  for (const char c : file.string()) {
    if (c == '"' || c == '\\') name += '\\';
    name += c == '\n' ? ' ' : c;
  }
  return "#line 1 \"" + name + "\"\n";
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const size_t begin = std::min(text.find_first_not_of(kSpace), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(kSpace) + 1);
}

namespace {

std::vector<std::string> splitOutside(std::string_view text, char separator, std::string_view opening,
                                      std::string_view closing) {
  std::vector<std::string> parts;
  int depth = 0;
  bool quoted = false;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size()) {
      const char c = text[i];
      if (c == '"') quoted = !quoted;
      if (opening.find(c) != std::string_view::npos) ++depth;
      if (closing.find(c) != std::string_view::npos) --depth;
      if (c != separator || depth > 0 || quoted) continue;
    }
    parts.emplace_back(trimmed(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  return parts;
}

}  // namespace

std::vector<std::string> splitOutsideBrackets(std::string_view text, char separator) {
  return splitOutside(text, separator, "([", ")]");
}

std::vector<std::string> splitParameters(std::string_view list) {
  std::vector<std::string> parts = splitOutside(list, ',', "([<", ")]>");
  std::erase(parts, "");
  return parts;
}

}  // namespace warpscope
