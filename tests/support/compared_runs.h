// Runs for comparisons, made from synthetic ones.
#pragma once

#include <functional>

#include "kernels/compare/compare.h"
#include "tests/support/synthetic_trace.h"

namespace warpscope::testing {

inline std::shared_ptr<const Run> changed(Run run, const std::function<void(Run&)>& change) {
  change(run);
  return std::make_shared<const Run>(std::move(run));
}

// A measured run of divergence whose repeats took from `least_us` to `most_us`.
inline std::shared_ptr<const Run> timedRun(const std::string& variant, double median_us, double least_us,
                                           double most_us, uint32_t repeats = 20,
                                           const std::function<void(Run&)>& change = {}) {
  return changed(makeSyntheticRun("divergence", variant), [&](Run& run) {
    run.timing = {median_us, least_us, most_us, repeats, 3};
    run.bandwidth.gb_per_s = static_cast<double>(run.bandwidth.bytes) / (median_us * 1e3);
    if (change) change(run);
  });
}

inline void makeModelled(Run& run) {
  run.device.id = "sim:h100";
  run.device.name = "Simulated H100";
  run.device.kind = DeviceKind::kSimulated;
  run.device.provenance = Provenance::kModelled;
}

// A modelled run: one exact time.
inline std::shared_ptr<const Run> modelledRun(const std::string& variant, double us,
                                              const std::function<void(Run&)>& change = {}) {
  return timedRun(variant, us, us, us, 1, [&](Run& run) {
    makeModelled(run);
    if (change) change(run);
  });
}

}  // namespace warpscope::testing
