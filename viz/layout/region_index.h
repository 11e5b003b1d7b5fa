// A run's regions by their position: what layouts keep instead of a region's id.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/run/run.h"

namespace warpscope {

// Index into Run::regions; a region that the run does not describe has kUnknownRegion.
using RegionIndex = uint16_t;
inline constexpr RegionIndex kNoRegion = 0xFFFF;       // the warp lives, but nothing says where it is
inline constexpr RegionIndex kUnknownRegion = 0xFFFE;  // a mark that Run::regions lacks

// The shortest region that holds the source line, else kNoRegion.
RegionIndex regionOfLine(std::span<const Region> regions, uint32_t line);

}  // namespace warpscope
