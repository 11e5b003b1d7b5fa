// A claim about runs: "kernel_time = 2 * warp_aligned.kernel_time within 0.15". What the names stand for is
// in run_values.h.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "kernels/core/error.h"
#include "kernels/program/expression.h"

namespace warpscope {

struct Claim {
  enum class Relation { kEqual, kNotEqual, kLess, kAtMost, kGreater, kAtLeast };
  std::string text;
  Expression left, right;
  Relation relation = Relation::kEqual;
  double within = 0;  // of kEqual: the deviation that is allowed, relative to the right side

  // Error kBadRequest: it is not a claim; the message says what is missing.
  static Expected<Claim> parse(std::string_view text);
  std::set<std::string, std::less<>> names() const;
  // Error: a name has no value, or a side is not finite.
  Expected<bool> holds(const NamedValues& values) const;
};

// Whether `value` is `expected`, which is the result of a computation in floating point, within a deviation
// relative to it.
bool isWithin(double value, double expected, double within);

}  // namespace warpscope
