#include "viz/compare/lane_strips.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/core/units.h"
#include "kernels/metrics/metrics.h"
#include "viz/compare/stacked_timelines.h"
#include "viz/layout/warp_life.h"
#include "viz/text/translate.h"
#include "viz/views/lane_painter.h"
#include "viz/views/time_mouse.h"
#include "viz/views/view_tooltips.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/text_block.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

constexpr double kStripFoldPixels = 2;
constexpr float kStripHead = 20, kStripGap = 4;  // pixels at 100 %

// The selected warp; otherwise the first that all runs have; otherwise the first of the baseline.
std::optional<WarpKey> shownWarp(const CompareInput& input, const ViewState& state) {
  if (state.selected_warp) return state.selected_warp;
  if (input.first_warp) return input.first_warp;
  const Trace& trace = input.run(input.comparison->baseline).trace;
  if (trace.warps.empty()) return std::nullopt;
  return WarpKey{trace.warps.front().block, trace.warps.front().warp_in_block};
}

// From the first begin to the last end of that warp in any run; nullopt if no run has it on the axis.
std::optional<TimeExtent> lifeOf(const CompareInput& input, const WarpKey& key) {
  std::optional<TimeExtent> life;
  for (size_t run = 0; run < input.comparison->runs.size(); ++run) {
    const auto& units = input.axis->runs[run].units_per_cycle;
    if (!units || input.layouts[run] == nullptr) continue;
    const auto index = input.layouts[run]->findWarp(key.block, key.warp_in_block);
    if (!index) continue;
    const TraceWarp& warp = input.run(run).trace.warps[*index];
    const double begin = static_cast<double>(lifeBegin(warp)) * *units;
    const double end = static_cast<double>(lifeEnd(warp)) * *units;
    if (!life) life.emplace(begin, end);
    life->begin = std::min(life->begin, begin);
    life->end = std::max(life->end, end);
  }
  if (life && life->length() < kSmallestVisibleCycles) life->end = life->begin + kSmallestVisibleCycles;
  return life;
}

std::string lostText(const LaneCycles& cycles) {
  const int64_t existing = cycles.executing + cycles.lost();
  if (existing <= 0) return {};
  return trf("{} lost", formatPercent(static_cast<double>(cycles.lost()) / static_cast<double>(existing)));
}

}  // namespace

void LaneStrips::drawLink(const CompareInput& input, bool& linked) const {
  const Theme& theme = *input.theme;
  const bool was = linked;
  if (was) ImGui::PushStyleColor(ImGuiCol_Button, mixColours(theme.panel, theme.accent, 0.45F));
  const float room = ImGui::GetContentRegionAvail().x - 2 * ImGui::GetStyle().FramePadding.x;
  const std::string label = fittedText(input.fonts->text, tr("same axis as above"), room) + "##link";
  if (ImGui::Button(label.c_str())) linked = !linked;
  if (was) ImGui::PopStyleColor();
  input.report->widget("compare.lanes.link", ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  if (!ImGui::IsItemHovered()) return;
  Tooltip tooltip(theme, *input.fonts, tr("The axis of these lanes"));
  tooltip.note(
      was ? tr("It is that of the timelines: zooming one zooms the other. A click fits it to the warp again.")
          : tr("It fits the selected warp, in whichever run that lived longest. A click links it to the "
               "axis of the timelines."));
}

void LaneStrips::draw(const CompareInput& input, ViewState& state, bool& linked, const TimeExtent& launch,
                      const std::string& marked) {
  const Theme& theme = *input.theme;
  const auto warp = shownWarp(input, state);
  if (!warp) {
    drawMessage(theme, *input.fonts, tr("This run recorded no warps, so there are no lanes to show."));
    return;
  }
  drawLink(input, linked);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const auto life = lifeOf(input, *warp);
  const bool own = !linked && life;
  if (warp_ != warp) own_.fitted = true;
  warp_ = warp;
  if (own) followFit(own_, *life);
  ViewState& axis = own ? own_ : state;
  const TimeExtent extent = own ? *life : launch;
  const float axis_height = timeAxisHeight(theme, 0);
  const float labels = textSize(input.fonts->text, tr("cycles")).x + theme.px(12);
  const TimeScale shared{axis.begin_cycles, axis.end_cycles, at.x + labels, at.x + room.x};
  drawTimeAxis(theme, *input.fonts, shared, {.in_ns = input.axis->unit == AxisUnit::kNs}, at.y,
               at.y + room.y);
  const size_t runs = input.comparison->runs.size();
  lanes_.resize(runs);
  const float height = (room.y - axis_height) / static_cast<float>(runs);
  for (size_t run = 0; run < runs; ++run) {
    const float top = at.y + axis_height + height * static_cast<float>(run);
    drawStrip(input, *warp, axis, extent, marked, run, {at.x, top}, {shared.right, top + height});
  }
}

void LaneStrips::drawStrip(const CompareInput& input, const WarpKey& key, ViewState& axis,
                           const TimeExtent& extent, const std::string& marked, size_t run, ImVec2 min,
                           ImVec2 max) {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float labels = textSize(input.fonts->text, tr("cycles")).x + theme.px(12);
  const auto& units = input.axis->runs[run].units_per_cycle;
  const TraceLayout* layout = input.layouts[run].get();
  std::optional<uint32_t> index;
  if (layout != nullptr && units) index = layout->findWarp(key.block, key.warp_in_block);
  const float named = drawRunName(input, run, {min.x, min.y + theme.px(2)}, (max.x - min.x) * 0.6F);
  const ImVec2 beside{min.x + named + theme.px(12), min.y + theme.px(2)};
  const ImVec2 plot_min{min.x + labels, min.y + theme.px(kStripHead)},
      plot_max{max.x, max.y - theme.px(kStripGap)};
  if (!index) {
    drawMessage(theme, *input.fonts, plot_min, plot_max,
                trf("This run has no block {}, warp {}, or did not record it.", formatCount(key.block.value),
                    key.warp_in_block));
    return;
  }
  const TraceWarp& warp = input.run(run).trace.warps[*index];
  LanesLayout& lanes_of_warp = lanes_[run];
  lanes_of_warp.show(input.comparison->runs[run], *layout, *index);
  const std::string text = warpTitle(input.run(run), warp) + "   " + lostText(lanes_of_warp.cycles());
  drawTextFitted(list, input.fonts->text, beside, max.x - beside.x, theme.text_quiet, text.c_str());
  RowGeometry lanes{.top = plot_min.y, .bottom = plot_max.y, .rows = kWarpSize};
  if (lanes.bottom - lanes.top < kWarpSize / 2.0F || plot_max.x - plot_min.x < theme.px(40)) return;
  lanes.row_height = (lanes.bottom - lanes.top) / float{kWarpSize};
  const TimeScale scale{axis.begin_cycles / *units, axis.end_cycles / *units, plot_min.x, plot_max.x};
  const RegionColours colours(theme, input.run(run).regions, regionNamed(input.run(run), marked),
                              input.refreshing, input.region_colours[run]);
  drawText(list, input.fonts->mono, {min.x + theme.px(2), lanes.top}, theme.text_quiet, "0");
  drawText(list, input.fonts->mono, {min.x + theme.px(2), lanes.bottom - textSize(input.fonts->mono, "31").y},
           theme.text_quiet, "31");
  list.PushClipRect(plot_min, plot_max, true);
  items_.clear();
  lanes_of_warp.collect(*layout, scale.begin_cycles, scale.end_cycles,
                        kStripFoldPixels * scale.cyclesPerPixel(), items_);
  LanePainter painter(theme, colours, scale, lanes);
  for (const LaneItem& item : items_) painter.draw(item);
  painter.drawLines(warp);
  list.PopClipRect();
  const TimeScale shared{axis.begin_cycles, axis.end_cycles, plot_min.x, plot_max.x};
  const std::string name = fmt::format("compare.lanes.{}", run);
  input.report->widget(name + ".life", {scale.x(static_cast<double>(warp.begin_cycles)), plot_min.y},
                       {scale.x(static_cast<double>(warp.end_cycles)), plot_max.y});
  const PlotMouse mouse =
      handlePlotMouse(*input.report, axis, extent, shared, name.c_str(), plot_min, plot_max);
  if (mouse.double_clicked) fit(axis);
  if (!mouse.hovered || ImGui::IsMouseDown(0)) return;
  const auto picked = layout->pick(*index, scale.cycles(ImGui::GetIO().MousePos.x));
  if (picked) spanTooltip(input.view(run), warp, picked, "");
}

}  // namespace warpscope
