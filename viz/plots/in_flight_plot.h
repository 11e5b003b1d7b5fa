// Bandwidth over the bytes in flight per SM, beside Little's law: bytes in flight / latency.
#pragma once

#include "viz/plots/plots_input.h"

namespace warpscope {

struct InFlightCurve {
  std::string name, label;  // of the variant
  size_t look = 0;          // index within the family
  struct Point {
    double bytes = 0, gb_per_s = 0;
    std::string setting;  // "Warps per SM: 8"
  };
  std::vector<Point> points;
};

// Bandwidth grows with the bytes in flight, at a slope given by the latency, until something saturates.
struct InFlightLaw {
  std::string label;              // "L2, 283 cycles"
  double gb_per_s_of_a_byte = 0;  // on each SM, for all SMs together
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
