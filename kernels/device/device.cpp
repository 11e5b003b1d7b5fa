#include "kernels/device/device.h"

namespace warpscope {

std::optional<std::vector<int64_t>> Device::offeredValues(const RunRequest& /*near*/,
                                                          const std::string& /*parameter*/) const {
  return std::nullopt;
}

RunRequest Device::nearestOffered(const RunRequest& request) const {
  return request;
}

}  // namespace warpscope
