// Asks NVIDIA's assembler, where it is installed, whether it takes a PTX text: so that the tests' PTX is what
// runs on a GPU too.
#pragma once

#include <string>

namespace warpscope::test {

inline constexpr const char* kPtxas = "/usr/local/cuda/bin/ptxas";
bool hasPtxas();
// Its messages for sm_90; empty: none.
std::string ptxasErrors(const std::string& text);

}  // namespace warpscope::test
