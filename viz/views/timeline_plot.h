// The rows of a timeline with their labels, selection, scrollbar and mouse: a run's own timeline has one
// plot, a comparison one for each run, over one time axis. Whoever draws it says where rows and time lie.
#pragma once

#include <optional>
#include <string>

#include "viz/layout/navigation.h"
#include "viz/layout/row_geometry.h"
#include "viz/layout/time_scale.h"
#include "viz/layout/trace_layout.h"
#include "viz/views/view.h"

namespace warpscope {

inline constexpr float kTimelineScrollbarWidth = 12;  // pixels at 100 %

// Where everything lies in this frame.
struct TimelineFrame {
  // Another run on the same rows: each row's lower half is the same warp of that run.
  struct Under {
    const ViewInput* input = nullptr;
    TimeScale scale;
    double units_per_cycle = 1;
  };

  TraceLayout::Grouping grouping = TraceLayout::Grouping::kBySm;
  TimeScale scale;  // in cycles of the run
  RowGeometry rows;
  float left = 0, right = 0;   // from the labels' left to the scrollbar's right
  TimeExtent launch{0, 1};     // all that can be seen, in the state's unit
  double units_per_cycle = 1;  // of the state's range
  std::optional<Under> under;
};

TraceLayout::Grouping groupingOf(const ViewState& state);
// As many pixels as the state asks for, or as lets all rows fit; scrolled as the state says.
RowGeometry timelineRows(const ViewInput& input, const ViewState& state, float top, float bottom);
// What is narrower than this is folded, so that a frame draws no more than the eye can tell apart.
double foldCycles(const RowGeometry& rows, const TimeScale& scale);

class TimelinePlot {
 public:
  // `name`: its widgets are reported as "NAME.plot", "NAME.row.3", "NAME.labels"; "NAME.selected" is the
  // selected warp's life.
  explicit TimelinePlot(std::string name) : name_(std::move(name)) {}

  // A warp selected elsewhere, or by keyboard, is scrolled into sight; a relaunch scrolls nothing.
  void reveal(const ViewInput& input, ViewState& state, TimelineFrame& frame);
  // `legend`: the region that is hovered in a legend.
  void draw(const ViewInput& input, ViewState& state, const TimelineFrame& frame,
            std::optional<RegionId> legend) const;
  void handleMouse(const ViewInput& input, ViewState& state, const TimelineFrame& frame,
                   std::optional<RegionId> legend);
  // What it said that is hovered is no longer.
  void forgetHover(ViewState& state);

 private:
  struct Hovered {
    const ViewInput* input = nullptr;
    double units_per_cycle = 1;
    uint32_t warp = 0;  // of input->run
    const LayoutSpan* span = nullptr;
    std::optional<uint32_t> slot;  // the instruction, where these are shown
  };

  void drawNothingHere(const ViewInput& input, ViewState& state, const TimelineFrame& frame) const;
  bool drawRows(const ViewInput& input, const ViewState& state, const TimelineFrame& frame,
                std::optional<RegionId> legend) const;
  void drawSelection(const ViewInput& input, const ViewState& state, const TimelineFrame& frame) const;
  void handleWheel(ViewState& state, const TimelineFrame& frame, bool over_plot, bool over_labels,
                   float scale) const;
  void handleHover(ViewState& state, const std::optional<Hovered>& hovered, std::optional<RegionId> legend);
  static std::optional<Hovered> pick(const ViewInput& input, const ViewState& state,
                                     const TimelineFrame& frame, ImVec2 mouse);

  std::string name_;
  std::optional<WarpKey> revealed_;  // the selection of the last frame
  bool hovers_ = false;              // state.hovered_* are of this plot
};

}  // namespace warpscope
