// The layout of the run page's panels: the timeline over lanes, code, occupancy and bandwidth.
#pragma once

#include "app/gui/pages/page_parts.h"

namespace warpscope {

struct RunPanels {
  PageArea timeline, lanes, code, occupancy, bandwidth;
};

RunPanels layOutRunPanels(const Ui& ui, const PageArea& area);
// The bars between the panels; dragging one changes ui.screen.panels.
void drawRunSplitters(const Ui& ui, const RunPanels& panels);

}  // namespace warpscope
