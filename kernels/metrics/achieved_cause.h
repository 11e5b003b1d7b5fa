// Why achieved occupancy is below the theoretical one, told where the number is.
#pragma once

#include <string>

#include "kernels/run/run.h"

namespace warpscope {

// "64 blocks on 132 SMs". Empty: achieved is not notably below, or not known, or the run does not show why.
std::string achievedCause(const Run& run);

}  // namespace warpscope
