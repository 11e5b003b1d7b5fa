// Reaching everything by keyboard: a ring moves from widget to widget, with Tab in the order of drawing and
// with arrows to the nearest in a direction; Enter is a click. The pointer goes with the ring, so that
// whatever the mouse does, custom-drawn pictures and tooltips included, the keyboard does through the same
// code.
//
// Widgets are the items that are reported by name, and the panels of views: in a panel, arrows move the
// pointer between what it reports, PageUp and PageDown scroll. The ring is there from the first Tab until the
// mouse moves, or Escape.
#pragma once

#include <imgui.h>

#include <deque>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/gui/window.h"

namespace warpscope {

struct Ui;

class Focus {
 public:
  // Called by the report for each widget as it is drawn. `panel`: its arrows move the pointer.
  void add(const std::string& name, ImVec2 min, ImVec2 max, bool panel);
  void beginFrame();  // the widgets of the frame before are the ones that keys act on

  // True: the key was for the ring.
  bool takeKey(const Ui& ui, const KeyPress& press);
  // Where the pointer is in the coming frame, and whether it is pressed; nullopt: the mouse is it.
  std::optional<Pointer> pointer();
  // A right click where the pointer is: at the ring; without one, at the selected warp of the timeline, or
  // the mouse. It opens the menu of what is there.
  void openMenu(const Ui& ui);
  void hide() {
    name_.clear();
    gesture_.clear();
  }

  const std::string& name() const { return name_; }  // of the widget with the ring; empty: none
  // For a slider, when it is drawn: Left and Right belong to it while it has the ring. The steps that they
  // asked for.
  int takeSteps(const std::string& name);

  // Draws the ring over everything, and goes on with a click in progress.
  void draw(const Ui& ui);

 private:
  struct Stop {
    std::string name;
    ImVec2 min, max;
    bool panel = false, popup = false;
    ImVec2 centre() const { return {(min.x + max.x) / 2, (min.y + max.y) / 2}; }
  };
  const Stop* find(const std::string& name) const;  // in the frame before
  std::vector<const Stop*> reachable() const;
  void step(int direction);
  void goTo(const Stop& stop);
  void moveTowards(ImVec2 direction);
  void movePointer(const Ui& ui, const Stop& panel, ImVec2 direction, bool fine);
  void click(bool right = false);
  bool takeArrow(const Ui& ui, const KeyPress& press);

  std::vector<Stop> before_, now_;
  std::set<std::string> sliders_before_, sliders_now_;
  std::string name_, opener_;    // the second: was clicked, and may have opened a menu
  ImVec2 at_, opener_at_;        // of the pointer; where it was clicked
  bool to_sight_ = false;        // the widget scrolls into sight when it is drawn
  int steps_ = 0;                // for the slider that has the ring
  std::deque<Pointer> gesture_;  // one for each of the coming frames
};

}  // namespace warpscope
