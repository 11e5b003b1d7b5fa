#include <algorithm>
#include <cmath>

#include "kernels/core/units.h"
#include "viz/lab/lab_panels.h"
#include "viz/text/translate.h"
#include "viz/widgets/plot_handle.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

// Shared memory is drawn in KiB: in bytes, ticks would not be round numbers.
double unitOf(OccupancyAxis axis) {
  return axis == OccupancyAxis::kShared ? 1024 : 1;
}

std::string formatValue(OccupancyAxis axis, uint32_t value) {
  switch (axis) {
    case OccupancyAxis::kBlock:
      return trf("{} threads", formatCount(value));
    case OccupancyAxis::kRegisters:
      return trf("{} registers", formatCount(value));
    case OccupancyAxis::kShared:
      return formatBytes(value);
  }
  return "";
}

// The occupancy at a value holds from just above the previous value.
std::vector<PlotPoint> staircase(const std::vector<OccupancyPoint>& curve, double unit) {
  std::vector<PlotPoint> points;
  double before = 0;
  for (const OccupancyPoint& point : curve) {
    const double y = point.occupancy.theoretical * 100;
    if (points.empty() || y != points.back().y) points.push_back({before, y});
    before = point.value / unit;
  }
  if (!points.empty()) points.push_back({before, points.back().y});
  return points;
}

PlotAxis axisOf(OccupancyAxis axis, double last) {
  PlotAxis x{.min = 0, .max = last, .title = axisTitle(axis)};
  switch (axis) {
    case OccupancyAxis::kBlock:
      x.ticks = tickList(0, last, 128);
      break;
    case OccupancyAxis::kRegisters:
      x.ticks = tickList(0, last + 1, 32);
      x.max = last + 1;
      break;
    case OccupancyAxis::kShared:
      x.unit = "KiB";
      x.ticks = tickList(0, last, last > 100 ? 32 : 16);
      break;
  }
  return x;
}

uint32_t snapped(const AxisRange& range, double value) {
  const double steps = std::round((value - range.first) / range.step);
  const double most = std::floor(static_cast<double>(range.last - range.first) / range.step);
  return range.first + static_cast<uint32_t>(std::clamp(steps, 0.0, most)) * range.step;
}

void pointTooltip(const LabInput& input, OccupancyAxis axis, uint32_t value) {
  Tooltip tooltip(*input.theme, *input.fonts, formatValue(axis, value), 110);
  const auto rows = [&](const LabSide& side) {
    const OccupancyQuestion question = withAxisValue(side.answer.question, axis, value);
    const Occupancy occupancy = theoreticalOccupancy(question);
    tooltip.row(tr("occupancy"), formatPercent(occupancy.theoretical) + ", " + briefly(occupancy));
    const uint64_t threads = uint64_t{occupancy.blocks_per_sm} * question.block_threads;
    tooltip.row(tr("active threads"), formatCount(static_cast<int64_t>(threads)));
    tooltip.row(tr("limiter"), limiterLabel(occupancy.limiter));
  };
  if (input.second != nullptr) tooltip.note(input.first->name);
  rows(*input.first);
  if (input.second != nullptr) {
    tooltip.note(input.second->name);
    rows(*input.second);
  }
}

}  // namespace

const char* axisTitle(OccupancyAxis axis) {
  switch (axis) {
    case OccupancyAxis::kBlock:
      return tr("threads per block");
    case OccupancyAxis::kRegisters:
      return tr("registers per thread");
    case OccupancyAxis::kShared:
      return tr("shared memory per block");
  }
  return "";
}

LabEdit drawOccupancyCurve(const LabInput& input, const OccupancyCurveLook& look, ImVec2 size) {
  const Theme& theme = *input.theme;
  const OccupancyAnswer& answer = input.first->answer;
  const double unit = unitOf(look.axis);
  const AxisRange range = axisRange(answer.question.limits, look.axis);
  double last = range.last / unit;
  if (input.second != nullptr) {
    last = std::max(last, axisRange(input.second->answer.question.limits, look.axis).last / unit);
  }
  const std::string name = std::string("lab.curve.") + axisName(look.axis);
  PlotFrame plot(theme, *input.fonts, size, axisOf(look.axis, last),
                 {.min = 0, .max = 105, .title = tr("occupancy"), .unit = "%", .ticks = tickList(0, 100, 25)},
                 name.c_str());
  input.report->widget(name, plot.areaMin(), plot.areaMax());
  const uint32_t value = axisValue(answer.question, look.axis);
  // A second device is distinguished by its dashes and its shape, not by colour alone.
  const MarkLook second{theme.series(2), MarkShape::kDiamond, true};
  if (input.second != nullptr) {
    plot.steps(staircase(input.second->answer.curve(look.axis), unit), second);
    plot.point(value / unit, input.second->answer.occupancy.theoretical * 100, second);
  }
  const MarkLook first{theme.accent, MarkShape::kCircle};
  plot.steps(staircase(answer.curve(look.axis), unit), first);
  if (look.kernels_value) plot.upright(*look.kernels_value / unit, theme.text_quiet, tr("the kernel"));
  const HandleAnswer handle = drawHandle(
      plot, {.at = {value / unit, answer.occupancy.theoretical * 100}, .look = first, .anywhere = true});
  input.report->widget(name + ".point", handle.min, handle.max);
  LabEdit edit{.begins = plot.pressed()};
  if (handle.moved_to) {
    const uint32_t to = snapped(range, *handle.moved_to * unit);
    if (to != value) edit.to = to;
  }
  if (plot.hovered() && !plot.held()) {
    pointTooltip(input, look.axis, snapped(range, plot.xAt(ImGui::GetIO().MousePos.x) * unit));
  }
  return edit;
}

}  // namespace warpscope
