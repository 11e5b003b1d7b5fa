// What the code view lists, a row each: the lines of the source, or the PTX that the kernel became, each with
// its region and with what the recorded warps issued there. Pure, once a run.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "kernels/metrics/instruction_metrics.h"
#include "viz/layout/source_lines.h"

namespace warpscope {

struct CodeRow {
  std::string_view text;         // into the source's text or the listing
  uint32_t line = 0;             // of the source, 1-based; 0: unknown
  std::optional<size_t> region;  // index into Run::regions
  bool region_begins = false;    // where the region's share of the time stands
  bool quiet = false;            // a comment
  bool dimmed = false;           // of no function of the shown variant
  IssueMetrics issued;           // nothing, where the device does not tell
};

struct CodeRows {
  std::shared_ptr<const std::string> source;  // that the rows' texts lie in
  std::shared_ptr<const Listing> listing;
  std::vector<CodeRow> rows;
  size_t first_row = 0;     // where the shown variant begins
  bool has_issued = false;  // the run tells what was issued
  int64_t most_waited = 0;  // of any row
  size_t longest_text = 0;  // bytes
};

CodeRows sourceRows(const Run& run);
CodeRows ptxRows(const Run& run);  // row i is Run::listing[i]

// The row of a listed instruction; nullopt: its line is of another file.
std::optional<size_t> sourceRowOf(const Run& run, uint32_t listed);

}  // namespace warpscope
