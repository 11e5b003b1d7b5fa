// The timeline: every recorded warp a row, its spans coloured by region and filled by the share of its lanes
// that executed, over the launch axis.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/core/units.h"
#include "viz/layout/navigation.h"
#include "viz/layout/row_geometry.h"
#include "viz/layout/trace_layout.h"
#include "viz/text/units.h"
#include "viz/views/instruction_painter.h"
#include "viz/views/instruction_tooltip.h"
#include "viz/views/minimap.h"
#include "viz/views/span_tooltip.h"
#include "viz/views/time_mouse.h"
#include "viz/views/timeline_header.h"
#include "viz/views/timeline_labels.h"
#include "viz/views/timeline_rows.h"
#include "viz/views/view.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/message.h"
#include "viz/widgets/scrollbar.h"

namespace warpscope {
namespace {

constexpr float kMinimapHeight = 22, kScrollbarWidth = 12;  // at 100 %
constexpr float kLeastWithMinimap = 110;
constexpr float kLowestFittedRow = 5, kHighestFittedRow = 96;  // of rows whose height fits itself
constexpr double kItemBudget = 30000;                          // rectangles a frame, about
constexpr double kLeastFoldPixels = 1.5, kMostFoldPixels = 8;  // so that the budget holds
constexpr double kRowsPerNotch = 3;
constexpr double kZoomMargin = 0.15;  // of a span, on both sides, when zooming to it

TraceLayout::Grouping groupingOf(const ViewState& state) {
  return state.grouping == ViewState::Grouping::kBySm ? TraceLayout::Grouping::kBySm
                                                      : TraceLayout::Grouping::kByBlock;
}

// Where everything lies in this frame.
struct Frame {
  TraceLayout::Grouping grouping = TraceLayout::Grouping::kBySm;
  TimeScale scale;
  RowGeometry rows;
  float left = 0, right = 0;                                // of the whole view
  float minimap_top = 0, minimap_height = 0, axis_top = 0;  // height 0: there is no room for it
};

class TimelineView : public View {
 public:
  const char* name() const override { return "timeline"; }
  const char* title() const override { return trMark("TIMELINE"); }
  void draw(const ViewInput& input, ViewState& state) override;

 private:
  struct Hovered {
    uint32_t row = 0, warp = 0;
    const LayoutSpan* span = nullptr;
    std::optional<uint32_t> slot;  // the instruction, where these are shown
  };

  Frame arrange(const ViewInput& input, const ViewState& state) const;
  void reveal(const ViewInput& input, ViewState& state, Frame& frame);
  void drawPlot(const ViewInput& input, ViewState& state, const Frame& frame) const;
  void drawNothingHere(const ViewInput& input, ViewState& state, const Frame& frame) const;
  bool drawRows(const ViewInput& input, const ViewState& state, const Frame& frame) const;
  void drawSelection(const ViewInput& input, const ViewState& state, const Frame& frame) const;
  void handleMouse(const ViewInput& input, ViewState& state, const Frame& frame);
  void handleWheel(ViewState& state, const Frame& frame, bool over_plot, bool over_labels, float scale) const;
  void handleHover(const ViewInput& input, ViewState& state, const std::optional<Hovered>& hovered);
  void handleClicks(const ViewInput& input, ViewState& state, const PlotMouse& plot, bool label_clicked,
                    const std::optional<Hovered>& hovered) const;
  static std::optional<Hovered> pick(const ViewInput& input, const ViewState& state, const Frame& frame,
                                     ImVec2 mouse);
  static std::optional<uint32_t> rowOf(const ViewInput& input, const Frame& frame,
                                       const std::optional<WarpKey>& key);

  float row_height_ = 20;            // of the last frame, at 100 %
  std::optional<WarpKey> revealed_;  // the selection of the last frame
  bool hovers_ = false;              // state.hovered_* are of this view
  std::optional<RegionId> legend_region_;
};

void TimelineView::draw(const ViewInput& input, ViewState& state) {
  const ImVec2 min = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  input.report->widget("timeline", min, {min.x + size.x, min.y + size.y});
  if (!input.run || input.layout == nullptr) {
    drawMessage(*input.theme, *input.fonts, input.empty_message);
    return;
  }
  if (input.layout->rowCount() == 0) {
    drawMessage(*input.theme, *input.fonts,
                tr("This run recorded no warps. Run it again; on the command line, --sample all records "
                   "every block."));
    return;
  }
  legend_region_ = drawTimelineHeader(input, state, row_height_);
  followFit(state, *input.layout);
  Frame frame = arrange(input, state);
  reveal(input, state, frame);
  row_height_ = frame.rows.row_height / input.theme->scale;
  if (frame.rows.bottom - frame.rows.top < 1) return;

  drawPlot(input, state, frame);
  if (frame.minimap_height > 0) {
    drawMinimap(input, state, {frame.scale.left, frame.minimap_top},
                {frame.scale.right, frame.minimap_top + frame.minimap_height}, "timeline.minimap");
  }
  handleMouse(input, state, frame);
}

Frame TimelineView::arrange(const ViewInput& input, const ViewState& state) const {
  const Theme& theme = *input.theme;
  const TraceLayout& layout = *input.layout;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  Frame frame;
  frame.grouping = groupingOf(state);
  frame.left = at.x;
  frame.right = at.x + room.x;
  frame.minimap_top = at.y;
  frame.minimap_height = room.y < theme.px(kLeastWithMinimap) ? 0 : theme.px(kMinimapHeight);
  frame.axis_top = at.y + (frame.minimap_height > 0 ? frame.minimap_height + theme.px(4) : 0);
  const float labels = labelColumnWidth(theme, *input.fonts, *input.run, layout, frame.grouping);
  frame.scale = {state.begin_cycles, state.end_cycles, frame.left + labels,
                 frame.right - theme.px(kScrollbarWidth + 2)};
  RowGeometry& rows = frame.rows;
  rows.top = frame.axis_top + timeAxisHeight(theme, input.run->trace.clocks.cycles_per_ns);
  rows.bottom = std::max(rows.top, at.y + room.y);
  rows.rows = layout.rowCount();
  rows.row_height = state.row_height > 0
                        ? theme.px(std::clamp(state.row_height, kLowestRow, kHighestRow))
                        : RowGeometry::heightToFit(rows.bottom - rows.top, rows.rows,
                                                   theme.px(kLowestFittedRow), theme.px(kHighestFittedRow));
  // The state keeps its scroll: a run with fewer rows is shown from its end, a later one with more as before.
  rows.first_row = std::clamp(state.first_row, 0.0, rows.lastFirstRow());
  return frame;
}

// A warp selected elsewhere, or by keyboard, is scrolled into sight; a relaunch scrolls nothing.
void TimelineView::reveal(const ViewInput& input, ViewState& state, Frame& frame) {
  const bool changed = state.selected_warp != revealed_;
  revealed_ = state.selected_warp;
  const auto row = changed ? rowOf(input, frame, state.selected_warp) : std::nullopt;
  RowGeometry& rows = frame.rows;
  if (!row || (*row >= rows.first_row && *row + 1 <= rows.first_row + rows.visibleRows())) return;
  const double nearest = *row < rows.first_row ? *row : *row + 1 - rows.visibleRows();
  rows.first_row = state.first_row = std::clamp(nearest, 0.0, rows.lastFirstRow());
}

void TimelineView::drawPlot(const ViewInput& input, ViewState& state, const Frame& frame) const {
  const Theme& theme = *input.theme;
  const TimeScale& scale = frame.scale;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  drawTimeAxis(theme, *input.fonts, scale, timeAxisOf(*input.run), frame.axis_top, frame.rows.bottom);
  list.PushClipRect({frame.left, frame.rows.top}, {scale.right, frame.rows.bottom}, true);
  drawRowLabels(input, frame.grouping, frame.rows, frame.left, scale.left - theme.px(6), scale.right,
                rowOf(input, frame, state.selected_warp));
  list.PopClipRect();
  list.PushClipRect({scale.left, frame.rows.top}, {scale.right, frame.rows.bottom}, true);
  const bool anything = drawRows(input, state, frame);
  drawSelection(input, state, frame);
  list.PopClipRect();
  if (!anything) drawNothingHere(input, state, frame);
}

// Never an empty plot: says why there is nothing to see here, and leads to where there is.
void TimelineView::drawNothingHere(const ViewInput& input, ViewState& state, const Frame& frame) const {
  const TraceLayout& layout = *input.layout;
  const ImVec2 min{frame.scale.left, frame.rows.top}, max{frame.scale.right, frame.rows.bottom};
  const ImVec2 middle{max.x, (min.y + max.y) / 2};
  std::optional<uint32_t> next;
  for (uint32_t row = 0; row < layout.rowCount() && !next; ++row) {
    const TraceWarp& warp = input.run->trace.warps[layout.warpOfRow(frame.grouping, row)];
    if (static_cast<double>(warp.end_cycles) >= state.begin_cycles &&
        static_cast<double>(warp.begin_cycles) <= state.end_cycles) {
      next = row;
    }
  }
  const char* label = next ? tr("Scroll to the first that does") : tr("Show all recorded warps");
  drawMessage(
      *input.theme, *input.fonts, min, middle,
      next ? std::string(tr("None of these warps lives in the part of the launch that is shown."))
           : trf("No recorded warp lives in the part of the launch that is shown. The last ends at {}.",
                 trCycles(layout.end())));
  const float width = ImGui::CalcTextSize(label).x + 2 * ImGui::GetStyle().FramePadding.x;
  ImGui::SetCursorScreenPos({(min.x + max.x - width) / 2, middle.y});
  if (ImGui::Button(label)) {
    if (next) {
      state.first_row = std::min<double>(*next, frame.rows.lastFirstRow());
    } else {
      fit(state);
    }
  }
  input.report->widget("timeline.show", ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
}

bool TimelineView::drawRows(const ViewInput& input, const ViewState& state, const Frame& frame) const {
  const RowGeometry& rows = frame.rows;
  const TimeScale& scale = frame.scale;
  // What is hovered in a picture of warps would dim the rest at every move; code, tables and the legend mark.
  const std::optional<RegionId> elsewhere = state.hovered_warp ? std::nullopt : state.hovered_region;
  const std::optional<RegionId> marked = legend_region_ ? legend_region_
                                         : elsewhere    ? elsewhere
                                                        : state.selected_region;
  const RegionColours colours(*input.theme, input.run->regions, marked, input.refreshing);
  const double columns =
      std::min<double>(rows.visibleRows(), rows.rows) * static_cast<double>(scale.right - scale.left);
  const double fold_pixels = std::clamp(columns / kItemBudget, kLeastFoldPixels, kMostFoldPixels);
  const double fold_cycles = fold_pixels * scale.cyclesPerPixel();
  RowPainter regions(*input.theme, *input.layout, scale, colours, fold_cycles);
  InstructionPainter instructions(input, state, scale, colours, fold_cycles);
  const bool of_instructions = showsInstructions(input, state);
  const float gap = rows.row_height >= input.theme->px(16)  ? 2.0F
                    : rows.row_height >= input.theme->px(5) ? 1.0F
                                                            : 0.0F;
  bool anything = false;
  for (uint32_t row = rows.firstVisible(); row < rows.endVisible(); ++row) {
    const uint32_t warp = input.layout->warpOfRow(frame.grouping, row);
    const float top = std::round(rows.rowTop(row));
    const float bottom = std::max(top + 1, std::round(rows.rowTop(row + 1.0)) - gap);
    const TraceWarp& trace_warp = input.run->trace.warps[warp];
    const bool drawn = of_instructions ? instructions.drawRow(trace_warp, warp, top, bottom)
                                       : regions.draw(trace_warp, warp, top, bottom);
    anything = anything || drawn;
    input.report->widget(fmt::format("timeline.row.{}", row), {scale.left, std::max(top, rows.top)},
                         {scale.right, std::min(bottom, rows.bottom)});
  }
  return anything;
}

void TimelineView::drawSelection(const ViewInput& input, const ViewState& state, const Frame& frame) const {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const auto outline = [&](const std::optional<WarpKey>& key, ImU32 colour, float thickness) {
    const auto row = rowOf(input, frame, key);
    if (!row) return;
    const float top = std::round(frame.rows.rowTop(*row));
    const float bottom = std::round(frame.rows.rowTop(*row + 1.0));
    list.AddRect({frame.scale.left - 2, top - 1}, {frame.scale.right + 2, bottom}, colour, 0, 0, thickness);
  };
  if (state.hovered_warp != state.selected_warp) outline(state.hovered_warp, withAlpha(theme.text, 0.45F), 1);
  outline(state.selected_warp, theme.accent, std::max(1.5F, theme.px(1.5F)));
}

void TimelineView::handleMouse(const ViewInput& input, ViewState& state, const Frame& frame) {
  const Theme& theme = *input.theme;
  const RowGeometry& rows = frame.rows;
  const ImVec2 mouse = ImGui::GetIO().MousePos;

  if (const auto position =
          verticalScrollbar(theme, "timeline.scrollbar", {frame.scale.right + theme.px(2), rows.top},
                            {frame.right, rows.bottom}, rows.first_row, rows.visibleRows(), rows.rows)) {
    state.first_row = *position;
  }

  ImGui::SetCursorScreenPos({frame.left, rows.top});
  const ImVec2 label_size{std::max(1.0F, frame.scale.left - frame.left), rows.bottom - rows.top};
  const bool label_clicked = ImGui::InvisibleButton("timeline.labels", label_size);
  const bool over_labels = ImGui::IsItemHovered();
  input.report->widget("timeline.labels", {frame.left, rows.top}, {frame.scale.left, rows.bottom});

  const PlotMouse plot = handlePlotMouse(input, state, frame.scale, "timeline.plot",
                                         {frame.scale.left, rows.top}, {frame.scale.right, rows.bottom});
  if (plot.dragged_y != 0) {
    state.first_row = std::clamp(rows.first_row - static_cast<double>(plot.dragged_y / rows.row_height), 0.0,
                                 rows.lastFirstRow());
  }
  handleWheel(state, frame, plot.hovered, over_labels, theme.scale);

  const auto hovered = plot.hovered || over_labels ? pick(input, state, frame, mouse) : std::nullopt;
  handleHover(input, state, hovered);
  handleClicks(input, state, plot, label_clicked, hovered);
}

void TimelineView::handleClicks(const ViewInput& input, ViewState& state, const PlotMouse& plot,
                                bool label_clicked, const std::optional<Hovered>& hovered) const {
  if ((plot.clicked || label_clicked) && hovered) {
    const TraceWarp& warp = input.run->trace.warps[hovered->warp];
    state.selected_warp = WarpKey{warp.block, warp.warp_in_block};
    if (hovered->slot) state.selected_instruction = instructionKey(input, hovered->warp, *hovered->slot);
  }
  if (!plot.double_clicked) return;
  if (hovered && hovered->slot) {
    const ViewState::Zoom zoom = zoomOfSlot(input.layout->instructions().slots()[*hovered->slot]);
    rememberZoom(state);
    zoomTo(state, zoom.begin_cycles, zoom.end_cycles);
  } else if (hovered && hovered->span != nullptr) {
    const auto begin = static_cast<double>(hovered->span->begin),
               end = static_cast<double>(hovered->span->end);
    rememberZoom(state);
    zoomTo(state, begin - (end - begin) * kZoomMargin, end + (end - begin) * kZoomMargin);
  } else {
    fit(state);
  }
}

void TimelineView::handleWheel(ViewState& state, const Frame& frame, bool over_plot, bool over_labels,
                               float scale) const {
  const float notches = wheelNotches();
  if (notches == 0 || !(over_plot || over_labels)) return;
  const RowGeometry& rows = frame.rows;
  const ImGuiIO& io = ImGui::GetIO();
  if (io.KeyCtrl) {
    rememberGesture(state, ImGui::GetTime());
    RowGeometry next = rows;
    const float height =
        std::clamp(rows.row_height / scale * std::pow(1.15F, notches), kLowestRow, kHighestRow);
    state.row_height = height;
    next.row_height = height * scale;
    // The row under the cursor stays there.
    const double row = rows.rowPosition(io.MousePos.y);
    next.first_row = row - static_cast<double>((io.MousePos.y - rows.top) / next.row_height);
    state.first_row = std::clamp(next.first_row, 0.0, next.lastFirstRow());
  } else if (over_labels || io.KeyShift) {
    const double step = std::max(1.0, std::min(kRowsPerNotch, rows.visibleRows() / 4));
    state.first_row =
        std::clamp(rows.first_row - static_cast<double>(notches) * step, 0.0, rows.lastFirstRow());
  }
}

void TimelineView::handleHover(const ViewInput& input, ViewState& state,
                               const std::optional<Hovered>& hovered) {
  if (!hovered) {
    if (hovers_) state.hovered_warp.reset();
    if (hovers_) state.hovered_region.reset();
    if (hovers_) state.hovered_listed.reset();
    hovers_ = false;
    if (legend_region_) {
      state.hovered_region = legend_region_;
      hovers_ = true;
    }
    return;
  }
  hovers_ = true;
  const TraceWarp& warp = input.run->trace.warps[hovered->warp];
  state.hovered_warp = WarpKey{warp.block, warp.warp_in_block};
  state.hovered_region.reset();
  state.hovered_listed.reset();
  if (hovered->slot) {
    hoverInstruction(input, state, *hovered->slot);
  } else if (hovered->span != nullptr && hovered->span->region < input.run->regions.size()) {
    state.hovered_region = input.run->regions[hovered->span->region].id;
  }
  if (ImGui::IsMouseDown(0)) return;  // while dragging, a tooltip hides what is looked for
  if (hovered->slot) {
    instructionTooltip(input, warp, input.layout->instructions().slots()[*hovered->slot], "");
  } else {
    spanTooltip(input, warp, hovered->span, "");
  }
}

std::optional<TimelineView::Hovered> TimelineView::pick(const ViewInput& input, const ViewState& state,
                                                        const Frame& frame, ImVec2 mouse) {
  const auto row = frame.rows.rowAt(mouse.y);
  if (!row) return std::nullopt;
  Hovered hovered{.row = *row, .warp = input.layout->warpOfRow(frame.grouping, *row)};
  if (mouse.x >= frame.scale.left) {
    const double cycle = frame.scale.cycles(mouse.x);
    if (showsInstructions(input, state))
      hovered.slot = input.layout->instructions().pick(hovered.warp, cycle);
    const auto span = input.layout->pick(hovered.warp, cycle);
    if (!span && !hovered.slot) return std::nullopt;
    if (span) hovered.span = &input.layout->spans()[*span];
  }
  return hovered;
}

std::optional<uint32_t> TimelineView::rowOf(const ViewInput& input, const Frame& frame,
                                            const std::optional<WarpKey>& key) {
  if (!key) return std::nullopt;
  const auto warp = input.layout->findWarp(key->block, key->warp_in_block);
  if (!warp) return std::nullopt;
  return input.layout->rowOfWarp(frame.grouping, *warp);
}

}  // namespace

std::unique_ptr<View> makeTimelineView() {
  return std::make_unique<TimelineView>();
}

}  // namespace warpscope
