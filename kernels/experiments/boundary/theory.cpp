// The boundary family: what theory predicts.
#include "kernels/experiments/boundary/regions.h"
#include "kernels/experiments/family_parts.h"

namespace warpscope::boundary {
namespace {

// The number of times that a warp found some, but not all, of its lanes inside the data; nullopt unless all
// warps were recorded.
std::optional<double> divergentInside(const Run& run) {
  const uint64_t warps = run.grid.count() * ((run.block.count() + kWarpSize - 1) / kWarpSize);
  if (run.trace.warps.size() != warps || run.trace.dropped_events != 0) return std::nullopt;
  double divergent = 0;
  for (const TraceWarp& warp : run.trace.warps) {
    forEachSpan(run.trace, warp, [&](const Span& span) {
      if (span.region.value == kInside && span.mask != warp.live) ++divergent;
    });
  }
  return divergent;
}

// The warps of a tile with lanes on both sides, where the first `rows` rows and `columns` columns are inside.
uint64_t divergentWarps(uint64_t tile, uint64_t rows, uint64_t columns) {
  uint64_t divergent = 0;
  for (uint64_t first = 0; first < tile * tile; first += kWarpSize) {
    uint64_t inside = 0;
    for (uint64_t thread = first; thread < first + kWarpSize; ++thread) {
      if (thread / tile < rows && thread % tile < columns) ++inside;
    }
    if (inside != 0 && inside != kWarpSize) ++divergent;
  }
  return divergent;
}

// The loads of one matrix: a row of blocks loads each tile of M once per block, and the same holds for N and
// columns of blocks.
struct Loads {
  Loads(uint64_t width, uint64_t tile) {
    const uint64_t tiles = (width + tile - 1) / tile, whole = tiles - 1;
    const uint64_t rest = width - whole * tile;
    all = tiles * tiles * tiles * (tile * tile / kWarpSize);
    divergent = tiles * (whole * divergentWarps(tile, tile, rest) + whole * divergentWarps(tile, rest, tile) +
                         divergentWarps(tile, rest, rest));
  }
  uint64_t all = 0, divergent = 0;
};

}  // namespace

std::vector<Prediction> theory(const RunRequest& request) {
  if (request.variant == "vector_add") {
    return {{.label = "Warps with lanes on both sides",
             .unit = "warps",
             .reason = "the warp that holds the end of the data, unless it is full: size % 32 is not 0",
             .predicted = request.parameters.at("size") % kWarpSize == 0 ? 0.0 : 1.0,
             .measure = divergentInside}};
  }
  const Loads loads(static_cast<uint64_t>(request.parameters.at("width")),
                    kTiles.at(static_cast<size_t>(request.parameters.at("tile"))));
  const double matrices = request.variant == "tiled_matmul" ? 2 : 1;
  const double all = matrices * static_cast<double>(loads.all);
  const double divergent = matrices * static_cast<double>(loads.divergent);
  return {{.label = "Loads by warps with lanes on both sides",
           .unit = "loads",
           .reason = "warps across the edge of the matrix, in every phase and block that loads such a tile",
           .predicted = divergent,
           .measure = divergentInside},
          {.label = "Their share of all loads",
           .unit = "%",
           .reason = "edges grow with the width, the matrix with its square",
           .predicted = 100 * divergent / all,
           .measure = [all](const Run& run) -> std::optional<double> {
             const auto shown = divergentInside(run);
             return shown ? std::optional(100 * *shown / all) : std::nullopt;
           }}};
}

}  // namespace warpscope::boundary
