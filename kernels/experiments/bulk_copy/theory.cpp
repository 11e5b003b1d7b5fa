// The bulk_copy family: the shape of its launches, and what theory predicts.
#include <algorithm>
#include <array>

#include "kernels/core/ids.h"
#include "kernels/experiments/bulk_copy/regions.h"
#include "kernels/experiments/family_parts.h"

namespace warpscope::bulk_copy {

Shape shapeOf(const RunRequest& request) {
  const auto number = [&](const char* name) { return static_cast<uint32_t>(request.parameters.at(name)); };
  const bool tensor = request.variant == "tensor", both_ways = tensor || request.variant == "bulk_both_ways";
  const bool by_engine = both_ways || request.variant == "bulk";
  Shape shape;
  const uint32_t computing = number("block");
  shape.threads = computing + (by_engine ? kWarpSize : 0);  // the warp that copies
  shape.tile_elements = computing * kElementsPerThread;
  shape.tiles = (number("size") + shape.tile_elements - 1) / shape.tile_elements;
  shape.stages = request.variant == "plain_loads" ? 1 : number("stages");
  const uint32_t results = both_ways ? 1 : 0;
  shape.shared_bytes =
      (shape.stages + results) * shape.tile_elements * static_cast<uint32_t>(sizeof(uint32_t));
  if (!tensor) return shape;
  constexpr uint32_t kPlainRowBytes = 128;
  shape.swizzle = static_cast<TensorMapDescription::Swizzle>(number("swizzle"));
  const uint32_t span = swizzleBytes(shape.swizzle);
  shape.row_bytes = span == 0 ? kPlainRowBytes : span;
  shape.shared_bytes += 2 * kMostStages * static_cast<uint32_t>(sizeof(uint64_t));  // mbarriers
  return shape;
}

namespace {

// Eight lanes at a time read 16 bytes each; those that meet in the same four banks follow one another. The
// mean of a warp's reads, as its lanes go down the columns of a tile.
double wavefrontsARead(const Shape& shape) {
  constexpr uint32_t kLanesAtOnce = 8, kChunk = 16, kLine = 128;
  const uint32_t tile_bytes = shape.tile_elements * 4, threads = tile_bytes / kChunk;
  const uint32_t rows = tile_bytes / shape.row_bytes;
  double wavefronts = 0;
  for (uint32_t first = 0; first < threads; first += kLanesAtOnce) {
    std::array<uint32_t, kLine / kChunk> load{};
    for (uint32_t i = first; i < first + kLanesAtOnce; ++i) {
      const uint32_t at = swizzled(shape.swizzle, i % rows * shape.row_bytes + i / rows * kChunk);
      ++load[at % kLine / kChunk];
    }
    wavefronts += *std::ranges::max_element(load);
  }
  return wavefronts * kWarpSize / threads;
}

}  // namespace

std::vector<Prediction> theory(const RunRequest& request) {
  const Shape shape = shapeOf(request);
  const bool by_threads = request.variant == "plain_loads" || request.variant == "cp_async";
  const double warps = shape.threads / static_cast<double>(kWarpSize);
  std::vector<Prediction> predictions{
      {.label = "Requests of warps for the tiles",
       .unit = "requests",
       .reason = by_threads ? "each warp asks for its part of each tile"
                            : "the engine asks L2 for whole tiles, warps for nothing",
       .predicted = by_threads ? shape.tiles * warps : 0,
       .measure = counted({"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"})},
      {.label = "Shared memory of a block",
       .unit = "bytes",
       .reason = request.variant == "tensor" ? "a tile for each stage, one of results, and the mbarriers"
                 : request.variant == "bulk_both_ways" ? "a tile for each stage, and one of results"
                                                       : "a tile for each stage",
       .predicted = static_cast<double>(shape.shared_bytes),
       .measure = [](const Run& run) -> std::optional<double> {
         return static_cast<double>(run.resources.dynamic_shared_bytes);
       }}};
  if (request.variant == "tensor") {
    predictions.push_back(
        {.label = "Wavefronts for a read of a tile",
         .unit = "wavefronts",
         .reason = shape.swizzle == TensorMapDescription::Swizzle::kNone
                       ? "the rows begin in the same banks: lanes that go down a column meet there"
                       : "the swizzle puts neighbouring rows' chunks of a column into different banks",
         .predicted = wavefrontsARead(shape),
         .measure = countedPer("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
                               "smsp__inst_executed_op_shared_ld.sum")});
  }
  return predictions;
}

}  // namespace warpscope::bulk_copy
