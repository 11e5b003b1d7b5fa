// Runs as a report to read, print or send: one HTML file without scripts, which loads nothing from other
// hosts, light or dark according to the reader's system. First come comparisons (a ranking for each amount of
// work that several runs share, and a table of numbers), then each run: its circumstances, regions, timeline
// and source.
#pragma once

#include "kernels/export/run_source.h"
#include "kernels/export/text_writer.h"

namespace warpscope {

// Fails if a run cannot be read.
Expected<void> writeHtmlReport(const RunSource& runs, const WriteText& write);

}  // namespace warpscope
