// The mapping family: parameters, launch and check.
#include "kernels/experiments/family_parts.h"
#include "kernels/experiments/verification.h"

namespace warpscope::mapping {
namespace {

// The values that the kernels write for each thread.
struct Place {
  uint32_t first = 0;  // the thread of its warp's first lane
  uint32_t lane = 0;
};

Verification check(std::span<const Place> out, uint32_t block_threads) {
  OutputComparison comparison("warps and lanes");
  const auto count = static_cast<uint32_t>(out.size());
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t thread = i % block_threads;
    comparison.compare("first thread of the warp of thread", i, out[i].first, thread - thread % kWarpSize);
    comparison.compare("lane of thread", i, out[i].lane, thread % kWarpSize);
  }
  return comparison.result();
}

class Mapping : public Family {
 public:
  Mapping() : Family(mappingInfo(), mappingRegionNames()) {}

  std::vector<Prediction> predictions(const RunRequest& request,
                                      const DeviceLimits& /*limits*/) const override {
    return theory(request);
  }

  Expected<LaunchPlan> plan(const RunRequest& request, const DeviceLimits& limits) const override {
    // A size that a variant does not have is 1.
    const auto number = [&](const char* name) {
      const auto found = request.parameters.find(name);
      return found == request.parameters.end() ? 1U : static_cast<uint32_t>(found->second);
    };
    LaunchPlan plan;
    plan.module = "mapping";
    plan.kernel = request.variant;
    plan.block = {number("block_x"), number("block_y"), number("block_z")};
    plan.grid = {number("blocks")};
    if (auto possible = checkLaunch(request, plan, limits); !possible) {
      return tl::unexpected(possible.error());
    }
    const auto block_threads = static_cast<uint32_t>(plan.block.count());
    const uint64_t threads = plan.grid.count() * block_threads;
    plan.buffers = {{.role = BufferSpec::Role::kOutput, .name = "out", .bytes = threads * sizeof(Place)}};
    plan.arguments = {BufferArgument{0}};
    plan.bytes_moved = threads * sizeof(Place);
    plan.verify = [threads, block_threads](Outputs outputs) {
      Verification failed;
      const auto out = outputAs<Place>(outputs, 0, threads, failed);
      return out.empty() ? failed : check(out, block_threads);
    };
    return plan;
  }
};

}  // namespace
}  // namespace warpscope::mapping

namespace warpscope {

const Experiment& mappingFamily() {
  static const mapping::Mapping kFamily;
  return kFamily;
}

}  // namespace warpscope
