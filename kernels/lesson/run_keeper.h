// The runs of a lesson's steps on one device. A run that several steps need is made once.
// The check, the handout and the window make theirs with it.
#pragma once

#include <map>
#include <memory>
#include <stop_token>
#include <string>

#include "kernels/device/device.h"
#include "kernels/lesson/run_values.h"

namespace warpscope {

class RunKeeper {
 public:
  static constexpr uint32_t kFewRepeats = 5;  // enough to tell twice from once

  // `device` must outlive it. Kernels are timed that often at most.
  explicit RunKeeper(Device& device, uint32_t most_repeats = kFewRepeats)
      : device_(device), most_repeats_(most_repeats) {}

  Device& device() const { return device_; }
  // Errors: the device cannot answer such a request, or failed.
  Expected<std::shared_ptr<const Run>> run(const RunRequest& asked, const std::stop_token& stop);
  // The keeper owns what `runs` points to, until it forgets.
  Expected<void> collect(const std::map<std::string, RunRequest>& requests, StepRuns& runs,
                         const std::stop_token& stop);
  size_t size() const { return runs_.size(); }
  void forget() { runs_.clear(); }

 private:
  Device& device_;
  uint32_t most_repeats_;
  std::map<std::string, std::shared_ptr<const Run>> runs_;
};

}  // namespace warpscope
