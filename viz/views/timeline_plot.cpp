#include "viz/views/timeline_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/core/units.h"
#include "viz/text/words.h"
#include "viz/views/bar_names.h"
#include "viz/views/instruction_painter.h"
#include "viz/views/time_mouse.h"
#include "viz/views/timeline_header.h"
#include "viz/views/timeline_labels.h"
#include "viz/views/timeline_rows.h"
#include "viz/views/view_tooltips.h"
#include "viz/widgets/scrollbar.h"
#include "viz/widgets/text_block.h"

namespace warpscope {
namespace {

constexpr float kLowestFittedRow = 5,
                kHighestFittedRow = 130;  // for rows whose height is chosen automatically
constexpr float kRowGap = 2;              // pixels, between rows with room for lanes
constexpr double kItemBudget = 15000;     // parts of rows per frame, approximately
constexpr double kLeastFoldPixels = 1.5, kMostFoldPixels = 48;  // so that the budget is kept
constexpr double kLeastWarpPixels = 3;                          // narrower warps of a row are drawn as one
constexpr double kRowsPerNotch = 3;
constexpr double kSpanZoomMargin = 0.15;  // as a share of a span, on both sides, when zooming to it

std::optional<uint32_t> rowOf(const ViewInput& input, const std::optional<WarpKey>& key) {
  if (!key) return std::nullopt;
  const auto warp = input.layout->findWarp(key->block, key->warp_in_block);
  if (!warp) return std::nullopt;
  return input.rows->rowOf(*warp);
}

std::optional<RegionId> markedRegion(const ViewState& state, std::optional<RegionId> legend) {
  if (legend) return legend;
  // Dimming the rest at every movement in a picture of warps would be distracting, so only hovering in code,
  // tables and the legend marks a region.
  if (!state.hovered_warp && state.hovered_region) return state.hovered_region;
  return state.selected_region;
}

// The rows of one run: its regions, or its instructions where they are shown.
struct RowsOfRun {
  RowsOfRun(const ViewInput& of, const ViewState& state, const TimeScale& of_scale, double fold_cycles,
            std::optional<RegionId> marked)
      : input(of),
        scale(of_scale),
        fold(fold_cycles),
        colours(*of.theme, of.run->regions, marked, of.refreshing, of.region_colours),
        names(of, colours, of_scale),
        regions(*of.theme, *of.layout, scale, colours, fold_cycles, &names),
        instructions(of, state, scale, colours, fold_cycles),
        of_instructions(showsInstructions(of, state)) {}
  // A row of several warps. Those that are too narrow to tell apart are drawn as one.
  bool drawSeveral(RowFolds& folds, uint32_t row, float top, float bottom) {
    items.clear();
    folds.collect(input.run->trace, row, scale.begin_cycles, scale.end_cycles,
                  std::max(fold, kLeastWarpPixels * scale.cyclesPerPixel()), items);
    const bool slots = folds.order()->kind() == RowKind::kSlots;
    for (const RowItem& item : items) {
      if (slots && item.count == 1) {
        regions.finish();
        draw(folds.order()->warpsOf(row)[item.first], top, bottom);
      } else {
        regions.drawFold(item, folds.lanesOf(row), top, bottom);
      }
    }
    regions.finish();
    return !items.empty();
  }
  bool draw(uint32_t warp, float top, float bottom) {
    const TraceWarp& trace_warp = input.run->trace.warps[warp];
    return of_instructions ? instructions.drawRow(trace_warp, warp, top, bottom)
                           : regions.draw(trace_warp, warp, top, bottom);
  }

  const ViewInput& input;
  const TimeScale& scale;
  double fold;
  std::vector<RowItem> items;  // reused from row to row
  RegionColours colours;
  BarNames names;
  RowPainter regions;
  InstructionPainter instructions;
  bool of_instructions;
};

}  // namespace

RowGeometry timelineRows(const ViewInput& input, const ViewState& state, float top, float bottom) {
  const Theme& theme = *input.theme;
  RowGeometry rows;
  rows.top = top;
  rows.bottom = std::max(top, bottom);
  rows.rows = input.rows->rowCount();
  rows.row_height = state.row_height > 0
                        ? theme.px(std::clamp(state.row_height, kLowestRow, kHighestRow))
                        : RowGeometry::heightToFit(rows.bottom - rows.top, rows.rows,
                                                   theme.px(kLowestFittedRow), theme.px(kHighestFittedRow));
  // 32 lanes of the same number of pixels each are read as lanes, others as a texture.
  if (state.row_height <= 0 && rows.row_height >= theme.px(kStripesFromHeight) + kRowGap) {
    const float lane = std::floor((rows.row_height - kRowGap) / float{kWarpSize});
    if (lane * float{kWarpSize} >= theme.px(kStripesFromHeight))
      rows.row_height = lane * float{kWarpSize} + kRowGap;
  }
  // The state keeps its scroll position: a run with fewer rows is shown from its end, and a later one with
  // more rows as before.
  rows.first_row = std::clamp(state.first_row, 0.0, rows.lastFirstRow());
  return rows;
}

double foldCycles(const RowGeometry& rows, const TimeScale& scale) {
  const double columns =
      std::min<double>(rows.visibleRows(), rows.rows) * static_cast<double>(scale.right - scale.left);
  return std::clamp(columns / kItemBudget, kLeastFoldPixels, kMostFoldPixels) * scale.cyclesPerPixel();
}

void TimelinePlot::reveal(const ViewInput& input, ViewState& state, TimelineFrame& frame) {
  const bool changed = state.selected_warp != revealed_;
  revealed_ = state.selected_warp;
  const auto row = changed ? rowOf(input, state.selected_warp) : std::nullopt;
  RowGeometry& rows = frame.rows;
  if (!row || (*row >= rows.first_row && *row + 1 <= rows.first_row + rows.visibleRows())) return;
  const double nearest = *row < rows.first_row ? *row : *row + 1 - rows.visibleRows();
  rows.first_row = state.first_row = std::clamp(nearest, 0.0, rows.lastFirstRow());
}

void TimelinePlot::draw(const ViewInput& input, ViewState& state, const TimelineFrame& frame,
                        std::optional<RegionId> legend) {
  const Theme& theme = *input.theme;
  const TimeScale& scale = frame.scale;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.PushClipRect({frame.left, frame.rows.top}, {scale.right, frame.rows.bottom}, true);
  drawRowLabels(input, frame.rows, frame.left, scale.left - theme.px(6), scale.right,
                rowOf(input, state.selected_warp));
  list.PopClipRect();
  list.PushClipRect({scale.left, frame.rows.top}, {scale.right, frame.rows.bottom}, true);
  const bool anything = drawRows(input, state, frame, legend);
  drawSelectedRanges(input, state, frame, name_.c_str());
  drawSelection(input, state, frame);
  list.PopClipRect();
  if (!anything) drawNothingHere(input, state, frame);
}

// The plot is never empty: explains why nothing is visible here, and offers to go to where there is
// something.
void TimelinePlot::drawNothingHere(const ViewInput& input, ViewState& state,
                                   const TimelineFrame& frame) const {
  const TraceLayout& layout = *input.layout;
  const ImVec2 min{frame.scale.left, frame.rows.top}, max{frame.scale.right, frame.rows.bottom};
  const ImVec2 middle{max.x, (min.y + max.y) / 2};
  std::optional<uint32_t> next;
  for (uint32_t row = 0; row < input.rows->rowCount() && !next; ++row) {
    const auto visible = [&](uint32_t index) {
      const TraceWarp& warp = input.run->trace.warps[index];
      return static_cast<double>(warp.end_cycles) >= frame.scale.begin_cycles &&
             static_cast<double>(warp.begin_cycles) <= frame.scale.end_cycles;
    };
    if (std::ranges::any_of(input.rows->warpsOf(row), visible)) next = row;
  }
  const char* label = next ? tr("Scroll to the first that does") : tr("Show all recorded warps");
  drawMessage(
      *input.theme, *input.fonts, min, middle,
      next ? std::string(tr("None of these warps is alive in the visible part of the launch."))
           : trf("No recorded warp is alive in the visible part of the launch. The last one ends at {}.",
                 trCycles(layout.end())));
  const float width = ImGui::CalcTextSize(label).x + 2 * ImGui::GetStyle().FramePadding.x;
  ImGui::SetCursorScreenPos({(min.x + max.x - width) / 2, middle.y});
  ImGui::PushID(name_.c_str());
  if (ImGui::Button(label)) {
    if (next) {
      state.first_row = std::min<double>(*next, frame.rows.lastFirstRow());
    } else {
      fit(state);
    }
  }
  ImGui::PopID();
  input.report->widget(name_ + ".show", ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
}

bool TimelinePlot::drawRows(const ViewInput& input, const ViewState& state, const TimelineFrame& frame,
                            std::optional<RegionId> legend) {
  const RowGeometry& rows = frame.rows;
  const TimeScale& scale = frame.scale;
  RowsOfRun upper(input, state, scale, foldCycles(rows, scale), markedRegion(state, legend));
  std::optional<RowsOfRun> lower;
  if (frame.under) {
    const auto& under = *frame.under;
    lower.emplace(*under.input, state, under.scale, foldCycles(rows, under.scale), std::nullopt);
  }
  const float gap = rows.row_height >= input.theme->px(16)  ? kRowGap
                    : rows.row_height >= input.theme->px(5) ? 1.0F
                                                            : 0.0F;
  if (!input.rows->severalWarpsInARow()) {
    folds_.reset();
  } else if (!folds_ || folds_->order() != input.rows) {
    folds_.emplace(*input.layout, input.rows);
  }
  bool anything = false;
  for (uint32_t row = rows.firstVisible(); row < rows.endVisible(); ++row) {
    const uint32_t warp = input.rows->firstWarpOf(row);
    const float top = std::round(rows.rowTop(row));
    const float bottom = std::max(top + 1, std::round(rows.rowTop(row + 1.0)) - gap);
    const float middle = lower ? std::round((top + bottom) / 2) : bottom;
    bool drawn = folds_ ? upper.drawSeveral(*folds_, row, top, bottom) : upper.draw(warp, top, middle);
    if (lower) {
      const TraceWarp& trace_warp = input.run->trace.warps[warp];
      const auto same = lower->input.layout->findWarp(trace_warp.block, trace_warp.warp_in_block);
      if (same) drawn = lower->draw(*same, middle, bottom) || drawn;
    }
    anything = anything || drawn;
    input.report->widget(fmt::format("{}.row.{}", name_, row), {scale.left, std::max(top, rows.top)},
                         {scale.right, std::min(bottom, rows.bottom)});
  }
  return anything;
}

void TimelinePlot::drawSelection(const ViewInput& input, const ViewState& state,
                                 const TimelineFrame& frame) const {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const auto life = [&](const WarpKey& key) -> const TraceWarp& {
    return input.run->trace.warps[*input.layout->findWarp(key.block, key.warp_in_block)];
  };
  const auto outline = [&](const std::optional<WarpKey>& key, ImU32 colour, float thickness) {
    const auto row = rowOf(input, key);
    if (!row) return;
    const float top = std::round(frame.rows.rowTop(*row));
    const float bottom = std::round(frame.rows.rowTop(*row + 1.0));
    ImVec2 min{frame.scale.left - 2, top - 1}, max{frame.scale.right + 2, bottom};
    if (input.rows->kind() == RowKind::kSlots) {
      // The row has other warps, too.
      min.x = frame.scale.x(static_cast<double>(life(*key).begin_cycles)) - 1;
      max.x = std::max(min.x + 3, frame.scale.x(static_cast<double>(life(*key).end_cycles)) + 1);
    }
    list.AddRect(min, max, colour, 0, 0, thickness);
  };
  if (state.hovered_warp != state.selected_warp) outline(state.hovered_warp, withAlpha(theme.text, 0.45F), 1);
  outline(state.selected_warp, theme.accent, std::max(1.5F, theme.px(1.5F)));
  if (const auto row = rowOf(input, state.selected_warp)) {
    const TraceWarp& warp = life(*state.selected_warp);
    input.report->widget(
        name_ + ".selected", {frame.scale.x(static_cast<double>(warp.begin_cycles)), frame.rows.rowTop(*row)},
        {frame.scale.x(static_cast<double>(warp.end_cycles)), frame.rows.rowTop(*row + 1.0)});
  }
}

void TimelinePlot::handleMouse(const ViewInput& input, ViewState& state, const TimelineFrame& frame,
                               std::optional<RegionId> legend) {
  const Theme& theme = *input.theme;
  const RowGeometry& rows = frame.rows;
  const ImVec2 mouse = ImGui::GetIO().MousePos;

  if (const auto position = verticalScrollbar(
          theme, (name_ + ".scrollbar").c_str(), {frame.scale.right + theme.px(2), rows.top},
          {frame.right, rows.bottom}, rows.first_row, rows.visibleRows(), rows.rows)) {
    state.first_row = *position;
  }

  ImGui::SetCursorScreenPos({frame.left, rows.top});
  const ImVec2 label_size{std::max(1.0F, frame.scale.left - frame.left), rows.bottom - rows.top};
  const bool label_clicked = ImGui::InvisibleButton((name_ + ".labels").c_str(), label_size);
  const bool over_labels = ImGui::IsItemHovered();
  input.report->widget(name_ + ".labels", {frame.left, rows.top}, {frame.scale.left, rows.bottom});

  const TimeScale shared{state.begin_cycles, state.end_cycles, frame.scale.left, frame.scale.right};
  const PlotMouse plot =
      handlePlotMouse(*input.report, state, frame.launch, shared, (name_ + ".plot").c_str(),
                      {frame.scale.left, rows.top}, {frame.scale.right, rows.bottom}, PlotDrag::kSelects);
  if (plot.hovered) state.hovered_cycle = shared.cycles(mouse.x);
  if (selecting_.handle(input, state, frame, plot)) return forgetHover(state);
  if (plot.dragged_y != 0) {
    state.first_row = std::clamp(rows.first_row - static_cast<double>(plot.dragged_y / rows.row_height), 0.0,
                                 rows.lastFirstRow());
  }
  handleWheel(state, frame, plot.hovered, over_labels, theme.scale);

  const auto hovered = plot.hovered || over_labels ? pick(input, state, frame, mouse) : std::nullopt;
  handleHover(state, hovered, legend);
  if (plot.clicked || label_clicked) handleClick(state, hovered);
  if (!frame.of_several_runs) {
    if (hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Right))
      menu_.open(targetOf(*hovered, shared.cycles(std::max(mouse.x, shared.left))));
    menu_.draw(input, state);
  }
  if (!plot.double_clicked) return;
  if (hovered && hovered->slot) {
    const ViewState::Zoom zoom = zoomOfSlot(hovered->input->layout->instructions().slots()[*hovered->slot]);
    rememberZoom(state);
    zoomTo(state, zoom.begin_cycles * hovered->units_per_cycle, zoom.end_cycles * hovered->units_per_cycle);
  } else if (hovered && (hovered->span || input.rows->kind() == RowKind::kBlocks)) {
    const auto [from, to] = hovered->span ? std::pair(hovered->span->begin, hovered->span->end)
                                          : lifeOfRow(*input.rows, input.run->trace, hovered->row);
    const double begin = static_cast<double>(from) * hovered->units_per_cycle,
                 end = static_cast<double>(to) * hovered->units_per_cycle;
    rememberZoom(state);
    zoomTo(state, begin - (end - begin) * kSpanZoomMargin, end + (end - begin) * kSpanZoomMargin);
  } else {
    fit(state);
  }
}

TimelineMenu::Target TimelinePlot::targetOf(const Hovered& hovered, double cycle) {
  const Run& run = *hovered.input->run;
  const TraceWarp& warp = run.trace.warps[hovered.warp];
  TimelineMenu::Target target{.warp = {warp.block, warp.warp_in_block},
                              .trace_warp = hovered.warp,
                              .mask = warp.live,
                              .cycle = static_cast<int64_t>(std::llround(cycle))};
  if (hovered.slot) {
    const InstructionSlot& slot = hovered.input->layout->instructions().slots()[*hovered.slot];
    target.cycles = CycleRange{slot.issue(), slot.issue() + 1};
    target.mask = slot.mask;
    if (run.listing != nullptr && slot.listed < run.listing->size())
      target.name = (*run.listing)[slot.listed].text;
  } else if (hovered.span) {
    target.cycles = CycleRange{hovered.span->begin, std::max(hovered.span->end, hovered.span->begin + 1)};
    target.mask = hovered.span->mask;
    target.name = regionName(run, hovered.span->region);
  }
  return target;
}

// With Shift a click adds the warp to the selection or takes it out; beside all warps it drops the selection.
void TimelinePlot::handleClick(ViewState& state, const std::optional<Hovered>& hovered) const {
  if (!hovered) {
    state.selection = {};
    return;
  }
  const TraceWarp& warp = hovered->input->run->trace.warps[hovered->warp];
  const WarpKey key{warp.block, warp.warp_in_block};
  if (ImGui::GetIO().KeyShift) {
    if (state.selection.empty() && state.selected_warp && state.selected_warp != key)
      toggleWarp(state.selection, *state.selected_warp);
    toggleWarp(state.selection, key);
    return;
  }
  state.selected_warp = key;
  if (hovered->slot)
    state.selected_instruction = instructionKey(*hovered->input, hovered->warp, *hovered->slot);
}

void TimelinePlot::handleWheel(ViewState& state, const TimelineFrame& frame, bool over_plot, bool over_labels,
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
    // The row under the cursor keeps its position.
    const double row = rows.rowPosition(io.MousePos.y);
    next.first_row = row - static_cast<double>((io.MousePos.y - rows.top) / next.row_height);
    state.first_row = std::clamp(next.first_row, 0.0, next.lastFirstRow());
  } else if (over_labels || io.KeyShift) {
    const double step = std::max(1.0, std::min(kRowsPerNotch, rows.visibleRows() / 4));
    state.first_row =
        std::clamp(rows.first_row - static_cast<double>(notches) * step, 0.0, rows.lastFirstRow());
  }
}

void TimelinePlot::forgetHover(ViewState& state) {
  if (!hovers_) return;
  state.hovered_warp.reset();
  state.hovered_region.reset();
  state.hovered_listed.reset();
  hovers_ = false;
}

void TimelinePlot::handleHover(ViewState& state, const std::optional<Hovered>& hovered,
                               std::optional<RegionId> legend) {
  if (!hovered) {
    forgetHover(state);
    if (legend) {
      state.hovered_region = legend;
      hovers_ = true;
    }
    return;
  }
  hovers_ = true;
  const ViewInput& input = *hovered->input;
  const TraceWarp& warp = input.run->trace.warps[hovered->warp];
  state.hovered_warp = WarpKey{warp.block, warp.warp_in_block};
  state.hovered_region.reset();
  state.hovered_listed.reset();
  if (hovered->slot) {
    hoverInstruction(input, state, *hovered->slot);
  } else if (hovered->span && hovered->span->region < input.run->regions.size()) {
    state.hovered_region = input.run->regions[hovered->span->region].id;
  }
  if (ImGui::IsMouseDown(0)) return;  // while dragging, a tooltip would hide the target
  if (hovered->input->rows->kind() == RowKind::kBlocks) {
    blockRowTooltip(input, hovered->row, hovered->cycle);
  } else if (hovered->slot) {
    instructionTooltip(input, warp, input.layout->instructions().slots()[*hovered->slot], "");
  } else {
    spanTooltip(input, warp, hovered->span, slotRowNote(input, hovered->row, hovered->warp));
  }
}

std::optional<TimelinePlot::Hovered> TimelinePlot::pick(const ViewInput& input, const ViewState& state,
                                                        const TimelineFrame& frame, ImVec2 mouse) {
  const auto row = frame.rows.rowAt(mouse.y);
  if (!row) return std::nullopt;
  Hovered hovered{.input = &input,
                  .units_per_cycle = frame.units_per_cycle,
                  .warp = input.rows->firstWarpOf(*row),
                  .row = *row};
  TimeScale scale = frame.scale;
  if (input.rows->severalWarpsInARow() && mouse.x >= scale.left) {
    const auto there = warpAt(*input.rows, input.run->trace, *row, scale.cycles(mouse.x));
    if (!there) return std::nullopt;
    hovered.warp = *there;
  }
  const double into_row = frame.rows.rowPosition(mouse.y) - *row;
  if (frame.under && into_row >= 0.5 && mouse.x >= frame.scale.left) {
    const TraceWarp& warp = input.run->trace.warps[hovered.warp];
    const auto same = frame.under->input->layout->findWarp(warp.block, warp.warp_in_block);
    if (!same) return std::nullopt;
    hovered = {.input = frame.under->input,
               .units_per_cycle = frame.under->units_per_cycle,
               .warp = *same,
               .row = *row};
    scale = frame.under->scale;
  }
  if (mouse.x < frame.scale.left) return hovered;
  const TraceLayout& layout = *hovered.input->layout;
  const double cycle = scale.cycles(mouse.x);
  hovered.cycle = cycle;
  if (input.rows->kind() == RowKind::kBlocks) return hovered;
  if (showsInstructions(*hovered.input, state))
    hovered.slot = layout.instructions().pick(hovered.warp, cycle);
  hovered.span = layout.pick(hovered.warp, cycle);
  if (!hovered.span && !hovered.slot) return std::nullopt;
  return hovered;
}

}  // namespace warpscope
