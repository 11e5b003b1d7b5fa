// A run's regions by their index, which layouts store instead of a region's id.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/run/run.h"

namespace warpscope {

// Index into Run::regions; a region that the run does not describe has kUnknownRegion.
using RegionIndex = uint16_t;
inline constexpr RegionIndex kNoRegion = 0xFFFF;       // the warp is alive, but no mark says where it is
inline constexpr RegionIndex kUnknownRegion = 0xFFFE;  // a mark that is not in Run::regions

// The shortest region that contains the source line, or kNoRegion.
RegionIndex regionOfLine(std::span<const Region> regions, uint32_t line);

}  // namespace warpscope
