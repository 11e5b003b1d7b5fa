// The content of the plots page, computed from the model without a window: curves of the sweep, the
// roofline's points, bytes in flight, and the ceilings. A value that the device does not report is absent.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/gui/model/model.h"
#include "viz/layout/plot_axis.h"

namespace warpscope {

// A quantity of a run that can be plotted.
struct PlottedQuantity {
  std::string id;           // a metric's (kernels/metrics/metric.h), or a counter's name
  std::string title, unit;  // of the axis
  TickNumbers numbers = TickNumbers::kPlain;
};
// The quantities that any swept run has; at least the time.
std::vector<PlottedQuantity> plottedQuantities(const Model& model);

struct PlottedValue {
  double value = 0, low = 0, high = 0;  // of the repeats; equal if there is only one number
};
// The value in the quantity's unit; nullopt if the run does not have it.
std::optional<PlottedValue> valueOf(const SweptRun& run, const std::string& quantity);

// The axis of a control, and where its values are on it: choices are names side by side, powers of two are on
// a logarithmic scale, on which a 0 ("automatic") is to the left of all.
struct ControlAxis {
  PlotAxis axis;
  double zero_at = 0;  // where a 0 is drawn
  double place(int64_t value) const { return value == 0 ? zero_at : static_cast<double>(value); }
};
ControlAxis controlAxis(const ParameterSpec& spec, const std::vector<int64_t>& values);

// The control that a family's sweep starts with: its size, or the control with the most values. Empty: no
// control has two.
std::string usualControl(Model& model);

// Ceilings of device memory: what a copy reached in the runs, and clock x width.
struct MemoryCeilings {
  std::optional<double> copy_gb_per_s, peak_gb_per_s;
};
MemoryCeilings memoryCeilings(const Model& model);

// The reason why the bytes in flight of the swept runs are unknown; empty if they are known.
std::string whyNoBytesInFlight(const Model& model);

}  // namespace warpscope
