// Runs as tables for spreadsheets, pandas and the like: their content, independent of the format
// (row_writers.h). Units are part of the columns' names; a value that a run does not have is an absent cell.
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
  kRuns,     // one row per run: the contents of its report (run_json.h), without lists, and its circumstances
  kRegions,  // one row per region of a run
  kSpans,    // one row per span of a recorded warp
  kInstructions,  // one row per instruction that a recorded warp issued
  kLines,         // one row per source line, with what recorded warps issued for it and waited before
  kCounters,      // one row per counter of a run, by Nsight Compute's name
  kResidency,     // one row per change of what is resident on an SM
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

}  // namespace warpscope
