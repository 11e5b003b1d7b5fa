// The head of the occupancy lab: the kernel at hand or a calculator, its numbers, and whose limits.
#pragma once

#include "app/gui/ui.h"

namespace warpscope {

// At `at`, `width` wide; returns how high it is.
float drawOccupancyHeader(const Ui& ui, ImVec2 at, float width);

}  // namespace warpscope
