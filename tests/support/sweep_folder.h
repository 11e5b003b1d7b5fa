// A sweep without kernels, for tests: a device that answers every request with a synthetic run, and a grid
// for it.
#pragma once

#include <atomic>
#include <functional>

#include "kernels/sweep/sweep.h"
#include "tests/support/built_program.h"
#include "tests/support/synthetic_trace.h"

namespace warpscope::testing {

// The requests that all devices of a test received.
struct AskedRuns {
  std::atomic<int> runs{0}, opened{0};
  // Called before each run; an error becomes the result of the run.
  std::function<Expected<void>(const RunRequest& request, const std::string& device)> before;
};

class SyntheticDevice final : public Device {
 public:
  SyntheticDevice(std::string id, DeviceKind kind, AskedRuns& asked) : asked_(asked) {
    description_ = syntheticDevice();
    description_.id = std::move(id);
    description_.kind = kind;
    ++asked_.opened;
  }
  const DeviceDescription& description() const override { return description_; }
  Expected<Run> run(const RunRequest& request, const ProgressSink&, const std::stop_token& stop) override {
    if (stop.stop_requested()) return fail(ErrorKind::kCancelled, "cancelled");
    ++asked_.runs;
    if (asked_.before) {
      if (const auto may = asked_.before(request, description_.id); !may) return tl::unexpected(may.error());
    }
    Run run = makeSyntheticRun(request.family, request.variant, request.parameters.at("block"),
                               request.parameters.at("size"));
    run.request = request;
    run.device = description_;
    return run;
  }

 private:
  DeviceDescription description_;
  AskedRuns& asked_;
};

// divergence even_odd at 4 block sizes x 3 sizes.
inline std::vector<RunRequest> syntheticRequests() {
  std::vector<RunRequest> requests;
  for (const int64_t block : {64, 96, 128, 256}) {
    for (const int64_t size : {1 << 10, 1 << 12, 1 << 14}) {
      requests.push_back(
          {.family = "divergence", .variant = "even_odd", .parameters = {{"block", block}, {"size", size}}});
    }
  }
  return requests;
}

}  // namespace warpscope::testing
