// The column to the left of the timeline's rows: the group (SM or block) once, then each warp.
#pragma once

#include <optional>

#include "viz/layout/row_geometry.h"
#include "viz/layout/trace_layout.h"
#include "viz/views/view.h"

namespace warpscope {

// The width of the column in pixels, chosen so that it does not change while scrolling.
float labelColumnWidth(const Theme& theme, const Fonts& fonts, const Run& run, const TraceLayout& layout,
                       TraceLayout::Grouping grouping);

// Draws from `left` to `right`, and a line across the rows up to `line_right` where a group begins.
// `selected` is the selected row.
void drawRowLabels(const ViewInput& input, TraceLayout::Grouping grouping, const RowGeometry& rows,
                   float left, float right, float line_right, std::optional<uint32_t> selected);

}  // namespace warpscope
