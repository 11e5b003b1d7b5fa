#include "kernels/experiments/reduction/sums.h"

#include <algorithm>
#include <cmath>

namespace warpscope::reduction {
namespace {

std::vector<int64_t> expectedPartials(const Share& share, const RangeSums& sums) {
  std::vector<int64_t> partials(share.blocks, 0);
  uint32_t block = 0;
  for (uint64_t begin = 0; begin < share.size; begin += share.chunk) {
    const uint64_t end = std::min<uint64_t>(begin + share.chunk, share.size);
    partials[block] += sums.units(static_cast<uint32_t>(begin), static_cast<uint32_t>(end));
    block = block + 1 == share.blocks ? 0 : block + 1;
  }
  return partials;
}

Verification checkInts(const Expectation& expected, std::span<const uint32_t> out) {
  const RangeSums sums(expected.numbers, expected.share.size);
  OutputComparison comparison("sums");
  const auto compare = [&](std::string_view name, uint64_t index, uint32_t got, int64_t right) {
    if (got == static_cast<uint32_t>(right)) {
      comparison.addEqual(1);
    } else {
      comparison.addMismatch(name, index, static_cast<int32_t>(got), static_cast<int32_t>(right));
    }
  };
  uint32_t total = 0;
  for (const uint32_t sum : out) total += sum;
  if (!expected.total_only) {
    const auto partials = expectedPartials(expected.share, sums);
    for (size_t i = 0; i < partials.size(); ++i) compare("partials", i, out[i], partials[i]);
  }
  // The host adds up the partial sums, so the total is right exactly if they are; it is compared
  // nevertheless, because it is the purpose of a reduction.
  compare("total", 0, total, sums.units(0, expected.share.size));
  return comparison.result();
}

// Compares within bounds, unlike OutputComparison.
class Bounds {
 public:
  void compare(std::string_view name, uint64_t index, double got, double right, double bound) {
    ++verification_.checked;
    const double error = std::abs(got - right);
    if (error <= bound) {
      if (error > 0) verification_.max_error = std::max(verification_.max_error, error / bound);
      return;
    }
    if (verification_.mismatches++ == 0) {
      first_ = fmt::format("{}[{}] = {}, expected {} within {:.3g}", name, index, got, right, bound);
    }
  }

  Verification result() {
    Verification& done = verification_;
    done.passed = done.mismatches == 0;
    done.detail = done.passed
                      ? fmt::format("all {} sums within the rounding bound, the worst at {:.2g} of it",
                                    groupedDigits(done.checked), done.max_error)
                      : fmt::format("{} (first of {} wrong sums)", first_, groupedDigits(done.mismatches));
    return done;
  }

 private:
  Verification verification_;
  std::string first_;
};

Verification checkFloats(const Expectation& expected, std::span<const float> out) {
  const Share& share = expected.share;
  const RangeSums sums(expected.numbers, share.size);
  const double bound = errorBound(expected.additions, share.size);
  // No number is negative, so a sum is also the sum of magnitudes.
  const auto right = [&](int64_t units) { return static_cast<double>(units) * sums.unit(); };
  Bounds bounds;
  double total = 0;
  for (const float sum : out) total += double{sum};
  if (!expected.total_only) {
    const auto partials = expectedPartials(share, sums);
    for (size_t i = 0; i < partials.size(); ++i) {
      bounds.compare("partials", i, double{out[i]}, right(partials[i]), bound * right(partials[i]));
    }
  }
  const double reference = right(sums.units(0, share.size));
  bounds.compare("total", 0, total, reference, bound * reference);
  Verification verification = bounds.result();
  verification.precision =
      Precision{share.size, total, reference, double{sequentialFloatSum(expected.numbers, share.size)}};
  return verification;
}

}  // namespace

// Each addition has a relative error of at most the unit roundoff u = 2^-24, so a sum is off by at most
// gamma_n = n u / (1 - n u) for n additions on the longest path: Higham, "Accuracy and Stability of Numerical
// Algorithms", 2nd ed., section 4.2. When n u comes near 1, that bound is useless; (terms - 1) u holds for
// any order and any number of terms: Jeannerod and Rump, "Improved error bounds for inner products in
// floating-point arithmetic", SIAM J. Matrix Anal. Appl. 34 (2013).
double errorBound(uint64_t additions, uint64_t terms) {
  constexpr double kUnitRoundoff = 0x1p-24;
  const double any_order = static_cast<double>(terms > 0 ? terms - 1 : 0) * kUnitRoundoff;
  const double path = static_cast<double>(additions) * kUnitRoundoff;
  return path < 0.5 ? std::min(path / (1 - path), any_order) : any_order;
}

Verification checkSums(const Expectation& expected, Outputs outputs, size_t output) {
  const uint32_t count = expected.total_only ? 1 : expected.share.blocks;
  Verification failed;
  if (expected.numbers.floats) {
    const auto out = outputAs<float>(outputs, output, count, failed);
    return out.empty() ? failed : checkFloats(expected, out);
  }
  const auto out = outputAs<uint32_t>(outputs, output, count, failed);
  return out.empty() ? failed : checkInts(expected, out);
}

}  // namespace warpscope::reduction
