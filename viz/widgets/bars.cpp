#include "viz/widgets/bars.h"

#include <algorithm>
#include <cmath>

#include "viz/widgets/axis.h"
#include "viz/widgets/hatch.h"

namespace warpscope {
namespace {

constexpr float kHatchStep = 6;  // pixels at 100 %
constexpr float kBarBesideFrom = 320;

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
  const float margin = theme.px(4);
  const ImVec2 value = textSize(fonts.mono, row.text);
  const ImVec2 label = textSize(fonts.text, row.label);
  const float for_text = textSize(fonts.mono, "1,234.5 GB/s").x + theme.px(8);
  // A third of the width for the label, room for the text, the rest for the bar. If that leaves little, the
  // bar is below label and text, thin and across the whole width.
  const bool beside = width >= theme.px(kBarBesideFrom);
  const float label_room = beside ? width * 0.34F : width - value.x - margin * 2;
  const float left = at.x + (beside ? label_room : margin);
  const float right = at.x + width - (beside ? for_text : margin);
  const float top = at.y + (beside ? theme.px(4) : height - theme.px(4));
  const float bottom = at.y + height - (beside ? theme.px(4) : theme.px(1));
  const float text_height = beside ? height : height - theme.px(3);
  const ImU32 ink = row.selected ? theme.text : theme.text_quiet;
  drawTextFitted(list, fonts.text, {at.x + margin, at.y + (text_height - label.y) / 2},
                 label_room - margin * 2, ink, row.label);
  drawText(list, fonts.mono, {at.x + width - margin - value.x, at.y + (text_height - value.y) / 2}, ink,
           row.text);
  const auto across = [&](double amount) {
    return row.max > 0 ? left + (right - left) * static_cast<float>(std::clamp(amount / row.max, 0.0, 1.0))
                       : left;
  };
  list.AddRectFilled({left, top}, {right, bottom}, theme.grid_line, theme.px(2));
  drawBar(theme, list, {left, top}, {across(row.value), bottom}, row.colour, row.modelled);
  if (row.ceiling > 0) {
    const float x = std::round(across(row.ceiling));
    list.AddLine({x, top - theme.px(2)}, {x, bottom + theme.px(beside ? 2.0F : 1.0F)}, theme.text,
                 theme.px(1.5F));
  }
  return hovered;
}

}  // namespace warpscope
