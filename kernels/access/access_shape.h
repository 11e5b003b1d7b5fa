// One request of a warp in full detail: which bank and wavefront each word has, and which sectors and lines
// are accessed. For pictures and tables of single requests; the counts are those of coalescer.h, which the
// timing model uses.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/access/coalescer.h"
#include "kernels/run/lane_log.h"

namespace warpscope::sim {

// A 4-byte word of shared memory that a request accesses.
struct SharedWord {
  uint64_t word = 0;       // byte / 4
  uint32_t bank = 0;       // word % 32
  uint32_t wavefront = 0;  // the wavefront that serves it, from 0
  bool waits = false;  // for another word in its bank that lanes of the same group access: a bank conflict
  LaneMask lanes;      // lanes that access it; one read serves all of them
};

struct SharedShape {
  std::vector<SharedWord> words;  // by wavefront, then bank
  uint32_t wavefronts = 0;
  uint32_t ideal = 0;       // wavefronts for the same lanes without conflicts
  uint32_t most_lanes = 0;  // most lanes that share one word
};

// Words in one bank take one wavefront each, in the order of the lanes that first access them. That order is
// this program's choice: the hardware's order is not known, only the number of wavefronts.
SharedShape sharedShape(const MemoryRequest& request);

struct GlobalShape {
  std::vector<LineAccess> lines;  // ascending
  uint32_t sectors = 0;
  uint64_t bytes_asked = 0;     // lanes x bytes
  uint64_t bytes_distinct = 0;  // the same, but bytes that several lanes ask for are counted once
  uint64_t bytes_moved = 0;     // whole sectors
  double efficiency() const {
    return bytes_moved == 0 ? 0 : static_cast<double>(bytes_distinct) / static_cast<double>(bytes_moved);
  }
};

struct ByteRange {
  uint64_t begin = 0, end = 0;
};
// The bytes that a lane of a global or local request asks for. Local memory is interleaved word by word (see
// coalesceLocal), here starting at address 0.
std::vector<ByteRange> bytesOfLane(const MemoryRequest& request, int lane);

// For a global or local request.
GlobalShape globalShape(const MemoryRequest& request);

}  // namespace warpscope::sim
