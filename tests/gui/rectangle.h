// The position of a widget, as the program reports it: pixels from the window's upper left corner.
#pragma once

namespace warpscope::testing {

struct Rectangle {
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  double x(double share = 0.5) const { return x0 + (x1 - x0) * share; }
  double y(double share = 0.5) const { return y0 + (y1 - y0) * share; }
};

}  // namespace warpscope::testing
