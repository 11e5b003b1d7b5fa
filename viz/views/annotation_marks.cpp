#include "viz/views/annotation_marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viz/text/words.h"
#include "viz/views/view_tooltips.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {
namespace {

constexpr float kFlag = 9, kWidestNote = 260, kLabelMargin = 4;  // pixels at 100 %
constexpr int kMostLevels = 8;  // how many labels may be one below the other before they cover each other

double cycleAtMouse(const TimelineFrame& frame) {
  return std::clamp(frame.scale.cycles(ImGui::GetIO().MousePos.x), frame.launch.begin, frame.launch.end);
}

bool isVisible(const TimeScale& scale, int64_t cycle) {
  const auto at = static_cast<double>(cycle);
  return scale.begin_cycles <= at && at <= scale.end_cycles;
}

void drawLabelBox(const Theme& theme, ImDrawList& list, ImVec2 min, ImVec2 max) {
  list.AddRectFilled(min, max, theme.panel, theme.px(3));
  list.AddRect(min, max, theme.text_quiet, theme.px(3));
}

// An arrow's head at a line's end.
void drawHead(const Theme& theme, ImDrawList& list, float x, float y, float direction) {
  const float size = theme.px(4);
  list.AddTriangleFilled({x, y}, {x + direction * size, y - size}, {x + direction * size, y + size},
                         theme.text);
}

}  // namespace

void drawMarkerLines(const Canvas& canvas, const Annotations& annotations, const TimeScale& scale, float top,
                     float bottom, const char* name) {
  for (const auto& marker : annotations.markers) {
    if (!marker || !isVisible(scale, *marker)) continue;
    const float x = std::round(scale.x(static_cast<double>(*marker)));
    ImGui::GetWindowDrawList()->AddLine({x, top}, {x, bottom}, canvas.theme->text, canvas.theme->px(1));
    canvas.report->widget(fmt::format("{}.marker.{}", name, &marker - annotations.markers.data()), {x, top},
                          {x + 1, bottom});
  }
}

void drawPlayHead(const Canvas& canvas, const std::optional<double>& play_head, const TimeScale& scale,
                  float top, float bottom, const char* name) {
  if (!play_head || *play_head < scale.begin_cycles || *play_head > scale.end_cycles) return;
  const Theme& theme = *canvas.theme;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float x = std::round(scale.x(*play_head)), side = theme.px(6);
  // A dark edge, so that the line is seen on every colour.
  list.AddLine({x, top}, {x, bottom}, theme.background, theme.px(4));
  list.AddLine({x, top}, {x, bottom}, theme.accent, theme.px(2));
  list.AddTriangleFilled({x - side, top}, {x + side, top}, {x, top + side * 1.5F}, theme.accent);
  canvas.report->widget(fmt::format("{}.play_head", name), {x, top}, {x + 1, bottom});
}

void AnnotationMarks::draw(const ViewInput& input, ViewState& state, const TimelineFrame& frame,
                           float axis_top) {
  handleAxis(input, state, frame, axis_top);
  labels_.clear();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.PushClipRect({frame.scale.left, axis_top}, {frame.scale.right, frame.rows.bottom}, true);
  drawMarkers(input, state, frame, axis_top);
  drawPlayHead(input, state.play_head, frame.scale, axis_top, frame.rows.bottom, "timeline");
  for (size_t i = 0; i < state.annotations.notes.size(); ++i) drawNote(input, state, frame, axis_top, i);
  list.PopClipRect();
}

void AnnotationMarks::handleAxis(const ViewInput& input, ViewState& state, const TimelineFrame& frame,
                                 float axis_top) {
  // Between the axis and the rows there may be curves.
  const float height = timeAxisHeight(*input.theme, input.run->trace.clocks.cycles_per_ns);
  const ImVec2 min{frame.scale.left, axis_top}, max{frame.scale.right, axis_top + height};
  if (max.x - min.x < 1 || max.y - min.y < 1) return;
  ImGui::SetCursorScreenPos(min);
  ImGui::InvisibleButton("timeline.axis", {max.x - min.x, max.y - min.y});
  input.report->widget("timeline.axis", min, max);
  if (ImGui::IsItemHovered()) state.hovered_cycle = cycleAtMouse(frame);
  if (ImGui::IsItemActivated()) {
    dragged_from_ = cycleAtMouse(frame);
    const float reach = input.theme->px(8);
    drags_head_ =
        state.play_head && std::abs(frame.scale.x(*state.play_head) - ImGui::GetIO().MousePos.x) <= reach;
    if (!drags_head_) input.begin_edit();
  }
  if (drags_head_) {
    if (ImGui::IsItemActive()) state.play_head = cycleAtMouse(frame);
    return;
  }
  const float threshold = ImGui::GetIO().MouseDragThreshold;
  if (ImGui::IsItemActive() && ImGui::GetIO().MouseDragMaxDistanceSqr[0] > threshold * threshold) {
    const auto from = static_cast<int64_t>(std::llround(dragged_from_));
    state.annotations.markers = {from, static_cast<int64_t>(std::llround(cycleAtMouse(frame)))};
  }
}

void AnnotationMarks::drawMarkers(const ViewInput& input, const ViewState& state, const TimelineFrame& frame,
                                  float axis_top) {
  const Theme& theme = *input.theme;
  const TimeScale& scale = frame.scale;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Annotations& annotations = state.annotations;
  drawMarkerLines(input, annotations, scale, axis_top, frame.rows.bottom, "timeline");
  if (!annotations.markers[0]) return;
  const bool measures = annotations.measures();
  const int64_t from = *annotations.markers[0], to = measures ? *annotations.markers[1] : from;
  const float x0 = std::clamp(scale.x(static_cast<double>(std::min(from, to))), scale.left, scale.right);
  const float x1 = std::clamp(scale.x(static_cast<double>(std::max(from, to))), scale.left, scale.right);
  if (x0 >= scale.right || x1 <= scale.left) return;
  const std::string text =
      measures ? "Δ " + cyclesWithNs(*input.run, std::abs(to - from)) : cyclesWithNs(*input.run, from);
  input.report->text("timeline.measure", text);
  const ImVec2 size = textSize(input.fonts->mono, text.c_str());
  const float margin = theme.px(kLabelMargin), y = frame.rows.top + theme.px(4) + size.y / 2;
  if (measures && x1 - x0 > theme.px(10)) {
    list.AddLine({x0, y}, {x1, y}, theme.text, theme.px(1));
    drawHead(theme, list, x0, y, 1);
    drawHead(theme, list, x1, y, -1);
  }
  // Between the markers if there is room, otherwise beside them.
  const bool between = measures && x1 - x0 > size.x + theme.px(30);
  float left = between ? (x0 + x1 - size.x) / 2 : x1 + theme.px(8);
  if (left + size.x + margin > scale.right) left = x0 - size.x - theme.px(8);
  left = std::max(left, scale.left + margin);
  const ImVec2 min{left - margin, y - size.y / 2 - 1}, max{left + size.x + margin, y + size.y / 2 + 1};
  labels_.push_back({min, max});
  drawLabelBox(theme, list, min, max);
  drawText(list, input.fonts->mono, {left, y - size.y / 2}, theme.text, text.c_str());
  input.report->widget("timeline.measure", min, max);
}

// Below the labels that are there already.
ImVec2 AnnotationMarks::placeFor(const TimelineFrame& frame, ImVec2 wanted, ImVec2 size) {
  ImVec2 at{std::clamp(wanted.x, frame.scale.left, std::max(frame.scale.left, frame.scale.right - size.x)),
            wanted.y};
  for (int level = 0; level < kMostLevels; ++level) {
    const bool free = std::ranges::none_of(labels_, [&](const Box& box) {
      return at.x < box.max.x && box.min.x < at.x + size.x && at.y < box.max.y && box.min.y < at.y + size.y;
    });
    if (free) break;
    at.y += size.y + 1;
  }
  labels_.push_back({at, {at.x + size.x, at.y + size.y}});
  return at;
}

void AnnotationMarks::drawNote(const ViewInput& input, ViewState& state, const TimelineFrame& frame,
                               float axis_top, size_t index) {
  const Theme& theme = *input.theme;
  const TimeNote& note = state.annotations.notes[index];
  if (!isVisible(frame.scale, note.cycle)) return;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float x = std::round(frame.scale.x(static_cast<double>(note.cycle)));
  list.AddLine({x, axis_top}, {x, frame.rows.bottom}, withAlpha(theme.text_quiet, 0.6F), theme.px(1));
  const float flag = theme.px(kFlag);
  list.AddTriangleFilled({x, axis_top}, {x + flag, axis_top + flag / 2}, {x, axis_top + flag}, theme.text);

  float y = frame.rows.top + theme.px(3);
  const auto warp =
      note.warp ? input.layout->findWarp(note.warp->block, note.warp->warp_in_block) : std::nullopt;
  if (const auto row = warp ? input.rows->rowOf(*warp) : std::nullopt) {
    const float row_top = frame.rows.rowTop(*row);
    y = std::clamp(row_top, y, std::max(y, frame.rows.bottom - theme.px(20)));
  }
  const float margin = theme.px(kLabelMargin);
  const std::string text =
      fittedText(input.fonts->text, note.text.empty() ? " " : note.text, theme.px(kWidestNote));
  const ImVec2 size = textSize(input.fonts->text, text.c_str());
  const ImVec2 box{size.x + 2 * margin, size.y + 2};
  const ImVec2 at = placeFor(frame, {x + theme.px(3), y}, box), end{at.x + box.x, at.y + box.y};
  drawLabelBox(theme, list, at, end);
  drawText(list, input.fonts->text, {at.x + margin, at.y + 1}, theme.text, text.c_str());
  const std::string name = fmt::format("timeline.note.{}", index);
  ImGui::SetCursorScreenPos(at);
  if (ImGui::InvisibleButton(name.c_str(), box)) {
    input.begin_edit();
    state.edited_note = index;
    state.edited_note_x = at.x;
    state.edited_note_y = end.y;
  }
  input.report->widget(name, at, end);
  input.report->text(name, note.text);
  if (!ImGui::IsItemHovered()) return;
  Tooltip tooltip(theme, *input.fonts, note.text);
  tooltip.row(tr("at"), cyclesWithNs(*input.run, note.cycle));
  if (note.warp)
    tooltip.row(tr("warp"), fmt::format("b{} w{}", note.warp->block.value, note.warp->warp_in_block));
  tooltip.note(tr("Click to edit or delete it."));
}

}  // namespace warpscope
