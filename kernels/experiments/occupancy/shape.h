// The regions that the occupancy kernels mark, and what device and host code must agree on.
#pragma once

#include <cstdint>

namespace warpscope::occupancy {

enum : uint32_t { kLoad, kWork, kStore };

// Of `registers`, by build: the most registers a thread that the compiler may use, and how many values each
// thread keeps in them.
constexpr uint32_t kBuilds = 4;
constexpr uint32_t kMostRegisters[kBuilds] = {32, 64, 128, 255};
constexpr uint32_t kValues[kBuilds] = {20, 52, 112, 232};

// The other variants' work: walking through the rows of a table in L2, a warp a row of 32 words.
constexpr uint32_t kRows = 1024;

}  // namespace warpscope::occupancy
