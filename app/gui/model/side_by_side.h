// Runs side by side, as the Compare page shows them: the runs with their layouts, and the comparison engine's
// results. One immutable value, made off the UI thread.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "app/gui/arrival.h"
#include "kernels/compare/axis.h"
#include "kernels/compare/compare.h"
#include "viz/layout/navigation.h"
#include "viz/views/view_data.h"

namespace warpscope {

struct ComparedRun {
  uint64_t id = 0;  // see kept_runs.h
  std::shared_ptr<const Run> run;
  std::shared_ptr<const TraceLayout> layout;  // null: still to be built. Always null in a race
};

struct SideBySide {
  std::vector<ComparedRun> runs;  // at least one
  Comparison comparison;          // of these, in this order; a single run has its facts and no differences
  ComparisonAxis cycles, ns;
  std::vector<WarpPlace> common;  // warps that all runs recorded, ascending; empty in a race

  const ComparisonAxis& axis(AxisUnit unit) const { return unit == AxisUnit::kNs ? ns : cycles; }
  bool allHaveClocks() const;  // every run that has a trace can be put on an axis of ns
  // The extent of all runs that are on that axis, in its unit.
  TimeExtent extent(AxisUnit unit) const;
};

// `race`: without layouts, regions and the limit of kMostComparedRuns.
std::shared_ptr<const SideBySide> makeSideBySide(std::vector<ComparedRun> runs, uint64_t baseline, bool race,
                                                 const LayoutBuilder& build_layout);

}  // namespace warpscope
