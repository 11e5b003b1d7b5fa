#include "kernels/experiments/reduction/sums.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include "kernels/experiments/verification.h"
#include "kernels/metrics/precision.h"

namespace warpscope::reduction {
namespace {

constexpr float kCopied = 1.23F;
constexpr double kFloatUnit = 0x1p-24;   // random floats: 24 fraction bits
constexpr double kCopiedUnit = 0x1p-23;  // the last bit of 1.23f
constexpr auto kCopiedUnits = static_cast<int64_t>(double{kCopied} / kCopiedUnit);
static_assert(static_cast<double>(kCopiedUnits) * kCopiedUnit == double{kCopied});

// Small and of both signs: sums of 2^28 of them fit in 32 bits.
int32_t randomInt(uint32_t i) {
  return static_cast<int32_t>(inputHash(i) >> 24) - 128;
}
int32_t randomFloatUnits(uint32_t i) {
  return static_cast<int32_t>(inputHash(i) >> 8);
}

int64_t sumOfRange(bool floats, uint32_t begin, uint32_t end) {
  int64_t sum = 0;
  if (floats) {
    for (uint32_t i = begin; i < end; ++i) sum += randomFloatUnits(i);
  } else {
    for (uint32_t i = begin; i < end; ++i) sum += randomInt(i);
  }
  return sum;
}

// One table per type serves all sizes: it only ever grows, to at most 2^28 / 32 entries.
std::shared_ptr<const std::vector<int64_t>> prefixSums(bool floats, uint32_t groups) {
  static std::mutex mutex;
  static std::shared_ptr<const std::vector<int64_t>> longest[2];
  const std::scoped_lock lock(mutex);
  auto& known = longest[floats ? 1 : 0];
  if (known != nullptr && known->size() > groups) return known;
  auto before = std::make_shared<std::vector<int64_t>>();
  before->reserve(groups + 1);
  if (known != nullptr) *before = *known;
  if (before->empty()) before->push_back(0);
  for (auto group = static_cast<uint32_t>(before->size()) - 1; group < groups; ++group) {
    before->push_back(before->back() + sumOfRange(floats, group * kWarpSize, (group + 1) * kWarpSize));
  }
  known = before;
  return known;
}

float randomFloat(uint32_t i) {
  return static_cast<float>(randomFloatUnits(i)) * static_cast<float>(kFloatUnit);
}

}  // namespace

std::shared_ptr<const Bytes> makeInput(Numbers numbers, uint32_t size) {
  if (numbers.floats) {
    return numbers.copies ? filledInput<float>(size, [](uint32_t) { return kCopied; })
                          : filledInput<float>(size, randomFloat);
  }
  return numbers.copies ? filledInput<int32_t>(size, [](uint32_t) { return static_cast<int32_t>(kCopied); })
                        : filledInput<int32_t>(size, randomInt);
}

float sequentialFloatSum(Numbers numbers, uint32_t size) {
  if (numbers.copies) return sequentialSumOfCopies(kCopied, size);
  static std::mutex mutex;
  static std::map<uint32_t, float> known{
      {0, 0.0F}};  // by size; a longer sum continues from the next shorter one
  const std::scoped_lock lock(mutex);
  const auto [before, sum_before] = *std::prev(known.upper_bound(size));
  float sum = sum_before;
  for (uint32_t i = before; i < size; ++i) sum += randomFloat(i);
  known.emplace(size, sum);
  return sum;
}

RangeSums::RangeSums(Numbers numbers, uint32_t size) : numbers_(numbers) {
  if (numbers.floats) unit_ = numbers.copies ? kCopiedUnit : kFloatUnit;
  if (!numbers.copies) before_ = prefixSums(numbers.floats, size / kWarpSize);
}

int64_t RangeSums::upTo(uint32_t end) const {
  if (numbers_.copies) return int64_t{end} * (numbers_.floats ? kCopiedUnits : static_cast<int64_t>(kCopied));
  const uint32_t group = end / kWarpSize;
  return (*before_)[group] + sumOfRange(numbers_.floats, group * kWarpSize, end);
}

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
