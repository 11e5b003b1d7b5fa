// The timeline: every recorded warp is a row, with spans coloured by region and filled by the share of lanes
// that executed, over the launch axis.
#include <algorithm>

#include "viz/text/translate.h"
#include "viz/views/activity_strip.h"
#include "viz/views/annotation_marks.h"
#include "viz/views/back_to_launch.h"
#include "viz/views/ghost_rows.h"
#include "viz/views/minimap.h"
#include "viz/views/timeline_header.h"
#include "viz/views/timeline_labels.h"
#include "viz/views/timeline_plot.h"
#include "viz/views/view_tooltips.h"
#include "viz/widgets/axis.h"
#include "viz/widgets/text_block.h"

namespace warpscope {
namespace {

constexpr float kMinimapHeight = 22, kLeastWithMinimap = 110;  // pixels at 100 %

class TimelineView : public View {
 public:
  const char* name() const override { return "timeline"; }
  const char* title() const override { return trMark("TIMELINE"); }
  const char* help() const override {
    return trMark("Every warp as a row over time: what it executed, and with how many lanes.");
  }
  void draw(const ViewInput& input, ViewState& state) override;

 private:
  struct Frame {
    TimelineFrame plot;
    float minimap_top = 0, minimap_height = 0, axis_top = 0;  // height 0: there is no room for it
    float activity_top = 0, activity_height = 0;
  };
  static Frame arrange(const ViewInput& input, const ViewState& state);

  RowMenu menu_;
  TimelinePlot plot_{"timeline"};
  AnnotationMarks marks_;
  ActivityStrip activity_;
  float row_height_ = 20;  // in the last frame, at 100 %
};

void TimelineView::draw(const ViewInput& input, ViewState& state) {
  const ImVec2 min = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  input.report->widget("timeline", min, {min.x + size.x, min.y + size.y});
  if (!input.run || input.layout == nullptr) {
    drawMessage(*input.theme, *input.fonts, input.empty_message);
    return;
  }
  if (input.layout->warpCount() == 0) {
    drawMessage(*input.theme, *input.fonts,
                tr("This run recorded no warps. Run it again; on the command line, --sample all records "
                   "every block."));
    return;
  }
  const auto legend = drawTimelineHeader(input, state, menu_, row_height_);
  followFit(state, *input.layout);
  if (input.rows->rowCount() == 0) return menu_.drawNothingLeft(input, state);
  Frame frame = arrange(input, state);
  plot_.reveal(input, state, frame.plot);
  const RowGeometry& rows = frame.plot.rows;
  const TimeScale& scale = frame.plot.scale;
  row_height_ = rows.row_height / input.theme->scale;
  if (rows.bottom - rows.top < 1) return;

  drawTimeAxis(*input.theme, *input.fonts, scale, timeAxisOf(*input.run), frame.axis_top, rows.bottom);
  const ImVec2 axis_min{frame.plot.left, frame.axis_top}, axis_max{scale.right, frame.activity_top};
  input.report->widget("timeline.axis", axis_min, axis_max);
  if (ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(axis_min, axis_max) && !ImGui::IsMouseDown(0)) {
    timeAxisTooltip(input);
  }
  if (frame.activity_height > 0)
    activity_.draw(input, scale, frame.plot.left, frame.activity_top, frame.activity_height);
  drawGhost(input, frame.plot);
  plot_.draw(input, state, frame.plot, legend);
  drawGhostLabel(input, frame.plot);
  state.hovered_cycle.reset();
  if (frame.minimap_height > 0) {
    drawMinimap(input, state, {scale.left, frame.minimap_top},
                {scale.right, frame.minimap_top + frame.minimap_height}, "timeline.minimap");
  }
  const BackToLaunch back(input, state, frame.plot.launch, "timeline", {scale.left, rows.top},
                          {scale.right, rows.bottom});
  marks_.draw(input, state, frame.plot, frame.axis_top);
  plot_.handleMouse(input, state, frame.plot, legend);
  back.draw(input);
}

TimelineView::Frame TimelineView::arrange(const ViewInput& input, const ViewState& state) {
  const Theme& theme = *input.theme;
  const TraceLayout& layout = *input.layout;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  Frame frame;
  TimelineFrame& plot = frame.plot;
  plot.left = at.x;
  plot.right = at.x + room.x;
  plot.launch = layout;
  frame.minimap_top = at.y;
  frame.minimap_height = room.y < theme.px(kLeastWithMinimap) ? 0 : theme.px(kMinimapHeight);
  frame.axis_top = at.y + (frame.minimap_height > 0 ? frame.minimap_height + theme.px(4) : 0);
  const float labels = labelColumnWidth(theme, *input.fonts, *input.run, *input.rows);
  plot.scale = {state.begin_cycles, state.end_cycles, plot.left + labels,
                plot.right - theme.px(kTimelineScrollbarWidth + 2)};
  frame.activity_top = frame.axis_top + timeAxisHeight(theme, input.run->trace.clocks.cycles_per_ns);
  frame.activity_height = ActivityStrip::height(input, room.y);
  plot.rows = timelineRows(input, state, frame.activity_top + frame.activity_height, at.y + room.y);
  return frame;
}

}  // namespace

std::unique_ptr<View> makeTimelineView() {
  return std::make_unique<TimelineView>();
}

}  // namespace warpscope
