#include "viz/plots/in_flight_plot.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/core/units.h"
#include "viz/text/translate.h"
#include "viz/widgets/plot_legend.h"
#include "viz/widgets/text_block.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

constexpr float kMostOfLawsLegend =
    0.25F;  // of the height; beyond it the names of the laws stand at their lines

PlotRanges rangesOf(const InFlightInput& in_flight) {
  double x0 = 1e300, x1 = 0, y0 = 1e300, y1 = 0;
  for (const InFlightCurve& curve : in_flight.curves) {
    for (const InFlightCurve::Point& point : curve.points) {
      x0 = std::min(x0, point.bytes), x1 = std::max(x1, point.bytes);
      y0 = std::min(y0, point.gb_per_s * 1e9), y1 = std::max(y1, point.gb_per_s * 1e9);
    }
  }
  for (const PlotLevel& level : in_flight.ceilings) y1 = std::max(y1, level.y * 1e9);
  return {
      {std::exp2(std::floor(std::log2(x0) - 0.5)), std::exp2(std::ceil(std::log2(x1) + 0.5))},
      {std::pow(10.0, std::floor(std::log10(y0) - 0.1)), std::pow(10.0, std::ceil(std::log10(y1) + 0.1))}};
}

// The lines of Little's law across the whole plot, in the form that the legend uses.
struct Laws {
  std::vector<std::array<PlotPoint, 2>> lines;
  std::vector<PlotSeries> series;
};

Laws lawsOf(const PlotsInput& input, const InFlightInput& in_flight, const PlotRange& x) {
  const Theme& theme = *input.theme;
  Laws laws;
  for (const InFlightLaw& law : in_flight.laws) {
    const double slope = law.gb_per_s_of_a_byte * 1e9;
    laws.lines.push_back({PlotPoint{x.min, x.min * slope}, PlotPoint{x.max, x.max * slope}});
  }
  for (size_t i = 0; i < laws.lines.size(); ++i) {
    const bool first = i == 0;
    laws.series.push_back({.name = in_flight.laws[i].label.c_str(),
                           .points = laws.lines[i],
                           .look = {withAlpha(first ? theme.text : theme.text_quiet, first ? 0.8F : 0.6F),
                                    first ? MarkShape::kTriangle : MarkShape::kDiamond, true},
                           .marks = false});
  }
  return laws;
}

void pointTooltip(const PlotsInput& input, const InFlightInput& in_flight, const InFlightCurve& curve,
                  const InFlightCurve::Point& point) {
  Tooltip tooltip(*input.theme, *input.fonts, curve.label);
  tooltip.note(point.setting);
  tooltip.row(tr("in flight on an SM"), formatBytes(static_cast<uint64_t>(std::llround(point.bytes))));
  tooltip.row(tr("bandwidth"), formatGbPerS(point.gb_per_s));
  for (const InFlightLaw& law : in_flight.laws) {
    tooltip.row(law.label.c_str(), formatGbPerS(law.gb_per_s_of_a_byte * point.bytes));
  }
  tooltip.note(
      tr("Resident warps x bytes that a warp requests before it waits. The bandwidth is that of the whole "
         "launch, including its start and end."));
  tooltip.note(in_flight.modelled ? tr("Modelled: a simulated GPU ran it.")
                                  : tr("Measured: the GPU ran it."));
}

}  // namespace

void drawInFlightPlot(const PlotsInput& input, const InFlightInput& in_flight, ImVec2 size) {
  const Theme& theme = *input.theme;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  if (!in_flight.message.empty()) {
    ImGui::Dummy(size);
    return drawMessage(theme, *input.fonts, at, {at.x + size.x, at.y + size.y}, in_flight.message);
  }
  const PlotRanges ranges = rangesOf(in_flight);
  const Laws laws = lawsOf(input, in_flight, ranges.x);
  const float wanted = plotLegendHeight(theme, *input.fonts, laws.series, size.x);
  const bool has_legend = wanted <= size.y * kMostOfLawsLegend;
  const float legend = has_legend ? wanted : 0;
  if (has_legend) drawPlotLegend(input, "plots.in_flight.legend", laws.series, *input.hidden);
  ImGui::SetCursorScreenPos({at.x, at.y + legend});
  PlotFrame plot(theme, *input.fonts, {size.x, size.y - legend},
                 {.min = ranges.x.min,
                  .max = ranges.x.max,
                  .scale = ScaleKind::kLog2,
                  .title = tr("bytes in flight on an SM"),
                  .unit = "B",
                  .numbers = TickNumbers::kBytes},
                 {.min = ranges.y.min,
                  .max = ranges.y.max,
                  .scale = ScaleKind::kLog10,
                  .title = tr("bandwidth"),
                  .unit = "B/s",
                  .numbers = TickNumbers::kSi});
  input.report->widget("plots.in_flight.area", plot.areaMin(), plot.areaMax());
  for (const PlotSeries& series : laws.series) {
    if (isHidden(*input.hidden, series)) continue;
    plot.slope(series.points.front(), series.points.back(), series.look, has_legend ? "" : series.name);
  }
  for (const PlotLevel& level : in_flight.ceilings) {
    plot.level(level.y * 1e9, theme.text_quiet, level.label.c_str());
  }
  NearestMark nearest(plot);
  constexpr size_t kCurveShift = 32;
  for (size_t i = 0; i < in_flight.curves.size(); ++i) {
    const InFlightCurve& curve = in_flight.curves[i];
    if (input.hidden->contains(curve.name)) continue;
    const MarkLook look = seriesLook(theme, curve.look, in_flight.modelled);
    for (size_t j = 0; j < curve.points.size(); ++j) {
      plot.point(curve.points[j].bytes, curve.points[j].gb_per_s * 1e9, look);
      nearest.offer((i << kCurveShift) + j,
                    plot.toScreen(curve.points[j].bytes, curve.points[j].gb_per_s * 1e9));
    }
  }
  plot.writeLabels(!nearest.id());
  if (const auto id = nearest.id()) {
    const InFlightCurve& curve = in_flight.curves[*id >> kCurveShift];
    plot.drawList().AddCircle(nearest.at(), theme.px(7), theme.text, 0, theme.px(1.2F));
    pointTooltip(input, in_flight, curve, curve.points[*id & 0xFFFFFFFFU]);
  }
}

}  // namespace warpscope
