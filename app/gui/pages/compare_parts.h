// What the Compare page consists of. Internal to it.
#pragma once

#include "app/gui/ui.h"

namespace warpscope {

class Json;

// The compared runs as a list, in the current window: what each is called, how long it takes, and buttons to
// remove it or to make it the baseline.
void drawCompareList(const Ui& ui, const SideBySide& runs);
// What can be done to the comparison, in one line from the cursor. `runs` null: there is none yet.
void drawCompareHeader(const Ui& ui, const SideBySide* runs);
// The race; where it is shown already, all variants run anew.
void startRace(const Ui& ui);
// For the report: what is compared, on which axis, and the race's ranking.
Json compareState(const Model& model);

}  // namespace warpscope
