// Tables for the terminal: columns are as wide as their content, numbers are aligned to the right.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpscope {

enum class Align { kLeft, kRight };

struct Column {
  std::string title;  // with the unit, where the cells do not carry it
  Align align = Align::kLeft;
};

class Table {
 public:
  explicit Table(std::vector<Column> columns);
  void addRow(std::vector<std::string> cells);  // one per column
  std::string text() const;                     // ends with a newline

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace warpscope
