// What one run's regions take more or less than the baseline's; or, where one of the two is measured and the
// other modelled, how far the model is off.
#pragma once

#include <string>

#include "viz/compare/compare_input.h"

namespace warpscope {

// Fills the current window. `hovered`: receives the name of the region under the mouse, else "". Returns the
// name of a region that was clicked; empty: none.
std::string drawRegionDifferences(const CompareInput& input, const std::string& selected,
                                  std::string& hovered);

// The pair of baseline and other run, where one is the model of the other; nullptr: they are no such pair.
const ModelError* modelErrorOf(const CompareInput& input);
void drawModelErrors(const CompareInput& input, const ModelError& error);

// "+1,234", "−56", "−19.3 M", "0".
std::string signedCount(double value);

}  // namespace warpscope
