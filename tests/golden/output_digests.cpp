#include "tests/golden/output_digests.h"

#include <fmt/format.h>
#include <xxhash.h>

#include "kernels/experiments/experiment.h"
#include "tests/support/launch_sweep.h"
#include "tests/support/plan_runner.h"

namespace warpscope::test {

std::string OutputCase::name() const {
  return fmt::format("{} {} {}", family, variant, launchName(values));
}

std::vector<OutputCase> outputCases() {
  std::vector<OutputCase> cases;
  for (const Experiment* experiment : allExperiments()) {
    const FamilyInfo& family = experiment->info();
    for (const VariantInfo& variant : family.variants) {
      if (variant.planted) continue;  // may write anything
      for (const ParameterValues& values :
           launchSweep(family, variant.name, {32, 96, 256, 1024}, {1, 33, 1000, (1 << 16) + 7})) {
        cases.push_back({family.name, variant.name, values});
      }
    }
  }
  return cases;
}

uint64_t outputDigest(Backend& backend, const OutputCase& which) {
  const Experiment& experiment = *findExperiment(which.family).value();
  const RunRequest request =
      completeRequest(experiment.info(),
                      {.family = which.family, .variant = which.variant, .parameters = which.values})
          .value();
  // Planned for the H100's 132 SMs on every device, so that grids are the same.
  DeviceLimits limits = backend.description().limits;
  limits.sm_count = 132;
  const LaunchPlan plan = experiment.plan(request, limits).value();
  const std::vector<Bytes> outputs = runPlan(backend, plan, ProbeKind::kBare, Bytes(1));
  // If two launches need not have the same outputs, the digest is of whether they are right.
  if (plan.order_is_free) {
    const std::vector<std::span<const std::byte>> contents(outputs.begin(), outputs.end());
    return plan.verify(contents).passed ? 1 : 0;
  }
  XXH64_state_t* state = XXH64_createState();
  XXH64_reset(state, 0);
  for (const Bytes& output : outputs) {
    XXH64_update(state, output.data(), output.size());
  }
  const uint64_t digest = XXH64_digest(state);
  XXH64_freeState(state);
  return digest;
}

}  // namespace warpscope::test
