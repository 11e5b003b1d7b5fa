// The windows of generic addresses: a generic address outside them is a global one.
#pragma once

#include <cstdint>

namespace warpscope::sim {

inline constexpr uint64_t kSharedWindow = 0x1'0000'0000;     // generic address of shared offset 0
inline constexpr uint64_t kLocalWindow = 0x2'0000'0000;      // of local offset 0 of the thread
inline constexpr uint64_t kParameterWindow = 0x3'0000'0000;  // of the kernel's parameter block (cvta.param)
inline constexpr uint64_t kWindowBytes = 0x0'0100'0000;
// An address in the shared memory of the block with rank r of the cluster: it lies in the (r + 1)-th window
// behind the block's own. Without the base of the generic ones it is a .shared::cluster address.
inline constexpr uint32_t kMostClusterBlocks =
    16;  // "Thread Block Clusters", CUDA C++ Programming Guide 13.0
inline constexpr uint64_t kSharedWindows = (kMostClusterBlocks + 1) * kWindowBytes;
inline constexpr uint64_t sharedWindowOf(uint64_t rank) {
  return (rank + 1) * kWindowBytes;
}
inline constexpr uint64_t kGlobalBase = 0x7000'0000'0000;

}  // namespace warpscope::sim
