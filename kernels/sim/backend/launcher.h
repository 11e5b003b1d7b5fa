// Makes single launches: checks one against the GPU, prepares it, executes its blocks or times it. Owns what
// goes on from launch to launch: the GPU's clock, the count of grids, the words of the grid's barrier, the
// condition on which a launch decides, and the threads that simulate. Knows nothing of which blocks stand for
// others: launch_modelling.h and stream_launches.h do.
//
// Errors: kBadRequest where the launch is not possible on this GPU; else as runFunctional() and runTimed().
#pragma once

#include <cstdint>
#include <stop_token>

#include "kernels/backend/backend.h"
#include "kernels/core/error.h"
#include "kernels/sim/backend/device_memory.h"
#include "kernels/sim/backend/graph_condition.h"
#include "kernels/sim/backend/loaded_kernels.h"
#include "kernels/sim/backend/modelled_caches.h"
#include "kernels/sim/simt/functional_grid.h"
#include "kernels/sim/simt/interpreter.h"
#include "kernels/sim/sm/timed_grid.h"
#include "kernels/sim/sm/worker_pool.h"

namespace warpscope::sim {

struct ReadyLaunch {
  Launch launch;
  uint32_t blocks_per_sm = 0;  // that fit
};

class Launcher {
 public:
  // `threads`: 0: as many as the host has.
  Launcher(const DeviceProfile& profile, const DeviceDescription& gpu, const LoadedKernels& kernels,
           DeviceMemory& memory, ModelledCaches& caches, uint32_t threads);
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;

  // The launch refers to this object and to what it was made with.
  Expected<ReadyLaunch> prepare(const LaunchSpec& spec);
  // The same; what the kernel prints goes to the listener, or is appended. Both must outlive the launch.
  Expected<ReadyLaunch> prepare(const LaunchSpec& spec, const LaunchListener& listener, PrintedText& printed);
  // Calls work(spec, ready launch) for `spec` and then for each launch that follows it, up to the first
  // error.
  template <class Work>
  Expected<void> forEachLaunch(const LaunchSpec& spec, const LaunchListener& listener, PrintedText& printed,
                               const Work& work) {
    const auto one = [&](const LaunchSpec& each) -> Expected<void> {
      const auto ready = prepare(each, listener, printed);
      if (!ready) return tl::unexpected(ready.error());
      return work(each, *ready);
    };
    auto done = one(spec);
    for (size_t i = 0; i < spec.following.size() && done; ++i) done = one(spec.following[i]);
    return done;
  }

  // Executes blocks of a launch besides the one that is being timed, without timing: those from `begin_block`
  // on that are not left out. Their output (printf) is lost.
  Expected<FunctionalResult> executeBlocks(const LaunchSpec& spec, const BlockSelection& left_out,
                                           const std::stop_token& stop, uint64_t begin_block = 0);

  // The options that all launches have in common; callers add their own.
  TimedOptions timedOptions(const ReadyLaunch& ready);
  // `ready` was made of `spec`. The clock stays where it is.
  Expected<TimedResult> time(const ReadyLaunch& ready, const LaunchSpec& spec, const TimedOptions& options,
                             const std::stop_token& stop);
  // How many SMs are simulated in place of all (ModellingBackend::sampledSms); which blocks they have.
  uint32_t sampledSms(const LaunchSpec& spec, uint32_t at_least) const;
  TimedBlocks timedBlocksOf(const LaunchSpec& spec, const TimedOptions& options) const;

  uint32_t threads() const { return threads_; }
  uint64_t clock() const { return clock_cycles_; }  // cycles: what %clock64 shows next
  void advanceClock(uint64_t cycles) { clock_cycles_ += cycles; }
  GraphCondition& condition() { return condition_; }

 private:
  Expected<DeviceAddress> clearedGridWorkspace();

  const DeviceProfile& profile_;
  const DeviceDescription& gpu_;
  const LoadedKernels& kernels_;
  DeviceMemory& memory_;
  ModelledCaches& caches_;
  uint32_t threads_;
  WorkerPools pools_;  // for launches one after another
  GraphCondition condition_;
  uint64_t clock_cycles_ = 1'000'000;
  uint64_t launches_ = 0;
  DeviceAddress grid_workspace_ = 0;  // Launch::grid_workspace; 0: no launch needed it yet
};

}  // namespace warpscope::sim
