#include "kernels/compare/noise.h"

#include <cmath>

namespace warpscope {
namespace {

constexpr double kChance = 0.01;

// 2 / (n+m choose n)
double probabilityOfApart(uint32_t n, uint32_t m) {
  const double log_ways = std::lgamma(n + m + 1.0) - std::lgamma(n + 1.0) - std::lgamma(m + 1.0);
  return 2 * std::exp(-log_ways);
}

}  // namespace

const char* verdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kFaster:
      return "faster";
    case Verdict::kSlower:
      return "slower";
    case Verdict::kWithinNoise:
      return "within noise";
    case Verdict::kTooFewRepeats:
      return "too few repeats";
  }
  return "unknown";
}

Verdict compareCosts(const Cost& a, const Cost& b) {
  if (a.least <= b.most && b.least <= a.most) return Verdict::kWithinNoise;
  const bool exact = a.modelled && b.modelled;
  if (!exact && probabilityOfApart(a.repeats, b.repeats) > kChance) return Verdict::kTooFewRepeats;
  return a.median < b.median ? Verdict::kFaster : Verdict::kSlower;
}

}  // namespace warpscope
