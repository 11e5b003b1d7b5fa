// The tables of a comparison: figures of each run, and what its regions take.
#pragma once

#include <span>
#include <string>

#include "kernels/metrics/selection_metrics.h"
#include "viz/compare/compare_input.h"

namespace warpscope {

// The figures of each compared run, one column per run, the fastest first, and sentences that explain why the
// others are slower.
void drawRankingTable(const CompareInput& input);  // fills the current window, which may scroll

// "1.84×", "within noise", "baseline"; "n/a" for measured against modelled.
std::string speedUpText(const CompareInput& input, size_t run);
// Draws the sentences at the cursor, wrapped.
void drawExplanations(const Theme& theme, const Comparison& comparison, float width);

// The additional or saved time of one run's regions over the baseline's; or, where one of the two is measured
// and the other modelled, the error of the model. Fills the current window. `hovered` receives the name of
// the region under the mouse, or "". Returns the name of the region that was clicked, or an empty string.
std::string drawRegionDifferences(const CompareInput& input, const std::string& selected,
                                  std::string& hovered);

// What is selected of a run, and its numbers; null: not known yet, or the run is not on the axis.
struct SelectedInRun {
  const TraceSelection* selection = nullptr;
  const SelectionMetrics* metrics = nullptr;
};
// The numbers of the selected range, one column per run, in the runs' order, and one row per region. A right
// click pins or copies them. Fills the current window, which may scroll. `hovered` and the result as above.
std::string drawSelectionTable(const CompareInput& input, std::span<const SelectedInRun> selected,
                               std::string& hovered);

// The error of the model if one of baseline and other run models the other; otherwise nullptr.
const ModelError* modelErrorOf(const CompareInput& input);
void drawModelErrors(const CompareInput& input, const ModelError& error);

// "+1,234", "−56", "−19.3 M", "0".
std::string signedCount(double value);

}  // namespace warpscope
