// The bulk_copy family: the shape of its launches, and what theory predicts.
#include "kernels/core/ids.h"
#include "kernels/experiments/bulk_copy/regions.h"
#include "kernels/experiments/family_parts.h"

namespace warpscope::bulk_copy {

Shape shapeOf(const RunRequest& request) {
  const auto number = [&](const char* name) { return static_cast<uint32_t>(request.parameters.at(name)); };
  const bool by_engine = request.variant == "bulk" || request.variant == "bulk_both_ways";
  Shape shape;
  const uint32_t computing = number("block");
  shape.threads = computing + (by_engine ? kWarpSize : 0);  // the warp that copies
  shape.tile_elements = computing * kElementsPerThread;
  shape.tiles = (number("size") + shape.tile_elements - 1) / shape.tile_elements;
  shape.stages = request.variant == "plain_loads" ? 1 : number("stages");
  const uint32_t results = request.variant == "bulk_both_ways" ? 1 : 0;
  shape.shared_bytes =
      (shape.stages + results) * shape.tile_elements * static_cast<uint32_t>(sizeof(uint32_t));
  return shape;
}

std::vector<Prediction> theory(const RunRequest& request) {
  const Shape shape = shapeOf(request);
  const bool by_threads = request.variant == "plain_loads" || request.variant == "cp_async";
  const double warps = shape.threads / static_cast<double>(kWarpSize);
  return {{.label = "Requests of warps for the tiles",
           .unit = "requests",
           .reason = by_threads ? "each warp asks for its part of each tile"
                                : "the engine asks L2 for whole tiles, warps for nothing",
           .predicted = by_threads ? shape.tiles * warps : 0,
           .measure = counted({"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"})},
          {.label = "Shared memory of a block",
           .unit = "bytes",
           .reason = request.variant == "bulk_both_ways" ? "a tile for each stage, and one of results"
                                                         : "a tile for each stage",
           .predicted = static_cast<double>(shape.shared_bytes),
           .measure = [](const Run& run) -> std::optional<double> {
             return static_cast<double>(run.resources.dynamic_shared_bytes);
           }}};
}

}  // namespace warpscope::bulk_copy
