// The launches of each variant of the latency family, and the checks of its outputs. Requests are complete.
#pragma once

#include "kernels/experiments/experiment.h"

namespace warpscope::latency {

Expected<LaunchPlan> planDependentFma(const RunRequest& request, const DeviceLimits& limits);
Expected<LaunchPlan> planPointerChase(const RunRequest& request, const DeviceLimits& limits);
Expected<LaunchPlan> planBytesInFlight(const RunRequest& request, const DeviceLimits& limits);
Expected<LaunchPlan> planCopies(const RunRequest& request,
                                const DeviceLimits& limits);  // async_copy and its twin

// Their arithmetic; nullopt if the settings are impossible.
std::optional<OperationCount> operationsOf(const RunRequest& request, const DeviceLimits& limits);

// The ring that pointer_chase follows.
struct Ring {
  uint64_t bytes = 0;
  uint32_t stride = 0;  // bytes
  uint32_t nodes() const { return static_cast<uint32_t>(bytes / stride); }
};
Ring ringOf(const RunRequest& request, const DeviceLimits& limits);

// For bytes_in_flight: the bytes that a thread requests per round.
uint32_t bytesOfRound(const RunRequest& request);
// For async_copy and its twin: the number of tiles that each block copies.
uint32_t tilesOf(const RunRequest& request);

}  // namespace warpscope::latency
