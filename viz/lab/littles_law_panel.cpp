#include <algorithm>

#include "kernels/core/units.h"
#include "viz/lab/lab_panels.h"
#include "viz/text/translate.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/hatch.h"
#include "viz/widgets/text_block.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

using Work = LittlesLaw::Work;

std::string nameOf(Work work) {
  switch (work) {
    case Work::kArithmetic:
      return tr("arithmetic");
    case Work::kL2:
      return tr("loads from L2");
    case Work::kDeviceMemory:
      return tr("loads from device memory");
    case Work::kIssue:
      return tr("this run's instructions");
  }
  return "";
}

bool countsBytes(Work work) {
  return work == Work::kL2 || work == Work::kDeviceMemory;
}

void lawTooltip(const LabInput& input, const LittlesLaw& law) {
  Tooltip tooltip(*input.theme, *input.fonts, trf("Little's law: {}", nameOf(law.work)), 230);
  const bool bytes = countsBytes(law.work);
  tooltip.row(tr("latency"), trf("{} cycles", formatSignificant(law.latency_cycles, 3)));
  tooltip.row(tr("throughput of an SM"), bytes ? trf("{} B per cycle", formatSignificant(law.throughput, 3))
                                               : trf("{} per cycle", formatSignificant(law.throughput, 3)));
  tooltip.row(tr("in flight = latency x throughput"), bytes
                                                          ? formatBytes(static_cast<uint64_t>(law.in_flight))
                                                          : formatSignificant(law.in_flight, 3));
  tooltip.row(tr("of which one warp has"),
              bytes ? formatBytes(static_cast<uint64_t>(law.per_warp)) : formatSignificant(law.per_warp, 3));
  tooltip.row(tr("warps needed"), formatSignificant(law.needed_warps, 3));
  tooltip.row(tr("warps resident"), formatSignificant(law.resident_warps, 3));
  tooltip.row(tr("reached at most"), formatPercent(law.share()));
  tooltip.note(trMessage(law.source));
  if (law.provenance == Provenance::kModelled) tooltip.note(tr("Modelled: from a run on a simulated GPU."));
}

// Draws resident warps as a bar and needed warps as a tick, on the same scale.
void drawLaw(const LabInput& input, const LittlesLaw& law, double most, ImVec2 min, ImVec2 max) {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const auto across = [&](double warps) {
    return min.x + (max.x - min.x) * static_cast<float>(std::clamp(warps / most, 0.0, 1.0));
  };
  list.AddRectFilled(min, max, mixColours(theme.panel, theme.text, 0.10F));
  const bool enough = law.share() >= 1;
  const ImU32 colour = enough ? theme.accent : theme.series(2);
  list.AddRectFilled(min, {across(law.resident_warps), max.y}, colour);
  // The missing part up to the tick is hatched, so that it does not depend on colour alone.
  if (!enough) {
    drawHatch(list, {across(law.resident_warps), min.y}, {across(law.needed_warps), max.y},
              withAlpha(theme.text, 0.5F), theme.px(5), theme.px(1));
  }
  const float tick = across(law.needed_warps);
  list.AddLine({tick, min.y - theme.px(3)}, {tick, max.y + theme.px(3)}, theme.text, theme.px(2.5F));
}

}  // namespace

void drawLittlesLaw(const LabInput& input, std::span<const LittlesLaw> laws, ImVec2 size) {
  const Theme& theme = *input.theme;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::Dummy(size);
  input.report->widget("lab.littles_law", at, {at.x + size.x, at.y + size.y});
  const bool hovered = ImGui::IsItemHovered();
  if (laws.empty()) {
    drawMessage(theme, *input.fonts, at, {at.x + size.x, at.y + size.y},
                tr("Latencies of this device are not known to this program."));
    return;
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  double most = 1;
  for (const LittlesLaw& law : laws) most = std::max({most, law.needed_warps, law.resident_warps});
  const float line = ImGui::GetTextLineHeight();
  const float row = std::min(size.y / static_cast<float>(laws.size()), theme.px(46));
  float top = at.y;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  for (const LittlesLaw& law : laws) {
    std::string text = trf("{}: {} needed, {} resident", nameOf(law.work),
                           formatSignificant(law.needed_warps, 3), formatSignificant(law.resident_warps, 3));
    // Shown if there is room; the tooltip has it in any case.
    const std::string with_share =
        trf("{}: {} needed, {} resident: {}", nameOf(law.work), formatSignificant(law.needed_warps, 3),
            formatSignificant(law.resident_warps, 3), formatPercent(law.share()));
    if (law.share() < 1 && textSize(input.fonts->text, with_share.c_str()).x <= size.x) text = with_share;
    drawTextFitted(list, input.fonts->text, {at.x, top}, size.x, theme.text, text.c_str());
    const ImVec2 min(at.x, top + line + theme.px(3));
    const ImVec2 max(at.x + size.x, std::max(min.y + theme.px(3), top + row - theme.px(8)));
    drawLaw(input, law, most, min, max);
    if (hovered && mouse.y >= top && mouse.y < top + row) lawTooltip(input, law);
    top += row;
  }
}

}  // namespace warpscope
