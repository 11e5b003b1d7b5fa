// The lines of a run's source that its hazards are on. A pure function of the run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "kernels/run/run.h"

namespace warpscope {

// Line of Run::source, 1-based -> indices into Run::hazards, ascending. A race is listed at the lines of both
// accesses.
using HazardLines = std::map<uint32_t, std::vector<size_t>>;
HazardLines hazardLines(const Run& run);

// The line that is shown when the hazard is clicked; 0 if it is not in this source.
uint32_t lineOf(const Run& run, const Hazard& hazard);

}  // namespace warpscope
