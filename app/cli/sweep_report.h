// The results of a sweep, as a table for people, as CSV and as JSON: one row per point, in the order of the
// grid.
#pragma once

#include <string>

#include "kernels/sweep/sweep.h"

namespace warpscope {

class Json;

std::string sweepTable(const SweepGrid& grid, const SweepResult& result);
// Columns: family, variant, each parameter, device, provenance, state, time in us, bandwidth, reason. Unknown
// values are empty. Quoted as RFC 4180 specifies.
std::string sweepCsv(const SweepGrid& grid, const SweepResult& result);
Json sweepJson(const SweepGrid& grid, const SweepResult& result, const SweepOptions& options);
// "24 points: 20 done (4 of them now), 4 impossible"
std::string sweepCounts(const SweepResult& result);

}  // namespace warpscope
