// What is known of each compared run, a column a run, the fastest first, and in words why the others are
// slower.
#pragma once

#include "viz/compare/compare_input.h"

namespace warpscope {

void drawRankingTable(const CompareInput& input);  // fills the current window, which may scroll

// "1.84×", "within noise", "baseline"; of measured against modelled "n/a".
std::string speedUpText(const CompareInput& input, size_t run);
// The sentences, at the cursor, wrapped.
void drawExplanations(const Theme& theme, const Comparison& comparison, float width);

}  // namespace warpscope
