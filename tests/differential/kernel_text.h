// PTX for instruction forms: for each a kernel in which every thread loads its operands from arrays, executes
// the instruction, and stores what it left.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tests/differential/form.h"

namespace warpscope::test {

inline constexpr uint32_t kThreadsPerForm = 512;  // also the distance of cells in the arrays

// Cells of all sources, the carry flag last; and of all destinations.
uint32_t inputCells(const Form& form);
uint32_t outputCells(const Form& form);

// The entry `name(.param .u64 inputs, .param .u64 outputs)`; cell c of thread t lies at 8 * (c *
// kThreadsPerForm + t).
std::string kernelText(const Form& form, const std::string& name);
// A module for sm_90 of kernels form_FIRST, form_FIRST+1 ...
std::string moduleText(std::span<const Form> forms, size_t first);

}  // namespace warpscope::test
