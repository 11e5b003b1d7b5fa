// The inside of an Executor: what it keeps from run to run, and the steps of a run. executor_prepare.cpp has
// the steps up to the launch, which all devices share; executor_measure.cpp those that launch on a real GPU
// and measure it; executor_model.cpp those that launch on a modelling device. executor.cpp puts them in
// order.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/backend/modelling_backend.h"
#include "kernels/execute/device_memory.h"
#include "kernels/execute/executor.h"
#include "kernels/execute/plan_objects.h"
#include "kernels/execute/trace_collector.h"

namespace warpscope {

inline bool isInput(const BufferSpec& spec) {
  return spec.role == BufferSpec::Role::kInput;
}
// An input that is on the device before the plan begins.
inline bool isUploaded(const BufferSpec& spec) {
  return isInput(spec) && !spec.host;
}
inline bool isManaged(const BufferSpec& spec) {
  return spec.host == HostMemory::kManaged;
}
inline bool isOutput(const BufferSpec& spec) {
  return spec.role == BufferSpec::Role::kOutput;
}
// A buffer that the kernel, or a copy of the plan, writes and for which the executor allocates memory.
inline bool isScratch(const BufferSpec& spec) {
  return !isUploaded(spec) && spec.symbol.empty();
}

struct Executor::State {
  // One run in progress: what is asked for, where its buffers are, and what has come out.
  struct Job {
    const Experiment* experiment = nullptr;
    LaunchPlan plan;
    std::string name;  // "reduction/shuffle"
    ModuleImage module;
    KernelHandle bare, probed;
    std::vector<KernelHandle> following;         // bare
    std::vector<KernelHandle> probed_following;  // in a plan with operations
    std::vector<DeviceAddress> pristine;         // initial contents of inputs and in-outs; 0 for outputs
    std::vector<DeviceAddress> working;          // the buffers that the kernel is given
    PlanObjects objects;                         // of those that are passed as images or tensor maps
    Run run;
    std::optional<ModelledLaunch::ValueRequest> values;  // of the launch with probes
    std::optional<ValueLog> value_log;
    double bare_streams_us = 0;            // with the clocks that the launches with probes have, too
    bool uneven = false;                   // a few SMs do not stand for all of them
    bool outputs = true;                   // operations on streams also execute what is not modelled
    bool complete = true;                  // they have executed all
    BareLaunches bare_launches;            // what operations on streams took without probes
    std::vector<ModelledBlocks> modelled;  // of the bare launch, if its result is not there yet
    std::function<void()> announce;        // reports the run as it is so far; may be empty
    bool announced = false;
    std::stop_token stop;     // for launches
    LaunchListener listener;  // of the present step's launches
  };

  // One step of a run. A table of them describes the run completely.
  struct Step {
    // The addition to an error of the step: the nearest request that would be possible with the
    // device's memory, or with what is free of it.
    enum class Nearest { kNone, kWithAllMemory, kWithFreeMemory };

    double begins_at = 0;  // the share of the whole at which it begins, roughly by time
    const char* doing = "";
    Expected<void> (*work)(State&, Job&) = nullptr;
    Nearest nearest = Nearest::kNone;
    bool shows_possible = false;  // a request that has passed this step can be launched here
    double launches_to_come = 0;  // after it, each about as long as its own; 0: unknown
  };

  State(Backend& on, KernelLibrary kernels) : backend(on), library(std::move(kernels)), inputs(on) {}
  virtual ~State() = default;
  virtual std::span<const Step> steps() const = 0;
  virtual Expected<LaneLog> recordLanes(Job& job, const LaneLogOptions& options) = 0;
  virtual Expected<RecordedValues> recordValues(Job& job, const ModelledLaunch::ValueRequest& of) = 0;

  Backend& backend;
  KernelLibrary library;
  InputCache inputs;
  std::vector<GrowBuffer> scratch;  // by buffer index: outputs and in-outs
  GrowBuffer copy_from{backend}, copy_to{backend};
  std::map<uint64_t, double> copy_gb_per_s;  // by bytes per direction
  std::optional<TraceCollector> collector;
  std::vector<std::unique_ptr<TraceCollector>> stream_collectors;  // by launch of a plan with operations
  // By buffer index: the host's side of those that have one, and the key of the content there.
  struct HostSide {
    std::vector<std::byte> bytes;
    std::string content_key;
  };
  std::vector<HostSide> host_sides;
  bool inputs_distrusted = false;
  std::optional<RunRequest> last_possible;

  Expected<RunRequest> complete(const RunRequest& request) const;
  Expected<void> prepare(Job& job, const RunRequest& complete);
  Expected<void> findKernels(Job& job);
  Expected<void> reserveMemory(Job& job);
  Expected<void> uploadInputs(Job& job);
  Expected<void> freshContent(const Job& job, size_t buffer);  // on the device
  Expected<void> freshContents(const Job& job);                // of all buffers, and of the host's side
  Expected<void> freshHost(const Job& job);                    // the host's side of buffers
  // The host's side of managed buffers, for launches that are made without the plan's streams.
  Expected<void> sendManaged(const Job& job);
  Expected<void> measureCopy(Job& job);

  tl::unexpected<Error> completed(Error error, const RunRequest& request, Step::Nearest nearest);
  Expected<void> checkFit(const Job& job, KernelHandle kernel, const std::string& what);
  LaunchSpec launchSpec(const Job& job, KernelHandle kernel) const;
  Expected<void> verifyOutputs(Job& job);  // what the bare kernel has left
  void takeTiming(Job& job, const std::vector<double>& bare_times_us);
  // The trace of a probed launch; `launch` makes that launch.
  Expected<Trace> probe(Job& job, const ProbedLaunch::Launch& launch);
  Expected<void> collectTrace(Job& job, const ProbedLaunch::Launch& launch);
  void makeRoom();

  // executor_streams.cpp: plans with operations on streams.
  enum class Form { kBare, kProbed };
  virtual Expected<StreamReport> runStreams(Job& job, const StreamWork& work);
  LaunchSpec launchOf(const Job& job, uint32_t launch, Form form) const;
  StreamWork streamWork(Job& job, std::span<const LaunchSpec> launches);
  Expected<std::vector<LaunchSpec>> armLaunches(Job& job);  // on fresh contents
  // The trace of armed launches, on a device whose report says where blocks would have run, and on one whose
  // clocks tell; there the launches' marks also improve the report.
  Expected<Trace> readPlaced(const Job& job, const StreamReport& report);
  Expected<Trace> readTimed(const Job& job, const StreamWork& work, StreamReport& report);
  // Launches by launch, in the order in which they are enqueued, with the copies between them, whatever the
  // streams; up to the first launch for which `launch` returns false.
  Expected<void> inOrder(Job& job, const std::function<Expected<bool>(uint32_t launch)>& launch);
  Expected<StreamReport> bareStreams(Job& job, StreamWork::Clocks clocks);
  // Microseconds. Keeps what the operations did, if these clocks tell.
  Expected<double> runBareStreams(Job& job, StreamWork::Clocks clocks = StreamWork::Clocks::kBest);
  Expected<void> executeStreams(Job& job);  // verifies and times
  Expected<void> traceStreams(Job& job);
};

double median(std::vector<double> values);
void takeProbeCost(Run& run, double probed_median_us, double bare_median_us);

std::unique_ptr<Executor::State> measuringState(Backend& backend, KernelLibrary library);
std::unique_ptr<Executor::State> modellingState(ModellingBackend& model, KernelLibrary library);

// A step in the form that a table of steps needs. `State` is the kind of executor whose table it is; the step
// is its own, or one that all kinds share.
template <class State, auto Member>
Expected<void> stepOf(Executor::State& state, Executor::State::Job& job) {
  return (static_cast<State&>(state).*Member)(job);
}

}  // namespace warpscope
