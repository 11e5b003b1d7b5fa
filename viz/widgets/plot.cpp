#include "viz/widgets/plot.h"

#include <algorithm>
#include <cmath>

#include "viz/layout/ticks.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/hatch.h"

namespace warpscope {
namespace {

constexpr float kDash = 6, kLineWidth = 1.75F, kMarkerRadius = 3.5F;  // pixels at 100 %
constexpr float kBarBesideFrom = 320;

void dashedLine(ImDrawList& list, ImVec2 from, ImVec2 to, ImU32 colour, float width, float dash) {
  const float dx = to.x - from.x, dy = to.y - from.y;
  const float length = std::sqrt(dx * dx + dy * dy);
  if (length <= 0 || length > 1e5F) return;
  for (float at = 0; at < length; at += 2 * dash) {
    const float end = std::min(length, at + dash);
    list.AddLine({from.x + dx * at / length, from.y + dy * at / length},
                 {from.x + dx * end / length, from.y + dy * end / length}, colour, width);
  }
}

// Solid when measured; outlined and hatched when modelled.
void drawBar(const Theme& theme, ImDrawList& list, ImVec2 min, ImVec2 max, ImU32 colour, bool modelled) {
  if (max.x <= min.x || max.y <= min.y) return;
  if (!modelled) {
    list.AddRectFilled(min, max, colour, theme.px(2));
    return;
  }
  list.AddRectFilled(min, max, withAlpha(colour, 0.25F), theme.px(2));
  drawHatch(list, min, max, withAlpha(colour, 0.6F), theme.px(kDash), theme.px(1));
  list.AddRect(min, max, colour, theme.px(2), 0, theme.px(1.5F));
}

int ticksAcross(float pixels, float each) {
  return std::max(2, static_cast<int>(pixels / each));
}

}  // namespace

PlotFrame::PlotFrame(const Theme& theme, const Fonts& fonts, ImVec2 size, PlotRange x, PlotRange y,
                     const PlotStyle& style)
    : theme_(theme), fonts_(fonts), draw_list_(ImGui::GetWindowDrawList()), x_(x), y_(y) {
  if (!(x_.max > x_.min)) x_.max = x_.min + 1;
  if (style.y_from_zero) y_.min = std::min(0.0, y_.min);
  if (!(y_.max > y_.min)) y_.max = y_.min + 1;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float line = textSize(fonts.mono, "0").y;
  const float top = at.y + (style.y_title.empty() ? theme.px(4) : line + theme.px(4));
  // Labels of x, or of bars, lie beneath; the unit of x beneath them.
  const float below = line + theme.px(4) + (style.x_title.empty() ? 0 : line + theme.px(2));
  const float bottom = std::max(top + 1, at.y + size.y - below);

  const Ticks ticks = niceTicks(y_.min, y_.max, ticksAcross(bottom - top, line * 2.5F));
  float label_width = 0;
  for (int i = 0; i < ticks.count; ++i) {
    label_width =
        std::max(label_width, textSize(fonts.mono, formatTick(ticks.at(i), ticks.decimals).c_str()).x);
  }
  area_min_ = {at.x + label_width + theme.px(8), top};
  area_max_ = {std::max(area_min_.x + 1, at.x + size.x - theme.px(4)), bottom};

  for (int i = 0; i < ticks.count; ++i) {
    const float level = std::round(toScreen(x_.min, ticks.at(i)).y);
    draw_list_->AddLine({area_min_.x, level}, {area_max_.x, level}, theme.grid_line);
    const std::string text = formatTick(ticks.at(i), ticks.decimals);
    const ImVec2 extent = textSize(fonts.mono, text.c_str());
    drawText(*draw_list_, fonts.mono, {area_min_.x - theme.px(6) - extent.x, level - extent.y / 2},
             theme.text_quiet, text.c_str());
  }
  if (!style.y_title.empty()) {
    drawText(*draw_list_, fonts.text, {at.x, at.y}, theme.text_quiet, style.y_title.c_str());
  }
  if (style.x_ticks) {
    const float room = textSize(fonts.mono, "10,000").x + theme.px(20);
    const Ticks across = niceTicks(x_.min, x_.max, ticksAcross(area_max_.x - area_min_.x, room));
    for (int i = 0; i < across.count; ++i)
      xLabel(across.at(i), 1e30, formatTick(across.at(i), across.decimals).c_str(), true);
  }
  if (!style.x_title.empty()) {
    const ImVec2 extent = textSize(fonts.text, style.x_title.c_str());
    drawText(*draw_list_, fonts.text, {(area_min_.x + area_max_.x - extent.x) / 2, at.y + size.y - extent.y},
             theme.text_quiet, style.x_title.c_str());
  }
  draw_list_->AddLine({area_min_.x, area_max_.y}, area_max_, theme.border);

  ImGui::Dummy(size);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  hovered_ = ImGui::IsItemHovered() && mouse.x >= area_min_.x && mouse.x < area_max_.x &&
             mouse.y >= area_min_.y && mouse.y < area_max_.y;
  // What is drawn next stays inside, but for markers on the edge and labels beneath.
  draw_list_->PushClipRect(at, {at.x + size.x, at.y + size.y}, true);
}

PlotFrame::~PlotFrame() {
  draw_list_->PopClipRect();
}

ImVec2 PlotFrame::toScreen(double x, double y) const {
  const double across = (x - x_.min) / (x_.max - x_.min);
  const double up = (y - y_.min) / (y_.max - y_.min);
  return {area_min_.x + static_cast<float>(std::clamp(across, -1.0, 2.0)) * (area_max_.x - area_min_.x),
          area_max_.y - static_cast<float>(std::clamp(up, -1.0, 2.0)) * (area_max_.y - area_min_.y)};
}

double PlotFrame::xAt(float screen_x) const {
  return x_.min +
         (x_.max - x_.min) * static_cast<double>((screen_x - area_min_.x) / (area_max_.x - area_min_.x));
}

double PlotFrame::yAt(float screen_y) const {
  return y_.min +
         (y_.max - y_.min) * static_cast<double>((area_max_.y - screen_y) / (area_max_.y - area_min_.y));
}

void PlotFrame::line(std::span<const ImVec2> points, ImU32 colour, bool modelled) {
  draw_list_->PushClipRect(area_min_, area_max_, true);
  for (size_t i = 1; i < points.size(); ++i) {
    const ImVec2 from = toScreen(points[i - 1].x, points[i - 1].y), to = toScreen(points[i].x, points[i].y);
    if (modelled) {
      dashedLine(*draw_list_, from, to, colour, theme_.px(kLineWidth), theme_.px(kDash));
    } else {
      draw_list_->AddLine(from, to, colour, theme_.px(kLineWidth));
    }
  }
  draw_list_->PopClipRect();
}

void PlotFrame::marker(double x, double y, ImU32 colour, bool modelled) {
  const ImVec2 at = toScreen(x, y);
  if (modelled) {
    draw_list_->AddCircle(at, theme_.px(kMarkerRadius), colour, 0, theme_.px(1.5F));
  } else {
    draw_list_->AddCircleFilled(at, theme_.px(kMarkerRadius), colour);
  }
}

bool PlotFrame::bar(double x, double width, double value, ImU32 colour, bool modelled) {
  const ImVec2 from = toScreen(x - width / 2, std::max(0.0, value)),
               to = toScreen(x + width / 2, std::min(0.0, value));
  drawBar(theme_, *draw_list_, from, to, colour, modelled);
  const float mouse_x = ImGui::GetIO().MousePos.x;
  return hovered_ && mouse_x >= from.x && mouse_x < to.x;
}

void PlotFrame::level(double y, ImU32 colour, const char* label) {
  const float at = std::round(toScreen(x_.min, y).y);
  if (at < area_min_.y || at > area_max_.y) return;
  dashedLine(*draw_list_, {area_min_.x, at}, {area_max_.x, at}, colour, theme_.px(1), theme_.px(3));
  const ImVec2 extent = textSize(fonts_.text, label);
  const float above = at - extent.y - theme_.px(1);
  // On the left: what is newest, and looked at, lies on the right.
  const ImVec2 text{area_min_.x + theme_.px(4), above >= area_min_.y ? above : at + theme_.px(1)};
  draw_list_->AddRectFilled({text.x - theme_.px(2), text.y},
                            {text.x + extent.x + theme_.px(2), text.y + extent.y},
                            withAlpha(theme_.background, 0.7F));
  drawText(*draw_list_, fonts_.text, text, colour, label);
}

void PlotFrame::xLabel(double x, double width, const char* text, bool quiet) {
  const float room =
      std::min(area_max_.x - area_min_.x, toScreen(x_.min + width, 0).x - area_min_.x) - theme_.px(4);
  const float extent = std::min(room, textSize(fonts_.mono, text).x);
  const float middle = toScreen(x, 0).x;
  const float left =
      std::clamp(middle - extent / 2, area_min_.x, std::max(area_min_.x, area_max_.x - extent));
  drawTextFitted(*draw_list_, fonts_.mono, {left, area_max_.y + theme_.px(3)}, room,
                 quiet ? theme_.text_quiet : theme_.text, text);
}

void PlotFrame::readout(double x, double y, const char* text) {
  const ImVec2 at = toScreen(x, y);
  draw_list_->AddLine({std::round(at.x), area_min_.y}, {std::round(at.x), area_max_.y}, theme_.border);
  draw_list_->AddCircleFilled(at, theme_.px(kMarkerRadius), theme_.text);
  const ImVec2 extent = textSize(fonts_.mono, text);
  const float gap = theme_.px(8);
  // Right of the mouse, or left of it where the plot ends.
  const float left = at.x + gap + extent.x <= area_max_.x ? at.x + gap : at.x - gap - extent.x;
  const float top =
      std::clamp(at.y - extent.y - theme_.px(4), area_min_.y, std::max(area_min_.y, area_max_.y - extent.y));
  draw_list_->AddRectFilled({left - theme_.px(4), top - theme_.px(2)},
                            {left + extent.x + theme_.px(4), top + extent.y + theme_.px(2)},
                            withAlpha(theme_.panel, 0.92F), theme_.px(3));
  drawText(*draw_list_, fonts_.mono, {left, top}, theme_.text, text);
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
  // A third for the label, room for the text, the rest for the bar. Where that leaves little, the bar lies
  // under label and text, thin and over the whole width.
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

PlotRange niceRange(double min, double max, bool from_zero) {
  if (from_zero) min = std::min(0.0, min);
  if (!(max > min)) return {min, min + 1};
  const Ticks ticks = niceTicks(min, max, 5);
  const double air = (max - min) * 0.05;
  return {from_zero && min == 0 ? 0 : std::floor((min - air) / ticks.step) * ticks.step,
          std::ceil((max + air) / ticks.step) * ticks.step};
}

}  // namespace warpscope
