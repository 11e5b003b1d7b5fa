#include "viz/lab/occupancy_curve.h"

#include <algorithm>
#include <cmath>

#include "kernels/core/units.h"
#include "viz/text/translate.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/hatch.h"
#include "viz/widgets/plot.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

// Shared memory is drawn in KiB: ticks at bytes would be crooked.
double unitOf(OccupancyAxis axis) {
  return axis == OccupancyAxis::kShared ? 1024 : 1;
}

std::string formatValue(OccupancyAxis axis, uint32_t value) {
  if (axis == OccupancyAxis::kShared) return formatBytes(value);
  return formatCount(value) + " " + tr(axisUnit(axis));
}

// A staircase: what holds at a value holds since the one before.
std::vector<ImVec2> staircase(const std::vector<OccupancyPoint>& curve, double unit) {
  std::vector<ImVec2> points;
  points.reserve(curve.size() * 2);
  float before = 0;
  for (const OccupancyPoint& point : curve) {
    const auto x = static_cast<float>(point.value / unit);
    const auto y = static_cast<float>(point.occupancy.theoretical * 100);
    if (points.empty()) {
      points.emplace_back(0.0F, y);
    } else if (y != points.back().y) {
      points.emplace_back(before, y);
    } else {
      points.pop_back();
    }
    points.emplace_back(x, y);
    before = x;
  }
  return points;
}

uint32_t snapped(const AxisRange& range, double value) {
  const double steps = std::round((value - range.first) / range.step);
  const double most = std::floor(static_cast<double>(range.last - range.first) / range.step);
  return range.first + static_cast<uint32_t>(std::clamp(steps, 0.0, most)) * range.step;
}

void pointTooltip(const LabInput& input, OccupancyAxis axis, uint32_t value) {
  Tooltip tooltip(*input.theme, *input.fonts, formatValue(axis, value));
  const auto rows = [&](const LabSide& side) {
    const Occupancy occupancy = theoreticalOccupancy(withAxisValue(side.answer.question, axis, value));
    tooltip.row(tr("occupancy"), formatPercent(occupancy.theoretical) + ", " + briefly(occupancy));
    tooltip.row(tr("limiter"), limiterLabel(occupancy.limiter));
  };
  if (input.second != nullptr) tooltip.note(input.first->name);
  rows(*input.first);
  if (input.second != nullptr) {
    tooltip.note(input.second->name);
    rows(*input.second);
  }
}

void drawPoint(PlotFrame& plot, const Theme& theme, ImVec2 at, bool held) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddLine({at.x, plot.areaMin().y}, {at.x, plot.areaMax().y}, withAlpha(theme.text, 0.35F), theme.px(1));
  list.AddCircleFilled(at, theme.px(held ? 8.0F : 6.5F), theme.background, 24);
  list.AddCircle(at, theme.px(held ? 8.0F : 6.5F), theme.text, 24, theme.px(2.5F));
  list.AddCircleFilled(at, theme.px(2.5F), theme.text, 16);
}

}  // namespace

const char* axisTitle(OccupancyAxis axis) {
  switch (axis) {
    case OccupancyAxis::kBlock:
      return tr("threads a block");
    case OccupancyAxis::kRegisters:
      return tr("registers a thread");
    case OccupancyAxis::kShared:
      return tr("shared memory a block (KiB)");
  }
  return "";
}

LabEdit drawOccupancyCurve(const LabInput& input, const OccupancyCurveLook& look, ImVec2 size) {
  const Theme& theme = *input.theme;
  const OccupancyAnswer& answer = input.first->answer;
  const double unit = unitOf(look.axis);
  AxisRange range = axisRange(answer.question.limits, look.axis);
  double last = range.last / unit;
  if (input.second != nullptr) {
    last = std::max(last, axisRange(input.second->answer.question.limits, look.axis).last / unit);
  }
  const std::string name = std::string("lab.curve.") + axisName(look.axis);
  LabEdit edit;
  PlotFrame plot(theme, *input.fonts, size, {0, last}, {0, 105},
                 {.x_title = axisTitle(look.axis), .y_title = tr("occupancy (%)")});
  if (input.second != nullptr) {
    plot.line(staircase(input.second->answer.curve(look.axis), unit), theme.region(4), true);
  }
  plot.line(staircase(answer.curve(look.axis), unit), theme.accent);
  if (look.kernels_value) {
    const ImVec2 kernel = plot.toScreen(*look.kernels_value / unit, 0);
    ImGui::GetWindowDrawList()->AddTriangleFilled({kernel.x - theme.px(5), kernel.y + theme.px(1)},
                                                  {kernel.x + theme.px(5), kernel.y + theme.px(1)},
                                                  {kernel.x, kernel.y - theme.px(8)}, theme.text_quiet);
  }
  const uint32_t value = axisValue(answer.question, look.axis);
  const ImVec2 min = plot.areaMin(), max = plot.areaMax();
  ImGui::SetCursorScreenPos(min);
  ImGui::InvisibleButton(name.c_str(), {std::max(max.x - min.x, 1.0F), std::max(max.y - min.y, 1.0F)});
  input.report->widget(name, min, max);
  const bool active = ImGui::IsItemActive(), hovered = ImGui::IsItemHovered();
  edit.begins = ImGui::IsItemActivated();
  const uint32_t under = snapped(range, plot.xAt(ImGui::GetIO().MousePos.x) * unit);
  if (active && under != value) edit.to = under;
  if (hovered || active) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  if (input.second != nullptr) {
    const double y = input.second->answer.occupancy.theoretical * 100;
    const ImVec2 at = plot.toScreen(value / unit, y);
    const float side = theme.px(6);
    ImGui::GetWindowDrawList()->AddQuadFilled({at.x - side, at.y}, {at.x, at.y - side}, {at.x + side, at.y},
                                              {at.x, at.y + side}, theme.region(4));
  }
  const ImVec2 point = plot.toScreen(value / unit, answer.occupancy.theoretical * 100);
  drawPoint(plot, theme, point, active);
  input.report->widget(name + ".point", {point.x - theme.px(7), point.y - theme.px(7)},
                       {point.x + theme.px(7), point.y + theme.px(7)});
  if (hovered && !active) pointTooltip(input, look.axis, under);
  return edit;
}

}  // namespace warpscope
