// Draws the states of lanes so that they can be distinguished without colour: executing is solid, waiting is
// hatched, exited is a thin line, never existed is empty.
#pragma once

#include "viz/layout/lanes_layout.h"
#include "viz/layout/row_geometry.h"
#include "viz/layout/time_scale.h"
#include "viz/views/timeline_rows.h"

namespace warpscope {

class LanePainter {
 public:
  LanePainter(const Theme& theme, const RegionColours& colours, const TimeScale& scale,
              const RowGeometry& lanes);
  void draw(const LaneItem& item);
  // Draws over the items: the gaps between lanes, and the warp's begin and end.
  void drawLines(const TraceWarp& warp);

 private:
  const Theme& theme_;
  const RegionColours& colours_;
  const TimeScale& scale_;
  const RowGeometry& lanes_;
  ImDrawList& list_;
};

// The symbols for executing, waiting, exited and, if `some_missing`, never existed, as they are drawn,
// starting at the cursor: in lines of `width`, as high as text.
void drawLaneLegend(const Theme& theme, const Fonts& fonts, float width, bool some_missing);
// The total width in a single line.
float laneLegendWidth(const Theme& theme, const Fonts& fonts, bool some_missing);

}  // namespace warpscope
