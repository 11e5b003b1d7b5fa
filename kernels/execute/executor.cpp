#include "kernels/execute/executor.h"

#include <chrono>
#include <span>
#include <utility>

#include "kernels/execute/executor_state.h"

namespace warpscope {
namespace {

// Estimated from how long a share of a launch took; 0 while that says little.
double secondsLeft(double seconds, double share, double launches_to_come) {
  constexpr double kTooSoon_s = 0.5;
  if (seconds < kTooSoon_s || share <= 0) return 0;
  return seconds / share * (1 - share + launches_to_come);
}

struct MakeState {
  KernelLibrary& library;
  std::unique_ptr<Executor::State> operator()(Backend& measuring) const {
    return measuringState(measuring, std::move(library));
  }
  std::unique_ptr<Executor::State> operator()(ModellingBackend& modelling) const {
    return modellingState(modelling, std::move(library));
  }
};

// The steps before the first launch, for work that is no run.
Expected<void> makeReady(Executor::State& state, Executor::State::Job& job, const RunRequest& request) {
  const auto complete = state.complete(request);
  if (!complete) return tl::unexpected(complete.error());
  return state.prepare(job, *complete)
      .and_then([&] { return state.findKernels(job); })
      .and_then([&] { return state.reserveMemory(job); })
      .and_then([&] { return state.uploadInputs(job); });
}

}  // namespace

KernelLibrary builtInKernels() {
  return {[](const RunRequest& request) { return findExperiment(request); },
          [](const std::string& module) { return findModule(module); },
          [](const ModuleImage& module, const std::string& kernel, ProbeKind probe) {
            return findEntry(module, kernel, probe);
          }};
}

Executor::Executor(Backend& measuring, KernelLibrary library)
    : state_(measuringState(measuring, std::move(library))) {}
Executor::Executor(ModellingBackend& modelling, KernelLibrary library)
    : state_(modellingState(modelling, std::move(library))) {}
Executor::Executor(const OpenedBackend& either, KernelLibrary library)
    : state_(either.visit(MakeState{library})) {}
Executor::~Executor() = default;

Expected<Run> Executor::run(const RunRequest& request, const ProgressSink& progress,
                            const std::stop_token& stop) {
  using Step = State::Step;
  const auto complete = state_->complete(request);
  if (!complete) return tl::unexpected(complete.error());
  State::Job job;
  job.stop = stop;
  if (auto ready = state_->prepare(job, *complete); !ready) {
    return state_->completed(std::move(ready.error()), *complete, Step::Nearest::kWithAllMemory);
  }
  const std::span<const Step> steps = state_->steps();
  for (size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    if (stop.stop_requested())
      return fail(ErrorKind::kCancelled, "{} was stopped before {}", job.name, step.doing);
    if (progress) progress({step.begins_at, step.doing});
    const double ends_at = i + 1 < steps.size() ? steps[i + 1].begins_at : 1.0;
    job.listener.progress = [&, began = std::chrono::steady_clock::now()](double share) {
      if (!progress) return;
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
      progress({step.begins_at + share * (ends_at - step.begins_at), step.doing,
                secondsLeft(seconds, share, step.launches_to_come)});
    };
    job.announce = [&] {
      if (std::exchange(job.announced, true)) return;
      if (progress) progress({step.begins_at, step.doing, 0, std::make_shared<const Run>(job.run)});
    };
    if (auto done = step.work(*state_, job); !done) {
      return state_->completed(std::move(done.error()), *complete, step.nearest);
    }
    if (step.shows_possible) state_->last_possible = *complete;
  }
  return std::move(job.run);
}

Expected<LaneLog> Executor::recordLanes(const RunRequest& request, const LaneLogOptions& options,
                                        const std::stop_token& stop) {
  State::Job job;
  job.stop = stop;
  if (auto ready = makeReady(*state_, job, request); !ready) return tl::unexpected(ready.error());
  return state_->recordLanes(job, options);
}

Expected<Executor::RecordedValues> Executor::recordValues(const RunRequest& request,
                                                          const ModelledLaunch::ValueRequest& of,
                                                          const std::stop_token& stop) {
  State::Job job;
  job.stop = stop;
  if (auto ready = makeReady(*state_, job, request); !ready) return tl::unexpected(ready.error());
  return state_->recordValues(job, of);
}

}  // namespace warpscope
