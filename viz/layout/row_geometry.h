// The positions of equally high rows in a range of pixels, scrolled by a number of rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

namespace warpscope {

struct RowGeometry {
  float top = 0, bottom = 0;  // pixels of the visible part
  float row_height = 1;
  double first_row = 0;
  uint32_t rows = 0;

  // The height at which all rows fit, within the limits.
  static float heightToFit(float height, uint32_t rows, float least, float most) {
    return std::clamp(std::floor(height / static_cast<float>(std::max(1U, rows))), least, most);
  }

  double visibleRows() const { return static_cast<double>(bottom - top) / static_cast<double>(row_height); }
  double lastFirstRow() const { return std::max(0.0, rows - visibleRows()); }
  float rowTop(double row) const {
    return top + static_cast<float>((row - first_row) * static_cast<double>(row_height));
  }
  uint32_t firstVisible() const { return std::min(rows, static_cast<uint32_t>(std::max(0.0, first_row))); }
  uint32_t endVisible() const {
    return std::min(rows, static_cast<uint32_t>(std::ceil(std::max(0.0, first_row + visibleRows()))));
  }
  double rowPosition(float y) const {
    return first_row + static_cast<double>(y - top) / static_cast<double>(row_height);
  }
  std::optional<uint32_t> rowAt(float y) const {
    const double row = rowPosition(y);
    if (y < top || y >= bottom || row < 0 || row >= rows) return std::nullopt;
    return static_cast<uint32_t>(row);
  }
};

}  // namespace warpscope
