// Operations per second over operations per byte, below the device's ceilings, with a point for each variant.
#pragma once

#include "viz/plots/plots_input.h"

namespace warpscope {

struct RooflineMark {
  std::string name, label;  // of the variant
  size_t look = 0;          // index within the family
  double operations_per_byte = 0, operations_per_s = 0;
  double operations = 0;
  uint64_t bytes = 0;
  bool integers = false, modelled = false, present = false;
};
// A variant without a point.
struct RooflineGap {
  std::string label, reason;
};

struct RooflineInput {
  std::vector<RooflineMark> marks;
  std::vector<RooflineGap> gaps;
  // Ceilings; absent if not known.
  std::optional<double> copy_gb_per_s, memory_gb_per_s;
  bool copy_modelled = false;
  std::optional<double> float_operations_per_s, integer_operations_per_s;
  std::string message;  // shown if there is no run at all
};

// The variant that was clicked, as an index into marks.
std::optional<size_t> drawRooflinePlot(const PlotsInput& input, const RooflineInput& roofline, ImVec2 size);

}  // namespace warpscope
