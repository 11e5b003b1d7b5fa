// Going to what was found, and walking through the places where it occurs.
#pragma once

#include <string>

#include "app/gui/find/find_state.h"
#include "app/gui/ui.h"

namespace warpscope {

// Does what effectOf() says. The entry has no problem.
void goTo(const Ui& ui, const FindEntry& entry);
// F3: the next (+1) or previous (-1) place of what was chosen last; from the last one to the first.
void walk(const Ui& ui, int direction);
std::string whyNoWalk(const Ui& ui);
void stopWalking(const Ui& ui);
// A view was given the whole window after the walk began: going back ends that first.
bool aloneSinceWalk(const Ui& ui);
// Once a frame: searches a part of the trace, and again after another run has arrived.
void continueWalk(const Ui& ui);
// Draws "odd path  3 of 17  b12 w3" over the page's lower edge while there is something to walk through.
void drawWalk(const Ui& ui, ImVec2 area_min, ImVec2 area_max);

}  // namespace warpscope
