// How the Compare page looks at the runs: its zoom, its unit and what is overlaid. No part of what is undone.
#pragma once

#include <cstdint>
#include <optional>

#include "app/gui/model/side_by_side.h"

namespace warpscope {

struct CompareView {
  ViewState view;                // one for all runs: its range is in the axis' unit
  std::optional<AxisUnit> unit;  // as chosen
  bool overlay = false;          // two runs on the same rows
  bool race = false;             // all variants of the family, instead of the compared runs
  uint64_t other = 0;            // the run that is overlaid and described against the baseline; 0: the first
};

AxisUnit unitOf(const CompareView& look, const SideBySide& runs);
// What is seen stays where it is on the baseline.
void changeUnit(CompareView& look, const SideBySide& runs, AxisUnit unit);
// Which run stands against the baseline: the chosen one, or the first that is another; nullopt: there is
// none.
std::optional<size_t> otherRun(const CompareView& look, const SideBySide& runs);

}  // namespace warpscope
