// The numbers of a selection (kernels/metrics/selection_metrics.h) for other programs.
#pragma once

#include <string>

#include "kernels/metrics/selection_metrics.h"

namespace warpscope {

class Json;

// As `--json` prints it.
Json selectionReport(const TraceSelection& selection, const SelectionMetrics& metrics);
// A table with a line for each region that occurs.
std::string selectionCsv(const SelectionMetrics& metrics);

}  // namespace warpscope
