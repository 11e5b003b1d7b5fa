// The menu of a right click on a timeline: selects, pins and copies the span, instruction, warp or block
// under the mouse, and puts a marker or a note there.
#pragma once

#include <optional>
#include <string>

#include "viz/layout/row_selection.h"
#include "viz/views/view.h"

namespace warpscope {

class TimelineMenu {
 public:
  struct Target {
    WarpKey warp;
    uint32_t trace_warp = 0;           // its index in the run
    std::optional<CycleRange> cycles;  // of the span or the instruction
    std::string name;                  // of the region, or the PTX
    LaneMask mask;                     // executing
    int64_t cycle = 0;                 // under the mouse
  };

  void open(const Target& target);
  void draw(const ViewInput& input, ViewState& state);

 private:
  void drawSelecting(const ViewInput& input, ViewState& state) const;
  void drawCopying(const ViewInput& input) const;
  void drawMarking(const ViewInput& input, ViewState& state) const;

  std::optional<Target> target_;
  bool opens_ = false;
};

// A target as a selection, as a line of text and as CSV.
TraceSelection selectionOf(const TimelineMenu::Target& target);
std::string textOf(const Run& run, const TimelineMenu::Target& target);
std::string csvOf(const Run& run, const TimelineMenu::Target& target);

}  // namespace warpscope
