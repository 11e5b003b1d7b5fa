// Suggestions with their reasons, each with a button that applies it.
#pragma once

#include "viz/lab/lab_input.h"

namespace warpscope {

// The suggestion whose "Use it" was clicked, or null.
const Suggestion* drawSuggestions(const LabInput& input);

}  // namespace warpscope
