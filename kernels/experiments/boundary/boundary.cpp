// The boundary family: parameters, inputs, launch and check. Elements are small whole numbers, so that float
// sums are exact; matrices have rank two, so that the check does not need a matrix product.
#include <algorithm>

#include "kernels/experiments/family_parts.h"
#include "kernels/experiments/random_index.h"
#include "kernels/experiments/verification.h"

namespace warpscope::boundary {
namespace {

// Small random numbers; each sequence is a stream of its own.
float numberOf(uint32_t sequence, uint32_t i, uint32_t count) {
  return static_cast<float>(randomIndex(i + (sequence << 28), count));
}
float addendOf(uint32_t vector, uint32_t i) {
  return numberOf(vector, i, 1 << 20);
}

// M[row][k] = row_m * k_m + plus_m, N[k][column] = k_n * column_n + plus_n: sums over k stay below 2^24.
float rowOfM(uint32_t row) {
  return numberOf(2, row, 8);
}
float scaleOfM(uint32_t k) {
  return numberOf(3, k, 4);
}
float plusOfM(uint32_t k) {
  return numberOf(4, k, 8);
}
float columnOfN(uint32_t column) {
  return numberOf(5, column, 8);
}
float scaleOfN(uint32_t k) {
  return numberOf(6, k, 4);
}
float plusOfN(uint32_t k) {
  return numberOf(7, k, 8);
}

// Makes an array of value(i).
template <class Value>
std::shared_ptr<const Bytes> makeFloats(uint64_t count, Value&& value) {
  auto bytes = std::make_shared<Bytes>(count * sizeof(float));
  auto* values = reinterpret_cast<float*>(bytes->data());
  for (uint64_t i = 0; i < count; ++i) values[i] = value(static_cast<uint32_t>(i));
  return bytes;
}

BufferSpec vectorInput(const char* name, uint32_t vector, uint32_t size) {
  return {.role = BufferSpec::Role::kInput,
          .name = name,
          .bytes = uint64_t{size} * sizeof(float),
          .content_key = fmt::format("boundary:{}:{}", name, size),
          .generate = [vector, size] {
            return makeFloats(size, [vector](uint32_t i) { return addendOf(vector, i); });
          }};
}

BufferSpec matrixInput(bool is_m, uint32_t width) {
  const char* name = is_m ? "m" : "n";
  return {.role = BufferSpec::Role::kInput,
          .name = name,
          .bytes = uint64_t{width} * width * sizeof(float),
          .content_key = fmt::format("boundary:{}:{}", name, width),
          .generate = [is_m, width] {
            return makeFloats(uint64_t{width} * width, [is_m, width](uint32_t i) {
              const uint32_t row = i / width, column = i % width;
              return is_m ? rowOfM(row) * scaleOfM(column) + plusOfM(column)
                          : scaleOfN(row) * columnOfN(column) + plusOfN(row);
            });
          }};
}

// The division of matrices into tiles.
struct Tiling {
  uint32_t width = 0, tile = 0;
  uint32_t tiles() const {
    return (width + tile - 1) / tile;
  }  // along a side; also how many phases there are
  uint32_t paddedWidth() const { return tiles() * tile; }
};

// The sums of the mirrored thread, phase by phase: every tile-th k, for each position in a tile.
struct PhaseSums {
  std::vector<float> scale, plus;
};
template <class Scale, class Plus>
PhaseSums phaseSums(const Tiling& tiling, Scale&& scale, Plus&& plus) {
  PhaseSums sums{std::vector<float>(tiling.tile, 0), std::vector<float>(tiling.tile, 0)};
  for (uint32_t k = 0; k < tiling.width; ++k) {
    sums.scale[tiling.tile - 1 - k % tiling.tile] += scale(k);
    sums.plus[tiling.tile - 1 - k % tiling.tile] += plus(k);
  }
  return sums;
}

Verification checkLoads(const Tiling& tiling, bool is_m, std::span<const float> out) {
  const PhaseSums sums = is_m ? phaseSums(tiling, scaleOfM, plusOfM) : phaseSums(tiling, scaleOfN, plusOfN);
  const uint32_t pitch = tiling.paddedWidth();
  return checkEach(out, "sums", [&](uint32_t i) {
    const uint32_t along = is_m ? i / pitch : i % pitch;  // the matrix's own row or column
    const uint32_t place = (is_m ? i % pitch : i / pitch) % tiling.tile;
    if (along >= tiling.width) return 0.0F;
    return (is_m ? rowOfM(along) : columnOfN(along)) * sums.scale[place] + sums.plus[place];
  });
}

Verification checkProduct(uint32_t width, std::span<const float> out) {
  float both_scale = 0, m_scale = 0, n_scale = 0, both_plus = 0;
  for (uint32_t k = 0; k < width; ++k) {
    both_scale += scaleOfM(k) * scaleOfN(k);
    m_scale += scaleOfM(k) * plusOfN(k);
    n_scale += plusOfM(k) * scaleOfN(k);
    both_plus += plusOfM(k) * plusOfN(k);
  }
  return checkEach(out, "products", [&](uint32_t i) {
    const float row = rowOfM(i / width), column = columnOfN(i % width);
    return row * column * both_scale + row * m_scale + column * n_scale + both_plus;
  });
}

class Boundary : public Family {
 public:
  Boundary() : Family(boundaryInfo(), boundaryRegionNames()) {}

  std::vector<Prediction> predictions(const RunRequest& request,
                                      const DeviceLimits& /*limits*/) const override {
    return theory(request);
  }

  // Counts the product: a multiply-add for each of width x width x width. What the two loading halves add up
  // only proves that they loaded.
  std::optional<OperationCount> operations(const RunRequest& request,
                                           const DeviceLimits& /*limits*/) const override {
    if (request.variant == "vector_add")
      return OperationCount{static_cast<double>(parameter(request, "size"))};
    if (request.variant != "tiled_matmul") return std::nullopt;
    const auto width = static_cast<double>(parameter(request, "width"));
    return OperationCount{2 * width * width * width};
  }

  Expected<LaunchPlan> plan(const RunRequest& request, const DeviceLimits& limits) const override {
    LaunchPlan plan = request.variant == "vector_add" ? vectorPlan(request) : tiledPlan(request);
    plan.module = "boundary";
    plan.kernel = request.variant;
    for (const BufferSpec& buffer : plan.buffers) plan.bytes_moved += buffer.bytes;
    if (auto possible = checkLaunch(request, plan, limits); !possible) {
      return tl::unexpected(possible.error());
    }
    return plan;
  }

 private:
  static LaunchPlan vectorPlan(const RunRequest& request) {
    const auto block = static_cast<uint32_t>(parameter(request, "block"));
    const auto size = static_cast<uint32_t>(parameter(request, "size"));
    LaunchPlan plan;
    plan.block = {block};
    plan.grid = {(size + block - 1) / block};
    plan.buffers = {
        {.role = BufferSpec::Role::kOutput, .name = "out", .bytes = uint64_t{size} * sizeof(float)},
        vectorInput("a", 0, size),
        vectorInput("b", 1, size)};
    plan.arguments = {BufferArgument{0}, BufferArgument{1}, BufferArgument{2}, size};
    plan.verify = [size](Outputs outputs) {
      Verification failed;
      const auto out = outputAs<float>(outputs, 0, size, failed);
      if (out.empty()) return failed;
      return checkEach(out, "sums", [](uint32_t i) { return addendOf(0, i) + addendOf(1, i); });
    };
    return plan;
  }

  static LaunchPlan tiledPlan(const RunRequest& request) {
    const Tiling tiling{.width = static_cast<uint32_t>(parameter(request, "width")),
                        .tile = kTiles.at(static_cast<size_t>(parameter(request, "tile")))};
    const bool whole = request.variant == "tiled_matmul";
    const bool is_m = request.variant == "tiled_matmul_load_m";
    const uint64_t side = whole ? tiling.width : tiling.paddedWidth();
    LaunchPlan plan;
    plan.block = {tiling.tile, tiling.tile};
    plan.grid = {tiling.tiles(), tiling.tiles()};
    plan.dynamic_shared_bytes = tiling.tile * tiling.tile * (whole ? 2 : 1) * uint32_t{sizeof(float)};
    plan.buffers = {{.role = BufferSpec::Role::kOutput, .name = "out", .bytes = side * side * sizeof(float)}};
    if (whole || is_m) plan.buffers.push_back(matrixInput(true, tiling.width));
    if (!is_m) plan.buffers.push_back(matrixInput(false, tiling.width));
    for (size_t i = 0; i < plan.buffers.size(); ++i) plan.arguments.emplace_back(BufferArgument{i});
    plan.arguments.emplace_back(tiling.width);
    plan.verify = [tiling, whole, is_m, count = side * side](Outputs outputs) {
      Verification failed;
      const auto out = outputAs<float>(outputs, 0, count, failed);
      if (out.empty()) return failed;
      return whole ? checkProduct(tiling.width, out) : checkLoads(tiling, is_m, out);
    };
    return plan;
  }
};

}  // namespace
}  // namespace warpscope::boundary

namespace warpscope {

const Experiment& boundaryFamily() {
  static const boundary::Boundary kFamily;
  return kFamily;
}

}  // namespace warpscope
