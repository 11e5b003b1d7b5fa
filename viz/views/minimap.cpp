#include "viz/views/minimap.h"

#include <algorithm>

#include "kernels/core/units.h"
#include "viz/layout/navigation.h"
#include "viz/layout/time_scale.h"
#include "viz/layout/trace_layout.h"
#include "viz/text/translate.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {

void drawMinimap(const ViewInput& input, ViewState& state, ImVec2 min, ImVec2 max, const char* name) {
  const Theme& theme = *input.theme;
  const TraceLayout& layout = *input.layout;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const TimeScale scale{static_cast<double>(layout.begin()), static_cast<double>(layout.end()), min.x, max.x};

  ImGui::SetCursorScreenPos(min);
  ImGui::InvisibleButton(name, {std::max(1.0F, max.x - min.x), std::max(1.0F, max.y - min.y)});
  input.report->widget(name, min, max);
  const bool hovered = ImGui::IsItemHovered();
  const bool scrubs = state.play_head.has_value();
  if (scrubs && ImGui::IsItemActive())
    state.play_head =
        std::clamp(scale.cycles(ImGui::GetIO().MousePos.x), scale.begin_cycles, scale.end_cycles);
  if (ImGui::IsItemActivated() && !scrubs) rememberZoom(state);
  if (ImGui::IsItemActive() && !state.fitted && !scrubs) {
    const double half = (state.end_cycles - state.begin_cycles) / 2;
    const double middle =
        std::clamp(scale.cycles(ImGui::GetIO().MousePos.x), scale.begin_cycles, scale.end_cycles);
    zoomTo(state, middle - half, middle + half);
  }

  list.AddRectFilled(min, max, theme.panel);
  const auto density = layout.minimap();
  const float height = max.y - min.y;
  const float column = (max.x - min.x) / static_cast<float>(density.size());
  const ImU32 resident = mixColours(theme.panel, theme.text_quiet, 0.30F);
  const ImU32 executing = mixColours(theme.panel, theme.text_quiet, 0.85F);
  for (size_t i = 0; i < density.size(); ++i) {
    const float x0 = min.x + column * static_cast<float>(i);
    const float x1 = x0 + column;
    if (density[i].resident > density[i].executing) {
      list.AddRectFilled({x0, max.y - height * density[i].resident},
                         {x1, max.y - height * density[i].executing}, resident);
    }
    if (density[i].executing > 0)
      list.AddRectFilled({x0, max.y - height * density[i].executing}, {x1, max.y}, executing);
  }
  for (const SelectedPart& part : state.selection.parts) {
    const float from = std::max(scale.x(static_cast<double>(part.cycles.begin)), min.x);
    const float to = std::min(scale.x(static_cast<double>(part.cycles.end)), max.x);
    if (from < to) list.AddRectFilled({from, min.y}, {to, max.y}, withAlpha(theme.accent, 0.30F));
  }
  for (const TimeNote& note : state.annotations.notes) {
    const float x = scale.x(static_cast<double>(note.cycle)), side = theme.px(5);
    list.AddTriangleFilled({x, min.y}, {x + side, min.y + side / 2}, {x, min.y + side}, theme.text);
  }
  const float x0 = std::clamp(scale.x(state.begin_cycles), min.x, max.x - theme.px(2));
  const float x1 = std::clamp(scale.x(state.end_cycles), x0 + theme.px(2), max.x);
  const ImU32 shade = withAlpha(theme.background, 0.60F);
  if (x0 > min.x) list.AddRectFilled(min, {x0, max.y}, shade);
  if (x1 < max.x) list.AddRectFilled({x1, min.y}, max, shade);
  list.AddRect({x0, min.y}, {x1, max.y}, theme.accent, 0, 0, theme.px(1));
  if (state.play_head) {
    const float x = std::clamp(scale.x(*state.play_head), min.x, max.x), side = theme.px(5);
    list.AddLine({x, min.y}, {x, max.y}, theme.background, theme.px(4));
    list.AddLine({x, min.y}, {x, max.y}, theme.accent, theme.px(2));
    list.AddTriangleFilled({x - side, min.y}, {x + side, min.y}, {x, min.y + side}, theme.accent);
  }
  if (hovered && !ImGui::IsItemActive()) {
    Tooltip tooltip(theme, *input.fonts, tr("All recorded warps"));
    const double at = std::clamp((ImGui::GetIO().MousePos.x - min.x) / column, 0.0F,
                                 static_cast<float>(density.size() - 1));
    const TraceLayout::Density& here = density[static_cast<size_t>(at)];
    tooltip.row(tr("executing"), trf("{} of the most lanes resident", formatPercent(here.executing, 2)));
    tooltip.row(tr("resident"), formatPercent(here.resident, 2));
    tooltip.note(scrubs ? tr("Click or drag to move the play head there.")
                        : tr("Click or drag to move there."));
  }
}

}  // namespace warpscope
