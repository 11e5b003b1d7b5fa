#include <algorithm>
#include <cmath>

#include "kernels/core/units.h"
#include "viz/lab/lab_panels.h"
#include "viz/text/share_text.h"
#include "viz/text/translate.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/plot_frame.h"
#include "viz/widgets/text_block.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

// The point of the axis that is nearest to the mouse; null if none is within reach.
const SpeedPoint* under(const SpeedPlotInput& speed, const PlotFrame& plot, const Theme& theme) {
  const float mouse = ImGui::GetIO().MousePos.x;
  const SpeedPoint* nearest = nullptr;
  float least = theme.px(14);
  for (const SpeedPoint& point : speed.points) {
    const float off = std::abs(plot.toScreen(point.block_threads, 0).x - mouse);
    if (off >= least) continue;
    least = off;
    nearest = &point;
  }
  return nearest;
}

void tooltipOf(const LabInput& input, const SpeedPlotInput& speed, const SpeedPoint& point) {
  Tooltip tooltip(*input.theme, *input.fonts, trf("Blocks of {} threads", point.block_threads));
  tooltip.row(tr("theoretical occupancy"), formatPercent(point.theoretical));
  if (point.achieved) tooltip.row(tr("achieved occupancy"), shareTextShown(*point.achieved));
  if (point.median_us > 0) {
    tooltip.row(tr("launch"), formatUsWithSpread(point.median_us, point.min_us, point.max_us));
  }
  if (point.gb_per_s > 0) tooltip.row(tr("bandwidth"), formatGbPerS(point.gb_per_s));
  if (!point.verified) tooltip.note(tr("! Its result is wrong."));
  tooltip.note(speed.modelled ? tr("Modelled: a simulated GPU ran it.") : tr("Measured: the GPU ran it."));
  tooltip.note(tr("Click chooses this block size."));
}

// Points belong to the kernel as it was compiled. Where the lab asks what other registers, shared memory or
// another device would do, its curve is another one than theirs, and theirs is drawn, too.
void drawOccupancy(const LabInput& input, const SpeedPlotInput& speed, PlotFrame& plot) {
  const Theme& theme = *input.theme;
  std::vector<PlotPoint> curve, theoretical, achieved;
  std::vector<PlotSpread> uncertain;
  for (const OccupancyPoint& point : input.first->answer.curve(OccupancyAxis::kBlock)) {
    curve.push_back({static_cast<double>(point.value) - kWarpSize, point.occupancy.theoretical * 100});
  }
  for (const SpeedPoint& point : speed.points) {
    theoretical.push_back({static_cast<double>(point.block_threads), point.theoretical * 100});
    if (!point.achieved) continue;
    const double x = point.block_threads;
    achieved.push_back({x, point.achieved->value * 100});
    if (point.achieved->low < point.achieved->high)
      uncertain.push_back({x, point.achieved->low * 100, point.achieved->high * 100});
  }
  if (isWhatIf(input.first->answer.curve(OccupancyAxis::kBlock), speed.points)) {
    plot.steps(curve, {theme.text_quiet, MarkShape::kCircle, true});
    plot.line(theoretical, {theme.accent, MarkShape::kCircle});
  } else {
    plot.steps(curve, {theme.accent, MarkShape::kCircle});
  }
  plot.whiskers(uncertain, {theme.series(2), MarkShape::kDiamond, speed.modelled});
  plot.points(achieved, {theme.series(2), MarkShape::kDiamond, speed.modelled});
}

double valueOf(const SpeedPlotInput& speed, const SpeedPoint& point) {
  return speed.as_time ? point.median_us * 1e-6 : point.gb_per_s * 1e9;
}

// Draws the median with the spread from fastest to slowest, in s or B/s.
void drawSpeed(const LabInput& input, const SpeedPlotInput& speed, PlotFrame& plot) {
  const MarkLook look{input.theme->series(3), MarkShape::kSquare, speed.modelled};
  std::vector<PlotPoint> line;
  std::vector<PlotSpread> spread;
  for (const SpeedPoint& point : speed.points) {
    const double x = point.block_threads, value = valueOf(speed, point);
    if (value <= 0) continue;
    line.push_back({x, value});
    if (point.min_us <= 0) continue;
    const double slow = speed.as_time ? point.max_us * 1e-6 : value * point.median_us / point.max_us;
    const double fast = speed.as_time ? point.min_us * 1e-6 : value * point.median_us / point.min_us;
    spread.push_back({x, std::min(slow, fast), std::max(slow, fast)});
  }
  plot.line(line, look);
  plot.whiskers(spread, look);
  plot.points(line, look);
}

PlotAxis blockAxis(const SpeedPlotInput& speed, bool labelled) {
  PlotAxis axis{.min = 0, .max = static_cast<double>(speed.last_block), .show_ticks = labelled};
  axis.ticks = tickList(0, speed.last_block, 128);
  if (labelled) axis.title = tr("threads per block");
  return axis;
}

std::string progressOf(const SpeedPlotInput& speed) {
  if (speed.missing == 0) return speed.title;
  return speed.title + "   " +
         trf("{} of {} block sizes run", speed.points.size(), speed.points.size() + speed.missing);
}

}  // namespace

bool isWhatIf(std::span<const OccupancyPoint> curve, std::span<const SpeedPoint> points) {
  return std::ranges::any_of(points, [&](const SpeedPoint& point) {
    const auto found = std::ranges::find(curve, point.block_threads, &OccupancyPoint::value);
    return found != curve.end() && std::abs(found->occupancy.theoretical - point.theoretical) > 1e-3;
  });
}

LabEdit drawSpeedPlot(const LabInput& input, const SpeedPlotInput& speed, ImVec2 size) {
  const Theme& theme = *input.theme;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  input.report->widget("lab.speed", at, {at.x + size.x, at.y + size.y});
  LabEdit edit;
  if (!speed.can_sweep || (speed.points.empty() && speed.missing == 0)) {
    ImGui::Dummy(size);
    drawMessage(theme, *input.fonts, at, {at.x + size.x, at.y + size.y},
                speed.can_sweep ? tr("No block size was run yet.")
                                : tr("This variant has no control that sets the block size."));
    return edit;
  }
  const float line = ImGui::GetTextLineHeight();
  drawTextFitted(*ImGui::GetWindowDrawList(), input.fonts->text, at, size.x - speed.taken, theme.text_quiet,
                 progressOf(speed).c_str());
  const float height = (size.y - line - theme.px(4)) / 2;
  ImGui::SetCursorScreenPos({at.x, at.y + line + theme.px(2)});
  const SpeedPoint* nearest = nullptr;
  const double present = speed.block_threads;
  {
    PlotFrame plot(
        theme, *input.fonts, {size.x, height * 0.9F}, blockAxis(speed, false),
        {.min = 0,
         .max = 105,
         .title = isWhatIf(input.first->answer.curve(OccupancyAxis::kBlock), speed.points)
                      ? tr("occupancy as launched: line theoretical, points achieved; dashed: what if")
                      : tr("occupancy: line theoretical, points achieved"),
         .unit = "%",
         .ticks = tickList(0, 100, 50)});
    drawOccupancy(input, speed, plot);
    plot.upright(present, withAlpha(theme.text, 0.5F), "");
    if (plot.hovered()) nearest = under(speed, plot, theme);
  }
  ImGui::SetCursorScreenPos({at.x, at.y + line + theme.px(2) + height * 0.9F});
  double most = 0;
  for (const SpeedPoint& point : speed.points) {
    most = std::max(most, speed.as_time ? point.max_us * 1e-6 : valueOf(speed, point));
  }
  const PlotRange range = niceRange(0, most);
  {
    PlotFrame plot(theme, *input.fonts, {size.x, height * 1.1F}, blockAxis(speed, true),
                   {.min = range.min,
                    .max = range.max,
                    .title = speed.as_time ? tr("launch, lower is faster") : tr("bandwidth"),
                    .unit = speed.as_time ? "s" : "B/s",
                    .numbers = TickNumbers::kSi});
    drawSpeed(input, speed, plot);
    plot.upright(present, withAlpha(theme.text, 0.5F), "");
    if (plot.hovered()) nearest = under(speed, plot, theme);
  }
  if (nearest != nullptr) {
    tooltipOf(input, speed, *nearest);
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) edit = {true, nearest->block_threads};
  }
  return edit;
}

}  // namespace warpscope
