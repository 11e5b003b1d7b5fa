// What instruction forms are tried with: edge values of each type, random ones, and float operands of like
// size.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "tests/differential/form.h"
#include "tests/differential/reference.h"

namespace warpscope::test {

// Of thread 0, 1 ...; the same for every call with the same form.
std::vector<Inputs> inputsOf(const Form& form, uint32_t threads);
// An edge value of the type, or a random one; bits above the type's are random.
uint64_t randomValue(ptx::Type type, std::mt19937_64& random);

}  // namespace warpscope::test
