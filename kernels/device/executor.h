// Runs an experiment's plan on a backend and makes the Run: sizes everything against free memory, uploads
// inputs (cached between runs), launches once on fresh inputs and verifies, times the bare kernel, measures
// the copy ceiling (cached by size), takes the trace from a probed launch and times the probed kernel for the
// probe cost.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "kernels/core/error.h"
#include "kernels/device/backend.h"
#include "kernels/experiments/experiment.h"
#include "kernels/trace/run.h"

namespace warpscope {

struct Progress {
  double fraction = 0;  // 0..1
  std::string step;     // "uploading 64 MiB"
};
using ProgressSink = std::function<void(const Progress&)>;  // called from the thread that runs

class Executor {
 public:
  explicit Executor(Backend& backend);
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  Expected<Run> run(const RunRequest& request, const ProgressSink& progress, const std::stop_token& stop);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpscope
