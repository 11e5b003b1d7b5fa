#include "viz/lab/residency_plot.h"

#include <algorithm>

#include "kernels/core/units.h"
#include "viz/text/translate.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/message.h"
#include "viz/widgets/plot.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

// No more points than pixels: of each pixel's steps the most and the least.
std::vector<ImVec2> staircase(std::span<const Residency> steps, const PlotFrame& plot,
                              uint32_t Residency::*what) {
  std::vector<ImVec2> points;
  float column = -1e9F;
  for (const Residency& step : steps) {
    const auto x = static_cast<float>(step.cycles);
    const auto y = static_cast<float>(step.*what);
    const float pixel = plot.toScreen(static_cast<double>(step.cycles), 0).x;
    if (!points.empty()) {
      if (pixel - column < 0.5F && points.size() >= 2) {
        points.back().y = y;
        continue;
      }
      points.emplace_back(x, points.back().y);
    }
    points.emplace_back(x, y);
    column = pixel;
  }
  return points;
}

void instantTooltip(const LabInput& input, const ResidencyPlotInput& residency, int64_t at) {
  const auto next = std::ranges::upper_bound(residency.steps, at, {}, &Residency::cycles);
  Tooltip tooltip(*input.theme, *input.fonts, trf("Cycle {}", formatCount(at)));
  if (next != residency.steps.begin()) {
    tooltip.row(tr("warps"), std::to_string((next - 1)->warps));
    tooltip.row(tr("blocks"), std::to_string((next - 1)->blocks));
  }
  tooltip.note(residency.modelled ? tr("From the simulated GPU's trace.") : tr("From the GPU's trace."));
  tooltip.note(tr("Drag to choose the instant that the SM is shown at."));
}

}  // namespace

std::optional<int64_t> drawResidencyPlot(const LabInput& input, const ResidencyPlotInput& residency,
                                         ImVec2 size) {
  const Theme& theme = *input.theme;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  input.report->widget("lab.residency", at, {at.x + size.x, at.y + size.y});
  if (residency.steps.empty()) {
    ImGui::Dummy(size);
    drawMessage(theme, *input.fonts, at, {at.x + size.x, at.y + size.y},
                tr("Residency over time is drawn from a run's trace: there is none of an SM yet."));
    return std::nullopt;
  }
  PlotFrame plot(theme, *input.fonts, size, {0, static_cast<double>(residency.end_cycles)},
                 {0, residency.max_warps * 1.12},
                 {.x_title = residency.cut ? tr("cycles since the launch, as far as recorded")
                                           : tr("cycles since the launch"),
                  .y_title = trf("warps (line) and blocks (below) on SM {}", residency.sm)});
  plot.level(residency.theoretical_warps, theme.accent, tr("theoretical"));
  if (residency.achieved_warps) plot.level(*residency.achieved_warps, theme.text_quiet, tr("achieved, mean"));
  plot.line(staircase(residency.steps, plot, &Residency::warps), theme.region(4), residency.modelled);
  plot.line(staircase(residency.steps, plot, &Residency::blocks), theme.region(3), residency.modelled);
  const ImVec2 min = plot.areaMin(), max = plot.areaMax();
  const float x = plot.toScreen(static_cast<double>(residency.at_cycles), 0).x;
  ImGui::GetWindowDrawList()->AddLine({x, min.y}, {x, max.y}, theme.text, theme.px(1.5F));
  ImGui::SetCursorScreenPos(min);
  ImGui::InvisibleButton("lab.residency.area",
                         {std::max(max.x - min.x, 1.0F), std::max(max.y - min.y, 1.0F)});
  input.report->widget("lab.residency.area", min, max);
  const auto under = static_cast<int64_t>(
      std::clamp(plot.xAt(ImGui::GetIO().MousePos.x), 0.0, static_cast<double>(residency.end_cycles)));
  if (ImGui::IsItemActive()) return under;
  if (ImGui::IsItemHovered()) instantTooltip(input, residency, under);
  return std::nullopt;
}

}  // namespace warpscope
