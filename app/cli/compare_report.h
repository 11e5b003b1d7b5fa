// A comparison as tables and sentences for people.
#pragma once

#include <string>

#include "kernels/compare/compare.h"

namespace warpscope {

// One row per run, in the order of the ranking; then which runs cannot be distinguished, and why slow ones
// are slow.
std::string rankingTable(const Comparison& comparison);
// One row per region and run, with what differs from the baseline; empty in a race.
std::string regionDifferences(const Comparison& comparison);
// The model's signed errors, pair by pair; empty: there is no such pair.
std::string modelErrorTable(const Comparison& comparison);

}  // namespace warpscope
