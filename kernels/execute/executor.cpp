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

// Leaves, of a plan with operations, the launch that the run's block belongs to, which finds its inputs on
// the device. Returns the number of its first block in the run.
uint32_t keepLaunchOf(uint32_t block, LaunchPlan& plan) {
  if (plan.operations.empty()) return 0;
  uint32_t first = 0;
  for (const FollowingLaunch& launch : plan.following) {
    const auto blocks = static_cast<uint32_t>(plan.grid.count());
    if (block - first < blocks) break;
    first += blocks;
    plan.kernel = launch.kernel;
    plan.grid = launch.grid;
    plan.block = launch.block;
    plan.dynamic_shared_bytes = launch.dynamic_shared_bytes;
    plan.cluster = launch.cluster;
    plan.arguments = launch.arguments;
  }
  plan.operations.clear();
  plan.streams.clear();
  plan.following.clear();
  for (BufferSpec& buffer : plan.buffers) buffer.host.reset();
  return first;
}

// The steps before the first launch, for work on one block that is no run. Returns the number of its launch's
// first block in the run.
Expected<uint32_t> makeReady(Executor::State& state, Executor::State::Job& job, const RunRequest& request,
                             uint32_t block = 0) {
  const auto complete = state.complete(request);
  if (!complete) return tl::unexpected(complete.error());
  uint32_t first = 0;
  return state.prepare(job, *complete)
      .map([&] { first = keepLaunchOf(block, job.plan); })
      .and_then([&] { return state.findKernels(job); })
      .and_then([&] { return state.reserveMemory(job); })
      .and_then([&] { return state.uploadInputs(job); })
      .map([&] { return first; });
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
  const auto first = makeReady(*state_, job, request, of.block);
  if (!first) return tl::unexpected(first.error());
  ModelledLaunch::ValueRequest in_launch = of;
  in_launch.block -= *first;
  auto recorded = state_->recordValues(job, in_launch);
  if (!recorded) return recorded;
  recorded->log.block.value += *first;
  for (TraceWarp& warp : recorded->trace.warps) warp.block.value += *first;
  return recorded;
}

}  // namespace warpscope
