// Bandwidth over the bytes that an SM has asked for at a time, beside Little's law: bytes in flight /
// latency.
#pragma once

#include "viz/plots/plots_input.h"

namespace warpscope {

struct InFlightCurve {
  std::string name, label;  // of the variant
  size_t look = 0;          // its place in the family
  struct Point {
    double bytes = 0, gb_per_s = 0;
    std::string setting;  // "Warps an SM: 8"
  };
  std::vector<Point> points;
};

// Bandwidth grows with what is in flight, as the latency says, until something is full.
struct InFlightLaw {
  std::string label;              // "L2, 283 cycles"
  double gb_per_s_of_a_byte = 0;  // of each SM, for all SMs
};

struct InFlightInput {
  std::span<const InFlightCurve> curves;
  std::vector<InFlightLaw> laws;
  std::vector<PlotLevel> ceilings;  // in GB/s
  bool modelled = false;
  std::string message;  // why there is nothing to draw
};

void drawInFlightPlot(const PlotsInput& input, const InFlightInput& in_flight, ImVec2 size);

}  // namespace warpscope
