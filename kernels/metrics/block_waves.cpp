#include "kernels/metrics/block_waves.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <utility>

namespace warpscope {
namespace {

// A row of one SM: when it becomes free, and the wave of its last block.
struct Place {
  int64_t free_from = 0;
  uint32_t wave = 0;
};

std::vector<BlockBar> barsOf(const Trace& trace, const std::vector<SmRows>& sms) {
  std::map<std::pair<uint32_t, uint32_t>, BlockBar> bars;  // (sm, block)
  for (const TraceWarp& warp : trace.warps) {
    const auto sm = std::ranges::lower_bound(sms, warp.sm, {}, &SmRows::sm);
    const auto index = static_cast<uint32_t>(sm - sms.begin());
    const auto [found, is_new] = bars.try_emplace({index, warp.block.value});
    BlockBar& bar = found->second;
    if (is_new) {
      bar = {
          .block = warp.block, .sm = index, .begin_cycles = warp.begin_cycles, .end_cycles = warp.end_cycles};
    }
    bar.begin_cycles = std::min(bar.begin_cycles, warp.begin_cycles);
    bar.end_cycles = std::max(bar.end_cycles, warp.end_cycles);
  }
  std::vector<BlockBar> sorted;
  sorted.reserve(bars.size());
  for (const auto& [key, bar] : bars) sorted.push_back(bar);
  std::ranges::sort(
      sorted, {}, [](const BlockBar& bar) { return std::tuple(bar.sm, bar.begin_cycles, bar.block.value); });
  return sorted;
}

// Takes the row that became free first; among blocks that end together, the upper row.
void placeOnSm(std::span<BlockBar> bars, SmRows& sm) {
  std::vector<Place> places;
  for (BlockBar& bar : bars) {
    auto best = places.end();
    for (auto place = places.begin(); place != places.end(); ++place) {
      if (place->free_from <= bar.begin_cycles &&
          (best == places.end() || place->free_from < best->free_from))
        best = place;
    }
    if (best == places.end()) {
      best = places.insert(places.end(), Place{});
    } else {
      ++best->wave;
    }
    best->free_from = bar.end_cycles;
    bar.row = static_cast<uint32_t>(best - places.begin());
    bar.wave = best->wave;
    sm.last_end_cycles = std::max(sm.last_end_cycles, bar.end_cycles);
    sm.busy_cycles += bar.end_cycles - bar.begin_cycles;
    ++sm.blocks;
  }
  sm.rows = static_cast<uint32_t>(places.size());
}

}  // namespace

double BlockWaves::idleShare() const {
  if (end_cycles <= 0 || rows == 0) return 0;
  double busy = 0;
  for (const SmRows& sm : sms) busy += static_cast<double>(sm.busy_cycles);
  return 1 - busy / (static_cast<double>(end_cycles) * rows);
}

BlockWaves blockWavesOf(const Run& run) {
  BlockWaves waves;
  waves.blocks = run.grid.count();
  for (const TraceWarp& warp : run.trace.warps) {
    if (waves.sms.empty() || std::ranges::find(waves.sms, warp.sm, &SmRows::sm) == waves.sms.end()) {
      waves.sms.push_back({.sm = warp.sm});
    }
  }
  std::ranges::sort(waves.sms, {}, &SmRows::sm);
  waves.bars = barsOf(run.trace, waves.sms);
  for (size_t begin = 0; begin < waves.bars.size();) {
    size_t end = begin;
    while (end < waves.bars.size() && waves.bars[end].sm == waves.bars[begin].sm) ++end;
    SmRows& sm = waves.sms[waves.bars[begin].sm];
    placeOnSm(std::span(waves.bars).subspan(begin, end - begin), sm);
    sm.first_row = waves.rows;
    for (size_t i = begin; i < end; ++i) {
      waves.bars[i].row += waves.rows;
      waves.waves = std::max(waves.waves, waves.bars[i].wave + 1);
      waves.end_cycles = std::max(waves.end_cycles, waves.bars[i].end_cycles);
    }
    waves.rows += sm.rows;
    begin = end;
  }
  return waves;
}

}  // namespace warpscope
