#include "viz/layout/row_selection.h"

#include <algorithm>

namespace warpscope {
namespace {

bool livesIn(const TraceWarp& warp, const CycleRange& cycles) {
  return warp.begin_cycles < cycles.end &&
         (warp.end_cycles > cycles.begin ||
          (warp.end_cycles == warp.begin_cycles && warp.begin_cycles >= cycles.begin));
}

}  // namespace

SelectedPart selectRows(const Run& run, const RowOrder& rows, uint32_t first_row, uint32_t last_row,
                        const CycleRange& cycles) {
  SelectedPart part{.cycles = cycles};
  const bool all_rows = first_row == 0 && last_row + 1 >= rows.rowCount();
  if (all_rows && rows.shownWarps() == rows.recordedWarps()) return part;
  std::vector<const TraceWarp*> living, warps;
  for (uint32_t row = first_row; row <= last_row && row < rows.rowCount(); ++row) {
    for (const uint32_t index : rows.warpsOf(row)) {
      const TraceWarp& warp = run.trace.warps[index];
      warps.push_back(&warp);
      if (livesIn(warp, cycles)) living.push_back(&warp);
    }
  }
  const auto of_block = static_cast<uint32_t>((run.block.count() + kWarpSize - 1) / kWarpSize);
  part.warps = warpRanges(living.empty() ? warps : living, of_block);
  return part;
}

std::vector<CycleRange> selectedOfRow(const Run& run, const RowOrder& rows, uint32_t row,
                                      const TraceSelection& selection) {
  const auto warps = rows.warpsOf(row);
  std::vector<CycleRange> ranges;
  for (const SelectedPart& part : selection.parts) {
    bool every = true;
    const size_t before = ranges.size();
    for (const uint32_t index : warps) {
      const TraceWarp& warp = run.trace.warps[index];
      if (!part.has(warp.block, warp.warp_in_block)) {
        every = every && !livesIn(warp, part.cycles);
        continue;
      }
      const CycleRange life{std::max(part.cycles.begin, warp.begin_cycles),
                            std::min(part.cycles.end, warp.end_cycles)};
      if (life.length() > 0 || warps.size() == 1) ranges.push_back(life);
    }
    // Whoever lives in the row then is selected: the range as it was dragged.
    if (every && ranges.size() > before && part.cycles.bounded()) {
      ranges.resize(before);
      ranges.push_back(part.cycles);
    }
  }
  return unionOf(std::move(ranges));
}

void toggleWarp(TraceSelection& selection, const WarpKey& warp) {
  const SelectedPart part = selectWarp(warp.block, warp.warp_in_block).parts.front();
  const auto there = std::ranges::find(selection.parts, part);
  if (there == selection.parts.end()) {
    selection.parts.push_back(part);
  } else {
    selection.parts.erase(there);
  }
}

void togglePin(ViewState& state, const TraceSelection& selection) {
  const auto there = std::ranges::find(state.pins, selection);
  if (there == state.pins.end()) {
    state.pins.push_back(selection);
  } else {
    state.pins.erase(there);
  }
}

TraceSelection shownSelection(const ViewState& state) {
  if (!state.selection.empty()) return state.selection;
  if (state.selected_warp) return selectWarp(state.selected_warp->block, state.selected_warp->warp_in_block);
  return selectAll();
}

}  // namespace warpscope
