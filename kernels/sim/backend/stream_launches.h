// Models the launches of operations on streams, each by itself when it becomes ready: on all SMs, or, where
// its blocks do not influence each other, on a few that stand for all. One that ran before, in an earlier run
// or elsewhere in memory, need not be modelled again (bare_launch.h). Used for one run; the streams' model
// (streams/stream_machine.h) says when the blocks of all launches run.
//
// Errors: as Launcher's.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include "kernels/backend/modelling_backend.h"
#include "kernels/core/error.h"
#include "kernels/sim/backend/launcher.h"
#include "kernels/sim/streams/bare_launch.h"
#include "kernels/sim/streams/stream_machine.h"

namespace warpscope::sim {

// One run of operations: the work, and how the caller wants it modelled.
struct StreamRequest {
  const StreamWork& work;
  const ModelledStreams* how = nullptr;  // nullptr: all blocks are modelled
  const std::stop_token& stop;
  const LaunchListener& listener;
};

class StreamLaunches {
 public:
  // The request must outlive this object.
  StreamLaunches(Launcher& launcher, LoadedKernels& kernels, DeviceMemory& memory, ModelledCaches& caches,
                 const DeviceProfile& profile, const DeviceDescription& gpu, const StreamRequest& request);

  Expected<LaunchedAlone> launch(uint32_t operation);
  // The report says what the launches printed, how long they took without probes, and whether all blocks have
  // been executed.
  ModelledStreamReport takeReport() { return std::move(report_); }

 private:
  // A launch whose blocks do not influence each other.
  struct Plain {
    uint32_t operation = 0;
    const LaunchSpec* spec = nullptr;        // executes what is not modelled
    uint32_t sms = 0;                        // that are modelled; 0: all
    uint32_t recording = 0;                  // so many of them record; 0: none, the launch has no probes
    const BareLaunch* known = nullptr;       // what it took without probes
    std::shared_ptr<const BareLaunch> like;  // what one before it, which did the same, took
    uint64_t recorded_rounds = 1, most_rounds = 0;
    bool outputs = true;
  };
  std::optional<Plain> plainOf(uint32_t operation, bool may_be_known) const;
  std::shared_ptr<const BareLaunch> likeBefore(uint32_t operation) const;
  bool doTheSame(const LaunchSpec& a, const LaunchSpec& b) const;

  Expected<LaunchedAlone> launchDeciding(uint32_t operation, LaunchSpec spec, std::optional<Plain> plain);
  Expected<LaunchedAlone> launchAlone(const LaunchSpec& spec, const std::optional<Plain>& plain);
  Expected<LaunchedAlone> launchKnown(const Plain& plain, const BareLaunch& known);
  TimedOptions optionsOf(const LaunchSpec& spec, const ReadyLaunch& ready, const std::optional<Plain>& plain);
  Expected<void> complete(const Plain& plain, const TimedOptions& options, const ModelledBlocks& work,
                          LaunchedAlone& alone);
  Expected<void> executeRest(const Plain& plain, const BlockSelection& modelled_blocks,
                             const ModelledBlocks& work);

  Launcher& launcher_;
  LoadedKernels& kernels_;
  DeviceMemory& memory_;
  ModelledCaches& caches_;
  const DeviceProfile& profile_;
  const DeviceDescription& gpu_;
  const StreamRequest& request_;
  ModelledStreamReport report_;
};

}  // namespace warpscope::sim
