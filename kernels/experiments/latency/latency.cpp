// The latency family. Its plans are in plans.cpp.
#include "kernels/experiments/family_parts.h"
#include "kernels/experiments/latency/plans.h"

namespace warpscope {
namespace {

using namespace latency;

class Latency : public Family {
 public:
  Latency() : Family(latencyInfo(), latencyRegionNames()) {}

  std::vector<Prediction> predictions(const RunRequest& request, const DeviceLimits& limits) const override {
    return theory(request, limits);
  }

  std::optional<OperationCount> operations(const RunRequest& request,
                                           const DeviceLimits& limits) const override {
    return operationsOf(request, limits);
  }
  std::optional<double> bytesAhead(const RunRequest& request) const override {
    if (request.variant != "bytes_in_flight") return std::nullopt;
    return static_cast<double>(bytesOfRound(request)) * kWarpSize;
  }

  Expected<LaunchPlan> plan(const RunRequest& request, const DeviceLimits& limits) const override {
    auto plan = planOf(request, limits);
    if (!plan) return plan;
    if (auto possible = checkLaunch(request, *plan, limits); !possible) {
      return tl::unexpected(possible.error());
    }
    return plan;
  }

 private:
  static Expected<LaunchPlan> planOf(const RunRequest& request, const DeviceLimits& limits) {
    if (request.variant == "dependent_fma") return planDependentFma(request, limits);
    if (request.variant == "pointer_chase") return planPointerChase(request, limits);
    if (request.variant == "bytes_in_flight") return planBytesInFlight(request, limits);
    return planCopies(request, limits);
  }
};

}  // namespace

const Experiment& latencyFamily() {
  static const Latency kFamily;
  return kFamily;
}

}  // namespace warpscope
