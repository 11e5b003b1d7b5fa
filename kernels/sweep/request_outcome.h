// One request on a device, and what becomes of its run: shared by everything that runs many (record, sweep).
#pragma once

#include <string>

#include "kernels/device/device.h"

namespace warpscope {

enum class RequestState {
  kDone,        // a run to keep
  kImpossible,  // the launch cannot be on this device, or is not in this recording
  kFailed,      // the launch failed, or its result is wrong
  kCancelled,
};
const char* requestStateName(RequestState state);  // "done"

struct RequestOutcome {
  RequestState state = RequestState::kFailed;
  Run run;                   // of kDone
  std::string reason;        // of the others, for the user
  bool device_gone = false;  // of kFailed: no later request can do better
};

// Of a variant whose result may be wrong: that is what it shows.
bool isBrokenOnPurpose(const RunRequest& request);

// A run whose result is wrong is kept only where that is what it shows: of variants that are broken on
// purpose.
RequestOutcome runRequest(Device& device, const RunRequest& request, const ProgressSink& progress,
                          const std::stop_token& stop);

// "reduction shuffle block=256 size=2^20": values as people write them.
std::string describeRequest(const RunRequest& request);

}  // namespace warpscope
