// The runs of a lesson's steps on one device. A run that several steps need is made once.
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
  // `device` and `stop` must outlive it.
  RunKeeper(Device& device, const std::stop_token& stop) : device_(device), stop_(stop) {}

  Device& device() const { return device_; }
  // Errors: the device cannot answer such a request, or failed.
  Expected<const Run*> run(const RunRequest& asked);
  Expected<void> collect(const std::map<std::string, RunRequest>& requests, StepRuns& runs);
  void forget() { runs_.clear(); }

 private:
  Device& device_;
  const std::stop_token& stop_;
  std::map<std::string, std::unique_ptr<Run>> runs_;
};

}  // namespace warpscope
