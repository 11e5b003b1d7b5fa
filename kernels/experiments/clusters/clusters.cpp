// The clusters family: parameters, inputs, launch and check. Counts are compared exactly.
#include "kernels/experiments/clusters/regions.h"
#include "kernels/experiments/family_parts.h"
#include "kernels/experiments/verification.h"

namespace warpscope::clusters {
namespace {

// Values that collide as random ones do, as in the atomics family.
uint32_t inputValue(uint32_t i) {
  uint32_t value = inputHash(i + 1);
  value = (value ^ value >> 15) * 0x2C1B3C6DU;
  return value ^ value >> 13;
}

// The same as in clusters_sm90.cu.
uint32_t binOf(uint32_t value, uint32_t bins) {
  return static_cast<uint32_t>(uint64_t{value} * bins >> 32);
}

Verification check(uint32_t size, uint32_t bins, std::span<const uint32_t> counts) {
  std::vector<uint32_t> expected(bins, 0);
  for (uint32_t i = 0; i < size; ++i) ++expected[binOf(inputValue(i), bins)];
  return checkEach(counts, "counts", [&](uint32_t bin) { return expected[bin]; });
}

class Clusters : public Family {
 public:
  Clusters() : Family(clustersInfo(), clustersRegionNames(), {"clusters_sm90", "clusters_push_sm90"}) {}

  std::vector<Prediction> predictions(const RunRequest& request,
                                      const DeviceLimits& /*limits*/) const override {
    return theory(request);
  }

  Expected<LaunchPlan> plan(const RunRequest& request, const DeviceLimits& limits) const override {
    const auto number = [&](const char* name) { return static_cast<uint32_t>(parameter(request, name)); };
    const uint32_t block = number("block"), size = number("size"), bins = number("bins");
    const bool shares = request.variant != "per_block";
    const uint32_t cluster = shares ? number("cluster") : 1;
    const uint32_t chunk = block * kElementsPerThread;
    const uint32_t blocks = (size + chunk - 1) / chunk;
    const uint64_t bytes = uint64_t{size} * sizeof(uint32_t), count_bytes = uint64_t{bins} * sizeof(uint32_t);
    LaunchPlan plan;
    plan.module = moduleOf(request.variant);
    plan.kernel = request.variant;
    plan.block = {block};
    // Whole clusters: the last one may have blocks without elements.
    plan.grid = {(blocks + cluster - 1) / cluster * cluster};
    if (shares) plan.cluster = Dim3{cluster};
    plan.dynamic_shared_bytes = sharedBins(request) * static_cast<uint32_t>(sizeof(uint32_t));
    plan.buffers = {{.role = BufferSpec::Role::kInput,
                     .name = "in",
                     .bytes = bytes,
                     .content_key = fmt::format("clusters:{}", size),
                     .generate = [size] { return filledInput<uint32_t>(size, inputValue); }},
                    {.role = BufferSpec::Role::kInOut,
                     .name = "counts",
                     .bytes = count_bytes,
                     .content_key = fmt::format("clusters:zero:{}", bins),
                     .generate = [count_bytes] { return std::make_shared<const Bytes>(count_bytes); }}};
    plan.arguments = {BufferArgument{0}, BufferArgument{1}, size, bins};
    plan.bytes_moved = bytes;
    plan.verify = [size, bins](Outputs outputs) {
      Verification failed;
      const auto counts = outputAs<uint32_t>(outputs, 0, bins, failed);
      return counts.empty() ? failed : check(size, bins, counts);
    };
    if (auto possible = checkLaunch(request, plan, limits); !possible)
      return tl::unexpected(possible.error());
    return plan;
  }
};

}  // namespace
}  // namespace warpscope::clusters

namespace warpscope {

const Experiment& clustersFamily() {
  static const clusters::Clusters kFamily;
  return kFamily;
}

}  // namespace warpscope
