// The display settings of the Compare page: its zoom, its unit and what is overlaid. Undo does not change it.
#pragma once

#include <cstdint>
#include <optional>

#include "app/gui/model/side_by_side.h"

namespace warpscope {

struct CompareView {
  ViewState view;                // one for all runs: its range and selection are in the axis's unit
  std::optional<AxisUnit> unit;  // as chosen
  bool overlay = false;          // two runs on the same rows
  bool lanes_linked = false;     // lanes on the timelines' axis, instead of one that fits the warp
  bool race = false;             // all variants of the family, instead of the compared runs
  uint64_t other = 0;            // the run that is overlaid and described against the baseline; 0: the first
};

AxisUnit unitOf(const CompareView& look, const SideBySide& runs);
// Changes the unit so that the visible range stays the same for the baseline.
void changeUnit(CompareView& look, const SideBySide& runs, AxisUnit unit);
// What is selected of a run, in its cycles; nullopt: it is not on the axis.
std::optional<TraceSelection> selectionOf(const CompareView& look, const SideBySide& runs, size_t run);
// The run to compare with the baseline: the chosen one, or the first other one; nullopt if there is none.
std::optional<size_t> otherRun(const CompareView& look, const SideBySide& runs);

}  // namespace warpscope
