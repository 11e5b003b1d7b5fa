#include "app/gui/arrival.h"

#include <chrono>
#include <utility>

namespace warpscope {
namespace {

using Clock = std::chrono::steady_clock;

Arrival arrivalOf(RunResult result, const LayoutBuilder& build_layout) {
  Arrival arrival;
  if (result.run) arrival.metrics = MetricValues(**result.run);
  if (result.run && result.foreground) {
    const auto begin = Clock::now();
    arrival.layout = build_layout(*result.run);
    arrival.predictions = predictionResults(**result.run);
    result.elapsed_ms += std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  }
  arrival.result = std::move(result);
  return arrival;
}

}  // namespace

std::unique_ptr<WindowRuns> serveRuns(std::unique_ptr<Device> device, LayoutBuilder build_layout,
                                      std::function<void()> wake) {
  const auto complete = [build = std::move(build_layout)](RunResult result) {
    return arrivalOf(std::move(result), build);
  };
  return std::make_unique<WindowRuns>(std::move(device), complete, std::move(wake));
}

}  // namespace warpscope
