// See verification.h.
#include "kernels/experiments/verification.h"

namespace warpscope {

Verification OutputComparison::result() const {
  Verification verification{.passed = mismatches_ == 0, .checked = checked_, .mismatches = mismatches_};
  verification.detail = verification.passed ? fmt::format("all {} {} equal", groupedDigits(checked_), what_)
                                            : fmt::format("{} (first of {} wrong {})", first_,
                                                          groupedDigits(mismatches_), what_);
  return verification;
}

}  // namespace warpscope
