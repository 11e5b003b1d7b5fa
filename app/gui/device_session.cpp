#include "app/gui/device_session.h"

#include <chrono>
#include <utility>

namespace warpscope {

DeviceSession::DeviceSession(std::unique_ptr<Device> device, LayoutBuilder build_layout,
                             std::function<void()> wake)
    : build_layout_(std::move(build_layout)),
      wake_(std::move(wake)),
      queue_(std::make_unique<LaunchQueue>(std::move(device), [this] { takeNews(); })) {}

DeviceSession::~DeviceSession() = default;

uint64_t DeviceSession::submit(const RunRequest& request) {
  // Held while submitting: the worker must not bring the result before its ticket is known here.
  const std::lock_guard lock(mutex_);
  const uint64_t ticket = queue_->submit(request);
  foreground_.insert(ticket);
  return ticket;
}

void DeviceSession::takeNews() {
  for (LaunchQueue::Result& result : queue_->poll()) {
    bool foreground = false;
    {
      const std::lock_guard lock(mutex_);
      foreground = foreground_.erase(result.ticket) > 0;
    }
    Arrival arrival;
    arrival.result = std::move(result);
    arrival.foreground = foreground;
    if (arrival.result.run) arrival.metrics = MetricValues(**arrival.result.run);
    if (foreground && arrival.result.run) {
      const auto begin = std::chrono::steady_clock::now();
      arrival.layout = build_layout_(**arrival.result.run);
      arrival.predictions = predictionResults(**arrival.result.run);
      arrival.result.elapsed_ms +=
          std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    }
    const std::lock_guard lock(mutex_);
    arrivals_.push_back(std::move(arrival));
  }
  wake_();
}

std::vector<DeviceSession::Arrival> DeviceSession::poll() {
  const std::lock_guard lock(mutex_);
  return std::exchange(arrivals_, {});
}

}  // namespace warpscope
