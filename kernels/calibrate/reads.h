// Loads of one warp that follow a ring of pointers, and of all threads through a buffer: what latencies and
// bandwidths of memory are measured with, wherever it is.
#pragma once

#include <cstdint>

#include "kernels/calibrate/bench.h"

namespace warpscope::calibration {

inline constexpr uint64_t kLineBytes = 128;
inline constexpr uint64_t kVectorBytes = 16, kVectorsInRound = 4;

// A ring of pointers through random lines of a region.
struct Ring {
  Buffer buffer;
  uint64_t first = 0;
  uint32_t nodes = 0;
};
// In the memory of a GPU of the device.
Expected<Ring> makeRing(Bench& bench, uint64_t bytes, uint32_t most_nodes, uint32_t gpu = 0);
// The cycles that a load takes.
Expected<double> chase(Bench& bench, const char* kernel, const Ring& ring, bool warm);

uint64_t l2Bytes(Bench& bench);

// A grid of as many blocks as run at the same time, with 512 threads each.
Expected<Shape> fullGrid(Bench& bench);
// The bytes that a launch of this shape reads in whole rounds, at least `bytes`.
uint64_t wholeRounds(const Shape& shape, uint64_t bytes);
// The bytes that are read a cycle, until the slowest block is done.
Expected<double> readAll(Bench& bench, const Shape& shape, const Buffer& from, uint32_t rounds);
// The sum of the blocks' own rates: each block does `amount` of work in its duration, which is in cycles.
double rateTogether(const std::vector<uint64_t>& durations, double amount);
// The same, but as the sum of the blocks' own rates, which is more where some SMs are served sooner than
// others.
Expected<double> readTogether(Bench& bench, const Shape& shape, const Buffer& from, uint32_t rounds);

}  // namespace warpscope::calibration
