// The budgets of an SM, one bar per resource: what each resident block takes, what is left, and what one more
// block would need.
#pragma once

#include "viz/lab/lab_input.h"

namespace warpscope {

// `name` is "first" or "second", for widget reports.
void drawBudgetBars(const LabInput& input, const LabSide& side, const char* name, ImVec2 size);

}  // namespace warpscope
