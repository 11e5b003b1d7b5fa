#include "viz/widgets/axis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>

#include "kernels/core/units.h"
#include "viz/layout/axis_ticks.h"
#include "viz/text/translate.h"
#include "viz/widgets/imgui_compat.h"

namespace warpscope {
namespace {

constexpr float kAxisLine = 18, kAxisDash = 4;  // at 100 %

struct Unit {
  double ns;
  const char* name;
};
constexpr std::array<Unit, 4> kUnits{{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}}};

// The largest unit in which the far end of the axis is at least two.
Unit unitFor(double largest_ns) {
  for (const Unit& unit : kUnits) {
    if (largest_ns >= 2 * unit.ns) return unit;
  }
  return kUnits.back();
}

struct AxisLine {
  float top, tick_height;
  ImU32 colour;
  double per_cycle;  // axis units in a cycle
  double smallest_step;
  const char* title;
  bool dashed = false;
};

void drawUpright(const Theme& theme, ImDrawList& list, float x, float top, float bottom, ImU32 colour,
                 bool dashed) {
  const float dash = theme.px(kAxisDash), step = dashed ? dash * 2 : bottom - top;
  for (float y = top; y < bottom; y += step) {
    list.AddLine({x, y}, {x, std::min(bottom, y + (dashed ? dash : step))}, colour);
  }
}

void drawLine(const Theme& theme, const Fonts& fonts, const TimeScale& scale, const AxisLine& line,
              float grid_bottom) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const TickLabels labels{.character = textSize(fonts.mono, "0").x,
                          .gap = theme.px(4),
                          .generous = textSize(fonts.mono, "1,000,000").x + theme.px(24)};
  const Ticks ticks = timeTicks(scale, line.per_cycle, line.smallest_step, labels);
  const float baseline = line.top + theme.px(1);
  for (int i = 0; i < ticks.count; ++i) {
    const float x = std::round(scale.x(ticks.at(i) / line.per_cycle));
    if (grid_bottom > line.top)
      drawUpright(theme, list, x, line.top, grid_bottom, theme.grid_line, line.dashed);
    const std::string text = formatTick(ticks.at(i), ticks.decimals);
    const ImVec2 size = textSize(fonts.mono, text.c_str());
    // Beside its tick, not below it: the line itself marks the instant.
    const float text_x = x + theme.px(4);
    drawUpright(theme, list, x, line.top, line.top + line.tick_height, theme.border, line.dashed);
    if (text_x + size.x <= scale.right)
      drawText(list, fonts.mono, {text_x, baseline}, line.colour, text.c_str());
  }
  const ImVec2 title = textSize(fonts.text, line.title);
  drawText(list, fonts.text, {scale.left - title.x - theme.px(8), baseline - theme.px(1)}, theme.text_quiet,
           line.title);
}

}  // namespace

float timeAxisHeight(const Theme& theme, double cycles_per_ns) {
  return theme.px(kAxisLine) * (cycles_per_ns > 0 ? 2.0F : 1.0F) + theme.px(2);
}

TimeAxis timeAxisOf(const Run& run) {
  return {run.trace.clocks.cycles_per_ns, run.device.provenance == Provenance::kModelled};
}

void drawTimeAxis(const Theme& theme, const Fonts& fonts, const TimeScale& scale, const TimeAxis& axis,
                  float top, float grid_bottom) {
  const double cycles_per_ns = axis.cycles_per_ns;
  const float line_height = theme.px(kAxisLine);
  if (axis.in_ns) {
    const Unit unit = unitFor(std::min(std::max(std::abs(scale.begin_cycles), std::abs(scale.end_cycles)),
                                       (scale.end_cycles - scale.begin_cycles) * 1000));
    drawLine(theme, fonts, scale, {top, line_height, theme.text, 1 / unit.ns, 0, unit.name, axis.modelled},
             grid_bottom);
    return;
  }
  drawLine(theme, fonts, scale, {top, line_height, theme.text, 1, 1, tr("cycles"), axis.modelled},
           grid_bottom);
  if (cycles_per_ns <= 0) return;
  const double largest = std::max(std::abs(scale.begin_cycles), std::abs(scale.end_cycles)) / cycles_per_ns;
  // When zoomed far in at a late instant, a large unit would need many decimals, so the visible range counts,
  // too.
  const Unit unit =
      unitFor(std::min(largest, (scale.end_cycles - scale.begin_cycles) / cycles_per_ns * 1000));
  drawLine(theme, fonts, scale,
           {top + line_height, theme.px(6), theme.text_quiet, 1 / (cycles_per_ns * unit.ns), 0, unit.name,
            axis.modelled},
           0);
}

void drawText(ImDrawList& list, ImFont* font, ImVec2 at, ImU32 colour, const char* text) {
  const ImVec2 pixel{std::round(at.x), std::round(at.y)};
  list.AddText(font, fontSize(*font), pixel, colour, text);
}

void drawTextUpright(ImDrawList& list, ImFont* font, ImVec2 at, ImU32 colour, const char* text) {
  // Drawn in the corner of the screen, where Dear ImGui does not skip any of it; then its vertices are moved.
  list.PushClipRectFullScreen();
  const int first = list.VtxBuffer.Size;
  list.AddText(font, fontSize(*font), {0, 0}, colour, text);
  const ImVec2 pixel{std::round(at.x), std::round(at.y)};
  for (int i = first; i < list.VtxBuffer.Size; ++i) {
    ImVec2& corner = list.VtxBuffer[i].pos;
    corner = {pixel.x + corner.y, pixel.y - corner.x};
  }
  list.PopClipRect();
}

ImVec2 textSize(ImFont* font, const char* text) {
  return font->CalcTextSizeA(fontSize(*font), 1e9F, 0, text);
}

std::string fittedText(ImFont* font, const std::string& text, float width) {
  if (textSize(font, text.c_str()).x <= width) return text;
  static constexpr const char* kCut = "…";
  std::string cut = text;
  while (!cut.empty()) {
    // Remove whole UTF-8 characters.
    do cut.pop_back();
    while (!cut.empty() && (static_cast<unsigned char>(cut.back()) & 0xC0U) == 0x80U);
    if (!cut.empty() && static_cast<unsigned char>(cut.back()) >= 0xC0U) cut.pop_back();
    if (textSize(font, (cut + kCut).c_str()).x <= width) return cut + kCut;
  }
  return {};
}

void drawTextFitted(ImDrawList& list, ImFont* font, ImVec2 at, float width, ImU32 colour, const char* text) {
  drawText(list, font, at, colour, fittedText(font, text, width).c_str());
}

}  // namespace warpscope
