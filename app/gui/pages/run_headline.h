// The answer, large, over the Run page while a run is kept: how the present run compares with it, and why.
#pragma once

#include <memory>
#include <string>

#include "app/gui/ui.h"
#include "viz/views/view_data.h"

namespace warpscope {

struct SideBySide;

// The run that was kept last and the present one, as far as they have been compared. Both null: none is kept,
// or they are not compared yet.
struct KeptAndPresent {
  std::shared_ptr<const SideBySide> compared;
  size_t kept = 0, present = 0;  // indices into its runs
  explicit operator bool() const { return compared != nullptr; }
};
KeptAndPresent keptAndPresent(const Model& model);

// "Even / odd lanes is 1.87× slower than Even / odd warps (kept): 41 % of the lane-cycles lost ..."
std::string headlineText(const KeptAndPresent& runs);
// Draws it at the top of the area and returns its height; 0: there is none.
float drawHeadline(const Ui& ui, const KeptAndPresent& runs, ImVec2 at, float width);

}  // namespace warpscope
