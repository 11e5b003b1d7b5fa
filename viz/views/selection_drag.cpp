#include "viz/views/selection_drag.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/core/units.h"
#include "viz/text/translate.h"
#include "viz/text/words.h"
#include "viz/views/view_tooltips.h"
#include "viz/widgets/axis.h"

namespace warpscope {
namespace {

constexpr float kFade = 0.62F, kTint = 0.07F;  // shares of the way to background and accent

// Rows one after another of which the same is selected.
struct Band {
  uint32_t first_row = 0, end_row = 0;
  std::vector<CycleRange> ranges;
};

std::vector<Band> visibleBands(const ViewInput& input, const TraceSelection& selection,
                               const TimelineFrame& frame) {
  std::vector<Band> bands;
  for (uint32_t row = frame.rows.firstVisible(); row < frame.rows.endVisible(); ++row) {
    auto ranges = selectedOfRow(*input.run, *input.rows, row, selection);
    if (!bands.empty() && bands.back().ranges == ranges) {
      bands.back().end_row = row + 1;
    } else {
      bands.push_back({row, row + 1, std::move(ranges)});
    }
  }
  return bands;
}

float xOf(const TimeScale& scale, int64_t cycle) {
  return std::clamp(scale.x(static_cast<double>(cycle)), scale.left - 4, scale.right + 4);
}

// The length beside the mouse.
void drawLength(const ViewInput& input, const TimelineFrame& frame, int64_t cycles) {
  const Theme& theme = *input.theme;
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  const std::string text = cyclesWithNs(*input.run, cycles);
  const ImVec2 size = textSize(input.fonts->mono, text.c_str());
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const float margin = theme.px(5);
  ImVec2 at{mouse.x + theme.px(14), mouse.y + theme.px(14)};
  at.x = std::min(at.x, frame.scale.right - size.x - margin);
  at.y = std::min(at.y, frame.rows.bottom - size.y - margin);
  list.AddRectFilled({at.x - margin, at.y - margin / 2}, {at.x + size.x + margin, at.y + size.y + margin / 2},
                     theme.panel, theme.px(3));
  list.AddRect({at.x - margin, at.y - margin / 2}, {at.x + size.x + margin, at.y + size.y + margin / 2},
               theme.accent, theme.px(3));
  drawText(list, input.fonts->mono, at, theme.text, text.c_str());
}

}  // namespace

bool SelectionDrag::handle(const ViewInput& input, ViewState& state, const TimelineFrame& frame,
                           const PlotMouse& mouse) {
  const ImVec2 at = ImGui::GetIO().MousePos;
  if (mouse.pressed) {
    from_ = From{frame.scale.cycles(at.x), frame.rows.rowPosition(at.y), {}};
    if (ImGui::GetIO().KeyShift) from_->before = state.selection;
  }
  if (!mouse.selecting || !from_) return false;
  const double cycle = frame.scale.cycles(at.x), row = frame.rows.rowPosition(at.y);
  const double units = frame.units_per_cycle;
  const auto in_launch = [&](double at_cycle) {
    return std::clamp(at_cycle * units, frame.launch.begin, frame.launch.end);
  };
  const auto begin = static_cast<int64_t>(std::floor(in_launch(std::min(from_->cycle, cycle))));
  const auto end = static_cast<int64_t>(std::ceil(in_launch(std::max(from_->cycle, cycle))));
  const double upper = std::min(from_->row, row), lower = std::max(from_->row, row);
  const double last_row = static_cast<double>(frame.rows.rows) - 1;
  state.selection = from_->before;
  if (begin >= end || lower < 0 || upper > last_row + 1) return true;
  const auto row_of = [&](double position) {
    return static_cast<uint32_t>(std::clamp(std::floor(position), 0.0, last_row));
  };
  // Of several runs, the same warps, whether or not they live then in this one.
  const TraceSelection range{{{{begin, end}}}};
  SelectedPart part =
      selectRows(*input.run, *input.rows, row_of(upper), row_of(lower),
                 frame.of_several_runs ? CycleRange{} : scaled(range, 1 / units).parts.front().cycles);
  part.cycles = {begin, end};
  if (!part.warps.empty()) state.selection.parts.push_back(std::move(part));
  drawLength(input, frame, std::llround(static_cast<double>(end - begin) / units));
  return true;
}

void drawSelectedRanges(const ViewInput& input, const ViewState& state, const TimelineFrame& frame,
                        const char* name) {
  if (state.selection.empty()) return;
  const Theme& theme = *input.theme;
  const TimeScale& scale = frame.scale;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImU32 fade = withAlpha(theme.background, kFade), tint = withAlpha(theme.accent, kTint);
  size_t shown = 0;
  const bool other_unit = frame.units_per_cycle != 1;
  const TraceSelection in_cycles =
      other_unit ? scaled(state.selection, 1 / frame.units_per_cycle) : TraceSelection{};
  for (const Band& band : visibleBands(input, other_unit ? in_cycles : state.selection, frame)) {
    const float top = std::round(frame.rows.rowTop(band.first_row));
    const float bottom = std::round(frame.rows.rowTop(band.end_row));
    float from = scale.left;
    for (const CycleRange& range : band.ranges) {
      const float x0 = xOf(scale, range.begin), x1 = std::max(xOf(scale, range.end), x0 + 1);
      if (x1 < scale.left || x0 > scale.right) continue;
      if (x0 > from) list.AddRectFilled({from, top}, {x0, bottom}, fade);
      list.AddRectFilled({x0, top}, {x1, bottom}, tint);
      list.AddRect({x0, top}, {x1, bottom}, withAlpha(theme.accent, 0.8F));
      from = x1;
      input.report->widget(fmt::format("{}.selection.{}", name, shown++),
                           {std::max(x0, scale.left), std::max(top, frame.rows.top)},
                           {std::min(x1, scale.right), std::min(bottom, frame.rows.bottom)});
    }
    if (from < scale.right) list.AddRectFilled({from, top}, {scale.right, bottom}, fade);
  }
}

}  // namespace warpscope
