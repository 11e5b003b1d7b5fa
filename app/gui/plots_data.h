// What the plots page draws, computed from the model without a window: curves of the sweep, the roofline's
// points, bytes in flight, and the ceilings. Absent is what the device does not tell.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/gui/model.h"
#include "viz/layout/plot_axis.h"

namespace warpscope {

// What can be plotted of a run.
struct PlottedQuantity {
  std::string id;           // a metric's (kernels/metrics/metric.h), or a counter's name
  std::string title, unit;  // of the axis
  TickNumbers numbers = TickNumbers::kPlain;
};
// Those that any of the swept runs has; at least the time.
std::vector<PlottedQuantity> plottedQuantities(const Model& model);

struct PlottedValue {
  double value = 0, low = 0, high = 0;  // of the repeats; equal where there is one number
};
// In the unit of its quantity. nullopt: the run does not tell.
std::optional<PlottedValue> valueOf(const SweptRun& run, const std::string& quantity);

// The axis of a control, and where its values are on it: names of choices side by side, powers of two on a
// logarithmic scale, and there a 0 ("automatic") left of all.
struct ControlAxis {
  PlotAxis axis;
  double zero_at = 0;  // where a 0 is drawn
  double place(int64_t value) const { return value == 0 ? zero_at : static_cast<double>(value); }
};
ControlAxis controlAxis(const ParameterSpec& spec, const std::vector<int64_t>& values);

// The control that a family's sweep begins with: its size, or what has most values to offer. Empty: none has
// two.
std::string usualControl(Model& model);

// Ceilings of device memory, by the runs: what a copy reaches, and clock x width.
struct MemoryCeilings {
  std::optional<double> copy_gb_per_s, peak_gb_per_s;
};
MemoryCeilings memoryCeilings(const Model& model);

// Why no bytes in flight are known of what was swept; empty: they are.
std::string whyNoBytesInFlight(const Model& model);

}  // namespace warpscope
