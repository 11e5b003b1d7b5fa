// See device_fixture.h.
#include "tests/device/device_fixture.h"

#include <stop_token>

#include "kernels/device/device.h"
#include "tests/support/launch_sweep.h"

namespace warpscope::test {

SharedDevice& sharedDevice() {
  static SharedDevice device = [] {
    SharedDevice opened;
    auto backend = openBackend(WARPSCOPE_TEST_DEVICE);
    if (!backend) {
      opened.why_not = backend.error().message;
      return opened;
    }
    opened.backend = std::move(*backend);
    opened.executor = std::make_unique<Executor>(*opened.backend);
    return opened;
  }();
  return device;
}

bool isSimulated() {
  return (*sharedDevice().backend)->description().kind == DeviceKind::kSimulated;
}

Run runOnDevice(const RunRequest& request) {
  auto result = sharedDevice().executor->run(
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
  return runOnDevice(request);
}

double counter(const Run& run, const std::string& name) {
  const auto found = run.counters.find(name);
  EXPECT_NE(found, run.counters.end()) << name;
  return found == run.counters.end() ? -1 : found->second;
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

const std::optional<PlantedHazard>& plantedIn(const FamilyVariant& which) {
  return variantInfo(findExperiment(which.family).value()->info(), which.variant)->planted;
}

std::string testName(const testing::TestParamInfo<FamilyVariant>& info) {
  return info.param.family + "_" + info.param.variant;
}

std::vector<ParameterValues> allBlocks(const FamilyVariant& of, const std::vector<int64_t>& sizes) {
  std::vector<int64_t> blocks;
  for (int64_t block = 32; block <= 1024; block += 32) blocks.push_back(block);
  std::vector<ParameterValues> all =
      launchSweep(findExperiment(of.family).value()->info(), of.variant, blocks, sizes);
  if (!isSimulated()) return all;
  // Every third, of each variant others: neither 32 blocks nor five sizes are a multiple of that.
  constexpr size_t kEvery = 3;
  std::vector<ParameterValues> some;
  for (size_t i = (of.family + of.variant).size() % kEvery; i < all.size(); i += kEvery)
    some.push_back(all[i]);
  return some.empty() ? all : some;
}

std::vector<int64_t> awkwardSizes() {
  return {1, 31, 33, 1000, (isSimulated() ? 1 << 12 : 1 << 20) + 7};
}

uint32_t warpsPerBlock(const Dim3& block) {
  return static_cast<uint32_t>((block.count() + kWarpSize - 1) / kWarpSize);
}

uint32_t liveLanes(const Dim3& block, uint32_t warp) {
  const uint64_t lanes = block.count() - uint64_t{warp} * kWarpSize;
  return lanes >= kWarpSize ? UINT32_MAX : (1U << lanes) - 1;
}

}  // namespace warpscope::test
