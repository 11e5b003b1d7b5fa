// What is known of each compared run, a column a run, the fastest first, and in words why the others are
// slower.
#pragma once

#include "viz/compare/compare_input.h"

namespace warpscope {

void drawRankingTable(const CompareInput& input);  // fills the current window, which may scroll

// "1.84× (1.79 to 1.90)", "within noise (0.98 to 1.03)", "baseline", or why there is none.
std::string speedUpText(const CompareInput& input, size_t run);
// The sentences, at the cursor, wrapped.
void drawExplanations(const Theme& theme, const Comparison& comparison, float width);

}  // namespace warpscope
