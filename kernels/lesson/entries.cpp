#include "kernels/lesson/entries.h"

namespace warpscope {

std::vector<std::string> splitAtCommas(std::string_view text) {
  std::vector<std::string> parts;
  if (trimmed(text).empty()) return parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    parts.emplace_back(trimmed(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return parts;
}

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " and " : ", ";
    text += words[i];
  }
  return text;
}

Expected<std::vector<LessonEntry>> readEntries(const MarkdownBlock& code) {
  std::vector<LessonEntry> entries;
  const std::string text = plainText(code);
  uint32_t number = code.line;
  for (size_t begin = 0; begin < text.size(); ++number) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    const std::string_view words = trimmed(line);
    if (words.empty() || words.front() == '#') continue;
    if (line.front() == ' ' || line.front() == '\t') {
      if (entries.empty())
        return failAtLine(number, "'{}' continues a line, but there is none before it", words);
      entries.back().value += ' ';
      entries.back().value += words;
      continue;
    }
    const size_t colon = words.find(':');
    if (colon == std::string_view::npos || colon == 0)
      return failAtLine(number, "'{}' is not of the form 'key: value'", words);
    entries.push_back({.key = std::string(trimmed(words.substr(0, colon))),
                       .value = std::string(trimmed(words.substr(colon + 1))),
                       .line = number});
  }
  for (const LessonEntry& entry : entries) {
    if (entry.value.empty()) return failAtLine(entry.line, "'{}' has no value", entry.key);
  }
  return entries;
}

}  // namespace warpscope
