#include "kernels/execute/executor.h"

#include <chrono>
#include <iterator>
#include <utility>

#include "kernels/execute/executor_state.h"

namespace warpscope {
namespace {

// From how long a share of a launch took; 0 while that says little.
double secondsLeft(double seconds, double share, double launches_to_come) {
  constexpr double kTooSoon_s = 0.5;
  if (seconds < kTooSoon_s || share <= 0) return 0;
  return seconds / share * (1 - share + launches_to_come);
}

}  // namespace

KernelLibrary builtInKernels() {
  return {[](const std::string& family) { return findExperiment(family); },
          [](const std::string& module) { return findModule(module); },
          [](const ModuleImage& module, const std::string& kernel, ProbeKind probe) {
            return findEntry(module, kernel, probe);
          }};
}

Executor::Executor(Backend& backend, KernelLibrary library)
    : state_(std::make_unique<State>(backend, std::move(library))) {}
Executor::~Executor() = default;

Expected<Run> Executor::run(const RunRequest& request, const ProgressSink& progress,
                            const std::stop_token& stop) {
  struct Step {
    double begins_at;  // of the whole, roughly as time goes
    const char* doing;
    Expected<void> (State::*work)(State::Job&);
    const char* simulating = nullptr;  // what a simulated GPU is doing all the while; null: the same
    double launches_to_come = 0;       // there, each about as long as this step's
  };
  static constexpr Step kSteps[] = {
      {0.05, "loading the kernel", &State::findKernels},
      {0.10, "checking memory", &State::reserveMemory},
      {0.15, "uploading inputs", &State::uploadInputs},
      {0.20, "looking for hazards", &State::lookForHazards, nullptr, 2},
      {0.30, "verifying the result", &State::verify, "executing on the simulated GPU", 1},
      {0.50, "timing", &State::timeBare},
      {0.60, "timing a copy", &State::measureCopy},
      {0.64, "timing a library", &State::measureLibrary},
      {0.66, "tracing", &State::takeTrace, "executing with probes on the simulated GPU"},
      {0.90, "timing with probes", &State::timeProbed},
  };
  const auto complete = state_->complete(request);
  if (!complete) return tl::unexpected(complete.error());
  const uint64_t all_memory = state_->backend.description().memory_bytes;
  const bool simulated = state_->backend.description().kind == DeviceKind::kSimulated;
  State::Job job;
  if (auto ready = state_->prepare(job, *complete); !ready) {
    return state_->withNearest(std::move(ready.error()), *complete, all_memory);
  }
  for (size_t i = 0; i < std::size(kSteps); ++i) {
    const Step& step = kSteps[i];
    if (stop.stop_requested())
      return fail(ErrorKind::kCancelled, "{} was stopped before {}", job.name, step.doing);
    const char* doing = simulated && step.simulating != nullptr ? step.simulating : step.doing;
    if (progress) progress({step.begins_at, doing});
    const double ends_at = i + 1 < std::size(kSteps) ? kSteps[i + 1].begins_at : 1.0;
    const auto began = std::chrono::steady_clock::now();
    state_->backend.watch(stop, [&](double share) {
      if (!progress) return;
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
      progress({step.begins_at + share * (ends_at - step.begins_at), doing,
                secondsLeft(seconds, share, step.launches_to_come)});
    });
    auto done = (state_.get()->*step.work)(job);
    state_->backend.watch({}, {});
    if (!done && step.work == &State::findKernels) {
      return state_->withNearest(std::move(done.error()), *complete, all_memory);
    }
    if (!done && step.work == &State::reserveMemory) {
      const auto memory = state_->backend.memory();
      return state_->withNearest(std::move(done.error()), *complete, memory ? memory->free_bytes : 0);
    }
    if (!done) return tl::unexpected(done.error());
    if (step.work == &State::reserveMemory) state_->last_possible = *complete;
  }
  return std::move(job.run);
}

Expected<LaneLog> Executor::recordLanes(const RunRequest& request, const LaneLogOptions& options,
                                        const std::stop_token& stop) {
  const auto complete = state_->complete(request);
  if (!complete) return tl::unexpected(complete.error());
  State::Job job;
  auto done = state_->prepare(job, *complete)
                  .and_then([&] { return state_->findKernels(job); })
                  .and_then([&] { return state_->reserveMemory(job); })
                  .and_then([&] { return state_->uploadInputs(job); });
  if (!done) return tl::unexpected(done.error());
  state_->backend.watch(stop, {});
  done = state_->recordLanes(job, options);
  state_->backend.watch({}, {});
  if (!done) return tl::unexpected(done.error());
  return std::move(*state_->backend.lastLaunch()->lanes);
}

}  // namespace warpscope