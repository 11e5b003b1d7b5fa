// Names and numbers whose words depend on the current language.
#pragma once

#include <string>

#include "kernels/core/units.h"
#include "kernels/run/run.h"
#include "kernels/run/warp_state.h"
#include "viz/text/translate.h"

namespace warpscope {

// Names of warp states in the current language. They have a context because several are common words with
// other meanings elsewhere.
inline constexpr const char* kStateContext = "warp state";

inline const char* trTitle(WarpState state) {
  return trAs(kStateContext, warpStateTitle(state));
}

// formatCycles of kernels/core/units.h, translated.
inline std::string trCycles(int64_t cycles) {
  return cycles == 1 ? trf("{} cycle", formatCount(cycles)) : trf("{} cycles", formatCount(cycles));
}

inline std::string trBlocksPerSm(uint64_t blocks) {
  return blocks == 1 ? std::string(tr("1 block per SM")) : trf("{} blocks per SM", blocks);
}

// "SM 3", or, of another GPU than the first, "GPU 1 SM 3".
inline std::string trSm(const DeviceLimits& limits, SmId sm) {
  const SmPlace place = smPlace(limits, sm);
  return place.gpu == 0 ? trf("SM {}", place.sm) : trf("GPU {} SM {}", place.gpu, place.sm);
}

// Why a run has no counters.
inline std::string noCountersText(const Run& run) {
  if (!run.counters_problem.empty()) return run.counters_problem;
  if (run.device.kind == DeviceKind::kCuda && !run.request.counters.empty())
    return tr("Reading the counters ...");
  if (run.device.kind == DeviceKind::kRecorded)
    return tr("Recorded without counters. A simulated GPU has them: choose one in the toolbar.");
  if (run.device.kind == DeviceKind::kCuda)
    return tr("Counters were not read. Switch on 'Read counters', or press ▶ Run.");
  return trf("{} reports no counters. A simulated GPU does: choose one in the toolbar.", run.device.name);
}

}  // namespace warpscope
