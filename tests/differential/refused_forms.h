// Combinations of modifiers that the opcode table allows but ptxas does not.
#pragma once

#include "tests/differential/form.h"

namespace warpscope::test {

bool isRefusedByPtxas(const Form& form);

}  // namespace warpscope::test
