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

// The vector as a matrix with short rows.
TensorMapDescription tensorOf(const Shape& shape) {
  TensorMapDescription map;
  map.swizzle = shape.swizzle;
  map.rank = 2;
  const uint32_t rows = shape.tile_elements * 4 / shape.row_bytes;
  map.sizes = {shape.row_bytes / 4, uint64_t{rows} * shape.tiles, 1, 1, 1};
  map.strides[0] = shape.row_bytes;
  map.box = {shape.row_bytes / 4, rows / ((rows + kMostBoxRows - 1) / kMostBoxRows), 1, 1, 1};
  return map;
}

class BulkCopyFamily : public Family {
 public:
  BulkCopyFamily() : Family(bulkCopyInfo(), bulkCopyRegionNames(), {"bulk_copy_sm90", "bulk_tensor_sm90"}) {}

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
    plan.module = moduleOf(request.variant);
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
    if (request.variant == "tensor") {
      const TensorMapDescription map = tensorOf(shape);
      plan.arguments = {
          BufferArgument{0, {}, map}, BufferArgument{1, {}, map}, shape.tiles, shape.stages, shape.row_bytes,
          shape.row_bytes / 16 - 1};
      if (shape.swizzle == TensorMapDescription::Swizzle::kNone) plan.arguments.back() = uint32_t{0};
    }
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
