// The micro-kernel of graphs with conditional nodes (graphs.cpp). It is a module of its own, since it must be
// linked with the toolkit's device runtime library.
#include <cstdint>

// One warp. `next`: the condition that it decides on, which is 0 unless it is set; 0: none.
extern "C" __global__ void decide(uint32_t value, uint64_t next) {
  if (threadIdx.x == 0 && next != 0) cudaGraphSetConditional(next, value);
}
