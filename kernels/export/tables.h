// Runs as tables for spreadsheets, pandas and the like: their content, and the formats in which they are
// written. Units are part of the columns' names; a value that a run does not have is an absent cell. SMs are
// numbered on their GPU; of two GPUs, another column says which.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "kernels/export/run_source.h"
#include "kernels/export/text_writer.h"

namespace warpscope {

enum class TableKind {
  kRuns,     // one row per run: the contents of its report (run_json.h), without lists, and its circumstances
  kRegions,  // one row per region of a run
  kSpans,    // one row per span of a recorded warp
  kInstructions,  // one row per instruction that a recorded warp issued
  kLines,      // one row per source line, with what warps issued for it and waited before, or samples of that
  kCounters,   // one row per counter of a run, by Nsight Compute's name
  kResidency,  // one row per change of what is resident on an SM
  kOperations,  // one row per operation on a stream; none of a single launch
  kMigrations,  // one row per batch of pages that faults moved
};
struct TableInfo {
  TableKind kind;
  const char* name;   // "runs": of --table
  const char* label;  // "Runs": of its button
};
std::span<const TableInfo> tables();
std::optional<TableKind> tableOfName(std::string_view name);

// Absent, or a value. Texts must live until the row has been written.
using Cell = std::variant<std::monostate, bool, int64_t, uint64_t, double, std::string_view>;

class RowWriter {
 public:
  virtual ~RowWriter() = default;
  virtual void begin(std::span<const std::string> columns) = 0;
  virtual void row(std::span<const Cell> cells) = 0;  // one per column
  virtual void end() = 0;
};

// Fails if a run cannot be read.
Expected<void> writeTable(TableKind kind, const RunSource& runs, RowWriter& out);

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

namespace warpscope::detail {

// The two halves of writeTable (tables_runs.cpp, tables.cpp): the table of runs, and those whose rows depend
// on a single run.
Expected<void> writeRuns(const RunSource& runs, RowWriter& out);
Expected<void> writeRowsOfRuns(TableKind kind, const RunSource& runs, RowWriter& out);

}  // namespace warpscope::detail
