// The regions that the reduction kernels mark, and the numbers that kernels and host agree upon.
#pragma once

#include <cstdint>

namespace warpscope::reduction {

enum : uint32_t {
  kStart,
  kLoad,
  kLoadBarrier,
  kStep,
  kAdd,
  kBarrier,
  kFirstWarp,
  kLastStep,
  kWrite,
  kAtomic,
  kTicket,
  kLastBlock,
  kGridBarrier
};

// Vectors of 16 bytes that a thread of grid_stride_vec4 has in flight.
enum : uint32_t { kVectorsInFlight = 4 };

// Elements of the __device__ arrays that static_output writes: its grid is never larger.
enum : uint32_t { kStaticSums = 8192 };

}  // namespace warpscope::reduction
