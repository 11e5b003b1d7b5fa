// Draws what lanes do so that it can be told apart without colour: executing is solid, waiting hatched,
// exited a thin line, never existed empty.
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
  // Over the items: the gaps between lanes, and the warp's begin and end.
  void drawLines(const TraceWarp& warp);

 private:
  const Theme& theme_;
  const RegionColours& colours_;
  const TimeScale& scale_;
  const RowGeometry& lanes_;
  ImDrawList& list_;
};

// Executing, waiting, exited and, where `some_missing`, never existed, each as it is drawn, from the cursor
// on: in lines of `width`, as high as text.
void drawLaneLegend(const Theme& theme, const Fonts& fonts, float width, bool some_missing);
// The width of all of it in one line.
float laneLegendWidth(const Theme& theme, const Fonts& fonts, bool some_missing);

}  // namespace warpscope
