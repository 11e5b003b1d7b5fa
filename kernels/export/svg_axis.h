// The time axis of an SVG picture.
#pragma once

#include <string>

#include "kernels/export/text_writer.h"

namespace warpscope {

struct SvgAxis {
  double left = 0, right = 1;  // where begin and end are
  double begin_cycles = 0, end_cycles = 1;
  double cycles_per_ns = 0;  // not known: the axis is in cycles

  double scale() const { return (right - left) / (end_cycles - begin_cycles); }
  double x(double cycles) const { return left + (cycles - begin_cycles) * scale(); }
};

// Grid lines from `top` to `bottom`, numbers below, and a title: `title` has a place for the unit, "time
// ({})".
void writeSvgAxis(const SvgAxis& axis, double top, double bottom, const std::string& title, TextWriter& out);
inline constexpr double kSvgAxisHeight = 44;  // below `bottom`

}  // namespace warpscope
