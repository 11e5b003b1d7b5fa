// The rows of the code view: the lines of the source, or the PTX that the kernel was compiled to, each with
// its region and with what the recorded warps issued there. A pure function of the run, computed once per
// run.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "kernels/metrics/instruction_metrics.h"
#include "viz/layout/source_lines.h"

namespace warpscope {

struct CodeRow {
  std::string_view text;         // a view into the source's text or the listing
  uint32_t line = 0;             // in the source, 1-based; 0: unknown
  std::optional<size_t> region;  // index into Run::regions
  bool region_begins = false;    // where the region's share of the time is shown
  bool quiet = false;            // a comment
  bool dimmed = false;           // not part of the shown variant's functions
  IssueMetrics issued;           // empty if the device does not report it
};

struct CodeRows {
  std::shared_ptr<const std::string> source;  // the rows' texts are views into it
  std::shared_ptr<const Listing> listing;
  std::vector<CodeRow> rows;
  size_t first_row = 0;     // the first row of the shown variant
  bool has_issued = false;  // the run has data about issued instructions
  bool sampled = false;     // it has samples of where warps waited
  int64_t most_waited = 0;  // the maximum over all rows
  size_t longest_text = 0;  // bytes

  bool hasColumns() const { return has_issued || sampled; }
};

CodeRows sourceRows(const Run& run);
CodeRows ptxRows(const Run& run);  // row i is Run::listing[i]

// The row of a listed instruction; nullopt if its line is in another file.
std::optional<size_t> sourceRowOf(const Run& run, uint32_t listed);

}  // namespace warpscope
