// The values that instruction forms are tried with: edge cases of each type, random values, and float
// operands of similar magnitude.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "tests/differential/form.h"
#include "tests/differential/reference.h"

namespace warpscope::test {

// The inputs of threads 0, 1 ...; the same for every call with the same form.
std::vector<Inputs> inputsOf(const Form& form, uint32_t threads);
// An edge case of the type, or a random value; bits above those of the type are random.
uint64_t randomValue(ptx::Type type, std::mt19937_64& random);

}  // namespace warpscope::test
