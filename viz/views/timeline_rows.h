// Draws the rows of the timeline: each warp's spans, filled by the share of its lanes that execute, or as 32
// stripes if there is room. The timeline view decides which rows are drawn, where, and how high.
#pragma once

#include <optional>
#include <vector>

#include "viz/layout/row_folds.h"
#include "viz/layout/time_scale.h"
#include "viz/layout/trace_layout.h"
#include "viz/views/view.h"

namespace warpscope {

// The colours of a run's regions for one frame: dimming and marking are decided here, once.
class RegionColours {
 public:
  // `colours`: the same as ViewInput::region_colours.
  RegionColours(const Theme& theme, std::span<const Region> regions, std::optional<RegionId> marked,
                bool dimmed, std::span<const size_t> colours = {});
  ImU32 active(RegionIndex region) const { return pairs_[slot(region)].active; }
  ImU32 idle(RegionIndex region) const { return pairs_[slot(region)].idle; }

 private:
  struct Pair {
    ImU32 active = 0, idle = 0;
  };
  size_t slot(RegionIndex region) const { return region < pairs_.size() - 1 ? region : pairs_.size() - 1; }
  std::vector<Pair> pairs_;  // the last one is for a region that the run does not describe
};

// From this row height on (pixels at 100 %), a row shows its 32 lanes as stripes.
inline constexpr float kStripesFromHeight = 64;

class RowPainter {
 public:
  RowPainter(const Theme& theme, const TraceLayout& layout, const TimeScale& scale,
             const RegionColours& colours, double fold_cycles);
  // Draws one row between top and bottom, with the warp's begin and end. Returns false if the warp is not
  // alive in the visible range.
  bool draw(const TraceWarp& warp, uint32_t index, float top, float bottom);
  // Draws a part of a row of several warps, of at most `lanes` lanes.
  void drawFold(const RowItem& item, double lanes, float top, float bottom) const;

 private:
  // A bar as high as the lanes that exist, filled as high as those that execute; both in pixels.
  void drawBar(RegionIndex region, float x0, float x1, float bottom, float live, float active) const;
  void drawShare(const DrawItem& item, LaneMask live, float top, float bottom) const;
  void drawStripes(const DrawItem& item, LaneMask live, float top, float bottom) const;

  const Theme& theme_;
  const TraceLayout& layout_;
  const TimeScale& scale_;
  const RegionColours& colours_;
  double fold_cycles_;
  ImDrawList& list_;
  std::vector<DrawItem> items_;  // reused from row to row
};

}  // namespace warpscope
