// The input of a comparison's pictures: the runs, what was found out about them, and the axis that they
// share. It owns none of what it points to; all of that must live until the frame is drawn.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/compare/compare.h"
#include "viz/views/view.h"
#include "viz/widgets/plot_look.h"

namespace warpscope {

// RunName::brief in the language of the window.
std::string shownName(const RunName& name);
// One of Comparison::explanations as a sentence in the language of the window.
std::string shownExplanation(const Comparison& comparison, const Explanation& explanation);

struct CompareInput : Canvas {
  const Comparison* comparison = nullptr;
  const ComparisonAxis* axis = nullptr;
  std::span<const std::shared_ptr<const TraceLayout>> layouts;  // one per run
  // For each run: a region has the colour of its name's position in Comparison::regions, the same in all
  // runs.
  std::span<const std::vector<size_t>> region_colours;
  std::optional<size_t> other;        // the run that is described and overlaid on the baseline
  std::optional<WarpKey> first_warp;  // the first warp that all runs have: shown while none is selected
  bool refreshing = false;

  const Run& run(size_t i) const { return *comparison->runs[i]; }
  std::string label(size_t i) const { return shownName(comparison->facts[i].name); }
  bool modelled(size_t i) const { return run(i).device.provenance == Provenance::kModelled; }
  // The run's mark wherever it appears: colour and shape, outlined if the run is modelled.
  MarkLook look(size_t i) const { return seriesLook(*theme, i, modelled(i)); }
  // The run alone, as input for the views of a single run.
  ViewInput view(size_t i) const {
    ViewInput input;
    static_cast<Canvas&>(input) = *this;
    input.run = comparison->runs[i];
    input.layout = layouts[i].get();
    input.refreshing = refreshing;
    input.region_colours = region_colours[i];
    return input;
  }
};

// The value for CompareInput::region_colours.
std::vector<std::vector<size_t>> matchedRegionColours(const Comparison& comparison);

// Draws the run's mark and its name in one line, starting at `at`; returns the width of both.
float drawRunName(const CompareInput& input, size_t run, ImVec2 at, float width);

}  // namespace warpscope
