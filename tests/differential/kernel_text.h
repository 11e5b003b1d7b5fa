// PTX for instruction forms: for each form a kernel in which every thread loads its operands from arrays,
// executes the instruction, and stores the results.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tests/differential/form.h"

namespace warpscope::test {

inline constexpr uint32_t kThreadsPerForm = 512;  // also the distance between cells in the arrays

// The number of cells for all sources, with the carry flag last; and for all destinations.
uint32_t inputCells(const Form& form);
uint32_t outputCells(const Form& form);

// The entry `name(.param .u64 inputs, .param .u64 outputs)`; cell c of thread t is at 8 * (c *
// kThreadsPerForm + t).
std::string kernelText(const Form& form, const std::string& name);
// A module for sm_90 with kernels form_FIRST, form_FIRST+1 ...
std::string moduleText(std::span<const Form> forms, size_t first);

}  // namespace warpscope::test
