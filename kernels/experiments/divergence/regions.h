// The regions that the divergence kernels mark; shared by device and host code.
#pragma once

#include <cstdint>

namespace warpscope::divergence {

enum : uint32_t {
  kLoad,
  kFirstPath,
  kSecondPath,
  kBetween,
  kPath,
  kTrip,
  kStore,
  kBothPaths,
  kScout,
  kBarrier
};

}  // namespace warpscope::divergence
