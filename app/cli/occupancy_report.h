// The output of `warpscope occupancy`: one case or a sweep, for people and as JSON.
#pragma once

#include <optional>
#include <string>

#include "kernels/occupancy/curves.h"
#include "kernels/occupancy/occupancy.h"

namespace warpscope {

class Json;

struct OccupancyCase {
  DeviceDescription device;
  std::string kernel{};  // "reduction / shuffle, compiled for ..."; empty: typed numbers
  OccupancyQuestion question{};
  std::optional<uint64_t> grid_blocks{};
};

Json occupancyReport(const OccupancyCase& answer);
Json sweepReport(const OccupancyCase& answer, OccupancyAxis axis);  // an array, one entry per value
std::string occupancyText(const OccupancyCase& answer);
std::string sweepTable(const OccupancyCase& answer, OccupancyAxis axis);

}  // namespace warpscope
