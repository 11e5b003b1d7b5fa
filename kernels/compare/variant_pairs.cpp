#include "kernels/compare/variant_pairs.h"

#include <algorithm>
#include <utility>

namespace warpscope {

bool VariantPair::isShown() const {
  return ratio >= kVisibleRatio;
}

std::vector<VariantPair> variantPairs(std::span<const VariantTime> reference,
                                      std::span<const VariantTime> judged) {
  struct Both {
    const VariantTime* reference;
    const VariantTime* judged;
  };
  std::vector<Both> timed;
  for (const VariantTime& time : reference) {
    const auto found = std::ranges::find(judged, time.variant, &VariantTime::variant);
    if (found != judged.end() && time.median_us > 0 && found->median_us > 0)
      timed.push_back({&time, &*found});
  }
  std::vector<VariantPair> pairs;
  for (size_t i = 0; i < timed.size(); ++i) {
    for (size_t j = i + 1; j < timed.size(); ++j) {
      Both slower = timed[i], faster = timed[j];
      if (slower.reference->median_us < faster.reference->median_us) std::swap(slower, faster);
      const double ratio = slower.reference->median_us / faster.reference->median_us;
      if (ratio <= kClearRatio) continue;
      pairs.push_back({slower.reference->variant, faster.reference->variant, ratio,
                       slower.judged->median_us / faster.judged->median_us});
    }
  }
  return pairs;
}

}  // namespace warpscope
