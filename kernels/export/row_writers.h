// The formats in which tables are written.
#pragma once

#include <string>
#include <string_view>

#include "kernels/export/tables.h"
#include "kernels/export/text_writer.h"

namespace warpscope {

// A text as a field of CSV: quoted where it has commas, quotes or line breaks. A text that a spreadsheet
// would take for a formula (it begins with = + - @, a tab or a carriage return, and is not a number) gets an
// apostrophe in front, so that a name in a file from elsewhere is never executed.
std::string csvField(std::string_view text);

// RFC 4180: lines end in CR LF; fields with commas, quotes or line breaks are quoted. An absent cell is
// empty.
class CsvRows : public RowWriter {
 public:
  explicit CsvRows(const WriteText& write) : out_(write) {}
  void begin(std::span<const std::string> columns) override;
  void row(std::span<const Cell> cells) override;
  void end() override { out_.flush(); }

 private:
  TextWriter out_;
};

// A list with one object per row; absent cells are absent members.
class JsonRows : public RowWriter {
 public:
  explicit JsonRows(const WriteText& write) : out_(write) {}
  void begin(std::span<const std::string> columns) override;
  void row(std::span<const Cell> cells) override;
  void end() override;

 private:
  TextWriter out_;
  std::vector<std::string> names_;  // as JSON
  bool first_ = true;
};

}  // namespace warpscope
