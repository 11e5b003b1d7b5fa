// See gpu_fixture.h.
#include "tests/gpu/gpu_fixture.h"

#include <algorithm>
#include <stop_token>

#include "kernels/device/cuda/cuda_backend.h"

namespace warpscope::test {

Gpu& sharedGpu() {
  static Gpu gpu = [] {
    Gpu opened;
    auto backend = openCudaBackend(0);
    if (!backend) {
      opened.why_not = backend.error().message;
      return opened;
    }
    opened.backend = std::move(*backend);
    opened.executor = std::make_unique<Executor>(*opened.backend);
    return opened;
  }();
  return gpu;
}

Run runOnGpu(const RunRequest& request) {
  auto result = sharedGpu().executor->run(
      request, [](const Progress&) {}, std::stop_token{});
  EXPECT_TRUE(result.has_value()) << request.family << " " << request.variant << ": "
                                  << result.error().message;
  return result.value_or(Run{});
}

Run runRecorded(const std::string& family, const std::string& variant, ParameterValues parameters) {
  RunRequest request{.family = family, .variant = variant, .parameters = std::move(parameters)};
  request.sampling.mode = Sampling::Mode::kAll;
  request.repeats = 1;
  request.warm_ups = 0;
  return runOnGpu(request);
}

std::vector<FamilyVariant> allVariants() {
  std::vector<FamilyVariant> all;
  for (const Experiment* experiment : allExperiments()) {
    for (const VariantInfo& variant : experiment->info().variants) {
      all.push_back({experiment->info().name, variant.name});
    }
  }
  return all;
}

std::string testName(const testing::TestParamInfo<FamilyVariant>& info) {
  return info.param.family + "_" + info.param.variant;
}

std::vector<int64_t> allBlocks(const std::string& family) {
  const auto& parameters = findExperiment(family).value()->info().parameters;
  const auto block = std::ranges::find(parameters, "block", &ParameterSpec::name);
  std::vector<int64_t> blocks;
  if (block->kind == ParameterKind::kChoice) {
    for (size_t i = 0; i < block->choices.size(); ++i) blocks.push_back(static_cast<int64_t>(i));
  } else {
    for (int64_t value = block->min; value <= block->max; value += block->step) blocks.push_back(value);
  }
  return blocks;
}

}  // namespace warpscope::test
