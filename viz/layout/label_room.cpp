#include "viz/layout/label_room.h"

#include <algorithm>
#include <cmath>

namespace warpscope {

LabelRoom::LabelRoom(const PlotRectangle& area, double cell)
    : area_(area),
      cell_(cell),
      columns_(static_cast<size_t>(std::max(1.0, std::ceil((area.x1 - area.x0) / cell)))),
      rows_(static_cast<size_t>(std::max(1.0, std::ceil((area.y1 - area.y0) / cell)))),
      taken_(columns_ * rows_) {}

size_t LabelRoom::columnOf(double x) const {
  return static_cast<size_t>(
      std::clamp(std::floor((x - area_.x0) / cell_), 0.0, static_cast<double>(columns_ - 1)));
}
size_t LabelRoom::rowOf(double y) const {
  return static_cast<size_t>(
      std::clamp(std::floor((y - area_.y0) / cell_), 0.0, static_cast<double>(rows_ - 1)));
}

void LabelRoom::takeCells(const PlotRectangle& box) {
  if (box.x1 < area_.x0 || box.x0 > area_.x1 || box.y1 < area_.y0 || box.y0 > area_.y1) return;
  for (size_t row = rowOf(box.y0); row <= rowOf(box.y1); ++row) {
    for (size_t column = columnOf(box.x0); column <= columnOf(box.x1); ++column)
      taken_[row * columns_ + column] = 1;
  }
}

void LabelRoom::takeSegment(PlotPoint from, PlotPoint to) {
  const auto part = partInside(from, to, area_);
  if (!part) return;
  const PlotPoint way{to.x - from.x, to.y - from.y};
  const double length = std::hypot(way.x, way.y) * (part->to - part->from);
  const int steps = 1 + static_cast<int>(length / (cell_ / 2));
  for (int i = 0; i <= steps; ++i) {
    const double share = part->from + (part->to - part->from) * i / steps;
    takeMark({from.x + way.x * share, from.y + way.y * share}, 0);
  }
}

void LabelRoom::takeMark(PlotPoint middle, double radius) {
  takeCells({middle.x - radius, middle.y - radius, middle.x + radius, middle.y + radius});
}

bool LabelRoom::isFreeButFor(const PlotRectangle& box, Rules rules) const {
  if (box.x0 < area_.x0 || box.x1 > area_.x1 || box.y0 < area_.y0 || box.y1 > area_.y1) return false;
  const auto overlaps = [&](const PlotRectangle& other) {
    return box.x0 < other.x1 && other.x0 < box.x1 && box.y0 < other.y1 && other.y0 < box.y1;
  };
  if (std::ranges::any_of(boxes_, overlaps)) return false;
  if (rules == Rules::kAvoid && std::ranges::any_of(rules_, overlaps)) return false;
  for (size_t row = rowOf(box.y0); row <= rowOf(box.y1); ++row) {
    const auto first = taken_.begin() + static_cast<std::ptrdiff_t>(row * columns_);
    const auto from = first + static_cast<std::ptrdiff_t>(columnOf(box.x0));
    const auto to = first + static_cast<std::ptrdiff_t>(columnOf(box.x1)) + 1;
    if (std::find(from, to, 1) != to) return false;
  }
  return true;
}

std::optional<PlotPoint> LabelRoom::firstFree(std::span<const PlotPoint> corners, double width,
                                              double height) const {
  for (const Rules rules : {Rules::kAvoid, Rules::kCover}) {
    for (const PlotPoint& at : corners) {
      if (isFreeButFor({at.x, at.y, at.x + width, at.y + height}, rules)) return at;
    }
  }
  return std::nullopt;
}

std::vector<PlotPoint> placesAtLevel(const PlotRectangle& area, double y, double width, double height,
                                     double gap) {
  std::vector<PlotPoint> places;
  const double left = area.x0 + gap * 4, right = area.x1 - gap * 4 - width;
  // On the left, because the newest values, which matter most, are on the right.
  for (const double share : {0.0, 1.0, 0.25, 0.5, 0.75}) {
    const double x = left + (right - left) * share;
    places.push_back({x, y - height - gap});
    places.push_back({x, y + gap});
  }
  return places;
}

std::vector<PlotPoint> placesAlong(PlotPoint from, PlotPoint to, double width, double height, double gap) {
  std::vector<PlotPoint> places;
  if (from.x > to.x) std::swap(from, to);
  const bool rising = to.y <= from.y;  // y grows downwards
  for (const double share : {0.55, 0.75, 0.35, 0.9, 0.15}) {
    const double x = from.x + (to.x - from.x) * share, y = from.y + (to.y - from.y) * share;
    places.push_back({rising ? x : x - width, y + gap});
    places.push_back({rising ? x - width : x, y - height - gap});
  }
  return places;
}

}  // namespace warpscope
