#include "viz/layout/polyline.h"

#include <algorithm>

namespace warpscope {

// Liang and Barsky: each edge cuts off a part of the segment at one end.
std::optional<SegmentPart> partInside(PlotPoint a, PlotPoint b, const PlotRectangle& rectangle) {
  SegmentPart part;
  const auto cut = [&part](double way, double room) {
    if (way == 0) return room >= 0;
    const double at = room / way;
    if (way < 0) {
      part.from = std::max(part.from, at);
    } else {
      part.to = std::min(part.to, at);
    }
    return part.from <= part.to;
  };
  const double dx = b.x - a.x, dy = b.y - a.y;
  const bool inside = cut(-dx, a.x - rectangle.x0) && cut(dx, rectangle.x1 - a.x) &&
                      cut(-dy, a.y - rectangle.y0) && cut(dy, rectangle.y1 - a.y);
  return inside ? std::optional(part) : std::nullopt;
}

std::optional<size_t> nearestPoint(std::span<const PlotPoint> points, const AxisScale& x, double share) {
  const auto shown = [&](size_t i) { return x.holds(points[i].x) && std::isfinite(points[i].y); };
  const auto middle = std::lower_bound(points.begin(), points.end(), x.value(share),
                                       [](const PlotPoint& point, double at) { return point.x < at; });
  size_t right = static_cast<size_t>(middle - points.begin()), left = right;
  while (right < points.size() && !shown(right)) ++right;
  while (left > 0 && !shown(left - 1)) --left;
  const bool has_right = right<points.size(), has_left = left> 0;
  if (!has_left) return has_right ? std::optional(right) : std::nullopt;
  if (!has_right) return left - 1;
  const double to_right = x.share(points[right].x) - share, to_left = share - x.share(points[left - 1].x);
  return to_left <= to_right ? left - 1 : right;
}

std::optional<size_t> stepAt(std::span<const PlotPoint> points, double x) {
  const auto after = std::upper_bound(points.begin(), points.end(), x,
                                      [](double at, const PlotPoint& point) { return at < point.x; });
  if (after == points.begin()) return std::nullopt;
  const auto index = static_cast<size_t>(after - points.begin()) - 1;
  return std::isnan(points[index].y) ? std::nullopt : std::optional(index);
}

}  // namespace warpscope
