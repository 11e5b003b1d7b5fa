// What would help, with the reason, and one click to it.
#pragma once

#include "viz/lab/lab_input.h"

namespace warpscope {

// The suggestion whose "Use it" was clicked; null: none.
const Suggestion* drawSuggestions(const LabInput& input);

}  // namespace warpscope
