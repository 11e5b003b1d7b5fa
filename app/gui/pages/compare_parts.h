// The parts of the Compare page. Internal to it.
#pragma once

#include "app/gui/ui.h"

namespace warpscope {

class Json;

// Draws the compared runs as a list, in the current window: the name and time of each, and buttons to remove
// it or to make it the baseline.
void drawCompareList(const Ui& ui, const SideBySide& runs);
// Draws the controls of the comparison, in one line from the cursor, `width` wide. `runs` null: there is none
// yet.
void drawCompareHeader(const Ui& ui, const SideBySide* runs, float width);
// Opens the race; if it is shown already, runs all variants again.
void startRace(const Ui& ui);
// For the report: what is compared, on which axis, and the race's ranking.
Json compareState(const Model& model);

}  // namespace warpscope
