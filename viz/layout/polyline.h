// Curves before they are drawn: reduced to what pixels can show, and clipped at the edges of a plot. Pure
// functions.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>

#include "viz/layout/plot_axis.h"

namespace warpscope {

// In data units. A y that is NaN is a gap.
struct PlotPoint {
  double x = 0, y = 0;
};
// The smallest and the largest of several measurements at x.
struct PlotSpread {
  double x = 0, low = 0, high = 0;
};

inline double lowOf(const PlotPoint& point) {
  return point.y;
}
inline double highOf(const PlotPoint& point) {
  return point.y;
}
inline double lowOf(const PlotSpread& spread) {
  return spread.low;
}
inline double highOf(const PlotSpread& spread) {
  return spread.high;
}

// Calls `emit(index)` for the points that `columns` columns of pixels can distinguish, in order: of
// consecutive points in one column the first, the lowest, the highest and the last. A line through these
// covers the same pixels as one through all. Gaps are kept. Linear in the number of points, with a few
// comparisons each.
template <class Point, class Emit>
void forEachShown(std::span<const Point> points, const AxisScale& x, double columns, Emit emit) {
  size_t first = 0;  // of the current column
  double left = 0, right = 0;
  size_t low = 0, high = 0;
  double lowest = 0, highest = 0;
  const auto flush = [&](size_t end) {
    if (first >= end) return;
    size_t order[4] = {first, low < high ? low : high, low < high ? high : low, end - 1};
    for (int i = 0; i < 4; ++i) {
      if (i == 0 || order[i] != order[i - 1]) emit(order[i]);
    }
    first = end;
  };
  for (size_t i = 0; i < points.size(); ++i) {
    const Point& point = points[i];
    if (std::isnan(lowOf(point)) || std::isnan(highOf(point)) || !x.holds(point.x)) {
      flush(i);
      // One gap is as good as several.
      if (i == 0 || !(std::isnan(lowOf(points[i - 1])) || !x.holds(points[i - 1].x))) emit(i);
      first = i + 1;
      continue;
    }
    if (first == i || point.x < left || point.x >= right) {
      flush(i);
      const double column = std::floor(x.share(point.x) * columns);
      left = x.value(column / columns);
      right = x.value((column + 1) / columns);
      low = high = i;
      lowest = lowOf(point), highest = highOf(point);
      continue;
    }
    low = lowOf(point) < lowest ? i : low;
    lowest = lowOf(point) < lowest ? lowOf(point) : lowest;
    high = highOf(point) > highest ? i : high;
    highest = highOf(point) > highest ? highOf(point) : highest;
  }
  flush(points.size());
}

// The part of a segment inside a rectangle, as shares of its length from its first end; nullopt if there is
// none.
struct SegmentPart {
  double from = 0, to = 1;
};
struct PlotRectangle {
  double x0 = 0, y0 = 0, x1 = 1, y1 = 1;
};
std::optional<SegmentPart> partInside(PlotPoint a, PlotPoint b, const PlotRectangle& rectangle);

// For points sorted by x: the one nearest to a position on the axis; nullopt if all are gaps.
std::optional<size_t> nearestPoint(std::span<const PlotPoint> points, const AxisScale& x, double share);
// The point that a staircase shows at x: the last point at or before it.
std::optional<size_t> stepAt(std::span<const PlotPoint> points, double x);

}  // namespace warpscope
