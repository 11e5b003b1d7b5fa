#include "kernels/sim/backend/graph_condition.h"

#include <fmt/format.h>

#include <utility>

namespace warpscope::sim {
namespace {

constexpr uint64_t kConditionHandles = 0x6'0000'0000;  // they count from here: no address

}  // namespace

uint64_t GraphCondition::begin(uint32_t operation) {
  now_ = {kConditionHandles + operation, 0};
  return now_->handle;
}

bool GraphCondition::end() {
  return std::exchange(now_, std::nullopt)->value != 0;
}

std::string GraphCondition::set(uint64_t handle, uint32_t value) {
  if (!now_ || handle != now_->handle) {
    return fmt::format(
        "{:#x} is not the handle of a condition on which this launch decides: only those of the experiment "
        "graphs do",
        handle);
  }
  now_->value = value;
  return {};
}

}  // namespace warpscope::sim
