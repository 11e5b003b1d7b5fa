#include "kernels/metrics/precision.h"

#include <cmath>
#include <limits>

namespace warpscope {

float sequentialSum(std::span<const float> values, float begin) {
  float sum = begin;
  for (const float value : values) sum += value;
  return sum;
}

float sequentialSumOfCopies(float value, uint64_t count) {
  float sum = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const float next = sum + value;
    if (next == sum) break;  // as would all others be
    sum = next;
  }
  return sum;
}

double relativeError(double sum, double reference) {
  const double error = std::abs(sum - reference);
  return error == 0 ? 0 : error / std::abs(reference);
}

double errorInUlps(double sum, double reference) {
  const double magnitude = std::max(std::abs(reference), double{std::numeric_limits<float>::min()});
  const int exponent = std::ilogb(magnitude);
  return std::abs(sum - reference) / std::ldexp(1.0, exponent - (std::numeric_limits<float>::digits - 1));
}

}  // namespace warpscope
