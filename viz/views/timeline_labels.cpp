#include "viz/views/timeline_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viz/text/translate.h"
#include "viz/text/words.h"
#include "viz/widgets/axis.h"

namespace warpscope {
namespace {

std::string groupLabel(const RowOrder& order, const Run& run, uint32_t id) {
  return order.kind() == RowKind::kWarpsByBlock ? fmt::format("b{}", id) : trSm(run.device.limits, SmId{id});
}

// `grouped`: the SM or block is named beside it.
std::string labelOf(RowKind kind, bool grouped, const Run& run, const TraceWarp& warp, uint32_t slot) {
  switch (kind) {
    case RowKind::kSlots:
      return grouped ? trf("slot {}", slot) : trf("{} slot {}", trSm(run.device.limits, warp.sm), slot);
    case RowKind::kBlocks:
      return fmt::format("b{}", warp.block.value);
    case RowKind::kWarpsByBlock:
      if (grouped) return fmt::format("w{}", warp.warp_in_block);
      break;
    default:
      break;
  }
  return fmt::format("b{} w{}", warp.block.value, warp.warp_in_block);
}

float groupWidth(const Theme& theme, const Fonts& fonts, const Run& run, const RowOrder& order) {
  if (order.rowCount() == 0 || !order.groups().front().id) return theme.px(4);
  const uint32_t highest = order.kind() == RowKind::kWarpsByBlock ? order.highestBlock() : order.sms().back();
  return textSize(fonts.text, groupLabel(order, run, highest).c_str()).x + theme.px(10);
}

}  // namespace

std::string rowLabel(const RowOrder& order, const Run& run, uint32_t row) {
  const bool grouped = order.groups().front().id.has_value();
  const uint32_t slot = order.kind() == RowKind::kSlots ? order.slotOf(row) : 0;
  return labelOf(order.kind(), grouped, run, run.trace.warps[order.firstWarpOf(row)], slot);
}

float labelColumnWidth(const Theme& theme, const Fonts& fonts, const Run& run, const RowOrder& order) {
  const auto warps = static_cast<uint32_t>((run.block.count() + kWarpSize - 1) / kWarpSize);
  TraceWarp last;
  last.block = BlockId{order.highestBlock()};
  last.warp_in_block = std::max(1U, warps) - 1;
  last.sm = SmId{order.sms().empty() ? 0 : order.sms().back()};
  constexpr uint32_t kLongSlot = 63;
  const bool grouped = order.rowCount() == 0 || order.groups().front().id.has_value();
  const std::string longest = labelOf(order.kind(), grouped, run, last, kLongSlot);
  const float wanted =
      groupWidth(theme, fonts, run, order) + textSize(fonts.mono, longest.c_str()).x + theme.px(14);
  return std::max(wanted, theme.px(72));
}

void drawRowLabels(const ViewInput& input, const RowGeometry& rows, float left, float right, float line_right,
                   std::optional<uint32_t> selected) {
  const Theme& theme = *input.theme;
  const Fonts& fonts = *input.fonts;
  const RowOrder& order = *input.rows;
  if (order.rowCount() == 0) return;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float text_height = textSize(fonts.mono, "X").y;
  const float group_text_height = textSize(fonts.text, "X").y;
  const float row_left = left + groupWidth(theme, fonts, *input.run, order);
  // Labels every few rows, if rows are lower than their text.
  const auto step = static_cast<uint32_t>(std::max(1.0F, std::ceil((text_height + 1) / rows.row_height)));
  const auto groups = order.groups();
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
  for (uint32_t g = order.groupOfRow(rows.firstVisible()); g < groups.size(); ++g) {
    const RowOrder::Group& group = groups[g];
    if (group.first_row >= end) break;
    const float group_top = rows.rowTop(group.first_row);
    const float group_bottom = rows.rowTop(group.first_row + group.row_count);
    if (group.first_row > 0 && group_top >= rows.top && group_bottom - group_top >= theme.px(6)) {
      list.AddLine({left, std::round(group_top)}, {line_right, std::round(group_top)}, theme.border);
    }
    // The label stays visible as long as any of the group's rows is.
    const float label_top = std::max(group_top, rows.top) + theme.px(1);
    if (group.id && label_top >= group_text_end &&
        std::min(group_bottom, rows.bottom) - label_top >= group_text_height * 0.8F) {
      drawText(list, fonts.text, {left + theme.px(4), label_top}, theme.text,
               groupLabel(order, *input.run, *group.id).c_str());
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
      drawText(list, fonts.mono, {row_left, text_top}, is_selected ? theme.text : theme.text_quiet,
               rowLabel(order, *input.run, row).c_str());
    }
  }
}

}  // namespace warpscope
