// The names of regions on their bars in the timeline: drawn where they fit in both directions, and fading in
// as room grows, so that nothing appears suddenly while zooming. Neighbouring bars of one region share a
// name.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "viz/layout/time_scale.h"
#include "viz/views/timeline_rows.h"
#include "viz/views/view.h"

namespace warpscope {

class BarNames {
 public:
  // For one frame. `colours`: what bars are drawn with.
  BarNames(const ViewInput& input, const RegionColours& colours, const TimeScale& scale);

  // Whether a row of this height, in pixels, has room for names at all.
  bool fit(float height) const { return height > text_height_; }

  // A row's bars, from left to right; `active` is how high they are filled, in pixels.
  void add(RegionIndex region, float x0, float x1, float top, float bottom, float active);
  void endRow();

 private:
  struct Name {
    std::string text;
    float width = 0;
  };
  // Neighbouring bars of one region.
  struct Bar {
    RegionIndex region = kNoRegion;
    float x0 = 0, x1 = 0, top = 0, bottom = 0;
    float least_active = 0, most_active = 0;
  };

  const RegionColours& colours_;
  const TimeScale& scale_;
  ImFont* font_;
  float fade_, margin_, text_height_;
  ImDrawList& list_;
  std::vector<Name> names_;  // by region
  std::optional<Bar> bar_;
};

}  // namespace warpscope
