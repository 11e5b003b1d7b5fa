// Value logs (run/value_log.h) for runs that were made on a simulated GPU: the launch with probes is made
// once more. One thread uses a recorder at a time.
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "kernels/backend/modelling_backend.h"
#include "kernels/core/error.h"
#include "kernels/execute/executor.h"

namespace warpscope {

class ValueRecorder {
 public:
  explicit ValueRecorder(KernelLibrary library = builtInKernels()) : library_(std::move(library)) {}

  // Error (kBadRequest): the run is not of a simulated GPU, its trace does not record the block, or the
  // launch does not take the same course again, as when the run was made by another version of the program.
  Expected<ValueLog> record(const Run& run, const ModelledLaunch::ValueRequest& of,
                            const std::stop_token& stop);

 private:
  KernelLibrary library_;
};

}  // namespace warpscope
