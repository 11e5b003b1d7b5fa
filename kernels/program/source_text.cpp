#include "kernels/program/source_text.h"

#include <algorithm>
#include <cctype>

#include "kernels/program/launch_comment.h"

namespace warpscope {
namespace {

// Where `word` stands by itself, from `from` on.
size_t findWord(std::string_view text, std::string_view word, size_t from) {
  for (size_t at = text.find(word, from); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const bool begins = at == 0 || !isWordCharacter(text[at - 1]);
    const size_t end = at + word.size();
    if (begins && (end == text.size() || !isWordCharacter(text[end]))) return at;
  }
  return std::string_view::npos;
}

// The position behind the bracket that closes the one at `open`, or npos.
size_t behindBracket(std::string_view text, size_t open, char opening, char closing) {
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    if (text[i] == opening) ++depth;
    if (text[i] == closing && --depth == 0) return i + 1;
  }
  return std::string_view::npos;
}

}  // namespace

bool isWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string withoutComments(std::string_view source) {
  std::string text(source);
  enum class In { kCode, kLine, kBlock, kString } in = In::kCode;
  char quote = '"';
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = source[i];
    const char next = i + 1 < source.size() ? source[i + 1] : ' ';
    if (in == In::kCode && c == '/' && (next == '/' || next == '*'))
      in = next == '/' ? In::kLine : In::kBlock;
    if (in == In::kLine && c == '\n') in = In::kCode;
    if (in == In::kCode) {
      // 1'000 has a separator, not a character.
      const bool separates = c == '\'' && i > 0 && isWordCharacter(source[i - 1]);
      if (c == '"' || (c == '\'' && !separates)) in = In::kString, quote = c;
      continue;
    }
    if (c != '\n') text[i] = in == In::kString && c == quote ? c : ' ';
    if (in == In::kBlock && c == '*' && next == '/') {
      text[++i] = ' ';
      in = In::kCode;
    } else if (in == In::kString && c == '\\') {
      if (++i < text.size() && text[i] != '\n') text[i] = ' ';
    } else if (in == In::kString && (c == quote || c == '\n')) {
      in = In::kCode;
    }
  }
  return text;
}

std::optional<KernelDefinition> findKernelDefinition(std::string_view source, std::string_view name) {
  for (size_t global = findWord(source, "__global__", 0); global != std::string_view::npos;
       global = findWord(source, "__global__", global + 1)) {
    const size_t body = source.find_first_of("{;", global);
    const size_t at = findWord(source, name, global);
    if (at == std::string_view::npos || at > body) continue;
    const size_t open = source.find_first_not_of(" \t\r\n", at + name.size());
    if (open == std::string_view::npos || source[open] != '(') continue;
    const size_t end = behindBracket(source, open, '(', ')');
    if (end == std::string_view::npos) continue;
    KernelDefinition definition;
    definition.line = 1 + static_cast<uint32_t>(std::ranges::count(source.substr(0, at), '\n'));
    // Template arguments hold their commas together.
    std::string list(source.substr(open + 1, end - open - 2));
    std::string brackets = list;
    std::ranges::replace(brackets, '<', '(');
    std::ranges::replace(brackets, '>', ')');
    size_t begin = 0;
    for (const std::string& part : splitOutsideBrackets(brackets, ',')) {
      if (part.empty()) continue;
      begin = brackets.find(part, begin);
      definition.parameters.push_back(list.substr(begin, part.size()));
      begin += part.size();
    }
    return definition;
  }
  return std::nullopt;
}

std::optional<std::string> findStructBody(std::string_view source, std::string_view name) {
  for (size_t at = findWord(source, name, 0); at != std::string_view::npos;
       at = findWord(source, name, at + 1)) {
    const std::string_view before = trimmed(source.substr(0, at));
    const size_t open = source.find_first_not_of(" \t\r\n", at + name.size());
    const bool defines = before.ends_with("struct") || before.ends_with(')');  // struct __align__(16) Body
    if (!defines || open == std::string_view::npos || source[open] != '{') continue;
    const size_t end = behindBracket(source, open, '{', '}');
    if (end == std::string_view::npos) return std::nullopt;
    return std::string(source.substr(open + 1, end - open - 2));
  }
  return std::nullopt;
}

}  // namespace warpscope
