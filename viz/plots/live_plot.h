// The bandwidth of recent runs over time.
#pragma once

#include <deque>

#include "viz/plots/plots_input.h"

namespace warpscope {

struct LivePlotInput {
  const std::deque<BandwidthSample>* history = nullptr;  // never null; ascending in time
  std::vector<PlotLevel> levels;                         // in GB/s
  bool modelled = false;
};

// Time is counted back from the newest run: while nothing runs, nothing moves.
void drawLivePlot(const PlotsInput& input, const LivePlotInput& live, ImVec2 size);

}  // namespace warpscope
