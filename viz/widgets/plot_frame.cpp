#include "viz/widgets/plot_frame.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "viz/widgets/axis.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

constexpr float kTickLength = 4, kMinorTickLength = 2;  // pixels at 100 %
constexpr float kLabelCell = 4, kReachOfLine = 5;       // pixels at 100 %

float distanceToSegment(ImVec2 at, ImVec2 from, ImVec2 to) {
  const float x = to.x - from.x, y = to.y - from.y, length = x * x + y * y;
  const float share =
      length > 0 ? std::clamp(((at.x - from.x) * x + (at.y - from.y) * y) / length, 0.0F, 1.0F) : 0;
  return std::hypot(at.x - from.x - x * share, at.y - from.y - y * share);
}

int ticksAlong(float pixels, float each) {
  return std::max(2, static_cast<int>(pixels / each));
}

}  // namespace

PlotFrame::PlotFrame(const Theme& theme, const Fonts& fonts, ImVec2 size, PlotAxis x, PlotAxis y,
                     const char* id)
    : theme_(theme),
      fonts_(fonts),
      draw_list_(ImGui::GetWindowDrawList()),
      x_(std::move(x)),
      y_(std::move(y)),
      x_scale_(x_.mapping()),
      y_scale_(y_.mapping()) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  size = {std::max(1.0F, size.x), std::max(1.0F, size.y)};
  min_ = at;
  max_ = {at.x + size.x, at.y + size.y};
  const float line = textSize(fonts.mono, "0").y;
  const bool y_titled = !y_.title.empty() || !y_.unit.empty();
  const bool x_titled = !x_.title.empty() || !x_.unit.empty();
  // The number at the upper end extends half a line above it.
  const float top = at.y + (y_titled ? line + theme.px(8) : theme.px(4));
  // The labels of x, or of bars, are below; the title of x is below them.
  const float below = line + theme.px(4) + (x_titled ? line + theme.px(2) : 0);
  const float bottom = std::max(top + 1, max_.y - below);

  const AxisTicks up = axisTicks(y_, ticksAlong(bottom - top, line * 2.5F));
  float label_width = 0;
  for (const AxisTick& tick : up.ticks)
    label_width = std::max(label_width, textSize(fonts.mono, tick.text.c_str()).x);
  area_min_ = {at.x + label_width + theme.px(8), top};
  area_max_ = {std::max(area_min_.x + 1, max_.x - theme.px(4)), bottom};
  room_.emplace(PlotRectangle{area_min_.x, area_min_.y, area_max_.x, area_max_.y}, theme.px(kLabelCell));
  const float room = textSize(fonts.mono, "10,000").x + theme.px(20);
  const AxisTicks across = axisTicks(x_, ticksAlong(area_max_.x - area_min_.x, room));

  if (x_.show_ticks) drawUprights(across);
  if (y_.show_ticks) drawLevels(up);
  drawTitles(across, up, at, size);
  draw_list_->AddLine({area_min_.x, area_max_.y}, area_max_, theme.border);
  reserve(size, id);
  // Everything drawn from now on is clipped to the inside, except points on the edge and the labels below.
  draw_list_->PushClipRect(min_, max_, true);
}

PlotFrame::~PlotFrame() {
  writeLabels();
  draw_list_->PopClipRect();
}

void PlotFrame::reserve(ImVec2 size, const char* id) {
  if (id == nullptr) {
    ImGui::Dummy(size);
  } else {
    id_ = ImGui::GetID(id);
    ImGui::InvisibleButton(id, size);
  }
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool inside =
      mouse.x >= area_min_.x && mouse.x < area_max_.x && mouse.y >= area_min_.y && mouse.y < area_max_.y;
  near_ = ImGui::IsItemHovered();
  hovered_ = near_ && inside;
  if (id == nullptr) return;
  held_ = ImGui::IsItemActive();
  // A handle at the area's edge extends beyond it, so any press on the plot counts.
  pressed_ = ImGui::IsItemActivated();
  if (pressed_ || !held_) holdBy(0, 0);
}

// Kept between frames in Dear ImGui's storage of the window.
ImGuiID PlotFrame::holder() const {
  return static_cast<ImGuiID>(ImGui::GetStateStorage()->GetInt(id_ + 1));
}
float PlotFrame::holdOffset() const {
  return ImGui::GetStateStorage()->GetFloat(id_ + 2);
}
void PlotFrame::holdBy(ImGuiID handle, float offset) {
  ImGui::GetStateStorage()->SetInt(id_ + 1, static_cast<int>(handle));
  ImGui::GetStateStorage()->SetFloat(id_ + 2, offset);
}

void PlotFrame::drawLevels(const AxisTicks& ticks) {
  // Not all of an explicit list may fit.
  float last_top = 1e9F;
  for (const AxisTick& tick : ticks.ticks) {
    const float level = std::round(toScreen(x_scale_.min(), tick.value).y);
    if (tick.minor) {
      draw_list_->AddLine({area_min_.x, level}, {area_min_.x + theme_.px(kTickLength), level}, theme_.border);
      continue;
    }
    draw_list_->AddLine({area_min_.x, level}, {area_max_.x, level}, theme_.grid_line);
    const ImVec2 extent = textSize(fonts_.mono, tick.text.c_str());
    if (level + extent.y / 2 > last_top) continue;
    last_top = level - extent.y / 2;
    drawText(*draw_list_, fonts_.mono, {area_min_.x - theme_.px(6) - extent.x, last_top}, theme_.text_quiet,
             tick.text.c_str());
  }
}

void PlotFrame::drawUprights(const AxisTicks& ticks) {
  float last_right = min_.x - theme_.px(6);
  for (const AxisTick& tick : ticks.ticks) {
    const float at = std::round(toScreen(tick.value, y_scale_.min()).x);
    const float length = theme_.px(tick.minor ? kMinorTickLength : kTickLength);
    if (!tick.minor) draw_list_->AddLine({at, area_min_.y}, {at, area_max_.y}, theme_.grid_line);
    draw_list_->AddLine({at, area_max_.y - length}, {at, area_max_.y}, theme_.border);
    if (tick.minor) continue;
    const float width = textSize(fonts_.mono, tick.text.c_str()).x;
    const float left = std::clamp(at - width / 2, min_.x, std::max(min_.x, max_.x - width));
    if (left < last_right + theme_.px(6)) continue;
    last_right = left + width;
    drawText(*draw_list_, fonts_.mono, {left, area_max_.y + theme_.px(3)}, theme_.text_quiet,
             tick.text.c_str());
  }
}

void PlotFrame::drawTitles(const AxisTicks& across, const AxisTicks& up, ImVec2 at, ImVec2 size) {
  drawTextFitted(*draw_list_, fonts_.text, at, size.x, theme_.text_quiet, up.title.c_str());
  const std::string title = fittedText(fonts_.text, across.title, size.x);
  const ImVec2 extent = textSize(fonts_.text, title.c_str());
  const float left =
      std::clamp((area_min_.x + area_max_.x - extent.x) / 2, at.x, std::max(at.x, at.x + size.x - extent.x));
  // Whole pixels inside: descenders would be cut off at the edge.
  const float top = std::floor(at.y + size.y - extent.y - theme_.px(1));
  drawText(*draw_list_, fonts_.text, {left, top}, theme_.text_quiet, title.c_str());
}

ImVec2 PlotFrame::toScreen(double x, double y) const {
  const double width = area_max_.x - area_min_.x, height = area_max_.y - area_min_.y;
  return {static_cast<float>(area_min_.x + x_scale_.share(x) * width),
          static_cast<float>(area_max_.y - y_scale_.share(y) * height)};
}

double PlotFrame::xAt(float screen_x) const {
  return x_scale_.value(static_cast<double>(screen_x - area_min_.x) / (area_max_.x - area_min_.x));
}

double PlotFrame::yAt(float screen_y) const {
  return y_scale_.value(static_cast<double>(area_max_.y - screen_y) / (area_max_.y - area_min_.y));
}

void PlotFrame::xLabel(double x, double width, const char* text, bool quiet) {
  const float middle = toScreen(x, y_scale_.min()).x;
  const float around = toScreen(x + width / 2, y_scale_.min()).x - toScreen(x - width / 2, y_scale_.min()).x;
  const float room = std::min(area_max_.x - area_min_.x, around) - theme_.px(4);
  const float extent = std::min(room, textSize(fonts_.mono, text).x);
  const float left =
      std::clamp(middle - extent / 2, area_min_.x, std::max(area_min_.x, area_max_.x - extent));
  drawTextFitted(*draw_list_, fonts_.mono, {left, area_max_.y + theme_.px(3)}, room,
                 quiet ? theme_.text_quiet : theme_.text, text);
}

void PlotFrame::write(const Label& label, PlotPoint at) {
  const ImVec2 corner{static_cast<float>(at.x), static_cast<float>(at.y)};
  const float air = theme_.px(2);
  draw_list_->AddRectFilled({corner.x - air, corner.y},
                            {corner.x + label.extent.x + air, corner.y + label.extent.y},
                            withAlpha(theme_.background, 0.85F));
  drawText(*draw_list_, fonts_.text, corner, label.colour, label.text.c_str());
}

bool PlotFrame::writeLabels(bool may_tell) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const float reach = theme_.px(kReachOfLine);
  for (const Label& label : labels_) {
    if (const auto at = room_->firstFree(label.places, label.extent.x, label.extent.y)) {
      room_->takeBox({at->x, at->y, at->x + label.extent.x, at->y + label.extent.y});
      write(label, *at);
    } else if (may_tell && hovered_ && !told_ && distanceToSegment(mouse, label.from, label.to) <= reach) {
      const Tooltip tooltip(theme_, fonts_, label.text);
      told_ = true;
    }
  }
  labels_.clear();
  return told_;
}

}  // namespace warpscope
