// Makes a device asynchronous: a worker thread takes the newest request and drops those it supersedes, so
// that launching never blocks a window. Results are kept until poll() takes them; `news` is called from the
// worker whenever there is something to poll (the window wakes its event loop).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/device/device.h"

namespace warpscope {

class LaunchQueue {
 public:
  struct Result {
    uint64_t ticket = 0;
    RunRequest request;
    Expected<std::shared_ptr<const Run>> run;
    double elapsed_ms = 0;  // from submit to result
  };

  LaunchQueue(std::unique_ptr<Device> device, std::function<void()> news);
  ~LaunchQueue();  // stops the run in progress and joins
  LaunchQueue(const LaunchQueue&) = delete;
  LaunchQueue& operator=(const LaunchQueue&) = delete;

  const Device& device() const;
  // Replaces a foreground request not yet started, and stops a background one that runs. Never blocks.
  uint64_t submit(RunRequest request);
  // Work for idle times (the other variants' bars): runs in order when no foreground request waits; replaces
  // all earlier background requests not yet started.
  void submitBackground(std::vector<RunRequest> requests);
  void cancel();  // the running one and all that wait

  std::vector<Result> poll();
  bool busy() const;
  std::optional<Progress> progress() const;  // of the running one

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpscope
