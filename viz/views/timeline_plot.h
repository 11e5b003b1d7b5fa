// The rows of a timeline with their labels, selection, scrollbar and mouse: a run's own timeline has one
// plot, a comparison has one per run, over one time axis. The caller provides the layout of rows and time.
#pragma once

#include <optional>
#include <string>

#include "viz/layout/row_folds.h"
#include "viz/views/selection_drag.h"
#include "viz/views/timeline_frame.h"
#include "viz/views/timeline_menu.h"

namespace warpscope {

// The rows with the height that the state asks for, or at which all rows fit; scrolled as the state says.
RowGeometry timelineRows(const ViewInput& input, const ViewState& state, float top, float bottom);
// Items narrower than this are folded, so that a frame draws no more than the eye can distinguish.
double foldCycles(const RowGeometry& rows, const TimeScale& scale);

class TimelinePlot {
 public:
  // `name`: its widgets are reported as "NAME.plot", "NAME.row.3", "NAME.labels"; "NAME.selected" is the life
  // of the selected warp. Dragging with the left button selects.
  explicit TimelinePlot(std::string name) : name_(std::move(name)) {}

  // Scrolls to a warp that was selected elsewhere, or by keyboard; a relaunch does not scroll.
  void reveal(const ViewInput& input, ViewState& state, TimelineFrame& frame);
  // `legend`: the region that is hovered in a legend.
  void draw(const ViewInput& input, ViewState& state, const TimelineFrame& frame,
            std::optional<RegionId> legend);
  void handleMouse(const ViewInput& input, ViewState& state, const TimelineFrame& frame,
                   std::optional<RegionId> legend);
  // Removes from the state what this plot has marked as hovered.
  void forgetHover(ViewState& state);

 private:
  struct Hovered {
    const ViewInput* input = nullptr;
    double units_per_cycle = 1;
    uint32_t warp = 0;  // index of the warp in input->run; in a row of a block, one of its warps
    uint32_t row = 0;
    std::optional<double> cycle;  // absent over the labels
    std::optional<LayoutSpan> span;
    std::optional<uint32_t> slot;  // the instruction, if instructions are shown
  };

  void drawNothingHere(const ViewInput& input, ViewState& state, const TimelineFrame& frame) const;
  bool drawRows(const ViewInput& input, const ViewState& state, const TimelineFrame& frame,
                std::optional<RegionId> legend);
  void drawSelection(const ViewInput& input, const ViewState& state, const TimelineFrame& frame) const;
  void handleWheel(ViewState& state, const TimelineFrame& frame, bool over_plot, bool over_labels,
                   float scale) const;
  void handleHover(ViewState& state, const std::optional<Hovered>& hovered, std::optional<RegionId> legend);
  static TimelineMenu::Target targetOf(const Hovered& hovered, double cycle);
  void handleClick(ViewState& state, const std::optional<Hovered>& hovered) const;
  static std::optional<Hovered> pick(const ViewInput& input, const ViewState& state,
                                     const TimelineFrame& frame, ImVec2 mouse);

  std::string name_;
  SelectionDrag selecting_;
  TimelineMenu menu_;                // of the right button; only in a timeline of one run
  std::optional<RowFolds> folds_;    // of rows of several warps
  std::optional<WarpKey> revealed_;  // the selection in the last frame
  bool hovers_ = false;              // this plot has set state.hovered_*
};

}  // namespace warpscope
