// Finds the parameters of a kernel that do no more than move its work to another place in memory: the address
// of a buffer, or the index of its first element. Two launches that differ in these alone, by multiples of
// kShiftStep, execute the same instructions, and their accesses lie alike in sectors and lines; the data that
// they load may still differ. So the model need not execute both to know how long they take.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/sim/simt/code.h"

namespace warpscope::sim {

// This many elements of one byte or more fill whole lines of 128 bytes.
inline constexpr uint64_t kShiftStep = 128;

// By parameter: whether its value is used for addresses of global memory only, and gets there by additions
// and by multiplications by constants only. A value that is stored, compared, passed to a function or used in
// any other computation may decide more than a place.
std::vector<bool> shiftingParameters(const Code& code);

}  // namespace warpscope::sim
