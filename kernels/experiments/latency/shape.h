// The regions that the latency kernels mark, and what device and host code must agree on.
#pragma once

#include <cstdint>

namespace warpscope::latency {

enum : uint32_t { kFetch, kBuild, kSweep, kChase, kWork, kRead, kIssue, kWait, kUse, kStore };

// dependent_fma: a round is so many multiply-adds, or a few less, dealt out evenly to the chains.
constexpr uint32_t kMostChains = 8;
constexpr uint32_t kFmasInRound = 120;

// pointer_chase: the choices of `level`, in order.
enum Level : uint32_t { kShared, kL1, kL2, kDevice };
constexpr uint32_t kSharedRingBytes = 8 * 1024;
constexpr uint32_t kL1RingBytes = 4 * 1024;  // far less than any L1 that shared memory leaves
constexpr uint32_t kL2RingBytes = 256 * 1024;
// Warps begin so many parts of the ring apart: all in its first half.
constexpr uint32_t kRingParts = 64;

constexpr uint32_t kMostLoads = 8;   // of bytes_in_flight
constexpr uint32_t kMostStages = 4;  // of async_copy
// async_copy works on what it copied: this step, repeated (Numerical Recipes).
constexpr uint32_t kFactor = 1664525, kSummand = 1013904223;

}  // namespace warpscope::latency
