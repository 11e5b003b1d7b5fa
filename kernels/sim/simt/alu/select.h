// The two sets of handlers behind selectHandler() (decode.h), for the test that compares them.
#pragma once

#include "kernels/sim/simt/code.h"

namespace warpscope::sim {

bool hasAvx2Handlers();  // whether selectHandler() gives those
Handler selectPortableHandler(const ptx::Instruction& instruction);

}  // namespace warpscope::sim
