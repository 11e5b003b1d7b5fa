#include "viz/widgets/plot_legend.h"

#include <algorithm>
#include <cmath>

#include "viz/text/translate.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

constexpr float kLegendKey = 22, kLegendGap = 6, kBetween = 14, kAir = 4;  // pixels at 100 %

float entryWidth(const Theme& theme, const Fonts& fonts, const PlotSeries& series, float room) {
  const float name = textSize(fonts.text, series.shownName()).x;
  return std::min(room, theme.px(kLegendKey + kLegendGap * 2) + name);
}

float entryHeight(const Theme& theme, const Fonts& fonts) {
  return std::round(textSize(fonts.text, "X").y + theme.px(kAir));
}

// Calls `place(index, upper left corner, width)` for each entry, starting at the corner {0, 0}; returns the
// height.
template <class Place>
float layOut(const Theme& theme, const Fonts& fonts, std::span<const PlotSeries> series, float room,
             Place place) {
  const float line = entryHeight(theme, fonts);
  ImVec2 at{0, 0};
  for (size_t i = 0; i < series.size(); ++i) {
    const float width = entryWidth(theme, fonts, series[i], room);
    if (at.x > 0 && at.x + width > room) at = {0, at.y + line};
    place(i, at, width);
    at.x += width + theme.px(kBetween - kLegendGap);
  }
  return series.empty() ? 0 : at.y + line;
}

void drawEntry(const Theme& theme, const Fonts& fonts, const PlotSeries& series, bool hidden, bool hovered,
               ImVec2 min, ImVec2 max) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float middle = (min.y + max.y) / 2;
  const float key = theme.px(kLegendKey), left = min.x + theme.px(kLegendGap) / 2;
  if (hovered) list.AddRectFilled(min, max, withAlpha(theme.text, 0.10F), theme.px(3));
  MarkLook look = series.look;
  if (hidden) look.colour = mixColours(theme.background, look.colour, 0.30F);
  drawKey(theme, list, {left + key / 2, middle}, key, look, series.kind != SeriesKind::kPoints);
  const float text_left = left + key + theme.px(kLegendGap), room = max.x - text_left;
  const std::string name = fittedText(fonts.text, series.shownName(), room);
  const ImVec2 extent = textSize(fonts.text, name.c_str());
  const ImU32 ink = hidden ? mixColours(theme.background, theme.text_quiet, 0.65F)
                           : (hovered ? theme.text : theme.text_quiet);
  drawText(list, fonts.text, {text_left, middle - extent.y / 2}, ink, name.c_str());
  // Struck out, so that it does not depend on colour alone.
  if (hidden)
    list.AddLine({text_left, std::round(middle)}, {text_left + extent.x, std::round(middle)}, ink,
                 theme.px(1));
}

}  // namespace

PlotLegendAnswer drawPlotLegend(const Canvas& canvas, const std::string& name,
                                std::span<const PlotSeries> series, HiddenSeries& hidden) {
  const Theme& theme = *canvas.theme;
  const Fonts& fonts = *canvas.fonts;
  PlotLegendAnswer answer;
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float line = entryHeight(theme, fonts);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  ImGui::BeginGroup();
  const float room = std::max(1.0F, ImGui::GetContentRegionAvail().x);
  layOut(theme, fonts, series, room, [&](size_t i, ImVec2 at, float width) {
    const ImVec2 min(corner.x + at.x, corner.y + at.y), max(min.x + width, min.y + line);
    ImGui::SetCursorScreenPos(min);
    ImGui::PushID(series[i].name);
    const bool clicked = ImGui::InvisibleButton("series", {width, line});
    const bool hovered = ImGui::IsItemHovered();
    ImGui::PopID();
    canvas.report->widget(name + "." + series[i].name, min, max);
    if (clicked) {
      if (hidden.erase(series[i].name) == 0) hidden.insert(series[i].name);
      answer.toggled = i;
    }
    drawEntry(theme, fonts, series[i], isHidden(hidden, series[i]), hovered, min, max);
    if (hovered) {
      answer.hovered = i;
      Tooltip(theme, fonts, series[i].shownName())
          .note(isHidden(hidden, series[i]) ? tr("Click shows this series.")
                                            : tr("Click hides this series."));
    }
  });
  ImGui::EndGroup();
  ImGui::PopStyleVar();
  return answer;
}

float plotLegendHeight(const Theme& theme, const Fonts& fonts, std::span<const PlotSeries> series,
                       float width) {
  return layOut(theme, fonts, series, std::max(1.0F, width), [](size_t, ImVec2, float) {});
}

}  // namespace warpscope
