#include "viz/plots/roofline_plot.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/core/units.h"
#include "viz/text/translate.h"
#include "viz/views/item_offer.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/plot_legend.h"
#include "viz/widgets/text_block.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

constexpr float kMostOfRooflineLegend = 0.25F;  // of the height; beyond it only tooltips name the points

std::string rateText(double operations_per_s) {
  return formatSi(operations_per_s, "OP/s");
}

// The limit of a point: the slope of memory or the peak of arithmetic, whichever is lower there.
std::optional<double> roofOver(const RooflineInput& roofline, const RooflineMark& mark) {
  const auto peak = mark.integers ? roofline.integer_operations_per_s : roofline.float_operations_per_s;
  const auto memory = roofline.copy_gb_per_s ? roofline.copy_gb_per_s : roofline.memory_gb_per_s;
  if (!memory) return peak;
  const double slope = *memory * 1e9 * mark.operations_per_byte;
  return peak ? std::min(slope, *peak) : slope;
}

void markTooltip(const PlotsInput& input, const RooflineInput& roofline, const RooflineMark& mark) {
  Tooltip tooltip(*input.theme, *input.fonts, mark.label);
  tooltip.row(mark.integers ? tr("integer operations") : tr("FP32 operations"),
              formatCount(std::llround(mark.operations)));
  tooltip.row(tr("moves"), formatBytes(mark.bytes));
  tooltip.row(tr("operations per byte"), formatSignificant(mark.operations_per_byte));
  tooltip.row(tr("operations per second"), rateText(mark.operations_per_s));
  if (const auto roof = roofOver(roofline, mark)) {
    tooltip.row(tr("of the roof"),
                trf("{} of {}", formatPercent(mark.operations_per_s / *roof), rateText(*roof)));
  }
  tooltip.note(
      tr("Counted by theory: the operations that the result needs, a multiply-add counting as two. Bytes: "
         "each input read once and each output written once."));
  tooltip.note(mark.modelled ? tr("Modelled: a simulated GPU ran it.") : tr("Measured: the GPU ran it."));
  if (!mark.present) tooltip.note(tr("Click chooses this variant."));
  offerItem(input, tooltip);
}

// The ranges that contain all points and the knee of the roof.
PlotRanges rangesOf(const RooflineInput& roofline) {
  double x0 = 1e300, x1 = 0, y0 = 1e300, y1 = 0;
  const auto hold = [&](double x, double y) {
    x0 = std::min(x0, x), x1 = std::max(x1, x);
    y0 = std::min(y0, y), y1 = std::max(y1, y);
  };
  for (const RooflineMark& mark : roofline.marks) hold(mark.operations_per_byte, mark.operations_per_s);
  const auto memory = roofline.copy_gb_per_s ? roofline.copy_gb_per_s : roofline.memory_gb_per_s;
  for (const auto& peak : {roofline.float_operations_per_s, roofline.integer_operations_per_s}) {
    if (!peak) continue;
    y1 = std::max(y1, *peak);
    if (memory) hold(*peak / (*memory * 1e9), *peak);
  }
  constexpr double kAir = 2.5;
  return {{x0 / kAir, x1 * kAir}, {y0 / kAir, y1 * kAir}};
}

// Draws bytes per second as a line, up to the highest peak.
void drawSlope(PlotFrame& plot, double gb_per_s, double peak, const MarkLook& look,
               const std::string& label) {
  const double slope = gb_per_s * 1e9;
  const double x0 = plot.xScale().min();
  const double x1 = std::min(plot.xScale().max(), peak / slope);
  plot.slope({x0, x0 * slope}, {x1, x1 * slope}, look, label.c_str());
}

void drawRoof(const RooflineInput& roofline, PlotFrame& plot) {
  const Theme& theme = plot.theme();
  const bool floats = std::ranges::any_of(roofline.marks, [](const auto& mark) { return !mark.integers; });
  const bool integers = std::ranges::any_of(roofline.marks, [](const auto& mark) { return mark.integers; });
  double highest = 0;
  if (floats && roofline.float_operations_per_s) {
    highest = *roofline.float_operations_per_s;
    plot.level(highest, theme.text_quiet, trf("FP32 peak {}", rateText(highest)).c_str());
  }
  if (integers && roofline.integer_operations_per_s) {
    const double peak = *roofline.integer_operations_per_s;
    highest = std::max(highest, peak);
    plot.level(peak, theme.text_quiet, trf("INT32 peak {}", rateText(peak)).c_str());
  }
  if (highest <= 0) highest = plot.yScale().max();
  if (roofline.memory_gb_per_s) {
    drawSlope(plot, *roofline.memory_gb_per_s, highest,
              {withAlpha(theme.text_quiet, 0.7F), MarkShape::kCircle, true},
              roofline.copy_gb_per_s ? "" : trf("memory peak {}", formatGbPerS(*roofline.memory_gb_per_s)));
  }
  if (roofline.copy_gb_per_s) {
    drawSlope(plot, *roofline.copy_gb_per_s, highest,
              {theme.text_quiet, MarkShape::kCircle, roofline.copy_modelled},
              trf("copy {}", formatGbPerS(*roofline.copy_gb_per_s)));
  }
}

std::string whyEmpty(const RooflineInput& roofline) {
  if (!roofline.message.empty()) return roofline.message;
  if (roofline.gaps.empty()) return tr("No run yet.");
  // Most have the same reason: it is stated once.
  std::string text;
  for (const RooflineGap& gap : roofline.gaps) {
    if (text.find(gap.reason) != std::string::npos) continue;
    const auto alike = std::ranges::count(roofline.gaps, gap.reason, &RooflineGap::reason);
    text += (text.empty() ? "" : "\n") +
            (alike == 1 ? gap.label + ": " + gap.reason : trf("{} variants: {}", alike, gap.reason));
  }
  return text;
}

void drawGaps(const PlotsInput& input, const RooflineInput& roofline, ImVec2 at, float width) {
  if (roofline.gaps.empty()) return;
  const std::string text = trf("{} without a point", roofline.gaps.size());
  drawTextFitted(*ImGui::GetWindowDrawList(), input.fonts->text, at, width, input.theme->text_quiet,
                 text.c_str());
  const ImVec2 size = textSize(input.fonts->text, text.c_str());
  input.report->widget("plots.roofline.gaps", at, {at.x + size.x, at.y + size.y});
  if (!ImGui::IsMouseHoveringRect(at, {at.x + size.x, at.y + size.y}) || !ImGui::IsWindowHovered()) return;
  Tooltip tooltip(*input.theme, *input.fonts, tr("Not in the roofline"));
  for (const RooflineGap& gap : roofline.gaps) tooltip.note(gap.label + ": " + gap.reason);
}

}  // namespace

std::optional<size_t> drawRooflinePlot(const PlotsInput& input, const RooflineInput& roofline, ImVec2 size) {
  const Theme& theme = *input.theme;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  if (roofline.marks.empty()) {
    ImGui::Dummy(size);
    drawMessage(theme, *input.fonts, at, {at.x + size.x, at.y + size.y}, whyEmpty(roofline));
    return std::nullopt;
  }
  std::vector<PlotPoint> points;
  points.reserve(roofline.marks.size());
  std::vector<PlotSeries> series;
  for (const RooflineMark& mark : roofline.marks) {
    points.push_back({mark.operations_per_byte, mark.operations_per_s});
    series.push_back({.name = mark.name.c_str(),
                      .label = mark.label.c_str(),
                      .points = std::span(points).last(1),
                      .look = seriesLook(theme, mark.look, mark.modelled),
                      .kind = SeriesKind::kPoints});
  }
  float top = 0;
  const float legend = plotLegendHeight(theme, *input.fonts, series, size.x);
  if (legend <= size.y * kMostOfRooflineLegend) {
    drawPlotLegend(input, "plots.roofline.legend", series, *input.hidden);
    top += legend;
  }
  if (!roofline.gaps.empty()) {
    drawGaps(input, roofline, {at.x, at.y + top}, size.x);
    top += ImGui::GetTextLineHeight() + theme.px(2);
  }
  ImGui::SetCursorScreenPos({at.x, at.y + top});
  const PlotRanges ranges = rangesOf(roofline);
  PlotFrame plot(theme, *input.fonts, {size.x, size.y - top},
                 {.min = ranges.x.min,
                  .max = ranges.x.max,
                  .scale = ScaleKind::kLog10,
                  .title = tr("operations per byte to move"),
                  .unit = "OP/B"},
                 {.min = ranges.y.min,
                  .max = ranges.y.max,
                  .scale = ScaleKind::kLog10,
                  .title = tr("operations per second"),
                  .unit = "OP/s",
                  .numbers = TickNumbers::kSi});
  input.report->widget("plots.roofline.area", plot.areaMin(), plot.areaMax());
  drawRoof(roofline, plot);
  NearestMark nearest(plot);
  for (size_t i = 0; i < series.size(); ++i) {
    if (isHidden(*input.hidden, series[i])) continue;
    drawSeries(plot, series[i], *input.hidden);
    const ImVec2 middle = plot.toScreen(points[i].x, points[i].y);
    if (roofline.marks[i].present)
      plot.drawList().AddCircle(middle, theme.px(7), theme.text, 0, theme.px(1.4F));
    input.report->widget("plots.roofline." + roofline.marks[i].name, {middle.x - 3, middle.y - 3},
                         {middle.x + 3, middle.y + 3});
    nearest.offer(i, middle);
  }
  plot.writeLabels(!nearest.id());
  if (!nearest.id()) return std::nullopt;
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  markTooltip(input, roofline, roofline.marks[*nearest.id()]);
  return ImGui::IsMouseClicked(ImGuiMouseButton_Left) ? nearest.id() : std::nullopt;
}

}  // namespace warpscope
