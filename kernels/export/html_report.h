// Runs as a report to read, print or send: one HTML file without script, which asks no other host for
// anything. Light or dark as the reader's system is. First what compares the runs (a ranking for each amount
// of work that several share, and a table of numbers), then each run: its circumstances, regions, timeline
// and source.
#pragma once

#include "kernels/export/run_source.h"
#include "kernels/export/text_writer.h"

namespace warpscope {

// Fails where a run cannot be read.
Expected<void> writeHtmlReport(const RunSource& runs, const WriteText& write);

}  // namespace warpscope
