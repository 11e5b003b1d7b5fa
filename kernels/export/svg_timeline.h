// A run's timeline as an SVG element inside an HTML page: each row is a warp, each colour a region, and the
// filled share of a bar the share of active lanes. Colours are classes (r0, r1 ... by the region's index in
// Run::regions), so that the page's style determines them; html_style.cpp has them.
#pragma once

#include "kernels/export/text_writer.h"
#include "kernels/run/run.h"

namespace warpscope {

struct TimelineSize {
  size_t most_rows = 96;  // number of warps, the first ones; the picture says how many there are
  double width = 1000, row_height = 12;
  double fold = 1.5;  // narrower spans are merged with their neighbours
};

// Writes nothing if no warp was recorded.
void writeTimelineSvg(const Run& run, TextWriter& out, const TimelineSize& size = {});

}  // namespace warpscope
