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
  // Two views that share a panel; `shown` is the name of the one that is seen.
  void drawTabs(const Ui& ui, const ViewInput& input, View& first, View& second, std::string& shown,
                const Area& area);
  void drawPanel(const Ui& ui, const ViewInput& input, View& view, const Area& area);
  void drawTitle(const Ui& ui, const View& view, ImVec2 at);
  void drawCaption(const Ui& ui, const View& view, const Area& area, float right);
  // How wide what it draws at the right end of a panel's head is; 0: nothing.
  float drawHeadBadge(const Ui& ui, const View& view, const Area& area, float room);

  std::unique_ptr<View> timeline_, lanes_, code_, bandwidth_, occupancy_, states_, counters_;
};

}  // namespace warpscope
