// The operations of a run on streams as events of a trace viewer's file: one process, whose tracks are the
// rows of the window's view of operations: the host's calls, the streams, what executes the operations, and
// the pages that faults moved. Where an operation of a stream waits, a track beneath the stream's says what
// for. Arrows lead from the host's calls to what they enqueue, and from each operation to those that had to
// wait for it.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/export/trace_events.h"

namespace warpscope {

// Nothing, of a run without streams. Tracks are numbered from `next_track` on. Within `range`, if there is
// one: slices are cut there.
void writeOperationEvents(const Run& run, uint32_t process, uint32_t& next_track,
                          const std::optional<CycleRange>& range, TraceEventSink& sink);

}  // namespace warpscope
