// The output of subcommands about comparisons, sweeps, occupancy and lanes: for people, as CSV and as JSON.
#pragma once

#include <optional>
#include <string>

#include "kernels/compare/compare.h"
#include "kernels/occupancy/curves.h"
#include "kernels/occupancy/occupancy.h"
#include "kernels/run/lane_log.h"
#include "kernels/sweep/sweep.h"

namespace warpscope {

class Json;

// A comparison as tables and sentences for people.
// One row per run, in the order of the ranking; then which runs cannot be distinguished, and why slow ones
// are slow.
std::string rankingTable(const Comparison& comparison);
// One row per region and run, with what differs from the baseline; empty in a race.
std::string regionDifferences(const Comparison& comparison);
// The model's signed errors, pair by pair; empty: there is no such pair.
std::string modelErrorTable(const Comparison& comparison);

// The results of a sweep, as a table for people, as CSV and as JSON: one row per point, in the order of the
// grid.
std::string sweepTable(const SweepGrid& grid, const SweepResult& result);
// Columns: family, variant, each parameter, device, provenance, state, time in us, bandwidth, reason. Unknown
// values are empty. Quoted as RFC 4180 specifies.
std::string sweepCsv(const SweepGrid& grid, const SweepResult& result);
Json sweepJson(const SweepGrid& grid, const SweepResult& result, const SweepOptions& options);
// "24 points: 20 done (4 of them now), 4 impossible"
std::string sweepCounts(const SweepResult& result);

// The output of `warpscope occupancy`: one case or a sweep, for people and as JSON.
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

// One warp of a lane log as tables and as JSON.
// One row per request or exchange, in order.
std::string warpTable(const LaneLog& log, const LoggedWarp& warp);
// One row per lane of one of them; empty: there is no such step, or it was not kept.
std::string stepTable(const LaneLog& log, const LoggedWarp& warp, uint32_t step);
Json lanesReport(const LaneLog& log, const LoggedWarp& warp);

}  // namespace warpscope
