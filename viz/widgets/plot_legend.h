// The legend of a plot: the key and the name of each series; a click hides the series or shows it again.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "viz/widgets/canvas.h"
#include "viz/widgets/plot_series.h"

namespace warpscope {

struct PlotLegendAnswer {
  std::optional<size_t> hovered, toggled;  // entries; `hidden` has already been changed
};

// Draws at the cursor, across the available width, in as many lines as necessary. The entries are reported as
// "NAME.SERIES".
PlotLegendAnswer drawPlotLegend(const Canvas& canvas, const std::string& name,
                                std::span<const PlotSeries> series, HiddenSeries& hidden);
// The height in `width` pixels.
float plotLegendHeight(const Theme& theme, const Fonts& fonts, std::span<const PlotSeries> series,
                       float width);

}  // namespace warpscope
