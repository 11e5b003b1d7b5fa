// The transpose family: parameters, inputs, launch and check.
#include <algorithm>
#include <bit>

#include "kernels/experiments/family_parts.h"
#include "kernels/experiments/transpose/shape.h"
#include "kernels/experiments/verification.h"

namespace warpscope::transpose {
namespace {

// The bits of a float in [1, 2): 23 bits of the hash of its index.
uint32_t bitsOfHash(uint32_t hash) {
  return 0x3F800000U | (hash >> 9);
}
uint32_t inputBits(uint32_t i) {
  return bitsOfHash(inputHash(i));
}

struct Shape {
  uint32_t rows = 0, columns = 0;
  uint32_t count() const { return rows * columns; }
};

Shape shapeOf(uint32_t size, uint32_t asked_rows) {
  const uint32_t automatic = 1U << ((std::bit_width(std::max(size, 2U)) - 1) / 2);
  const uint32_t rows = asked_rows == 0 ? automatic : std::min(asked_rows, size);
  return {rows, (size + rows - 1) / rows};
}

// A line of the output in memory order: out[begin + i] is in[from + i * step].
struct Line {
  uint32_t begin = 0, count = 0, from = 0, step = 0;
};

// Counts without branches or multiplications (the hash of a sum is the sum of the hashes), so that the loop
// is vectorised; a line with mismatches is then examined in detail.
uint32_t mismatchesIn(const Line& line, const uint32_t* out) {
  uint32_t mismatches = 0;
  uint32_t hash = inputHash(line.from);
  const uint32_t hash_step = inputHash(line.step);
  const uint32_t* const values = out + line.begin;
  for (uint32_t i = 0; i < line.count; ++i) {
    mismatches += values[i] != bitsOfHash(hash) ? 1U : 0U;
    hash += hash_step;
  }
  return mismatches;
}

void checkLine(const Line& line, std::span<const uint32_t> out, OutputComparison& comparison) {
  const uint32_t mismatches = mismatchesIn(line, out.data());
  comparison.addEqual(line.count - mismatches);
  if (mismatches == 0) return;
  for (uint32_t i = 0; i < line.count; ++i) {
    const uint32_t expected = inputBits(line.from + i * line.step);
    const uint32_t got = out[line.begin + i];
    if (got == expected) continue;
    comparison.addMismatch("out", line.begin + i, std::bit_cast<float>(got), std::bit_cast<float>(expected));
  }
}

Verification check(const Shape& shape, bool copies, std::span<const uint32_t> out) {
  OutputComparison comparison("values");
  const uint32_t lines = copies ? shape.rows : shape.columns;
  const uint32_t count = copies ? shape.columns : shape.rows;
  for (uint32_t i = 0; i < lines; ++i) {
    Line line{.begin = i * count, .count = count, .from = i * count, .step = 1};
    if (!copies) {
      line.from = i;
      line.step = shape.columns;
    }
    checkLine(line, out, comparison);
  }
  return comparison.result();
}

constexpr uint32_t kMostDown = 32768;

// One tile per block. A grid is at most 65,535 high, so that tall matrices continue in z.
Dim3 gridOf(const Shape& shape, uint32_t tile) {
  const uint32_t across = (shape.columns + tile - 1) / tile;
  const uint32_t down = (shape.rows + tile - 1) / tile;
  const uint32_t height = std::min(down, kMostDown);
  return {across, height, (down + height - 1) / height};
}

// A line of blocks that covers the whole matrix.
Dim3 gridOfCopy(const Shape& shape, const Dim3& block) {
  const auto each = static_cast<uint32_t>(block.count()) * kFoursInFlight * 4;
  return {(shape.count() + each - 1) / each};
}

uint32_t sharedBytes(const std::string& variant, uint32_t tile) {
  if (variant == "shared_padded_vec") return kVecTile * kVecPitch * sizeof(float);
  if (variant == "shared_padded") return tile * (tile + 1) * sizeof(float);
  if (variant == "shared" || variant == "shared_swizzled") return tile * tile * sizeof(float);
  return 0;
}

static_assert(std::ranges::all_of(kBlockShapes,
                                  [](const Dim3& shape) { return shape.x * shape.y >= kLeastVecThreads; }));

class Transpose : public Family {
 public:
  Transpose() : Family(transposeInfo(), transposeRegionNames()) {}

  std::vector<Prediction> predictions(const RunRequest& request,
                                      const DeviceLimits& /*limits*/) const override {
    const Shape shape = shapeOf(static_cast<uint32_t>(parameter(request, "size")),
                                static_cast<uint32_t>(parameter(request, "rows")));
    return theory(request.variant, kBlockShapes.at(static_cast<size_t>(parameter(request, "block"))),
                  shape.rows, shape.columns);
  }

  // Only copies, no arithmetic.
  std::optional<OperationCount> operations(const RunRequest& /*request*/,
                                           const DeviceLimits& /*limits*/) const override {
    return OperationCount{};
  }

  Expected<LaunchPlan> plan(const RunRequest& request, const DeviceLimits& limits) const override {
    const Shape shape = shapeOf(static_cast<uint32_t>(parameter(request, "size")),
                                static_cast<uint32_t>(parameter(request, "rows")));
    LaunchPlan plan;
    plan.module = "transpose";
    plan.kernel = request.variant;
    plan.block = kBlockShapes.at(static_cast<size_t>(parameter(request, "block")));
    const uint32_t tile = request.variant == "shared_padded_vec" ? kVecTile : plan.block.x;
    plan.grid = request.variant == "copy" ? gridOfCopy(shape, plan.block) : gridOf(shape, tile);
    plan.dynamic_shared_bytes = sharedBytes(request.variant, tile);
    const uint32_t count = shape.count();
    const uint64_t bytes = uint64_t{count} * sizeof(float);
    plan.buffers = {{.role = BufferSpec::Role::kOutput, .name = "out", .bytes = bytes},
                    {.role = BufferSpec::Role::kInput,
                     .name = "in",
                     .bytes = bytes,
                     .content_key = fmt::format("transpose:{}", count),
                     .generate = [count] { return filledInput<uint32_t>(count, inputBits); }}};
    plan.arguments = {BufferArgument{0}, BufferArgument{1}, shape.rows, shape.columns};
    plan.bytes_moved = 2 * bytes;
    plan.verify = [shape, copies = request.variant == "copy"](Outputs outputs) {
      Verification failed;
      const auto out = outputAs<uint32_t>(outputs, 0, shape.count(), failed);
      return out.empty() ? failed : check(shape, copies, out);
    };
    if (auto possible = checkLaunch(request, plan, limits); !possible) {
      return tl::unexpected(possible.error());
    }
    return plan;
  }
};

}  // namespace
}  // namespace warpscope::transpose

namespace warpscope {

const Experiment& transposeFamily() {
  static const transpose::Transpose kFamily;
  return kFamily;
}

}  // namespace warpscope
