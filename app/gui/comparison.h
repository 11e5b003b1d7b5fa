// Runs beside each other, as the Compare page shows them: which are compared, their layouts, and what the
// comparison engine says of them. Layouts and comparisons are made on a thread of their own; what is drawn is
// one immutable value, exchanged when the next one is there.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "app/gui/arrival.h"
#include "kernels/compare/compare.h"
#include "kernels/compare/same_warp.h"
#include "kernels/device/service/worker.h"
#include "viz/layout/navigation.h"
#include "viz/views/view_data.h"

namespace warpscope {

// What the user kept to compare: a plain value, undone as one.
struct KeptRun {
  uint64_t id = 0;  // never given twice
  std::shared_ptr<const Run> run;
  bool operator==(const KeptRun&) const = default;
};
struct KeptRuns {
  std::vector<KeptRun> runs;  // oldest first
  bool live = true;           // the present run stands beside them
  uint64_t baseline = 0;      // which run the others are held against; 0, or one that is not there: the first
  bool operator==(const KeptRuns&) const = default;
};

// Ids of runs that nobody kept: the present one, and the one of the family's next variant that it is compared
// with where there is no other.
inline constexpr uint64_t kLiveRun = 1, kNextRun = 2, kFirstKeptRun = 3;

struct ComparedRun {
  uint64_t id = 0;
  std::shared_ptr<const Run> run;
  std::shared_ptr<const TraceLayout> layout;  // null in a wish: to be built. Null in a race
};

struct RunsBeside {
  std::vector<ComparedRun> runs;  // at least one
  Comparison comparison;          // of these, in this order; of a single one: its facts, without differences
  ComparisonAxis cycles, ns;
  std::vector<WarpPlace> common;  // warps that all runs recorded, ascending; empty in a race

  const ComparisonAxis& axis(AxisUnit unit) const { return unit == AxisUnit::kNs ? ns : cycles; }
  bool allHaveClocks() const;  // every run that has a trace can be put on an axis of ns
  // Of all runs that are on that axis, in its unit.
  TimeExtent extent(AxisUnit unit) const;
};

// Makes a RunsBeside. `race`: without layouts, regions and the limit of kMostComparedRuns.
std::shared_ptr<const RunsBeside> putBeside(std::vector<ComparedRun> runs, uint64_t baseline, bool race,
                                            const LayoutBuilder& build_layout);

// Makes them elsewhere. Only the newest wish is kept.
class ComparisonLoader {
 public:
  // `wake` is called from the worker whenever poll() has something.
  ComparisonLoader(LayoutBuilder build_layout, std::function<void()> wake, bool race);

  // Cheap to say again and again; no runs: there is nothing to be shown from now on.
  void want(std::vector<ComparedRun> runs, uint64_t baseline);
  bool poll();  // true: there is another one to be shown
  const std::shared_ptr<const RunsBeside>& shown() const { return shown_; }  // null: none yet
  bool pending() const { return pending_; }

 private:
  LayoutBuilder build_layout_;
  bool race_;
  std::shared_ptr<const RunsBeside> shown_;
  std::vector<KeptRun> wanted_;
  uint64_t wanted_baseline_ = 0, number_ = 0;
  bool pending_ = false;
  Mailbox<std::pair<uint64_t, std::shared_ptr<const RunsBeside>>> news_;  // by the number of their wish
  Worker worker_;                                                         // last: it uses the others
};

// The page's own state, which is no part of what is undone.
struct ComparisonLook {
  ViewState view;                // one for all runs: its range is in the axis' unit
  std::optional<AxisUnit> unit;  // as chosen
  bool overlay = false;          // two runs on the same rows
  bool race = false;             // all variants of the family, instead of the compared runs
  uint64_t other = 0;            // the run that is overlaid and described against the baseline; 0: the first
};

AxisUnit unitOf(const ComparisonLook& look, const RunsBeside& beside);
// What is seen stays where it is on the baseline.
void changeUnit(ComparisonLook& look, const RunsBeside& beside, AxisUnit unit);
// Which run stands against the baseline: the chosen one, or the first that is another; nullopt: there is
// none.
std::optional<size_t> otherRun(const ComparisonLook& look, const RunsBeside& beside);

}  // namespace warpscope
