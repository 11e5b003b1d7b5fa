// The memory that a warp's texture or surface instruction accesses. The interpreter finds it, and the hooks
// of a timed launch see it.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/sim/simt/texel_fetch.h"

namespace warpscope::sim {

struct BoundImage;

// Bytes that some lanes access, each at an address of its own.
struct LaneSpan {
  uint32_t mask = 0;
  uint32_t bytes = 0;
  std::array<uint64_t, 32> addresses;
};

// Spans of one texel or element per lane, one for each texel of a fetch's footprint. Lanes outside of the
// image are in none.
struct ImageAccess {
  std::array<const BoundImage*, 32> images;
  std::array<Footprint, 32> footprints;  // of a fetch
  std::array<LaneSpan, kMostTexels> spans;
  uint32_t span_count = 0;

  void add(uint32_t span, uint32_t lane, uint64_t address, uint32_t bytes) {
    span_count = span < span_count ? span_count : span + 1;
    spans[span].mask |= 1U << lane;
    spans[span].bytes = bytes;
    spans[span].addresses[lane] = address;
  }
};

}  // namespace warpscope::sim
