#include "viz/layout/code_rows.h"

#include <algorithm>
#include <set>

#include "viz/layout/instruction_layout.h"

namespace warpscope {
namespace {

void finish(const Run& run, CodeRows& code) {
  code.source = run.source;
  code.listing = run.listing;
  code.has_issued = run.listing != nullptr && !run.trace.instructions.empty();
  code.sampled = !code.has_issued && run.wait_samples.has_value();
  for (const CodeRow& row : code.rows) {
    code.most_waited = std::max(code.most_waited, row.issued.waits());
    code.longest_text = std::max(code.longest_text, row.text.size());
  }
}

}  // namespace

CodeRows sourceRows(const Run& run) {
  CodeRows code;
  const SourceLines source = sourceLines(run);
  const std::vector<IssueMetrics> issued = issueMetricsOfLines(run, issueMetricsOfListing(run));
  code.rows.reserve(source.lines.size());
  for (const SourceLine& line : source.lines) {
    CodeRow row{
        .text = line.text, .line = static_cast<uint32_t>(code.rows.size() + 1), .region = line.region};
    row.region_begins = line.region && run.regions[*line.region].first_line == row.line;
    row.quiet = line.comment;
    row.dimmed = !line.in_function;
    if (row.line < issued.size()) row.issued = issued[row.line];
    code.rows.push_back(row);
  }
  code.first_row = source.function_line - 1;
  finish(run, code);
  return code;
}

CodeRows ptxRows(const Run& run) {
  CodeRows code;
  if (run.listing == nullptr) return code;
  const std::vector<IssueMetrics> issued = issueMetricsOfListing(run);
  const std::vector<RegionIndex> regions = regionsOfListing(run);
  std::set<size_t> begun;  // the compiler may have split a region
  code.rows.reserve(run.listing->size());
  for (size_t i = 0; i < run.listing->size(); ++i) {
    const ListedInstruction& listed = (*run.listing)[i];
    CodeRow row{.text = listed.text, .line = lineIn(run.source_file, listed)};
    if (regions[i] < run.regions.size()) row.region = regions[i];
    row.region_begins = row.region && begun.insert(*row.region).second;
    row.issued = issued[i];
    code.rows.push_back(row);
  }
  finish(run, code);
  return code;
}

std::optional<size_t> sourceRowOf(const Run& run, uint32_t listed) {
  if (run.listing == nullptr || listed >= run.listing->size()) return std::nullopt;
  const uint32_t line = lineIn(run.source_file, (*run.listing)[listed]);
  if (line == 0) return std::nullopt;
  return line - 1;
}

}  // namespace warpscope
