// Which parameters of a kernel do no more than move it to another place in memory: the address of a buffer,
// the index of its first element. Two launches that differ in these alone, by multiples of kShiftStep,
// execute the same instructions, with accesses that lie alike in sectors and lines; the data that they load
// may still differ. So the model need not execute both to know how long they take.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/sim/simt/code.h"

namespace warpscope::sim {

// Of elements of one byte and more, so many fill whole lines of 128 bytes.
inline constexpr uint64_t kShiftStep = 128;

// By parameter: whether its value reaches nothing but addresses of global memory, and these only by additions
// and multiplications by constants. What is stored, compared, passed to a function or otherwise computed with
// decides more than a place, or may.
std::vector<bool> shiftingParameters(const Code& code);

}  // namespace warpscope::sim
