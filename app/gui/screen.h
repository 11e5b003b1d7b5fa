// One frame of the window: the fixed layout of toolbar, controls, views and status line, and the splitters
// between them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/gui/ui.h"
#include "app/gui/window.h"
#include "viz/views/view.h"

namespace warpscope {

class Screen {
 public:
  Screen();
  // Between Window::beginFrame and render.
  void draw(const Ui& ui, std::span<const KeyPress> keys);
  // "timeline" ... in the order of the layout.
  static std::span<const char* const> viewNames();

 private:
  struct Area {
    ImVec2 min, max;
    float width() const { return max.x - min.x; }
    float height() const { return max.y - min.y; }
  };
  struct Panels {
    Area toolbar, controls, timeline, lanes, code, occupancy, bandwidth, status;
  };

  Panels layOut(const Ui& ui) const;
  void drawSplitters(const Ui& ui, const Panels& panels);
  void drawView(const Ui& ui, const ViewInput& input, View& view, const Area& area);
  void drawHeader(const Ui& ui, const View& view, const Area& area);

  std::unique_ptr<View> timeline_, lanes_, code_, bandwidth_, occupancy_;
};

}  // namespace warpscope
