// The inside of an Executor: what it keeps from run to run, and the steps of a run. executor_prepare.cpp has
// the steps up to the launch, executor_measure.cpp those that launch; executor.cpp puts them in order.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/execute/device_memory.h"
#include "kernels/execute/executor.h"
#include "kernels/execute/trace_collector.h"

namespace warpscope {

inline bool isInput(const BufferSpec& spec) {
  return spec.role == BufferSpec::Role::kInput;
}
inline bool isOutput(const BufferSpec& spec) {
  return spec.role == BufferSpec::Role::kOutput;
}
// What the kernel writes to and the executor makes room for.
inline bool isScratch(const BufferSpec& spec) {
  return !isInput(spec) && spec.symbol.empty();
}

struct Executor::State {
  // One run as it proceeds: what is asked for, where its buffers lie, what has come out.
  struct Job {
    const Experiment* experiment = nullptr;
    LaunchPlan plan;
    std::string name;  // "reduction/shuffle"
    ModuleImage module;
    KernelHandle bare, probed;
    std::vector<KernelHandle> following;  // bare
    std::vector<DeviceAddress> pristine;  // start contents of inputs and in-outs; 0 for outputs
    std::vector<DeviceAddress> working;   // what the kernel is given
    std::vector<double> bare_times_us;
    Run run;
  };

  State(Backend& on, KernelLibrary kernels) : backend(on), library(std::move(kernels)), inputs(on) {}

  Backend& backend;
  KernelLibrary library;
  InputCache inputs;
  std::vector<GrowBuffer> scratch;  // by buffer index: outputs and in-outs
  GrowBuffer copy_from{backend}, copy_to{backend};
  std::map<uint64_t, double> copy_gb_per_s;  // by bytes a direction
  std::map<std::pair<LibraryWork::Kind, uint64_t>, std::optional<LibraryTimes>> library_times;  // by count
  std::optional<TraceCollector> collector;
  bool inputs_distrusted = false;
  std::optional<RunRequest> last_possible;

  Expected<RunRequest> complete(const RunRequest& request) const;
  Expected<void> prepare(Job& job, const RunRequest& complete);
  Expected<void> findKernels(Job& job);
  Expected<void> reserveMemory(Job& job);
  Expected<void> uploadInputs(Job& job);
  Expected<void> freshContents(const Job& job);
  Expected<void> lookForHazards(Job& job);
  Expected<void> verify(Job& job);
  Expected<void> timeBare(Job& job);
  Expected<void> measureCopy(Job& job);
  Expected<void> measureLibrary(Job& job);
  Expected<void> takeTrace(Job& job);
  Expected<void> timeProbed(Job& job);
  Expected<void> measureResidency(Job& job);
  Expected<void> recordLanes(Job& job, const LaneLogOptions& options);

  tl::unexpected<Error> withNearest(Error error, const RunRequest& request, uint64_t memory_bytes);
  Expected<void> checkFit(const Job& job, KernelHandle kernel, const std::string& what);
  LaunchSpec launchSpec(const Job& job, KernelHandle kernel) const;
  void takeTiming(Job& job);
  void makeRoom();
};

}  // namespace warpscope
