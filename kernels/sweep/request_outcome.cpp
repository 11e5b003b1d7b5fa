#include "kernels/sweep/request_outcome.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/experiments/experiment.h"

namespace warpscope {

bool isBrokenOnPurpose(const RunRequest& request) {
  const auto experiment = findExperiment(request.family);
  const VariantInfo* variant = experiment ? variantInfo((*experiment)->info(), request.variant) : nullptr;
  return variant != nullptr && variant->planted.has_value();
}

const char* requestStateName(RequestState state) {
  switch (state) {
    case RequestState::kDone:
      return "done";
    case RequestState::kImpossible:
      return "impossible";
    case RequestState::kFailed:
      return "failed";
    case RequestState::kCancelled:
      return "cancelled";
  }
  return "unknown";
}

RequestOutcome runRequest(Device& device, const RunRequest& request, const ProgressSink& progress,
                          const std::stop_token& stop) {
  auto run = device.run(request, progress, stop);
  RequestOutcome outcome;
  if (!run) {
    outcome.reason = run.error().message;
    outcome.device_gone = run.error().kind == ErrorKind::kNoDevice;
    if (run.error().kind == ErrorKind::kBadRequest) outcome.state = RequestState::kImpossible;
    if (run.error().kind == ErrorKind::kCancelled) outcome.state = RequestState::kCancelled;
  } else if (!run->verification.failed() || isBrokenOnPurpose(request)) {
    outcome.state = RequestState::kDone;
    outcome.run = std::move(*run);
  } else {
    outcome.reason = "the result is wrong: " + run->verification.detail;
  }
  return outcome;
}

std::string describeRequest(const RunRequest& request) {
  return request.family + " " + request.variant + formatParameters(request, " ", "=");
}

}  // namespace warpscope
