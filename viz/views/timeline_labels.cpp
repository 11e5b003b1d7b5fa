#include "viz/views/timeline_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viz/widgets/axis.h"

namespace warpscope {
namespace {

using Grouping = TraceLayout::Grouping;

std::string groupLabel(Grouping grouping, uint32_t id) {
  return grouping == Grouping::kBySm ? fmt::format("SM {}", id) : fmt::format("b{}", id);
}

std::string rowLabel(Grouping grouping, uint32_t block, uint32_t warp_in_block) {
  return grouping == Grouping::kBySm ? fmt::format("b{} w{}", block, warp_in_block)
                                     : fmt::format("w{}", warp_in_block);
}

float groupWidth(const Theme& theme, const Fonts& fonts, const TraceLayout& layout, Grouping grouping) {
  const uint32_t highest = layout.groups(grouping).back().id;
  return textSize(fonts.text, groupLabel(grouping, highest).c_str()).x + theme.px(10);
}

}  // namespace

float labelColumnWidth(const Theme& theme, const Fonts& fonts, const Run& run, const TraceLayout& layout,
                       Grouping grouping) {
  const uint32_t highest_block = layout.groups(Grouping::kByBlock).back().id;
  const auto warps = static_cast<uint32_t>((run.block.count() + kWarpSize - 1) / kWarpSize);
  const std::string longest = rowLabel(grouping, highest_block, std::max(1U, warps) - 1);
  const float wanted =
      groupWidth(theme, fonts, layout, grouping) + textSize(fonts.mono, longest.c_str()).x + theme.px(14);
  return std::max(wanted, theme.px(72));
}

void drawRowLabels(const ViewInput& input, Grouping grouping, const RowGeometry& rows, float left,
                   float right, float line_right, std::optional<uint32_t> selected) {
  const Theme& theme = *input.theme;
  const Fonts& fonts = *input.fonts;
  const TraceLayout& layout = *input.layout;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float text_height = textSize(fonts.mono, "X").y;
  const float group_text_height = textSize(fonts.text, "X").y;
  const float row_left = left + groupWidth(theme, fonts, layout, grouping);
  // Labels every few rows, if rows are lower than their text.
  const auto step = static_cast<uint32_t>(std::max(1.0F, std::ceil((text_height + 1) / rows.row_height)));
  const auto groups = layout.groups(grouping);
  const auto text_top_of = [&](uint32_t row) {
    const float row_top = rows.rowTop(row);
    return step == 1 ? row_top + (std::min(rows.row_height, theme.px(24)) - text_height) / 2 : row_top;
  };
  const auto fits = [&](float text_top) {
    return text_top >= rows.top - 1 && text_top + text_height <= rows.bottom + 1;
  };
  // The selected row is always named, if necessary instead of its neighbours.
  std::optional<float> selected_top;
  if (selected) {
    const float text_top = text_top_of(*selected) - (step == 1 ? 0 : (text_height - rows.row_height) / 2);
    const float kept = std::max(text_top, rows.top);
    if (rows.rowTop(*selected) + rows.row_height > rows.top && fits(kept)) selected_top = kept;
  }
  const uint32_t end = rows.endVisible();
  float group_text_end = rows.top;
  for (uint32_t g = layout.groupOfRow(grouping, rows.firstVisible()); g < groups.size(); ++g) {
    const TraceLayout::Group& group = groups[g];
    if (group.first_row >= end) break;
    const float group_top = rows.rowTop(group.first_row);
    const float group_bottom = rows.rowTop(group.first_row + group.row_count);
    if (group.first_row > 0 && group_top >= rows.top && group_bottom - group_top >= theme.px(6)) {
      list.AddLine({left, std::round(group_top)}, {line_right, std::round(group_top)}, theme.border);
    }
    // The label stays visible as long as any of the group's rows is.
    const float label_top = std::max(group_top, rows.top) + theme.px(1);
    if (label_top >= group_text_end &&
        std::min(group_bottom, rows.bottom) - label_top >= group_text_height * 0.8F) {
      drawText(list, fonts.text, {left + theme.px(4), label_top}, theme.text,
               groupLabel(grouping, group.id).c_str());
      group_text_end = label_top + group_text_height;
    }
    const uint32_t first = std::max(group.first_row, rows.firstVisible());
    for (uint32_t row = first; row < std::min(end, group.first_row + group.row_count); ++row) {
      const float row_top = rows.rowTop(row);
      const bool is_selected = selected == row;
      float text_top = text_top_of(row);
      if (is_selected && selected_top) {
        text_top = *selected_top;
        list.AddRectFilled({row_left - theme.px(4), std::min(row_top, text_top)},
                           {right, std::max(row_top + rows.row_height, text_top + text_height)},
                           withAlpha(theme.accent, 0.30F));
      } else {
        if ((row - group.first_row) % step != 0 || !fits(text_top)) continue;
        if (step > 1 && text_top + text_height > group_bottom) continue;
        if (selected_top && std::abs(text_top - *selected_top) < text_height) continue;
      }
      const TraceWarp& warp = input.run->trace.warps[layout.warpOfRow(grouping, row)];
      drawText(list, fonts.mono, {row_left, text_top}, is_selected ? theme.text : theme.text_quiet,
               rowLabel(grouping, warp.block.value, warp.warp_in_block).c_str());
    }
  }
}

}  // namespace warpscope
