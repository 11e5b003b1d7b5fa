#include "app/gui/editor/code_colours.h"

#include <algorithm>
#include <cctype>

#include "kernels/compile/source_text.h"

namespace warpscope {
namespace {

constexpr std::string_view kKeywords[] = {
    "auto",    "bool",    "break",    "case",   "char",      "class",   "const",    "constexpr", "continue",
    "default", "do",      "double",   "else",   "enum",      "extern",  "false",    "float",     "for",
    "if",      "inline",  "int",      "long",   "namespace", "nullptr", "operator", "private",   "public",
    "return",  "short",   "signed",   "sizeof", "static",    "struct",  "switch",   "template",  "this",
    "true",    "typedef", "typename", "union",  "unsigned",  "using",   "void",     "volatile",  "while"};
constexpr std::string_view kCudaWords[] = {"blockDim", "blockIdx", "gridDim", "threadIdx",
                                           "warpSize", "dim3",     "asm"};

CodeKind kindOfWord(std::string_view word) {
  if (std::ranges::find(kKeywords, word) != std::end(kKeywords)) return CodeKind::kKeyword;
  const bool cuda = word.starts_with("__") || std::ranges::find(kCudaWords, word) != std::end(kCudaWords);
  return cuda ? CodeKind::kCuda : CodeKind::kPlain;
}

size_t endOfString(std::string_view line, size_t at) {
  const char quote = line[at];
  for (size_t i = at + 1; i < line.size(); ++i) {
    if (line[i] == '\\')
      ++i;
    else if (line[i] == quote)
      return i + 1;
  }
  return line.size();
}

}  // namespace

std::vector<CodeSpan> colourLine(std::string_view line, bool& in_comment) {
  std::vector<CodeSpan> spans;
  const auto add = [&](size_t begin, size_t end, CodeKind kind) {
    if (end <= begin) return;
    if (!spans.empty() && spans.back().kind == kind) {
      spans.back().end = end;
    } else {
      spans.push_back({begin, end, kind});
    }
  };
  const size_t first = line.find_first_not_of(" \t");
  size_t at = 0;
  while (at < line.size()) {
    const size_t begin = at;
    const char c = line[at];
    if (in_comment) {
      const size_t end = line.find("*/", at);
      at = end == std::string_view::npos ? line.size() : end + 2;
      in_comment = end == std::string_view::npos;
      add(begin, at, CodeKind::kComment);
    } else if (line.substr(at).starts_with("//")) {
      at = line.size();
      add(begin, at, CodeKind::kComment);
    } else if (line.substr(at).starts_with("/*")) {
      in_comment = true;
      at += 2;
      add(begin, at, CodeKind::kComment);
    } else if (c == '#' && at == first) {
      at = std::min(line.find_first_of(" \t", line.find_first_not_of(" \t", at + 1)), line.size());
      add(begin, at, CodeKind::kDirective);
    } else if (c == '"' || (c == '\'' && (at == 0 || !isWordCharacter(line[at - 1])))) {
      at = endOfString(line, at);
      add(begin, at, CodeKind::kString);
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      while (at < line.size() && (isWordCharacter(line[at]) || line[at] == '.' || line[at] == '\'')) ++at;
      add(begin, at, CodeKind::kNumber);
    } else if (isWordCharacter(c)) {
      while (at < line.size() && isWordCharacter(line[at])) ++at;
      add(begin, at, kindOfWord(line.substr(begin, at - begin)));
    } else {
      ++at;
      add(begin, at, CodeKind::kPlain);
    }
  }
  return spans;
}

}  // namespace warpscope
