// Asks NVIDIA's assembler, if it is installed, whether it accepts PTX text, so that the tests' PTX can also
// run on a GPU.
#pragma once

#include <string>

namespace warpscope::test {

inline constexpr const char* kPtxas = "/usr/local/cuda/bin/ptxas";
bool hasPtxas();
// Its messages for sm_90; empty if there are none.
std::string ptxasErrors(const std::string& text);

}  // namespace warpscope::test
