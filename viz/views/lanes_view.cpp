// The lanes of one warp over time: 32 rows, each executing (in its region's colour), waiting while another
// path runs, exited, or never existing. Shares the timeline's visible range.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/core/units.h"
#include "viz/layout/lanes_layout.h"
#include "viz/layout/navigation.h"
#include "viz/layout/row_geometry.h"
#include "viz/text/translate.h"
#include "viz/views/annotation_marks.h"
#include "viz/views/instruction_painter.h"
#include "viz/views/lane_painter.h"
#include "viz/views/time_mouse.h"
#include "viz/views/timeline_rows.h"
#include "viz/views/view.h"
#include "viz/views/view_tooltips.h"
#include "viz/views/wait_look.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/text_block.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

constexpr double kFoldPixels = 3;
constexpr float kLeastUnderLaneLegend = 125;  // pixels at 100 %
constexpr double kWarpZoomMargin = 0.05;  // as a share of the warp's life, on both sides, when zooming to it

class LanesView : public View {
 public:
  const char* name() const override { return "lanes"; }
  const char* title() const override { return trMark("LANES"); }
  const char* help() const override {
    return trMark(
        "The selected warp as its 32 lanes over time: executing, waiting for another path, exited.");
  }
  void draw(const ViewInput& input, ViewState& state) override;

 private:
  void drawHeader(const ViewInput& input, const ViewState& state, const TraceWarp& warp, bool chosen) const;
  void drawLaneLabels(const ViewInput& input, const RowGeometry& lanes, float left, float right) const;
  void drawLanes(const ViewInput& input, const ViewState& state, const TraceWarp& warp, uint32_t index,
                 const TimeScale& scale, const RowGeometry& lanes);
  void drawWayBack(const ViewInput& input, ViewState& state, const TraceWarp& warp, ImVec2 min,
                   ImVec2 max) const;
  void handleMouse(const ViewInput& input, ViewState& state, const TraceWarp& warp, uint32_t index,
                   const TimeScale& scale, const RowGeometry& lanes);

  bool handleInstruction(const ViewInput& input, ViewState& state, const PlotMouse& mouse, uint32_t index,
                         uint32_t lane, double cycle);
  void forgetHover(ViewState& state);

  LanesLayout lanes_;            // of the shown warp
  std::vector<LaneItem> items_;  // reused from frame to frame
  bool hovers_ = false;          // this view has set state.hovered_*
};

// The selected warp, or the first one, so that there is always something to see.
uint32_t shownWarp(const ViewInput& input, const ViewState& state, bool& chosen) {
  if (state.selected_warp) {
    const auto found = input.layout->findWarp(state.selected_warp->block, state.selected_warp->warp_in_block);
    chosen = found.has_value();
    if (found) return *found;
  }
  return input.layout->firstWarp();
}

void LanesView::draw(const ViewInput& input, ViewState& state) {
  const Theme& theme = *input.theme;
  const ImVec2 min = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  input.report->widget("lanes", min, {min.x + size.x, min.y + size.y});
  if (!input.run || input.layout == nullptr) {
    drawMessage(theme, *input.fonts, input.empty_message);
    return;
  }
  if (input.layout->warpCount() == 0) {
    drawMessage(theme, *input.fonts, tr("This run recorded no warps, so there are no lanes to show."));
    return;
  }
  followFit(state, *input.layout);
  bool chosen = false;
  const uint32_t index = shownWarp(input, state, chosen);
  const TraceWarp& warp = input.run->trace.warps[index];
  lanes_.show(input.run, *input.layout, index);
  drawHeader(input, state, warp, chosen);

  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const double rate = input.run->trace.clocks.cycles_per_ns;
  const float labels = textSize(input.fonts->mono, trf("lane {}", 31).c_str()).x + theme.px(14);
  const TimeScale scale{state.begin_cycles, state.end_cycles, at.x + labels, at.x + room.x};
  RowGeometry lanes;
  lanes.top = at.y + timeAxisHeight(theme, rate);
  lanes.bottom = at.y + room.y;
  lanes.rows = kWarpSize;
  if (lanes.bottom - lanes.top < kWarpSize || scale.right - scale.left < theme.px(40)) return;
  lanes.row_height = (lanes.bottom - lanes.top) / float{kWarpSize};

  drawTimeAxis(theme, *input.fonts, scale, timeAxisOf(*input.run), at.y, lanes.bottom);
  drawLaneLabels(input, lanes, at.x, scale.left - theme.px(8));
  drawLanes(input, state, warp, index, scale, lanes);
  drawMarkerLines(input, state.annotations, scale, at.y, lanes.bottom, "lanes");
  drawPlayHead(input, state.play_head, scale, at.y, lanes.bottom, "lanes");
  const bool in_sight = static_cast<double>(warp.end_cycles) >= state.begin_cycles &&
                        static_cast<double>(warp.begin_cycles) <= state.end_cycles;
  if (in_sight) {
    handleMouse(input, state, warp, index, scale, lanes);
  } else {
    forgetHover(state);
    drawWayBack(input, state, warp, {scale.left, lanes.top}, {scale.right, lanes.bottom});
  }
}

void LanesView::drawHeader(const ViewInput& input, const ViewState& state, const TraceWarp& warp,
                           bool chosen) const {
  const Theme& theme = *input.theme;
  const Fonts& fonts = *input.fonts;
  const float gap = theme.px(16);
  const float left = ImGui::GetCursorScreenPos().x;
  const float right = left + ImGui::GetContentRegionAvail().x;
  const auto room_for = [&](float width) { return ImGui::GetItemRectMax().x + gap + width <= right; };
  ImGui::TextUnformatted(warpTitle(*input.run, warp).c_str());
  input.report->widget("lanes.warp", ImGui::GetItemRectMin(), ImGui::GetItemRectMax());

  const LaneCycles& cycles = lanes_.cycles();
  const int64_t existing = cycles.executing + cycles.lost();
  const double lost = existing > 0 ? static_cast<double>(cycles.lost()) / static_cast<double>(existing) : 0;
  std::string sum = trf("{} lane-cycles lost ({})", formatCount(cycles.lost()), formatPercent(lost));
  if (!room_for(textSize(fonts.text, sum.c_str()).x)) sum = trf("{} lost", formatPercent(lost));
  sum = fittedText(fonts.text, sum, right - ImGui::GetItemRectMax().x - gap);
  ImGui::SameLine(0, gap);
  ImGui::TextUnformatted(sum.c_str());
  input.report->widget("lanes.lost", ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  if (ImGui::IsItemHovered()) {
    Tooltip tooltip(theme, fonts, tr("Lane-cycles of this warp"));
    tooltip.row(tr("executing"), formatCount(cycles.executing));
    tooltip.row(tr("waiting"), formatCount(cycles.waiting));
    tooltip.row(tr("exited"), formatCount(cycles.exited));
    tooltip.row(tr("never existed"), formatCount(cycles.never_existed));
    tooltip.note(tr(
        "Lanes times cycles, from the recorded spans. Lost: waiting while another path ran, or exited before "
        "the warp's end."));
  }
  static constexpr const char* kHint = trMark("(click a row above for another)");
  const bool some_missing = warp.live.count() < kWarpSize;
  const bool of_instructions = showsInstructions(input, state);
  const auto waits = input.layout->instructions().waits();
  const float legend =
      of_instructions ? waitLegendWidth(theme, fonts, waits) : laneLegendWidth(theme, fonts, some_missing);
  const float hint = textSize(fonts.text, tr(kHint)).x + gap;
  if (!chosen && (room_for(hint + legend) || (!room_for(legend) && room_for(hint)))) {
    ImGui::SameLine(0, gap);
    ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(theme.text_quiet), "%s", tr(kHint));
  }
  // Beside it, or on lines of its own.
  // In very little height the lanes have priority.
  if (room_for(legend)) {
    ImGui::SameLine(0, gap);
  } else if (ImGui::GetContentRegionAvail().y < theme.px(kLeastUnderLaneLegend)) {
    return;
  }
  const float room = right - ImGui::GetCursorScreenPos().x;
  of_instructions ? drawWaitLegend(theme, fonts, waits, room)
                  : drawLaneLegend(theme, fonts, room, some_missing);
  input.report->widget("lanes.legend", ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
}

void LanesView::drawLaneLabels(const ViewInput& input, const RowGeometry& lanes, float left,
                               float right) const {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float text_height = textSize(input.fonts->mono, "0").y;
  int step = 1;
  while (step < kWarpSize && lanes.row_height * static_cast<float>(step) < text_height) step *= 2;
  for (int lane = 0; lane < kWarpSize; lane += step) {
    const std::string text = lane == 0 ? trf("lane {}", 0) : fmt::format("{}", lane);
    const ImVec2 size = textSize(input.fonts->mono, text.c_str());
    // Centred on its lane, or starting at its lane if lanes are lower than text.
    const float y = lanes.rowTop(lane) + std::max(0.0F, (lanes.row_height - text_height) / 2);
    drawText(list, input.fonts->mono, {std::max(left, right - size.x), y}, theme.text_quiet, text.c_str());
  }
}

void LanesView::drawLanes(const ViewInput& input, const ViewState& state, const TraceWarp& warp,
                          uint32_t index, const TimeScale& scale, const RowGeometry& lanes) {
  const std::optional<RegionId> marked =
      !state.hovered_warp && state.hovered_region ? state.hovered_region : state.selected_region;
  const RegionColours colours(*input.theme, input.run->regions, marked, input.refreshing);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.PushClipRect({scale.left, lanes.top}, {scale.right, lanes.bottom}, true);
  const double fold_cycles = kFoldPixels * scale.cyclesPerPixel();
  if (showsInstructions(input, state)) {
    InstructionPainter(input, state, scale, colours, fold_cycles).drawLanes(warp, index, lanes);
    list.PopClipRect();
    return;
  }
  items_.clear();
  lanes_.collect(*input.layout, scale.begin_cycles, scale.end_cycles, fold_cycles, items_);
  LanePainter painter(*input.theme, colours, scale, lanes);
  for (const LaneItem& item : items_) painter.draw(item);
  painter.drawLines(warp);
  list.PopClipRect();
}

void LanesView::drawWayBack(const ViewInput& input, ViewState& state, const TraceWarp& warp, ImVec2 min,
                            ImVec2 max) const {
  const float middle = (min.y + max.y) / 2;
  drawMessage(*input.theme, *input.fonts, min, {max.x, middle},
              trf("This warp lives from cycle {} to {}, outside the visible range.",
                  formatCount(warp.begin_cycles), formatCount(warp.end_cycles)));
  const char* label = tr("Show it");
  const float width = ImGui::CalcTextSize(label).x + 2 * ImGui::GetStyle().FramePadding.x;
  ImGui::SetCursorScreenPos({(min.x + max.x - width) / 2, middle});
  if (ImGui::Button(label)) {
    const auto begin = static_cast<double>(warp.begin_cycles), end = static_cast<double>(warp.end_cycles);
    rememberZoom(state);
    zoomTo(state, begin - (end - begin) * kWarpZoomMargin, end + (end - begin) * kWarpZoomMargin);
  }
  input.report->widget("lanes.show", ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
}

const char* stateWords(LaneState state) {
  switch (state) {
    case LaneState::kExecuting:
      return tr("executing");
    case LaneState::kWaiting:
      return tr("waiting while another path runs");
    case LaneState::kExited:
      return tr("exited: it left the kernel before");
    case LaneState::kNeverExisted:
      return tr("never existed: the block ends before it");
    case LaneState::kUnmarked:
      return tr("no region marked here");
  }
  return "";
}

void LanesView::forgetHover(ViewState& state) {
  if (!hovers_) return;
  state.hovered_region.reset();
  state.hovered_warp.reset();
  state.hovered_listed.reset();
  hovers_ = false;
}

// Handles the instruction under the mouse, if instructions are shown. Returns false if there is none.
bool LanesView::handleInstruction(const ViewInput& input, ViewState& state, const PlotMouse& mouse,
                                  uint32_t index, uint32_t lane, double cycle) {
  const auto picked = input.layout->instructions().pick(index, cycle);
  if (!picked) return false;
  const InstructionSlot& slot = input.layout->instructions().slots()[*picked];
  const TraceWarp& warp = input.run->trace.warps[index];
  hovers_ = true;
  state.hovered_warp = WarpKey{warp.block, warp.warp_in_block};
  hoverInstruction(input, state, *picked);
  if (mouse.clicked) {
    state.selected_warp = state.hovered_warp;
    state.selected_instruction = instructionKey(input, index, *picked);
  }
  if (mouse.double_clicked) {
    const ViewState::Zoom zoom = zoomOfSlot(slot);
    rememberZoom(state);
    zoomTo(state, zoom.begin_cycles, zoom.end_cycles);
  }
  if (ImGui::IsMouseDown(0)) return true;
  const auto lane_index = static_cast<int>(lane);
  instructionTooltip(
      input, warp, slot,
      trf("Lane {}: {}.", lane,
          slot.mask.has(lane_index)   ? tr("active")
          : warp.live.has(lane_index) ? tr("not active: predicated off, on another path, or exited")
                                      : tr("never existed: the block ends before it")));
  return true;
}

void LanesView::handleMouse(const ViewInput& input, ViewState& state, const TraceWarp& warp, uint32_t index,
                            const TimeScale& scale, const RowGeometry& lanes) {
  const PlotMouse mouse = handlePlotMouse(*input.report, state, *input.layout, scale, "lanes.plot",
                                          {scale.left, lanes.top}, {scale.right, lanes.bottom});
  if (mouse.hovered) state.hovered_cycle = scale.cycles(ImGui::GetIO().MousePos.x);
  const auto lane = mouse.hovered ? lanes.rowAt(ImGui::GetIO().MousePos.y) : std::nullopt;
  if (lane && showsInstructions(input, state) &&
      handleInstruction(input, state, mouse, index, *lane, scale.cycles(ImGui::GetIO().MousePos.x))) {
    return;
  }
  const auto picked =
      lane ? input.layout->pick(index, scale.cycles(ImGui::GetIO().MousePos.x)) : std::nullopt;
  if (!picked) {
    forgetHover(state);
    if (mouse.double_clicked) fit(state);
    return;
  }
  hovers_ = true;
  state.hovered_listed.reset();
  const LayoutSpan& span = *picked;
  state.hovered_warp = WarpKey{warp.block, warp.warp_in_block};
  state.hovered_region.reset();
  if (span.region < input.run->regions.size()) state.hovered_region = input.run->regions[span.region].id;
  if (mouse.double_clicked) {
    const auto begin = static_cast<double>(span.begin), end = static_cast<double>(span.end);
    rememberZoom(state);
    zoomTo(state, begin - (end - begin) * 3 * kWarpZoomMargin, end + (end - begin) * 3 * kWarpZoomMargin);
  }
  if (ImGui::IsMouseDown(0)) return;
  spanTooltip(input, warp, picked,
              trf("Lane {}: {}.", *lane, stateWords(laneState(warp, span, static_cast<int>(*lane)))));
}

}  // namespace

std::unique_ptr<View> makeLanesView() {
  return std::make_unique<LanesView>();
}

}  // namespace warpscope
