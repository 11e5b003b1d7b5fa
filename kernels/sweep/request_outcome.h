// The outcome of one request on a device: shared by all commands that run many requests (record, sweep).
#pragma once

#include <string>

#include "kernels/device/device.h"

namespace warpscope {

enum class RequestState {
  kDone,        // there is a run to keep
  kImpossible,  // the device cannot make this launch, or the recording does not contain it
  kFailed,      // the launch failed, or its result is wrong
  kCancelled,
};
const char* requestStateName(RequestState state);  // "done"

struct RequestOutcome {
  RequestState state = RequestState::kFailed;
  Run run;                   // for kDone
  std::string reason;        // for the others, in words for the user
  bool device_gone = false;  // for kFailed: later requests will fail, too
};

// Whether the request is for a variant that shows a wrong result on purpose.
bool isBrokenOnPurpose(const RunRequest& request);

// Runs the request. A run whose result is wrong is kept only if that is its purpose (isBrokenOnPurpose).
RequestOutcome runRequest(Device& device, const RunRequest& request, const ProgressSink& progress,
                          const std::stop_token& stop);

// "reduction shuffle block=256 size=2^20": values in the form in which users write them.
std::string describeRequest(const RunRequest& request);

}  // namespace warpscope
