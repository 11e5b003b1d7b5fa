// The legend of a run's regions: a coloured square and the name of each, in one line. Regions that do not fit
// are counted ("+3") and listed in a tooltip.
#pragma once

#include <optional>
#include <span>

#include "kernels/run/run.h"
#include "viz/widgets/canvas.h"
#include "viz/widgets/theme.h"

namespace warpscope {

// Legends of states: a swatch and a name for each entry. Pixels at 100 %.
constexpr float kSwatchWidth = 20, kSwatchHeight = 12, kSwatchGap = 5, kEntryGap = 12;

struct LegendAnswer {
  std::optional<RegionId> hovered, clicked;
};

// The total width.
float regionLegendWidth(const Theme& theme, const Fonts& fonts, std::span<const Region> regions);
// Draws at the cursor on the current line, at most `width` pixels wide, one frame height high. `emphasised`
// is written brighter than the others. The entries are reported as "NAME.0" and so on.
LegendAnswer drawRegionLegend(const Canvas& canvas, const std::string& name, std::span<const Region> regions,
                              float width, std::optional<RegionId> emphasised);

}  // namespace warpscope
