#include "viz/lab/speed_plot.h"

#include <algorithm>
#include <cmath>

#include "kernels/core/units.h"
#include "viz/text/translate.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/message.h"
#include "viz/widgets/plot.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

// Nearest point of the axis to the mouse; null: there is none within reach.
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
  if (point.achieved) tooltip.row(tr("achieved occupancy"), formatPercent(*point.achieved));
  if (point.median_us > 0) {
    tooltip.row(tr("time"), formatUsWithSpread(point.median_us, point.min_us, point.max_us));
  }
  if (point.gb_per_s > 0) tooltip.row(tr("bandwidth"), formatGbPerS(point.gb_per_s));
  if (!point.verified) tooltip.note(tr("! Its result is wrong."));
  tooltip.note(speed.modelled ? tr("Modelled: a simulated GPU ran it.") : tr("Measured: the GPU ran it."));
  tooltip.note(tr("Click chooses this block size."));
}

void drawOccupancy(const LabInput& input, const SpeedPlotInput& speed, PlotFrame& plot) {
  const Theme& theme = *input.theme;
  std::vector<ImVec2> theoretical;
  for (const OccupancyPoint& point : input.first->answer.curve(OccupancyAxis::kBlock)) {
    const auto y = static_cast<float>(point.occupancy.theoretical * 100);
    const auto x = static_cast<float>(point.value);
    theoretical.emplace_back(x - static_cast<float>(kWarpSize), y);
    theoretical.emplace_back(x, y);
  }
  plot.line(theoretical, theme.accent);
  for (const SpeedPoint& point : speed.points) {
    if (point.achieved) {
      plot.marker(point.block_threads, *point.achieved * 100, theme.region(4), speed.modelled);
    }
  }
}

double valueOf(const SpeedPlotInput& speed, const SpeedPoint& point) {
  return speed.as_time ? point.median_us : point.gb_per_s;
}

// The median with its spread as a line from fastest to slowest.
void drawSpeed(const LabInput& input, const SpeedPlotInput& speed, PlotFrame& plot) {
  const Theme& theme = *input.theme;
  const ImU32 colour = theme.region(3);
  std::vector<ImVec2> line;
  for (const SpeedPoint& point : speed.points) {
    const double value = valueOf(speed, point);
    if (value <= 0) continue;
    line.emplace_back(static_cast<float>(point.block_threads), static_cast<float>(value));
    if (point.min_us > 0) {
      const double slow = speed.as_time ? point.max_us : value * point.median_us / point.max_us;
      const double fast = speed.as_time ? point.min_us : value * point.median_us / point.min_us;
      ImGui::GetWindowDrawList()->AddLine(plot.toScreen(point.block_threads, slow),
                                          plot.toScreen(point.block_threads, fast), colour, theme.px(1.5F));
    }
    plot.marker(point.block_threads, value, colour, speed.modelled);
  }
  plot.line(line, withAlpha(colour, 0.6F), speed.modelled);
}

void presentBlock(const SpeedPlotInput& speed, const Theme& theme, PlotFrame& plot) {
  const float x = plot.toScreen(speed.block_threads, 0).x;
  ImGui::GetWindowDrawList()->AddLine({x, plot.areaMin().y}, {x, plot.areaMax().y},
                                      withAlpha(theme.text, 0.35F), theme.px(1));
}

std::string progressOf(const SpeedPlotInput& speed) {
  if (speed.missing == 0) return speed.title;
  return speed.title + "   " +
         trf("{} of {} block sizes run", speed.points.size(), speed.points.size() + speed.missing);
}

}  // namespace

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
  drawTextFitted(*ImGui::GetWindowDrawList(), input.fonts->text, at, size.x, theme.text_quiet,
                 progressOf(speed).c_str());
  const float height = (size.y - line - theme.px(4)) / 2;
  ImGui::SetCursorScreenPos({at.x, at.y + line + theme.px(2)});
  const SpeedPoint* nearest = nullptr;
  const double last = speed.last_block;
  {
    PlotFrame plot(theme, *input.fonts, {size.x, height}, {0, last}, {0, 105},
                   {.y_title = tr("occupancy (%): line theoretical, points achieved"), .x_ticks = false});
    drawOccupancy(input, speed, plot);
    presentBlock(speed, theme, plot);
    if (plot.hovered()) nearest = under(speed, plot, theme);
  }
  ImGui::SetCursorScreenPos({at.x, at.y + line + theme.px(2) + height});
  double most = 0;
  for (const SpeedPoint& point : speed.points) {
    most = std::max(most, speed.as_time ? point.max_us : valueOf(speed, point));
  }
  {
    PlotFrame plot(theme, *input.fonts, {size.x, height}, {0, last}, niceRange(0, most),
                   {.x_title = tr("threads a block"),
                    .y_title = speed.as_time ? tr("time (µs), lower is faster") : tr("bandwidth (GB/s)")});
    drawSpeed(input, speed, plot);
    presentBlock(speed, theme, plot);
    if (plot.hovered()) nearest = under(speed, plot, theme);
  }
  if (nearest != nullptr) {
    tooltipOf(input, speed, *nearest);
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) edit = {true, nearest->block_threads};
  }
  return edit;
}

}  // namespace warpscope
