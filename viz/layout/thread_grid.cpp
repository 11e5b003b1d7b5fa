#include "viz/layout/thread_grid.h"

#include <algorithm>

namespace warpscope {
namespace {

// The dimensions, in cells, of one possible arrangement of a block.
struct Arrangement {
  uint32_t row_threads = 1, folds = 1;  // each row of threads takes this many rows of cells
  uint32_t slices_across = 1, slices_down = 1;
  uint32_t columns = 1, rows = 1;
};

uint32_t ceilDivided(uint32_t a, uint32_t b) {
  return (a + b - 1) / b;
}

Arrangement arrange(const Dim3& block, uint32_t row_threads, uint32_t slices_across, bool has_ghosts) {
  Arrangement way{.row_threads = row_threads, .folds = ceilDivided(block.x, row_threads)};
  way.slices_across = slices_across;
  way.slices_down = ceilDivided(block.z, slices_across);
  way.columns = slices_across * row_threads + (slices_across - 1);
  const uint32_t label = block.z > 1 ? 1 : 0;  // above each slice
  way.rows = way.slices_down * (block.y * way.folds + label);
  if (has_ghosts) {
    way.columns = std::max(way.columns, std::min(32U, block.x));
    way.rows += 1 + ceilDivided(31, way.columns);
  }
  return way;
}

constexpr float kFoldingCosts = 0.6F;  // a folded row is harder to read: cells must gain as much in size

// The arrangement with the largest square cells.
Arrangement bestArrangement(const Dim3& block, float aspect, bool has_ghosts) {
  Arrangement best;
  float best_side = 0;
  const auto consider = [&](uint32_t row_threads) {
    for (uint32_t across = 1; across <= block.z; ++across) {
      const Arrangement way = arrange(block, row_threads, across, has_ghosts);
      float side = std::min(aspect / static_cast<float>(way.columns), 1 / static_cast<float>(way.rows));
      if (way.folds > 1) side *= kFoldingCosts;
      if (side > best_side * 1.001F) {
        best = way;
        best_side = side;
      }
    }
  };
  consider(block.x);
  for (uint32_t row = 32; row < block.x; row *= 2) consider(row);
  return best;
}

}  // namespace

const ThreadCell* ThreadGrid::at(uint32_t column, uint32_t row) const {
  const auto found = std::ranges::find_if(
      cells, [&](const ThreadCell& cell) { return cell.column == column && cell.row == row; });
  return found == cells.end() ? nullptr : &*found;
}

ThreadGrid layOutThreads(const LaneLog& log, BlockId block, float aspect) {
  ThreadGrid grid;
  const bool has_ghosts = log.block.count() % kWarpSize != 0;
  const Arrangement way = bestArrangement(log.block, aspect, has_ghosts);
  grid.columns = way.columns;
  grid.rows = way.rows;
  grid.row_threads = way.row_threads;
  const uint32_t label = log.block.z > 1 ? 1 : 0;
  const uint32_t slice_rows = log.block.y * way.folds + label;
  const auto slice_column = [&](uint32_t z) { return z % way.slices_across * (way.row_threads + 1); };
  const auto slice_row = [&](uint32_t z) { return z / way.slices_across * slice_rows + label; };
  for (uint32_t z = 0; label != 0 && z < log.block.z; ++z) {
    grid.slices.push_back({slice_column(z), slice_row(z), z});
  }
  if (has_ghosts) grid.ghost_row = way.slices_down * slice_rows + 1;
  uint32_t ghosts = 0;
  for (const LoggedWarp& warp : log.warps) {
    if (warp.block != block) continue;
    for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
      ThreadCell cell{.warp = warp.warp_in_block, .lane = static_cast<uint8_t>(lane)};
      cell.exists = warp.live.has(static_cast<int>(lane));
      if (cell.exists) {
        cell.thread = warp.threads[lane];
        cell.column = slice_column(cell.thread.z) + cell.thread.x % way.row_threads;
        cell.row = slice_row(cell.thread.z) + cell.thread.y * way.folds + cell.thread.x / way.row_threads;
      } else {
        cell.column = ghosts % grid.columns;
        cell.row = grid.ghost_row + ghosts / grid.columns;
        ++ghosts;
      }
      grid.cells.push_back(cell);
    }
  }
  return grid;
}

}  // namespace warpscope
