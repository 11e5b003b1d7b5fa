// What the examples with textures and surfaces must leave.
#pragma once

#include "tests/unit/example_results.h"

namespace warpscope::testing {

void blurred(const EndedLaunch& launch);
void rotated(const EndedLaunch& launch);

}  // namespace warpscope::testing
