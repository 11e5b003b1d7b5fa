// Models a launch and those that follow it (ModellingBackend::launchModelled): what the caches hold before,
// which blocks are simulated in detail, when the others are executed, and whether the simulated ones stand
// for them. Owns nothing: launches follow one another on the Launcher's clock.
//
// Errors: as Launcher's. That a few blocks cannot stand for the others is none: the report then says that it
// is uneven, and not complete.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "kernels/backend/modelling_backend.h"
#include "kernels/core/error.h"
#include "kernels/sim/backend/launcher.h"

namespace warpscope::sim {

class LaunchModelling {
 public:
  LaunchModelling(Launcher& launcher, const LoadedKernels& kernels, DeviceMemory& memory,
                  ModelledCaches& caches, const DeviceProfile& profile)
      : launcher_(launcher), kernels_(kernels), memory_(memory), caches_(caches), profile_(profile) {}

  Expected<ModelledReport> run(const LaunchSpec& spec, const ModelledLaunch& how, const std::stop_token& stop,
                               const LaunchListener& listener);

 private:
  struct Asked {
    const LaunchSpec& spec;
    const ModelledLaunch& how;
    const std::stop_token& stop;
    const LaunchListener& listener;
    std::vector<AddressRange> recording;  // where probes write
  };
  struct OthersBefore {
    std::optional<FunctionalResult> all;  // if all others have been executed
    bool foreseen = false;
    uint64_t step_limit = 0;  // far more than the simulated blocks execute if they do not wait forever
  };

  Expected<void> model(const Asked& asked, const LaunchSpec& one, const ReadyLaunch& ready,
                       ModelledReport& report);
  Expected<void> seeWhatIsUsed(const Asked& asked, const LaunchSpec& one, const TimedOptions& options);
  TimedOptions optionsOf(const Asked& asked, const LaunchSpec& one, const ReadyLaunch& ready);
  Expected<OthersBefore> othersBefore(const LaunchSpec& spec, const TimedOptions& timed, bool outputs,
                                      const std::stop_token& stop);
  void take(TimedResult timed, ModelledReport& report, bool first);

  Launcher& launcher_;
  const LoadedKernels& kernels_;
  DeviceMemory& memory_;
  ModelledCaches& caches_;
  const DeviceProfile& profile_;
};

}  // namespace warpscope::sim
