// What one request of a warp asks of the memory, in full: which words lie in which bank and go in which
// wavefront, which sectors and lines are touched. For pictures and tables of single requests; the counts are
// those of coalescer.h, which the timing model uses.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/run/lane_log.h"
#include "kernels/sim/sm/coalescer.h"

namespace warpscope::sim {

// A 4-byte word of shared memory that a request touches.
struct SharedWord {
  uint64_t word = 0;       // byte / 4
  uint32_t bank = 0;       // word % 32
  uint32_t wavefront = 0;  // in which it goes, from 0
  bool waits = false;      // for another word of its bank that lanes of the same group want: a conflict
  LaneMask lanes;          // that access it; several: one read serves them all
};

struct SharedShape {
  std::vector<SharedWord> words;  // by wavefront, then bank
  uint32_t wavefronts = 0;
  uint32_t ideal = 0;       // wavefronts of the same lanes without conflicts
  uint32_t most_lanes = 0;  // that share a word
};

// Words of a bank go one after the other, in the order of the lanes that want them first. That order is this
// program's choice: hardware's is not known, their number is.
SharedShape sharedShape(const MemoryRequest& request);

struct GlobalShape {
  std::vector<LineAccess> lines;  // ascending
  uint32_t sectors = 0;
  uint64_t bytes_asked = 0;     // lanes x bytes
  uint64_t bytes_distinct = 0;  // the same, what several lanes ask for counted once
  uint64_t bytes_moved = 0;     // whole sectors
  double efficiency() const {
    return bytes_moved == 0 ? 0 : static_cast<double>(bytes_distinct) / static_cast<double>(bytes_moved);
  }
};

struct ByteRange {
  uint64_t begin = 0, end = 0;
};
// What a lane of a global or local request asks for: local memory lies interleaved, word by word (see
// coalesceLocal), here behind address 0.
std::vector<ByteRange> bytesOfLane(const MemoryRequest& request, int lane);

// Of a global or local request.
GlobalShape globalShape(const MemoryRequest& request);

}  // namespace warpscope::sim
