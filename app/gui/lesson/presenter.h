// A lecturer points with these in presenter mode: a pointer that glows, a spotlight, and a pen whose strokes
// vanish.
#pragma once

#include <imgui.h>

#include <vector>

#include "app/gui/page_area.h"

namespace warpscope {

struct Ui;

struct Ink {
  struct Stroke {
    std::vector<ImVec2> points;
    double drawn_s = 0;  // when its last point was drawn
  };
  bool pen = false, spotlight = false;
  std::vector<Stroke> strokes;
};

// The buttons for them, at the cursor.
void drawInkButtons(const Ui& ui);
float inkButtonsWidth(const Ui& ui);
// Over everything else; the pen draws in `area`.
void drawInk(const Ui& ui, const PageArea& area);

}  // namespace warpscope
