#include "app/cli/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "app/cli/terminal_text.h"

namespace warpscope {
namespace {

// Counts characters, not bytes: units such as µs and ± take two bytes in UTF-8.
size_t displayWidth(const std::string& text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string padded(const std::string& text, size_t width, Align align) {
  const std::string space(width - std::min(width, displayWidth(text)), ' ');
  return align == Align::kLeft ? text + space : space + text;
}

}  // namespace

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {
  for (Column& column : columns_) column.title = terminalLine(column.title);
}

void Table::addRow(std::vector<std::string> cells) {
  assert(cells.size() == columns_.size());
  for (std::string& cell : cells) cell = terminalLine(cell);
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  std::vector<size_t> widths;
  for (size_t i = 0; i < columns_.size(); ++i) {
    size_t width = displayWidth(columns_[i].title);
    for (const auto& row : rows_) width = std::max(width, displayWidth(row[i]));
    widths.push_back(width);
  }
  std::string out;
  const auto add_line = [&](auto&& cell) {
    std::string line;
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (i > 0) line += "  ";
      line += padded(cell(i), widths[i], columns_[i].align);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  };
  add_line([&](size_t i) { return columns_[i].title; });
  add_line([&](size_t i) { return std::string(widths[i], '-'); });
  for (const auto& row : rows_) add_line([&](size_t i) { return row[i]; });
  return out;
}

}  // namespace warpscope
