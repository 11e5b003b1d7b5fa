// How good a sum of floats is: against float64 and against the plain loop that everybody writes first.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/run/run.h"

namespace warpscope {

// Added up in float32, one after the other.
float sequentialSum(std::span<const float> values, float begin = 0);
// The same of `count` copies; copies of 1.23f stop at 33554432, where another one is less than half a step.
float sequentialSumOfCopies(float value, uint64_t count);

// |sum - reference| / |reference|; 0 where both are 0.
double relativeError(double sum, double reference);
// The same in units in the last place: steps between floats where the reference lies.
double errorInUlps(double sum, double reference);

}  // namespace warpscope
