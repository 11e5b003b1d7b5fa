// What a launch was counted to do, as a table for people; shared by run, show and exec.
#pragma once

#include <map>
#include <string>

namespace warpscope {

// One row a counter: what it is, its value with unit, Nsight Compute's name. Warp states come last, in cycles
// per issued instruction; what is 0 is left out (a last line says how many).
std::string counterTable(const std::map<std::string, double>& counters);

}  // namespace warpscope
