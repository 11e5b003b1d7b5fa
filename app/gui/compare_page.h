// The Compare page: runs beside each other on one time axis, what differs, and who is faster; or a race of
// all variants of the family.
#pragma once

#include <memory>

#include "app/gui/ui.h"
#include "kernels/core/json_fwd.h"

namespace warpscope {

class ComparePage {
 public:
  ComparePage();
  ~ComparePage();
  // Into the area between the corners.
  void draw(const Ui& ui, ImVec2 min, ImVec2 max);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The compared runs as a list, in the current window: what each is called, how long it takes, and buttons to
// remove it or to make it the baseline.
void drawCompareList(const Ui& ui, const SideBySide& beside);
// What can be done to the comparison, in one line from the cursor.
void drawCompareHeader(const Ui& ui, const SideBySide* beside);

// For the report: what is compared, on which axis, and the race's ranking.
Json compareState(const Model& model);
// K and its button: keeps the shown run, and says so.
void keepShownRun(const Ui& ui);
// Ctrl and a click on a variant, or its "+".
void keepVariant(const Ui& ui, const std::string& variant);
// R: to the race; again: all variants run anew.
void startRace(const Ui& ui);

}  // namespace warpscope
