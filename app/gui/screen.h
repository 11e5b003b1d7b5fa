// One frame of the window: the fixed layout of toolbar, controls, views and status line, and the splitters
// between them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/gui/compare_page.h"
#include "app/gui/occupancy_page.h"
#include "app/gui/plots_page.h"
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
  static std::span<const char* const> lanesTabs();  // those that share the lanes' panel

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
  void drawSplitters(const Ui& ui, const Panels& panels, bool only_controls);
  void drawView(const Ui& ui, const ViewInput& input, View& view, const Area& area);
  // Views that share a panel; `shown` is the name of the one that is seen. The name of one that was clicked;
  // nullptr: none.
  const char* drawTabs(const Ui& ui, const ViewInput& input, std::span<View* const> views, View& shown,
                       const Area& area);
  View* drawTab(const Ui& ui, View& tab, bool is_shown, ImVec2 at, const Area& area);
  View* drawHiddenTabs(const Ui& ui, std::span<View* const> hidden, const std::string& panel, ImVec2 at);
  View& lanesTab(const Ui& ui) const;
  void drawPanel(const Ui& ui, const ViewInput& input, View& view, const Area& area);
  void drawTitle(const Ui& ui, const View& view, ImVec2 at);
  void drawCaption(const Ui& ui, const View& view, const Area& area, float right);
  // How wide what it draws at the right end of a panel's head is; 0: nothing.
  float drawHeadBadge(const Ui& ui, const View& view, const Area& area, float room);

  void drawViews(const Ui& ui, const Panels& panels);  // of the shown run
  bool drawPage(const Ui& ui, const Panels& panels);   // true: the shown run's views

  std::vector<std::unique_ptr<View>> lanes_tabs_;
  std::unique_ptr<View> timeline_, code_, bandwidth_, occupancy_, states_, counters_, precision_;
  OccupancyPage lab_;
  PlotsPage plots_;
  ComparePage compare_;
};

}  // namespace warpscope
