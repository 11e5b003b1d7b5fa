// Compares what a user's kernel has left with what is expected, value by value.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/experiments/experiment.h"
#include "kernels/program/element_type.h"

namespace warpscope {

struct ComparedOutput {
  std::string name;  // of the parameter
  ElementType type;
  std::span<const std::byte> got, expected;  // of equal length; `expected` empty: not compared
  bool any_order = false;                    // the elements are compared as a set
};

// `what` is compared with: "those of the kernel 'naive'". Integers must be equal. Floats may differ by
// `tolerance`, relative to the larger of the two values, or to the mean magnitude of the array where both are
// smaller; 0: they must have the same bits. NaNs are equal to NaNs.
Verification compareOutputs(std::span<const ComparedOutput> outputs, const std::string& what,
                            double tolerance);

// For results of floats that are computed in another order.
inline constexpr double kUsualTolerance = 1e-4;
double usualTolerance(ElementType type);  // larger for halves, 0 for integers

}  // namespace warpscope
