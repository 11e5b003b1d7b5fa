// How settings and sessions keep what the timeline's rows are.
#pragma once

#include "viz/layout/row_choice.h"

namespace warpscope {

class LenientFields;

// Writes and reads `grouping`, `row_sort`, `rows_reversed` and `row_filter`.
void describe(LenientFields& fields, RowChoice& rows);

}  // namespace warpscope
