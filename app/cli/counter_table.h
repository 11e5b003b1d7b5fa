// The counters of a launch as a table for people; shared by run, show and exec.
#pragma once

#include <map>
#include <string>

namespace warpscope {

// One row per counter: what it is, its value with unit, Nsight Compute's name. Warp states come last, in
// cycles per issued instruction; zeros are left out (a last line says how many).
std::string counterTable(const std::map<std::string, double>& counters);

}  // namespace warpscope
