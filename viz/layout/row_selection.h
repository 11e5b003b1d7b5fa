// A selection (kernels/metrics/selection.h) made of rows of a timeline, and the reverse: what of a row is
// selected. Selections themselves know no rows.
#pragma once

#include <vector>

#include "kernels/metrics/selection.h"
#include "viz/layout/row_order.h"
#include "viz/views/view_data.h"

namespace warpscope {

// The warps of these rows, both inclusive, that live in the range, or all of them if none does. All rows of
// a trace select every warp.
SelectedPart selectRows(const Run& run, const RowOrder& rows, uint32_t first_row, uint32_t last_row,
                        const CycleRange& cycles);
// The selected stretches of a row, sorted and disjoint. They reach beyond the life of a warp that has the row
// for itself; where it shares the row, they end with its life.
std::vector<CycleRange> selectedOfRow(const Run& run, const RowOrder& rows, uint32_t row,
                                      const TraceSelection& selection);

// Adds a warp's whole life as a part, or removes that part again.
void toggleWarp(TraceSelection& selection, const WarpKey& warp);
// Keeps a selection while others are made, or lets go of it again.
void togglePin(ViewState& state, const TraceSelection& selection);
// The selection whose numbers are shown: the selected ranges, otherwise the selected warp, otherwise
// everything.
TraceSelection shownSelection(const ViewState& state);

}  // namespace warpscope
