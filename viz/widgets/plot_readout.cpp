#include "viz/widgets/plot_readout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "viz/widgets/axis.h"

namespace warpscope {
namespace {

constexpr float kPadding = 6, kBesideCrosshair = 10, kReadoutKey = 18, kReadoutGap = 8;  // pixels at 100 %
constexpr double kSamePlace = 0.5;                                                       // pixels

struct Row {
  const PlotSeries* series;
  std::string value;
  PlotPoint point;
};

std::optional<double> nearestX(const PlotFrame& plot, std::span<const PlotSeries> series,
                               const HiddenSeries& hidden, double share) {
  std::optional<double> nearest;
  double least = 0;
  for (const PlotSeries& one : series) {
    if (isHidden(hidden, one)) continue;
    const auto index = nearestPoint(one.points, plot.xScale(), share);
    if (!index) continue;
    const double at = plot.xScale().share(one.points[*index].x);
    const double distance = std::abs(at - share);
    // Values outside the axis have no crosshair.
    if (at < -1e-9 || at > 1 + 1e-9 || (nearest && distance >= least)) continue;
    nearest = one.points[*index].x;
    least = distance;
  }
  return nearest;
}

std::optional<PlotPoint> valueAt(const PlotFrame& plot, const PlotSeries& series, double x) {
  const double share = plot.xScale().share(x);
  if (series.kind == SeriesKind::kSteps) {
    const auto index = stepAt(series.points, x);
    if (!index) return std::nullopt;
    return PlotPoint{x, series.points[*index].y};
  }
  const auto index = nearestPoint(series.points, plot.xScale(), share);
  if (!index) return std::nullopt;
  const double width = plot.areaMax().x - plot.areaMin().x;
  if (std::abs(plot.xScale().share(series.points[*index].x) - share) * width > kSamePlace)
    return std::nullopt;
  return series.points[*index];
}

std::vector<Row> rowsAt(const PlotFrame& plot, std::span<const PlotSeries> series, const HiddenSeries& hidden,
                        double x) {
  std::vector<Row> rows;
  for (const PlotSeries& one : series) {
    if (isHidden(hidden, one)) continue;
    if (const auto point = valueAt(plot, one, x))
      rows.push_back({&one, axisValueText(plot.y(), point->y), *point});
  }
  return rows;
}

void drawCrosshair(PlotFrame& plot, float x) {
  const float at = std::round(x);
  plot.drawList().AddLine({at, plot.areaMin().y}, {at, plot.areaMax().y},
                          mixColours(plot.theme().border, plot.theme().text, 0.35F));
}

// Right of the crosshair, or left of it if there is more room; always inside the area.
PlotReadout placeBox(const PlotFrame& plot, ImVec2 at, ImVec2 size) {
  const float beside = plot.theme().px(kBesideCrosshair);
  const ImVec2 min = plot.areaMin(), max = plot.areaMax();
  const bool right = at.x + beside + size.x <= max.x || max.x - at.x >= at.x - min.x;
  const ImVec2 wanted{right ? at.x + beside : at.x - beside - size.x, at.y - size.y - beside};
  PlotReadout box{.shown = true};
  box.min = {std::clamp(wanted.x, min.x, std::max(min.x, max.x - size.x)),
             std::clamp(wanted.y, min.y, std::max(min.y, max.y - size.y))};
  box.max = {std::min(max.x, box.min.x + size.x), std::min(max.y, box.min.y + size.y)};
  return box;
}

void drawBox(PlotFrame& plot, const PlotReadout& box) {
  const Theme& theme = plot.theme();
  plot.drawList().AddRectFilled(box.min, box.max, withAlpha(theme.panel, 0.94F), theme.px(3));
  plot.drawList().AddRect(box.min, box.max, theme.border, theme.px(3));
}

// The head "block size  256 threads", then a line for each series: key, name, value. Names are shortened and
// lines omitted ("+3") if there is no room for them.
PlotReadout drawRows(PlotFrame& plot, const PlotPoint& at, const std::vector<Row>& rows) {
  const Theme& theme = plot.theme();
  const Fonts& fonts = plot.fonts();
  const float padding = theme.px(kPadding), key = theme.px(kReadoutKey), gap = theme.px(kReadoutGap);
  const float line = std::max(textSize(fonts.text, "0").y, textSize(fonts.mono, "0").y) + theme.px(2);
  const ImVec2 room{plot.areaMax().x - plot.areaMin().x, plot.areaMax().y - plot.areaMin().y};
  const auto fit = static_cast<size_t>(std::max(1.0F, (room.y - padding * 2) / line - 1));
  const bool cut = rows.size() > fit;
  const size_t shown = cut ? fit - 1 : rows.size();

  const std::string head = axisValueText(plot.x(), at.x);
  const float head_title = plot.x().title.empty() ? 0 : textSize(fonts.text, plot.x().title.c_str()).x + gap;
  float names = 0, values = 0;
  for (size_t i = 0; i < shown; ++i) {
    names = std::max(names, textSize(fonts.text, rows[i].series->shownName()).x);
    values = std::max(values, textSize(fonts.mono, rows[i].value.c_str()).x);
  }
  const float wanted = std::max(head_title + textSize(fonts.mono, head.c_str()).x,
                                shown == 0 ? 0 : key + gap + names + gap + values);
  const float width = std::min(room.x, wanted + padding * 2);
  const float height =
      std::min(room.y, line * static_cast<float>(1 + shown + (cut ? 1 : 0)) + padding * 2 - theme.px(2));

  PlotReadout box = placeBox(plot, plot.toScreen(at.x, at.y), {width, height});
  box.x = at.x;
  drawBox(plot, box);
  ImDrawList& list = plot.drawList();
  list.PushClipRect(box.min, box.max, true);
  const float left = box.min.x + padding, right = box.max.x - padding;
  float y = box.min.y + padding;
  drawText(list, fonts.text, {left, y}, theme.text_quiet, plot.x().title.c_str());
  drawText(list, fonts.mono, {left + head_title, y}, theme.text, head.c_str());
  for (size_t i = 0; i < shown; ++i) {
    y += line;
    const Row& row = rows[i];
    drawKey(theme, list, {left + key / 2, y + line / 2 - theme.px(1)}, key, row.series->look,
            row.series->kind != SeriesKind::kPoints);
    const float value_left = right - textSize(fonts.mono, row.value.c_str()).x;
    drawTextFitted(list, fonts.text, {left + key + gap, y}, value_left - gap - (left + key + gap),
                   theme.text_quiet, row.series->shownName());
    drawText(list, fonts.mono, {value_left, y}, theme.text, row.value.c_str());
  }
  if (cut)
    drawText(list, fonts.text, {left, y + line}, theme.text_quiet,
             fmt::format("+{}", rows.size() - shown).c_str());
  list.PopClipRect();
  return box;
}

}  // namespace

PlotReadout drawReadout(PlotFrame& plot, std::span<const PlotSeries> series, const HiddenSeries& hidden) {
  if (plot.writeLabels() || !plot.hovered()) return {};
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const double share =
      static_cast<double>(mouse.x - plot.areaMin().x) / (plot.areaMax().x - plot.areaMin().x);
  const auto x = nearestX(plot, series, hidden, share);
  if (!x) return {};
  const std::vector<Row> rows = rowsAt(plot, series, hidden, *x);
  drawCrosshair(plot, plot.toScreen(*x, plot.yScale().min()).x);
  for (const Row& row : rows) {
    plot.point(row.point.x, row.point.y, row.series->look);
    if (plot.holds(row.point.x, row.point.y)) {
      plot.drawList().AddCircle(plot.toScreen(row.point.x, row.point.y), plot.theme().px(6),
                                plot.theme().text, 0, plot.theme().px(1));
    }
  }
  return drawRows(plot, {*x, plot.yAt(mouse.y)}, rows);
}

PlotReadout drawReadout(PlotFrame& plot, PlotPoint at, const char* text) {
  if (plot.writeLabels() || !plot.holds(at.x, at.y)) return {};
  const Theme& theme = plot.theme();
  const ImVec2 middle = plot.toScreen(at.x, at.y);
  drawCrosshair(plot, middle.x);
  plot.drawList().AddCircleFilled(middle, theme.px(3.5F), theme.text);
  const ImVec2 extent = textSize(plot.fonts().mono, text);
  const float padding = theme.px(kPadding) / 2;
  PlotReadout box = placeBox(plot, middle, {extent.x + padding * 2, extent.y + padding * 2});
  box.x = at.x;
  drawBox(plot, box);
  drawTextFitted(plot.drawList(), plot.fonts().mono, {box.min.x + padding, box.min.y + padding},
                 box.max.x - box.min.x - padding * 2, theme.text, text);
  return box;
}

}  // namespace warpscope
