// Lines in pixels: clipped at a rectangle, solid or dashed, with dashes that continue around corners.
#pragma once

#include <imgui.h>

#include "viz/layout/polyline.h"

namespace warpscope {

struct Stroke {
  ImU32 colour = 0;
  float width = 1;  // pixels
  float dash = 0;   // pixels, as long as the gap after it; 0: solid
  // Dashes are counted from left to right instead of along the path, for curves that go up and down in every
  // column.
  bool dash_across = false;
};

// One curve. Draws as it moves and stores nothing.
class Pen {
 public:
  // Nothing outside [min, max] is drawn, however far away the curve is.
  Pen(ImDrawList& list, ImVec2 min, ImVec2 max, const Stroke& stroke)
      : list_(list), area_{min.x, min.y, max.x, max.y}, stroke_(stroke) {}
  void to(ImVec2 point);
  void lift() { down_ = false; }  // the next point starts a new stroke

 private:
  void dashes(ImVec2 from, ImVec2 to, float length);

  ImDrawList& list_;
  PlotRectangle area_;
  Stroke stroke_;
  ImVec2 at_;
  bool down_ = false;
  float gone_ = 0;  // pixels into the current dash and its gap
};

void strokeLine(ImDrawList& list, ImVec2 from, ImVec2 to, const Stroke& stroke);

}  // namespace warpscope
