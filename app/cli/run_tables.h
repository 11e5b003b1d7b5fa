// Runs and their regions as tables for people; shared by run and show.
#pragma once

#include <map>
#include <span>
#include <string>

#include "kernels/run/run.h"

namespace warpscope {

// The device, then one row per run: parameters, verified, time, bandwidth, occupancy, probe cost. All runs
// must be of one family.
std::string runTable(std::span<const Run> runs);
// The hazards that the checks found, several lines each; empty if there are none, or if the checks did not
// run.
std::string hazardTexts(const Run& run);
// One row per region: share of time, spans, divergent spans, active lanes, lost lane-cycles.
std::string regionTable(const Run& run);
// One row per operation of a run on streams: when it was enqueued, began and ended, what it waited for; then
// how busy copy engines and SMs were. A sentence for the run of a single launch.
std::string operationTable(const Run& run);
// One row per prediction: what theory says for the run's settings, and what the run shows.
std::string theoryTable(const Run& run);
// One row per counter, by Nsight Compute's names; a sentence if the device has none.
std::string counterTable(const Run& run);

// The counters of a launch as a table for people; shared by run, show and exec.

// One row per counter: what it is, its value with unit, Nsight Compute's name. Warp states come last, in
// cycles per issued instruction; zeros are left out (a last line says how many).
std::string counterTable(const std::map<std::string, double>& counters);

// The advice on making the run faster, one line each, with the variant among `others` that follows it;
// "  nothing stands out" if there is none.
std::string adviceText(const Run& run, std::span<const Run> others);

}  // namespace warpscope
