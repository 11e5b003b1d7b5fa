// A run as it reaches the window, with the layout to draw, which the run service's worker has made, so that
// the window only has to draw. Knows nothing of settings or widgets.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "kernels/device/service/run_service.h"
#include "kernels/experiments/prediction.h"
#include "kernels/metrics/metric.h"
#include "viz/views/view_data.h"

namespace warpscope {

using LayoutBuilder = std::function<std::shared_ptr<const TraceLayout>(std::shared_ptr<const Run>)>;

struct Arrival {
  RunResult result;                           // elapsed_ms: includes making the layout
  std::shared_ptr<const TraceLayout> layout;  // only of foreground runs that succeeded
  std::vector<PredictionResult> predictions;  // of the same runs
  MetricValues metrics;                       // of all runs that succeeded
};

// An open device as the window uses it.
using WindowRuns = RunService<Arrival>;

std::unique_ptr<WindowRuns> serveRuns(std::unique_ptr<Device> device, LayoutBuilder build_layout,
                                      std::function<void()> wake);

}  // namespace warpscope
