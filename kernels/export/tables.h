// Runs as tables for spreadsheets, pandas and the like: what is in them, apart from how it is written (csv.h,
// json_rows.h). Units are part of the columns' names; what a run does not know is an absent cell.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "kernels/export/run_source.h"

namespace warpscope {

enum class TableKind {
  kRuns,          // a row a run: what its report (run_json.h) has, lists left out, and its circumstances
  kRegions,       // a row a region of a run
  kSpans,         // a row a span of a recorded warp
  kInstructions,  // a row an instruction that a recorded warp issued
  kLines,         // a row a source line, with what recorded warps issued for it and waited before
  kCounters,      // a row a counter of a run, by Nsight Compute's name
  kResidency,     // a row a change of what is resident on an SM
};
struct TableInfo {
  TableKind kind;
  const char* name;   // "runs": of --table
  const char* label;  // "Runs": of its button
};
std::span<const TableInfo> tables();
std::optional<TableKind> tableOfName(std::string_view name);

// Absent, or a value. Texts live until the row was written.
using Cell = std::variant<std::monostate, bool, int64_t, uint64_t, double, std::string_view>;

class RowWriter {
 public:
  virtual ~RowWriter() = default;
  virtual void begin(std::span<const std::string> columns) = 0;
  virtual void row(std::span<const Cell> cells) = 0;  // one a column
  virtual void end() = 0;
};

// Fails where a run cannot be read.
Expected<void> writeTable(TableKind kind, const RunSource& runs, RowWriter& out);

}  // namespace warpscope
