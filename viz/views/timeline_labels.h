// The column to the left of the timeline's rows: the group (SM or block) once, then each row.
#pragma once

#include <optional>
#include <string>

#include "viz/layout/row_geometry.h"
#include "viz/layout/row_order.h"
#include "viz/views/view.h"

namespace warpscope {

// "b12 w3", "slot 12", "b12"; with the SM or block where the column does not name it: "SM 0 slot 12".
std::string rowLabel(const RowOrder& order, const Run& run, uint32_t row);

// The width of the column in pixels, chosen so that it does not change while scrolling.
float labelColumnWidth(const Theme& theme, const Fonts& fonts, const Run& run, const RowOrder& order);

// Draws from `left` to `right`, and a line across the rows up to `line_right` where a group begins.
// `selected` is the selected row.
void drawRowLabels(const ViewInput& input, const RowGeometry& rows, float left, float right, float line_right,
                   std::optional<uint32_t> selected);

}  // namespace warpscope
