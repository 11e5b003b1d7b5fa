// Arrangements of the window: those for a lecture, for analysis and for comparing, the one it starts with,
// and the user's own. They hold the page, the panels' sizes and tabs, the view that is alone, and the text's
// size.
#pragma once

#include <span>

#include "app/gui/ui.h"

namespace warpscope {

struct NamedLayout {
  const char* name;    // in reports and actions
  const char* label;   // in the menu; translated where it is shown, as are the next two
  const char* action;  // the name of its action
  const char* help;
  WindowLayout layout;  // its scale is the least that suits it
};
std::span<const NamedLayout> builtInLayouts();  // the first is the default

WindowLayout presentLayout(const ScreenState& screen);
void useLayout(const Ui& ui, const NamedLayout& named);    // text that is larger stays larger
void useLayout(const Ui& ui, const WindowLayout& layout);  // the scale, too
void saveLayout(const Ui& ui, const std::string& name);    // replaces the one with that name
// The view under the mouse has the window for itself, or all views are there again.
void toggleSingleView(const Ui& ui);

// Draws the button with the menu of layouts, at the cursor.
void drawLayoutMenu(const Ui& ui);
float layoutMenuWidth();

}  // namespace warpscope
