// The part of a run between two instants, as a run of its own: what exporters write of a range.
#pragma once

#include "kernels/metrics/selection.h"
#include "kernels/run/run.h"

namespace warpscope {

// The run with the warps that live within the range, and what they did there. Lives and spans are cut at the
// range, so that sums over the part are those of the range; an instruction belongs to the range if it issued
// there. Lanes that left before are gone from its beginning on.
Run partOf(const Run& run, const CycleRange& range);

}  // namespace warpscope
