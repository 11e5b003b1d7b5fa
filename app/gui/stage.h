// Where the panels of the visible page are drawn: each in its place; one alone over the whole window; or, in
// a window that is small for its text, one at a time behind tabs. Pages ask for a place before they draw a
// panel and know nothing else of this.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/gui/page_area.h"

namespace warpscope {

struct Ui;

class Stage {
 public:
  struct Panel {
    std::string name;   // the shown view's
    std::string title;  // translated
    PageArea area;
  };

  // This page is seen from now on. Returns whether a view of another page was shown alone, which ends.
  bool enter(const std::string& page);
  // A frame begins: where the page is drawn, and whether its panels share that place behind tabs.
  void begin(const PageArea& whole, bool tabs);
  // The place of a panel in this frame; nullopt: another one is shown alone. `views`: those that share the
  // panel, by name; `shown`: the one of them that is visible.
  std::optional<PageArea> place(std::span<const char* const> views, const char* shown, const char* title,
                                const PageArea& area);
  std::optional<PageArea> place(const char* name, const char* title, const PageArea& area);
  // A panel that is alone has no page header above it. drawnBelow() takes the area that remains below the
  // header.
  bool showsHeader() const { return alone_now_.empty(); }
  void drawnBelow(const PageArea& rest) { whole_ = rest; }
  // A frame ends. True: what was to be alone is not on this page any more; another frame must be drawn.
  bool end();

  // The view that has the window for itself; empty: none. It ends when another page is opened.
  const std::string& alone() const { return alone_; }
  void showAlone(const std::string& page, const std::string& view);  // "": none
  void toggleAlone(const std::string& view) { showAlone(page_, alone_.empty() ? view : ""); }
  // The view that F11 enlarges: that of the panel at the position, otherwise of the page's first panel.
  std::string viewAt(ImVec2 position) const;
  // One panel is visible, alone or behind tabs: no splitters.
  bool single() const { return tabs_ || !alone_now_.empty(); }
  bool tabbed() const { return tabs_; }

  // The panels of the last frame, in the page's order.
  const std::vector<Panel>& panels() const { return panels_; }
  // Behind tabs: the one that is visible, by the name of any of its views.
  const std::string& tab() const;
  void chooseTab(const std::string& page, const std::string& view) { tab_of_page_[page] = view; }
  void chooseTab(const std::string& view) { chooseTab(page_, view); }

 private:
  bool isChosen(std::span<const char* const> views, const std::string& chosen) const;

  std::string page_, alone_;
  std::string alone_now_;  // in this frame: a change while it is drawn shows in the next one
  PageArea whole_;
  bool tabs_ = false, found_ = false;
  std::map<std::string, std::string> tab_of_page_;
  std::vector<Panel> panels_, drawing_;  // of the last frame, and of this one
};

}  // namespace warpscope
