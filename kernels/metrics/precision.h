// The precision of a sum of floats, compared with float64 and with a plain loop.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/run/run.h"

namespace warpscope {

// Added up in float32, sequentially.
float sequentialSum(std::span<const float> values, float begin = 0);
// The same for `count` copies; the sum of copies of 1.23f stops at 33554432, where another copy is less than
// half a step.
float sequentialSumOfCopies(float value, uint64_t count);

// |sum - reference| / |reference|; 0 if both are 0.
double relativeError(double sum, double reference);
// The same in units in the last place: the steps between floats at the reference.
double errorInUlps(double sum, double reference);

}  // namespace warpscope
