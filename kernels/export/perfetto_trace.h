// A run as a trace in Perfetto's own format, which ui.perfetto.dev and trace_processor open: less than a
// third of Chrome's format. trace_events.h has the mapping; SMs and warps are tracks below one of the run, in
// their order.
//
// Time is the launch axis in whole nanoseconds, Perfetto's unit: a cycle is shorter, so that each slice has
// its exact cycles, too. An instant at the beginning of the run's own track ("run") has the device, the
// settings and the totals.
#pragma once

#include <optional>

#include "kernels/export/text_writer.h"
#include "kernels/metrics/selection.h"
#include "kernels/run/run.h"

namespace warpscope {

// `range`: what the run's warps were cut to (trace_part.h).
void writePerfettoTrace(const Run& run, const WriteText& write,
                        const std::optional<CycleRange>& range = std::nullopt);

}  // namespace warpscope
