// Where in a plot a label can be written without lying on data, lines or other labels. Pure: pixels in, a
// place out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "viz/layout/polyline.h"

namespace warpscope {

// Remembers what was drawn in an area: boxes exactly, curves and points in cells of a few pixels, so that the
// cost does not grow with the data.
class LabelRoom {
 public:
  // In pixels.
  LabelRoom(const PlotRectangle& area, double cell);

  const PlotRectangle& area() const { return area_; }
  double cell() const { return cell_; }
  void takeBox(const PlotRectangle& box) { boxes_.push_back(box); }
  // The line of a level or a limit, which a label may cover where there is no other room.
  void takeRule(const PlotRectangle& box) { rules_.push_back(box); }
  void takeSegment(PlotPoint from, PlotPoint to);
  void takeMark(PlotPoint middle, double radius);
  // Whether the box is inside the area and lies on nothing.
  bool isFree(const PlotRectangle& box) const { return isFreeButFor(box, Rules::kAvoid); }
  // The first of the upper left corners at which a label of this size has room; if there is none, the first
  // at which it covers nothing but rules.
  std::optional<PlotPoint> firstFree(std::span<const PlotPoint> corners, double width, double height) const;

 private:
  enum class Rules { kAvoid, kCover };
  bool isFreeButFor(const PlotRectangle& box, Rules rules) const;
  size_t columnOf(double x) const;
  size_t rowOf(double y) const;
  void takeCells(const PlotRectangle& box);

  PlotRectangle area_;
  double cell_;
  size_t columns_, rows_;
  std::vector<uint8_t> taken_;  // rows_ x columns_
  std::vector<PlotRectangle> boxes_, rules_;
};

// Where the label of a level, a horizontal line at y, can be: over or under it, first at the left.
std::vector<PlotPoint> placesAtLevel(const PlotRectangle& area, double y, double width, double height,
                                     double gap);
// Where the label of a straight line can be: beside several of its points, first near its middle. The ends
// are those of its visible part.
std::vector<PlotPoint> placesAlong(PlotPoint from, PlotPoint to, double width, double height, double gap);

}  // namespace warpscope
