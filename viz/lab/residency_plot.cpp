#include <algorithm>

#include "kernels/core/units.h"
#include "viz/lab/lab_panels.h"
#include "viz/text/translate.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/plot_handle.h"
#include "viz/widgets/text_block.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

void instantTooltip(const LabInput& input, const ResidencyPlotInput& residency, int64_t at) {
  const auto next = std::ranges::upper_bound(residency.steps, at, {}, &Residency::cycles);
  Tooltip tooltip(*input.theme, *input.fonts, trf("Cycle {}", formatCount(at)));
  if (next != residency.steps.begin()) {
    tooltip.row(tr("warps"), std::to_string((next - 1)->warps));
    tooltip.row(tr("blocks"), std::to_string((next - 1)->blocks));
  }
  tooltip.note(residency.modelled ? tr("From the simulated GPU's trace.") : tr("From the GPU's trace."));
  tooltip.note(tr("Drag to choose the instant at which the SM is shown."));
}

}  // namespace

std::vector<PlotPoint> residencyCurve(std::span<const Residency> steps, uint32_t Residency::*what) {
  std::vector<PlotPoint> points;
  points.reserve(steps.size());
  for (const Residency& step : steps) {
    points.push_back({static_cast<double>(step.cycles), static_cast<double>(step.*what)});
  }
  return points;
}

std::optional<int64_t> drawResidencyPlot(const LabInput& input, const ResidencyPlotInput& residency,
                                         ImVec2 size) {
  const Theme& theme = *input.theme;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  input.report->widget("lab.residency", at, {at.x + size.x, at.y + size.y});
  if (residency.steps.empty()) {
    ImGui::Dummy(size);
    drawMessage(theme, *input.fonts, at, {at.x + size.x, at.y + size.y},
                tr("Residency over time is drawn from a run's trace: no SM has been recorded yet."));
    return std::nullopt;
  }
  PlotFrame plot(
      theme, *input.fonts, size,
      {.min = 0,
       .max = static_cast<double>(residency.end_cycles),
       .title = residency.cut ? tr("since the launch, as far as recorded") : tr("since the launch"),
       .unit = tr("cycles")},
      {.min = 0,
       .max = residency.max_warps * 1.12,
       .title = trf("on {}: warps (upper line), blocks (lower)", residency.sm)},
      "lab.residency");
  input.report->widget("lab.residency.area", plot.areaMin(), plot.areaMax());
  plot.level(residency.theoretical_warps, theme.accent, tr("theoretical"));
  if (const auto& achieved = residency.achieved_warps) {
    if (achieved->low < achieved->high) {
      const PlotSpread over_all[] = {
          {0, achieved->low, achieved->high},
          {static_cast<double>(residency.end_cycles), achieved->low, achieved->high}};
      plot.band(over_all, {theme.text_quiet, MarkShape::kCircle, residency.modelled});
    }
    plot.level(achieved->value, theme.text_quiet, tr("achieved, mean"));
  }
  plot.steps(residency.warps, {theme.series(2), MarkShape::kCircle, residency.modelled});
  plot.steps(residency.blocks, {theme.series(3), MarkShape::kSquare, residency.modelled});
  plot.upright(static_cast<double>(residency.at_cycles), theme.text, tr("shown beside"));
  const auto under = static_cast<int64_t>(
      std::clamp(plot.xAt(ImGui::GetIO().MousePos.x), 0.0, static_cast<double>(residency.end_cycles)));
  if (plot.held()) return under;
  if (plot.hovered()) instantTooltip(input, residency, under);
  return std::nullopt;
}

}  // namespace warpscope
