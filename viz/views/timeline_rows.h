// Draws the rows of the timeline: each warp's spans, filled by the share of its lanes that execute, or as 32
// stripes if there is room. In rows too low for heights to be told apart, what lanes lose is a hatching whose
// dark part is that share; it is fixed to the screen, so that divergent rows above each other form diagonals
// that are seen from afar, by any eye. The timeline view decides which rows are drawn, where, and how high.
#pragma once

#include <optional>
#include <vector>

#include "viz/layout/row_folds.h"
#include "viz/layout/time_scale.h"
#include "viz/layout/trace_layout.h"
#include "viz/views/view.h"
#include "viz/widgets/rect_batch.h"

namespace warpscope {

// The colours of a run's regions for one frame: dimming and marking are decided here, once.
class RegionColours {
 public:
  // `colours`: the same as ViewInput::region_colours.
  RegionColours(const Theme& theme, std::span<const Region> regions, std::optional<RegionId> marked,
                bool dimmed, std::span<const size_t> colours = {});
  ImU32 active(RegionIndex region) const { return pairs_[slot(region)].active; }
  ImU32 idle(RegionIndex region) const { return pairs_[slot(region)].idle; }
  // Text on these.
  ImU32 onActive(RegionIndex region) const { return pairs_[slot(region)].on_active; }
  ImU32 onIdle(RegionIndex region) const { return pairs_[slot(region)].on_idle; }

 private:
  struct Pair {
    ImU32 active = 0, idle = 0, on_active = 0, on_idle = 0;
  };
  size_t slot(RegionIndex region) const { return region < pairs_.size() - 1 ? region : pairs_.size() - 1; }
  std::vector<Pair> pairs_;  // the last one is for a region that the run does not describe
};

// From this height on (pixels at 100 %), a row shows its 32 lanes as stripes; below the other one, what lanes
// lose is hatched.
inline constexpr float kStripesFromHeight = 32, kHatchedBelowHeight = 14;

class BarNames;

class RowPainter {
 public:
  // `names`: of the regions; null: none are drawn.
  RowPainter(const Theme& theme, const TraceLayout& layout, const TimeScale& scale,
             const RegionColours& colours, double fold_cycles, BarNames* names);
  // Draws one row between top and bottom, with the warp's begin and end. Returns false if the warp is not
  // alive in the visible range.
  bool draw(const TraceWarp& warp, uint32_t index, float top, float bottom);
  // Draws a part of a row of several warps, of at most `lanes` lanes. finish() after the last of them, and
  // before anything else is drawn.
  void drawFold(const RowItem& item, double lanes, float top, float bottom);
  void finish() { rects_.flush(); }

 private:
  // A bar as high as the lanes that exist, filled as high as those that execute; both as shares of the row.
  struct Bar {
    RegionIndex region = kNoRegion;
    float x0 = 0, x1 = 0;
    float live = 1, active = 1;
  };
  // Bars that follow each other and look the same are drawn as one, by flushBar().
  void addBar(const Bar& bar, float top, float bottom);
  void flushBar(float top, float bottom);
  void drawBar(const Bar& bar, float top, float bottom);
  void drawHatched(const Bar& bar, float top, float bottom);
  Bar barOf(const DrawItem& item, LaneMask live) const;
  void drawStripes(const DrawItem& item, LaneMask live, float top, float bottom);

  const Theme& theme_;
  const TraceLayout& layout_;
  const TimeScale& scale_;
  PixelsOfTime pixels_;
  const RegionColours& colours_;
  double fold_cycles_;
  BarNames* names_;
  RectBatch rects_;
  std::vector<DrawItem> items_;  // reused from row to row
  Bar pending_;
};

}  // namespace warpscope
