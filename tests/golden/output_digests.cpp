#include "tests/golden/output_digests.h"

#include <fmt/format.h>
#include <xxhash.h>

#include "kernels/experiments/experiment.h"
#include "tests/support/plan_runner.h"

namespace warpscope::test {

std::string OutputCase::name() const {
  return fmt::format("{} {} block {} size {}", family, variant, block, size);
}

std::vector<OutputCase> outputCases() {
  std::vector<OutputCase> cases;
  for (const Experiment* experiment : allExperiments()) {
    const FamilyInfo& family = experiment->info();
    for (const VariantInfo& variant : family.variants) {
      if (variant.planted) continue;  // may write anything
      for (const ParameterSpec* spec : parametersOf(family, variant.name)) {
        if (spec->name != "block") continue;
        std::vector<int64_t> blocks{32, 96, 256, 1024};
        if (spec->kind == ParameterKind::kChoice) {
          blocks.clear();
          for (size_t i = 0; i < spec->choices.size(); ++i) blocks.push_back(static_cast<int64_t>(i));
        }
        for (const int64_t block : blocks) {
          for (const int64_t size : {1, 33, 1000, (1 << 16) + 7}) {
            cases.push_back({family.name, variant.name, block, size});
          }
        }
      }
    }
  }
  return cases;
}

uint64_t outputDigest(Backend& backend, const OutputCase& which) {
  const Experiment& experiment = *findExperiment(which.family).value();
  const RunRequest request =
      completeRequest(experiment.info(), {.family = which.family,
                                          .variant = which.variant,
                                          .parameters = {{"block", which.block}, {"size", which.size}}})
          .value();
  // Planned for the H100's 132 SMs everywhere, so that grids are the same.
  DeviceLimits limits = backend.description().limits;
  limits.sm_count = 132;
  const LaunchPlan plan = experiment.plan(request, limits).value();
  XXH64_state_t* state = XXH64_createState();
  XXH64_reset(state, 0);
  for (const Bytes& output : runPlan(backend, plan, ProbeKind::kBare, Bytes(1))) {
    XXH64_update(state, output.data(), output.size());
  }
  const uint64_t digest = XXH64_digest(state);
  XXH64_freeState(state);
  return digest;
}

}  // namespace warpscope::test
