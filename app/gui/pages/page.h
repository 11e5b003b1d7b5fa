// A page: what is shown between the controls and the window's right edge. Each is a class in a file of its
// own that owns its state; pages.cpp lists them. Toolbar, keys, sessions, screenshots and the report take
// what they need from here, so that nothing else knows a page by name.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/actions.h"
#include "app/gui/ui.h"
#include "viz/layout/navigation.h"

namespace warpscope {

class Json;

// Results that the model computes only while the page is visible.
struct PageNeeds {
  std::optional<SweepWish> sweep;  // runs in the background
  bool comparison = false, race = false;
  bool lanes = false;      // what the shown run's lanes did
  bool values = false;     // what the selected warp's registers held
  bool selection = false;  // the numbers of what is selected
};

// A panel of a page, which can have the window for itself: its name, and its title, translated.
struct PanelName {
  std::string name, title;
};

class Page {
 public:
  virtual ~Page() = default;
  virtual const char* name() const = 0;   // "plots": in settings, sessions and reports
  virtual const char* label() const = 0;  // on the toolbar; translated where it is shown, as is help()
  virtual const char* help() const = 0;   // the tooltip
  virtual const char* key() const { return ""; }  // opens it, and leaves it again; "": none
  // The views that a picture can be taken of; each is reported as the rectangle "view.NAME".
  virtual std::span<const char* const> views() const = 0;
  // What is drawn in a panel, or behind a tab of one, now or after show().
  virtual std::vector<PanelName> panels(const Ui& ui) const = 0;
  // Only one of the views that share a panel is visible; the next frame draws this one, by its name here or
  // in panels().
  virtual void show(const Ui& /*ui*/, const std::string& /*view*/) {}

  // The smallest window, in pixels at 100 %, that shows all panels at once; a smaller one shows one at a
  // time, behind tabs.
  virtual ImVec2 leastSize() const { return {780, 440}; }

  virtual PageNeeds needs(const Ui& /*ui*/) { return {}; }
  virtual void draw(const Ui& ui, ImVec2 min, ImVec2 max) = 0;
  // Something moves by itself, or waits for the model: a picture is not taken until this is false.
  virtual bool isMoving(const Ui& /*ui*/) const { return false; }

  // The time axis that keys zoom and pan, and its ends; nullopt: there is none yet.
  virtual ViewState& timeAxis(const Ui& ui) const { return ui.model.view; }
  virtual std::optional<TimeExtent> timeExtent(const Ui& ui) const;
  // In which dragging selects a range of time; null: nothing is selected on the page.
  virtual ViewState* selecting(const Ui& /*ui*/) const { return nullptr; }
  // What can be done on the page, apart from opening it.
  virtual std::vector<Action> actions() { return {}; }
  virtual bool goBack(const Ui& /*ui*/) { return false; }  // Escape; false: there is nothing to leave

  // The page's state in sessions, as JSON; empty: as at the start. What cannot be read is ignored.
  virtual std::string store() const { return {}; }
  virtual void restore(std::string_view /*state*/) {}
  // Adds what tests read about the page to the report's state.
  virtual void describe(const Model& /*model*/, Json& /*state*/) const {}
};

}  // namespace warpscope
