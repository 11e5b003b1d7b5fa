#include "viz/widgets/bars.h"

#include <algorithm>
#include <cmath>

#include "viz/widgets/axis.h"
#include "viz/widgets/hatch.h"

namespace warpscope {
namespace {

constexpr float kHatchStep = 6;  // pixels at 100 %
constexpr float kBarBesideFrom = 320, kLabelMargin = 4;

}  // namespace

void drawBar(const Theme& theme, ImDrawList& list, ImVec2 min, ImVec2 max, ImU32 colour, bool modelled) {
  if (max.x <= min.x || max.y <= min.y) return;
  if (!modelled) {
    list.AddRectFilled(min, max, colour, theme.px(2));
    return;
  }
  list.AddRectFilled(min, max, withAlpha(colour, 0.25F), theme.px(2));
  drawHatch(list, min, max, withAlpha(colour, 0.6F), theme.px(kHatchStep), theme.px(1));
  list.AddRect(min, max, colour, theme.px(2), 0, theme.px(1.5F));
}

float roomForLabel(const Theme& theme, const Fonts& fonts, const BarRow& row, float width) {
  const float margins = theme.px(kLabelMargin) * 2;
  if (width < theme.px(kBarBesideFrom)) return width - textSize(fonts.mono, row.text).x - margins * 2;
  return std::clamp(row.label_width + margins, width * 0.34F, width * 0.5F) - margins;
}

bool horizontalBar(const Theme& theme, const Fonts& fonts, const BarRow& row) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, height = row.height;
  ImGui::Dummy({width, height});
  const bool hovered = ImGui::IsItemHovered();
  if (row.selected || hovered) {
    list.AddRectFilled(at, {at.x + width, at.y + height},
                       withAlpha(theme.accent, row.selected ? 0.22F : 0.10F), theme.px(3));
  }
  const float margin = theme.px(kLabelMargin);
  const ImVec2 value = textSize(fonts.mono, row.text);
  const ImVec2 label = textSize(fonts.text, row.label);
  const float for_text = textSize(fonts.mono, "1,234.5 GB/s").x + theme.px(8);
  // A third of the width for the label, or more if one of the list needs it, room for the text, the rest for
  // the bar. If that leaves little, the bar is below label and text, thin and across the whole width.
  const bool beside = width >= theme.px(kBarBesideFrom) && !row.own_line;
  const bool thin = !beside && !row.own_line;
  const float label_room = row.own_line ? width - margin * 2 : roomForLabel(theme, fonts, row, width);
  const float left = at.x + margin + (beside ? label_room + margin : 0);
  const float right = at.x + width - (thin ? margin : for_text);
  const float line = row.own_line ? height / 2 : height;  // of the text
  const float top = thin ? at.y + height - theme.px(4) : at.y + height - line + theme.px(4);
  const float bottom = at.y + height - theme.px(thin ? 1.0F : 4.0F);
  const float text_height = thin ? height - theme.px(3) : line;
  const float text_top = at.y + (row.own_line ? line : 0);
  const ImU32 ink = row.selected ? theme.text : theme.text_quiet;
  drawTextFitted(list, fonts.text, {at.x + margin, at.y + (text_height - label.y) / 2}, label_room, ink,
                 row.label);
  drawText(list, fonts.mono, {at.x + width - margin - value.x, text_top + (text_height - value.y) / 2}, ink,
           row.text);
  const auto across = [&](double amount) {
    return row.max > 0 ? left + (right - left) * static_cast<float>(std::clamp(amount / row.max, 0.0, 1.0))
                       : left;
  };
  list.AddRectFilled({left, top}, {right, bottom}, theme.grid_line, theme.px(2));
  drawBar(theme, list, {left, top}, {across(row.value), bottom}, row.colour, row.modelled);
  if (row.ceiling > 0) {
    const float x = std::round(across(row.ceiling));
    list.AddLine({x, top - theme.px(2)}, {x, bottom + theme.px(thin ? 1.0F : 2.0F)}, theme.text,
                 theme.px(1.5F));
  }
  return hovered;
}

}  // namespace warpscope
