// The plots: a page in place of the pictures of a run. A sweep over one control in the background, the
// roofline, bytes in flight and the runs of the last while. A click on a point chooses its setting.
#pragma once

#include <memory>

#include "app/gui/ui.h"

namespace warpscope {

class PlotsPage {
 public:
  PlotsPage();
  ~PlotsPage();
  void draw(const Ui& ui, ImVec2 min, ImVec2 max);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpscope
