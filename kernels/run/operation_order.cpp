#include "kernels/run/operation_order.h"

#include <algorithm>

namespace warpscope {

void OperationOrder::add(const std::vector<StreamDependency>& after) {
  std::vector<bool> before(before_.size());
  for (const StreamDependency& each : after) {
    const std::vector<bool>& earlier = before_[each.operation];
    for (size_t i = 0; i < earlier.size(); ++i) before[i] = before[i] || earlier[i];
    before[each.operation] = true;
  }
  before_.push_back(std::move(before));
}

bool OperationOrder::ordered(uint32_t one, uint32_t other) const {
  return one == other || before_[std::max(one, other)][std::min(one, other)];
}

}  // namespace warpscope
