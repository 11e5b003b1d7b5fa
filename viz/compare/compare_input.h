// What the pictures of a comparison are given: runs, what was found out of them, and the axis that they
// share.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/compare/compare.h"
#include "viz/views/view.h"
#include "viz/widgets/plot_look.h"

namespace warpscope {

struct CompareInput {
  const Comparison* comparison = nullptr;
  const ComparisonAxis* axis = nullptr;
  std::span<const std::shared_ptr<const TraceLayout>> layouts;  // one a run
  // Of each run: a region has the colour of its name's place in Comparison::regions, the same in all runs.
  std::span<const std::vector<size_t>> region_colours;
  std::optional<size_t> other;        // the run that is described and overlaid against the baseline
  std::optional<WarpKey> first_warp;  // that all runs have: shown while none is selected
  bool refreshing = false;
  const Theme* theme = nullptr;
  const Fonts* fonts = nullptr;
  WidgetReport* report = nullptr;

  const Run& run(size_t i) const { return *comparison->runs[i]; }
  const std::string& label(size_t i) const { return comparison->facts[i].label; }
  bool modelled(size_t i) const { return run(i).device.provenance == Provenance::kModelled; }
  // Its sign wherever the run appears: colour, shape, and outlined where it is modelled.
  MarkLook look(size_t i) const { return seriesLook(*theme, i, modelled(i)); }
  // The run alone, as the views of a single run take it.
  ViewInput view(size_t i) const {
    ViewInput input;
    input.run = comparison->runs[i];
    input.layout = layouts[i].get();
    input.refreshing = refreshing;
    input.region_colours = region_colours[i];
    input.theme = theme;
    input.fonts = fonts;
    input.report = report;
    return input;
  }
};

// For CompareInput::region_colours.
std::vector<std::vector<size_t>> matchedRegionColours(const Comparison& comparison);

// The sign of a run and its name, in one line from `at`; returns how wide both are.
float drawRunName(const CompareInput& input, size_t run, ImVec2 at, float width);

}  // namespace warpscope
