// The code view's columns with the number of instructions that the recorded warps issued at each row, and the
// cycles for which they waited before them; only if the device reports them. Of a real GPU there are samples
// of waits instead.
#pragma once

#include "viz/layout/code_rows.h"
#include "viz/views/view.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {

// The columns for which a panel of this width has room: none, the waits, or both. Samples are of waits only.
struct IssueColumns {
  float width = 0;  // pixels of one
  bool issued = false, waited = false, sampled = false;

  float left(bool second) const { return second && issued ? width : 0; }
  float sum() const { return width * static_cast<float>((issued ? 1 : 0) + (waited ? 1 : 0)); }
};
IssueColumns issueColumns(const Theme& theme, const Fonts& fonts, float panel_width, bool sampled);

// Draws the titles, with tooltips, starting at `left` at the height of `top`.
void drawIssueTitles(const ViewInput& input, const IssueColumns& columns, float left, float top);
void drawIssueCells(const ViewInput& input, const IssueColumns& columns, const CodeRow& row,
                    int64_t most_waited, ImVec2 at, float height);
// Adds the data to a tooltip.
void tellIssued(Tooltip& tooltip, const IssueMetrics& issued);

}  // namespace warpscope
