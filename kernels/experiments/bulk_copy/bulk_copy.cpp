// The bulk_copy family: parameters, inputs, launch and check.
#include "kernels/experiments/bulk_copy/regions.h"
#include "kernels/experiments/family_parts.h"
#include "kernels/experiments/verification.h"

namespace warpscope::bulk_copy {
namespace {

// Elements behind the last one, which fill up the last tile, are zeros.
uint32_t inputValue(uint32_t i, uint32_t size) {
  return i < size ? inputHash(i + 1) : 0;
}

class BulkCopyFamily : public Family {
 public:
  BulkCopyFamily() : Family(bulkCopyInfo(), bulkCopyRegionNames(), {"bulk_copy_sm90"}) {}

  std::vector<Prediction> predictions(const RunRequest& request,
                                      const DeviceLimits& /*limits*/) const override {
    return theory(request);
  }

  Expected<LaunchPlan> plan(const RunRequest& request, const DeviceLimits& limits) const override {
    const auto number = [&](const char* name) { return static_cast<uint32_t>(parameter(request, name)); };
    const Shape shape = shapeOf(request);
    const uint32_t size = number("size"), padded = shape.tiles * shape.tile_elements;
    const uint64_t bytes = uint64_t{padded} * sizeof(uint32_t);
    LaunchPlan plan;
    plan.module = "bulk_copy_sm90";
    plan.kernel = request.variant;
    plan.block = {shape.threads};
    plan.grid = {(shape.tiles + kTilesPerBlock - 1) / kTilesPerBlock};
    plan.dynamic_shared_bytes = shape.shared_bytes;
    plan.buffers = {{.role = BufferSpec::Role::kInput,
                     .name = "in",
                     .bytes = bytes,
                     .content_key = fmt::format("bulk_copy:{}:{}", size, padded),
                     .generate =
                         [size, padded] {
                           return filledInput<uint32_t>(padded,
                                                        [size](uint32_t i) { return inputValue(i, size); });
                         }},
                    {.role = BufferSpec::Role::kOutput, .name = "out", .bytes = bytes}};
    plan.arguments = {BufferArgument{0}, BufferArgument{1}, shape.tiles, shape.stages};
    plan.bytes_moved = 2 * bytes;
    plan.verify = [size, padded, tile = shape.tile_elements](Outputs outputs) {
      return checkEach<uint32_t>(outputs, 0, padded, "values", [&](uint32_t i) {
        const uint32_t mirror = i / tile * tile + tile - 1 - i % tile;
        return 3 * inputValue(i, size) + inputValue(mirror, size);
      });
    };
    if (auto possible = checkLaunch(request, plan, limits); !possible)
      return tl::unexpected(possible.error());
    return plan;
  }
};

}  // namespace
}  // namespace warpscope::bulk_copy

namespace warpscope {

const Experiment& bulkCopyFamily() {
  static const bulk_copy::BulkCopyFamily kFamily;
  return kFamily;
}

}  // namespace warpscope
