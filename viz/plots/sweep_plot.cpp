#include "viz/plots/sweep_plot.h"

#include <algorithm>
#include <cmath>

#include "viz/text/translate.h"
#include "viz/views/item_offer.h"
#include "viz/widgets/plot_legend.h"
#include "viz/widgets/plot_readout.h"
#include "viz/widgets/text_block.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

constexpr float kCross = 4, kCrossLine = 1.6F, kCrossGap = 7;  // pixels at 100 %
constexpr float kMostOfSweepLegend = 0.3F;                     // as a share of the height

// The data that the general plots draw: points that ran.
struct Drawn {
  std::vector<std::vector<PlotPoint>> points;
  std::vector<std::vector<PlotSpread>> spreads;
  std::vector<PlotSeries> series;
};

Drawn drawnOf(const PlotsInput& input, const SweepPlotInput& sweep) {
  Drawn drawn;
  drawn.points.resize(sweep.curves.size());
  drawn.spreads.resize(sweep.curves.size());
  for (size_t i = 0; i < sweep.curves.size(); ++i) {
    const SweepCurve& curve = sweep.curves[i];
    for (const PlottedRun& point : curve.points) {
      if (!point.problem.empty()) continue;
      drawn.points[i].push_back({point.x, point.y});
      if (point.high > point.low) drawn.spreads[i].push_back({point.x, point.low, point.high});
    }
    drawn.series.push_back({.name = curve.name.c_str(),
                            .label = curve.label.c_str(),
                            .points = drawn.points[i],
                            .spread = drawn.spreads[i],
                            .look = seriesLook(*input.theme, curve.look, sweep.modelled)});
  }
  return drawn;
}

// A cross on the axis: a setting that could not run has a position, but no value.
ImVec2 crossAt(const PlotFrame& plot, double x) {
  const Theme& theme = plot.theme();
  return {plot.toScreen(x, plot.yScale().min()).x, plot.areaMax().y - theme.px(kCrossGap)};
}

void drawCross(const PlotFrame& plot, ImVec2 at) {
  const Theme& theme = plot.theme();
  const float r = theme.px(kCross), line = theme.px(kCrossLine);
  ImDrawList& list = plot.drawList();
  list.AddLine({at.x - r, at.y - r}, {at.x + r, at.y + r}, theme.error, line);
  list.AddLine({at.x - r, at.y + r}, {at.x + r, at.y - r}, theme.error, line);
}

// Marks are numbered: curve x 2^32 + point.
constexpr size_t kCurveShift = 32;

void pointTooltip(const PlotsInput& input, const SweepPlotInput& sweep, const SweepCurve& curve,
                  const PlottedRun& point) {
  Tooltip tooltip(*input.theme, *input.fonts, curve.label);
  tooltip.row(sweep.x.title.c_str(), axisValueText(sweep.x, point.x));
  if (!point.problem.empty()) {
    tooltip.note(trf("It did not run: {}", trMessage(point.problem)));
    tooltip.note(tr("Click chooses this setting."));
    return;
  }
  tooltip.row(sweep.y.title.c_str(), axisValueText(sweep.y, point.y));
  if (point.high > point.low) {
    tooltip.row(tr("spread"),
                trf("{} to {}", axisValueText(sweep.y, point.low), axisValueText(sweep.y, point.high)));
  }
  if (point.wrong) tooltip.note(tr("! Its result is wrong."));
  tooltip.note(sweep.modelled ? tr("Modelled: a simulated GPU ran it.") : tr("Measured: the GPU ran it."));
  tooltip.note(tr("Click chooses this setting."));
  offerItem(input, tooltip);
}

// Handles the mouse: the mark under it with its tooltip, otherwise the crosshair with the values of all
// series.
std::optional<SweepChoice> answerMouse(const PlotsInput& input, const SweepPlotInput& sweep, PlotFrame& plot,
                                       const Drawn& drawn) {
  NearestMark nearest(plot);
  for (size_t i = 0; i < sweep.curves.size(); ++i) {
    if (isHidden(*input.hidden, drawn.series[i])) continue;
    for (size_t j = 0; j < sweep.curves[i].points.size(); ++j) {
      const PlottedRun& point = sweep.curves[i].points[j];
      const ImVec2 at = point.problem.empty() ? plot.toScreen(point.x, point.y) : crossAt(plot, point.x);
      nearest.offer((i << kCurveShift) + j, at);
    }
  }
  if (!nearest.id()) {
    drawReadout(plot, drawn.series, *input.hidden);
    return std::nullopt;
  }
  plot.writeLabels(false);
  const SweepChoice choice{*nearest.id() >> kCurveShift, *nearest.id() & 0xFFFFFFFFU};
  const SweepCurve& curve = sweep.curves[choice.curve];
  plot.drawList().AddCircle(nearest.at(), input.theme->px(7), input.theme->text, 0, input.theme->px(1.2F));
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  pointTooltip(input, sweep, curve, curve.points[choice.point]);
  return ImGui::IsMouseClicked(ImGuiMouseButton_Left) ? std::optional(choice) : std::nullopt;
}

void reportPoints(const PlotsInput& input, const SweepPlotInput& sweep, const PlotFrame& plot) {
  for (const SweepCurve& curve : sweep.curves) {
    if (input.hidden->contains(curve.name)) continue;
    for (const PlottedRun& point : curve.points) {
      const bool ran = point.problem.empty();
      const ImVec2 at = ran ? plot.toScreen(point.x, point.y) : crossAt(plot, point.x);
      const std::string name = std::string(ran ? "plots.point." : "plots.failed.") + curve.name + ".";
      input.report->widget(name + std::to_string(point.value), {at.x - 3, at.y - 3}, {at.x + 3, at.y + 3});
    }
  }
}

}  // namespace

std::optional<SweepChoice> drawSweepPlot(const PlotsInput& input, const SweepPlotInput& sweep, ImVec2 size) {
  const Theme& theme = *input.theme;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool empty =
      std::ranges::all_of(sweep.curves, [](const auto& curve) { return curve.points.empty(); });
  if (empty) {
    ImGui::Dummy(size);
    drawMessage(theme, *input.fonts, at, {at.x + size.x, at.y + size.y}, sweep.message);
    return std::nullopt;
  }
  const Drawn drawn = drawnOf(input, sweep);
  // The legend of many variants scrolls, so that it does not take the plot's space.
  const float wanted = plotLegendHeight(theme, *input.fonts, drawn.series, size.x);
  const float legend = std::min(wanted, size.y * kMostOfSweepLegend);
  ImGui::BeginChild("legend", {size.x, legend}, false,
                    ImGuiWindowFlags_NoNav | (legend < wanted ? 0 : ImGuiWindowFlags_NoScrollbar));
  drawPlotLegend(input, "plots.legend", drawn.series, *input.hidden);
  ImGui::EndChild();
  ImGui::SetCursorScreenPos({at.x, at.y + legend + theme.px(2)});
  PlotFrame plot(theme, *input.fonts, {size.x, size.y - legend - theme.px(2)}, sweep.x, sweep.y, "sweep");
  input.report->widget("plots.sweep.area", plot.areaMin(), plot.areaMax());
  for (const PlotLevel& level : sweep.levels) plot.level(level.y, theme.text_quiet, level.label.c_str());
  if (sweep.present) plot.upright(*sweep.present, withAlpha(theme.text, 0.5F), "");
  for (const PlotSeries& series : drawn.series) drawSeries(plot, series, *input.hidden);
  for (size_t i = 0; i < sweep.curves.size(); ++i) {
    if (isHidden(*input.hidden, drawn.series[i])) continue;
    for (const PlottedRun& point : sweep.curves[i].points) {
      if (!point.problem.empty()) drawCross(plot, crossAt(plot, point.x));
    }
  }
  reportPoints(input, sweep, plot);
  return answerMouse(input, sweep, plot, drawn);
}

}  // namespace warpscope
