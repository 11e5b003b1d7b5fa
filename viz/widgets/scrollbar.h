// A vertical scrollbar for content that a view scrolls by itself.
#pragma once

#include <imgui.h>

#include <optional>

#include "viz/widgets/theme.h"

namespace warpscope {

// `position`, `visible` and `whole` have the same unit. Returns the new position while the user drags; draws
// nothing if everything is visible.
std::optional<double> verticalScrollbar(const Theme& theme, const char* name, ImVec2 min, ImVec2 max,
                                        double position, double visible, double whole);

}  // namespace warpscope
