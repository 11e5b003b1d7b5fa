// A run's operations on streams as an SVG element inside an HTML page: the host's calls, the streams, what
// executes the operations, and below, the warps of the launches in the slots of the first SMs. Colours are
// classes (s0, s1 ... by operationSeries()), so that the page's style determines them; html_style.cpp has
// them.
#pragma once

#include "kernels/export/text_writer.h"
#include "kernels/run/run.h"

namespace warpscope {

// The patterns of gaps, once in a page with such pictures.
void writeOperationHatches(TextWriter& out);
// Writes nothing of a single launch.
void writeOperationsSvg(const Run& run, TextWriter& out);

}  // namespace warpscope
