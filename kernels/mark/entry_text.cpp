#include "kernels/mark/entry_text.h"

#include <cctype>

namespace warpscope {
namespace {

bool isNameCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%' || c == '.';
}

// Writes the text a piece at a time and ends lines where statements end.
class StatementLines {
 public:
  explicit StatementLines(std::string_view ptx) : ptx_(ptx) { lines_.reserve(ptx.size() + ptx.size() / 8); }

  std::string make() {
    while (at_ < ptx_.size()) step();
    return std::move(lines_);
  }

 private:
  char next() const { return at_ + 1 < ptx_.size() ? ptx_[at_ + 1] : '\n'; }

  void step() {
    const char c = ptx_[at_];
    if (c == '/' && next() == '/') return copyUntil('\n');
    if (c == '/' && next() == '*') return dropComment();
    if (c == '"') return copyString();
    lines_ += c;
    ++at_;
    if (c == '\n') {
      statement_begins_ = true;
      only_name_ = true;
    } else if (c == ';' || (c == ':' && isLabel())) {
      endLine();
    } else if (c != ' ' && c != '\t' && c != '\r') {
      statement_begins_ = false;
      only_name_ = only_name_ && isNameCharacter(c);
    }
  }

  // A name alone before a single colon.
  bool isLabel() const {
    return only_name_ && !statement_begins_ && (at_ >= ptx_.size() || ptx_[at_] != ':');
  }

  // Ends the line unless it ends here anyway, with a comment perhaps.
  void endLine() {
    statement_begins_ = true;
    only_name_ = true;
    const size_t rest = ptx_.find_first_not_of(" \t\r", at_);
    if (rest == std::string_view::npos || ptx_[rest] == '\n') return;
    if (ptx_[rest] == '/' && rest + 1 < ptx_.size() && ptx_[rest + 1] == '/') return;
    lines_ += '\n';
  }

  void copyUntil(char end) {
    const size_t stop = std::min(ptx_.find(end, at_), ptx_.size());
    lines_ += ptx_.substr(at_, stop - at_);
    at_ = stop;
  }
  void copyString() {
    const size_t stop = std::min(ptx_.find('"', at_ + 1), ptx_.size() - 1);
    lines_ += ptx_.substr(at_, stop + 1 - at_);
    at_ = stop + 1;
    only_name_ = statement_begins_ = false;
  }
  void dropComment() {
    const size_t end = ptx_.find("*/", at_ + 2);
    at_ = end == std::string_view::npos ? ptx_.size() : end + 2;
    lines_ += ' ';
  }

  std::string_view ptx_;
  std::string lines_;
  size_t at_ = 0;
  bool statement_begins_ = true;
  bool only_name_ = true;  // the statement so far is a name
};

std::string_view withoutLineComment(std::string_view line) {
  bool quoted = false;
  for (size_t i = 0; i + 1 < line.size(); ++i) {
    if (line[i] == '"') quoted = !quoted;
    if (!quoted && line[i] == '/' && line[i + 1] == '/') return line.substr(0, i);
  }
  return line;
}

}  // namespace

std::string oneStatementALine(std::string_view ptx) {
  return StatementLines(ptx).make();
}

std::vector<std::string_view> linesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::optional<EntryRange> findEntryRange(const std::vector<std::string_view>& lines, uint32_t near_line) {
  EntryRange range;
  for (uint32_t line = std::min<uint32_t>(near_line, static_cast<uint32_t>(lines.size())); line > 0; --line) {
    if (withoutLineComment(lines[line - 1]).find(".entry") == std::string_view::npos) continue;
    range.head = line;
    break;
  }
  if (range.head == 0) return std::nullopt;
  int depth = 0;
  for (uint32_t line = range.head; line <= lines.size(); ++line) {
    for (const char c : withoutLineComment(lines[line - 1])) {
      if (c == '{' && depth++ == 0) range.open = line;
      if (c == '}' && --depth == 0) {
        range.close = line;
        return range;
      }
    }
  }
  return std::nullopt;
}

std::optional<std::string> handMark(std::string_view line) {
  constexpr std::string_view kMark = "// warpscope mark: ";
  const size_t at = line.find(kMark);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view name = line.substr(at + kMark.size());
  while (!name.empty() && (name.back() == ' ' || name.back() == '\r' || name.back() == ';'))
    name.remove_suffix(1);
  return std::string(name);
}

}  // namespace warpscope
