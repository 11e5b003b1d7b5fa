// What can be seen in place of the pictures of a run: the pages of the window. Adding one is a line here, its
// drawing in Screen::drawPage, and its translations.
#pragma once

#include <array>
#include <string>

#include "viz/text/translate.h"

namespace warpscope {

struct PageInfo {
  const char* name;   // in settings, reports and screenshots
  const char* label;  // on the toolbar
  const char* what;   // the tooltip
  char key;           // 0: none
};

inline constexpr std::array kPages{
    PageInfo{"trace", trMark("Run"), trMark("What the warps of one run did."), 0},
    PageInfo{"occupancy", trMark("Occupancy"), trMark("Drag a block size and see why the SM is full or not."),
             'O'},
    PageInfo{"compare", trMark("Compare"),
             trMark("Runs beside each other on one time axis, and who is faster."), 'C'},
    PageInfo{
        "plots", trMark("Plots"),
        trMark("Sweep a control, and see what bounds the kernel: copy ceiling, roofline, bytes in flight."),
        'P'}};

// The page on which a view of that name is drawn.
inline const char* pageOfView(const std::string& view) {
  if (view == "occupancy_lab") return "occupancy";
  if (view == "plots") return "plots";
  return view == "compare" || view == "race" ? "compare" : "trace";
}

}  // namespace warpscope
