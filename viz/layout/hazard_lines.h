// Which lines of a run's source its hazards lie on. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "kernels/run/run.h"

namespace warpscope {

// Line of Run::source, 1-based -> indices into Run::hazards, ascending. A race lies on both accesses' lines.
using HazardLines = std::map<uint32_t, std::vector<size_t>>;
HazardLines hazardLines(const Run& run);

// The line that a click on the hazard shows; 0: none of this source.
uint32_t lineOf(const Run& run, const Hazard& hazard);

}  // namespace warpscope
