// The two sets of handlers from which selectHandler() (decode.h) chooses, for the test that compares them.
#pragma once

#include "kernels/sim/simt/code.h"

namespace warpscope::sim {

bool hasAvx2Handlers();  // whether selectHandler() gives these
Handler selectPortableHandler(const ptx::Instruction& instruction);

}  // namespace warpscope::sim
