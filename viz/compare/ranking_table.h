// The figures of each compared run, one column per run, the fastest first, and sentences that explain why the
// others are slower.
#pragma once

#include "viz/compare/compare_input.h"

namespace warpscope {

void drawRankingTable(const CompareInput& input);  // fills the current window, which may scroll

// "1.84×", "within noise", "baseline"; "n/a" for measured against modelled.
std::string speedUpText(const CompareInput& input, size_t run);
// Draws the sentences at the cursor, wrapped.
void drawExplanations(const Theme& theme, const Comparison& comparison, float width);

}  // namespace warpscope
