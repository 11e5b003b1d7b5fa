// Times that are no whole cycles.
#pragma once

#include <cstdint>

namespace warpscope::sim {

// std::ceil of a time, which is not negative, without a call.
inline uint64_t ceiling(double cycles) {
  const auto whole = static_cast<uint64_t>(cycles);
  return whole + (static_cast<double>(whole) < cycles ? 1 : 0);
}

}  // namespace warpscope::sim
