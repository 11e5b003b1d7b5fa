// Lane logs for runs of any device: the same kernel with the same arguments, launched as on that device, is
// executed on a simulated GPU of its own. One thread uses a recorder at a time.
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "kernels/core/error.h"
#include "kernels/execute/executor.h"
#include "kernels/run/lane_log.h"

namespace warpscope {

class LaneRecorder {
 public:
  explicit LaneRecorder(KernelLibrary library = builtInKernels());
  ~LaneRecorder();
  LaneRecorder(const LaneRecorder&) = delete;
  LaneRecorder& operator=(const LaneRecorder&) = delete;

  // `device`: its limits decide how the plan launches. Errors: those of Executor::recordLanes.
  Expected<LaneLog> record(const RunRequest& request, const DeviceDescription& device,
                           const LaneLogOptions& options, const std::stop_token& stop);
  // The same for a run. Error (kBadRequest): its kernel does not exist in this program, or exists in another
  // version, as can be the case with recordings made by another program.
  Expected<LaneLog> record(const Run& run, const LaneLogOptions& options, const std::stop_token& stop);

 private:
  Expected<void> open(const DeviceDescription& device);

  KernelLibrary library_;
  std::string device_;  // the device whose limits the backend has
  std::unique_ptr<ModellingBackend> backend_;
  std::unique_ptr<Executor> executor_;  // on the backend
};

}  // namespace warpscope
