// An open device as the window uses it: a LaunchQueue whose results get their TraceLayout on the queue's own
// worker thread, so that the window only takes and draws. Knows nothing of settings or widgets.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "kernels/device/service/launch_queue.h"
#include "kernels/experiments/prediction.h"
#include "kernels/metrics/metric.h"
#include "viz/views/view_data.h"

namespace warpscope {

using LayoutBuilder = std::function<std::shared_ptr<const TraceLayout>(const Run&)>;

class DeviceSession {
 public:
  struct Arrival {
    LaunchQueue::Result result;                 // elapsed_ms: until the layout was there, too
    std::shared_ptr<const TraceLayout> layout;  // of foreground runs that succeeded
    std::vector<PredictionResult> predictions;  // of the same
    MetricValues metrics;                       // of all runs that succeeded
    bool foreground = false;
  };

  // `wake` is called from the worker whenever poll() has something.
  DeviceSession(std::unique_ptr<Device> device, LayoutBuilder build_layout, std::function<void()> wake);
  ~DeviceSession();  // stops the run in progress and joins: may take as long as a launch
  DeviceSession(const DeviceSession&) = delete;
  DeviceSession& operator=(const DeviceSession&) = delete;

  const Device& device() const { return queue_->device(); }
  uint64_t submit(const RunRequest& request);
  void submitBackground(std::vector<RunRequest> requests) { queue_->submitBackground(std::move(requests)); }
  void cancel() { queue_->cancel(); }
  std::vector<Arrival> poll();
  std::optional<Progress> progress() const { return queue_->progress(); }
  bool busy() const { return queue_->busy(); }

 private:
  void takeNews();  // on the worker thread

  LayoutBuilder build_layout_;
  std::function<void()> wake_;
  std::mutex mutex_;
  std::set<uint64_t> foreground_;  // tickets submitted and not yet arrived
  std::vector<Arrival> arrivals_;
  std::unique_ptr<LaunchQueue> queue_;  // last: its worker uses the others until it has joined
};

}  // namespace warpscope
