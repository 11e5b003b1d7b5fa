// The times of a run in words, in the language of the window (kernels/metrics/run_times.h defines them).
#pragma once

#include <string>

#include "kernels/run/run.h"

namespace warpscope {

// How they are related for this run, a line for the bare kernel and one for the launch with probes:
// "launch 4.04 µs = kernel 0.94 µs + overhead 3.10 µs (77 %)".
std::string timesRelation(const Run& run);
// What each of them is, a line each.
std::string timeDefinitions();

}  // namespace warpscope
