// Little's law: warps needed against warps resident, one bar per kind of work.
#pragma once

#include <span>

#include "kernels/occupancy/littles_law.h"
#include "viz/lab/lab_input.h"

namespace warpscope {

void drawLittlesLaw(const LabInput& input, std::span<const LittlesLaw> laws, ImVec2 size);

}  // namespace warpscope
