// Draws the states of lanes so that they can be distinguished without colour: executing is solid, waiting is
// hatched, exited is a thin line, never existed is empty.
#pragma once

#include <array>

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
  // Draws what is left of the items, and over them the gaps between lanes, and the warp's begin and end.
  void drawLines(const TraceWarp& warp);

 private:
  // Executing lanes that look the same one after another are one rectangle: here, by their first lane.
  struct Pending {
    float x0 = 0, x1 = 0;
    uint8_t lane_count = 0;
    ImU32 colour = 0;
  };
  void drawPending(size_t first_lane);

  const Theme& theme_;
  const RegionColours& colours_;
  PixelsOfTime pixels_;
  const RowGeometry& lanes_;
  ImDrawList& list_;
  std::array<Pending, kWarpSize> pending_;
};

// The symbols for executing, waiting, exited and, if `some_missing`, never existed, as they are drawn,
// starting at the cursor: in lines of `width`, as high as text.
void drawLaneLegend(const Theme& theme, const Fonts& fonts, float width, bool some_missing);
// The total width in a single line.
float laneLegendWidth(const Theme& theme, const Fonts& fonts, bool some_missing);

}  // namespace warpscope
