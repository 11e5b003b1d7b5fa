// The code view's columns of what the recorded warps issued at each row, and for how many cycles they waited
// before it; only where the device tells.
#pragma once

#include "viz/layout/code_rows.h"
#include "viz/views/view.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {

// Those that a panel of that width has room for: none, what was waited, or both.
struct IssueColumns {
  float width = 0;  // pixels of one
  bool issued = false, waited = false;

  float left(bool second) const { return second && issued ? width : 0; }
  float sum() const { return width * static_cast<float>((issued ? 1 : 0) + (waited ? 1 : 0)); }
};
IssueColumns issueColumns(const Theme& theme, const Fonts& fonts, float panel_width);

// Their titles, with tooltips, from `left` on at the height of `top`.
void drawIssueTitles(const ViewInput& input, const IssueColumns& columns, float left, float top);
void drawIssueCells(const ViewInput& input, const IssueColumns& columns, const CodeRow& row,
                    int64_t most_waited, ImVec2 at, float height);
// What a tooltip tells about it.
void tellIssued(Tooltip& tooltip, const IssueMetrics& issued);

}  // namespace warpscope
