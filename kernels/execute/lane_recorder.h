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

  // `device`: whose limits decide how the plan launches. Errors: as of Executor::recordLanes.
  Expected<LaneLog> record(const RunRequest& request, const DeviceDescription& device,
                           const LaneLogOptions& options, const std::stop_token& stop);
  // The same for a run. Error (kBadRequest): it is of a kernel that this program does not have, or has in
  // another version, as recordings of another program can be.
  Expected<LaneLog> record(const Run& run, const LaneLogOptions& options, const std::stop_token& stop);

 private:
  Expected<void> open(const DeviceDescription& device);

  KernelLibrary library_;
  std::string device_;  // whose limits the backend has
  std::unique_ptr<ModellingBackend> backend_;
  std::unique_ptr<Executor> executor_;  // on the backend
};

}  // namespace warpscope
