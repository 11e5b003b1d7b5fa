// The code view's columns of what the recorded warps issued at each row, and for how many cycles they waited
// before it; only where the device tells.
#pragma once

#include "viz/layout/code_rows.h"
#include "viz/views/view.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {

float issueColumnsWidth(const Theme& theme, const Fonts& fonts);
// Their titles, with tooltips, from `left` on at the height of `top`.
void drawIssueTitles(const ViewInput& input, float left, float top);
void drawIssueCells(const ViewInput& input, const CodeRow& row, int64_t most_waited, ImVec2 at, float height);
// What a tooltip tells about it.
void tellIssued(Tooltip& tooltip, const IssueMetrics& issued);

}  // namespace warpscope
