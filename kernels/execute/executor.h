// Runs an experiment's plan on a backend and produces the Run: checks that everything fits into free memory,
// uploads inputs (cached between runs), launches once on fresh inputs and verifies, times the bare kernel,
// measures the copy ceiling (cached by size), takes the trace from a probed launch, and times the probed
// kernel for the cost of the probes.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "kernels/backend/opened_backend.h"
#include "kernels/core/error.h"
#include "kernels/experiments/experiment.h"
#include "kernels/run/run.h"

namespace warpscope {

struct Progress {
  double fraction = 0;      // 0..1
  std::string step;         // "uploading 64 MiB"
  double seconds_left = 0;  // of the whole run, roughly; 0: unknown
  // At most once in a run: all of it but the check of the result, which takes longest on a simulated GPU. Its
  // verification is pending.
  std::shared_ptr<const Run> early;
};
using ProgressSink = std::function<void(const Progress&)>;  // called from the thread that runs

// The source of an executor's experiments and compiled kernels: the program's own, or a test's.
struct KernelLibrary {
  std::function<Expected<const Experiment*>(const RunRequest& request)> experiment;
  std::function<Expected<ModuleImage>(const std::string& module)> module;
  std::function<Expected<std::string>(const ModuleImage& module, const std::string& kernel, ProbeKind probe)>
      entry;
};
KernelLibrary builtInKernels();

class Executor {
 public:
  // On a device that measures, and on one that models time: there the launch that is verified is also the one
  // that is timed, and it can be checked for hazards and log instructions.
  explicit Executor(Backend& measuring, KernelLibrary library = builtInKernels());
  explicit Executor(ModellingBackend& modelling, KernelLibrary library = builtInKernels());
  explicit Executor(const OpenedBackend& either, KernelLibrary library = builtInKernels());
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // Run::request::sampling of the result keeps its mode and has first_blocks and sms as they were used. If
  // the result differs from what the host computed, it is still a Run, whose verification has failed. Errors:
  // kBadRequest (unknown name, value out of range; an impossible launch or too little memory: with the
  // nearest setting that is possible, where changing one parameter helps), kCancelled, kWorkFailed.
  Expected<Run> run(const RunRequest& request, const ProgressSink& progress, const std::stop_token& stop);

  // Records what the lanes of some blocks do by executing the bare kernel on fresh inputs; nothing is
  // verified or timed. Errors are those of run(); kBadRequest also if the backend does not model launches.
  Expected<LaneLog> recordLanes(const RunRequest& request, const LaneLogOptions& options,
                                const std::stop_token& stop);

  // Records the values of a block of the launch with probes, which is made once more. `cycle` in the log is
  // on the launch axis. Errors: as recordLanes(); kBadRequest if the block is not among those that the trace
  // records.
  struct RecordedValues {
    ValueLog log;
    Trace trace;  // of the launch, to compare
  };
  Expected<RecordedValues> recordValues(const RunRequest& request, const ModelledLaunch::ValueRequest& of,
                                        const std::stop_token& stop);

  struct State;  // executor_state.h

 private:
  std::unique_ptr<State> state_;
};

}  // namespace warpscope
