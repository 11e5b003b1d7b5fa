// Whether a device teaches what another one does: which of two variants is faster, and visibly so.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace warpscope {

struct VariantTime {
  std::string variant;
  double median_us = 0;  // of the launches that were timed
};

// Two variants whose times clearly differ on the reference device.
struct VariantPair {
  std::string slower, faster;  // on the reference
  // The median time of `slower` divided by that of `faster`: on the reference, and on the device that is
  // judged. Less than 1 there: the order is the opposite one.
  double reference_ratio = 1, ratio = 1;

  bool isShown() const;
};

inline constexpr double kClearRatio = 1.10;    // what the reference must show for a pair to count
inline constexpr double kVisibleRatio = 1.05;  // what the judged device must show of it

// Every pair that clearly differs on the reference and was timed on both, in the reference's order.
std::vector<VariantPair> variantPairs(std::span<const VariantTime> reference,
                                      std::span<const VariantTime> judged);

}  // namespace warpscope
