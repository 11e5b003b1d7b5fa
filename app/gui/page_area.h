// A rectangle of the window, in pixels.
#pragma once

#include <imgui.h>

namespace warpscope {

struct PageArea {
  ImVec2 min, max;
  float width() const { return max.x - min.x; }
  float height() const { return max.y - min.y; }
  bool contains(ImVec2 at) const { return at.x >= min.x && at.x < max.x && at.y >= min.y && at.y < max.y; }
};

}  // namespace warpscope
