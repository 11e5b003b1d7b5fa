// Occupancy: how many warps are resident on an SM, of those that it could hold. Registers, shared memory,
// blocks and warps are all limited; which limit is met first depends on the launch.
#include "kernels/experiments/occupancy/shape.h"
#include "kernels/probe/probe.cuh"

// The most registers a thread that the compiler may use. Older compilers stay below it by themselves: the
// values are fewer.
#if __CUDACC_VER_MAJOR__ > 12 || (__CUDACC_VER_MAJOR__ == 12 && __CUDACC_VER_MINOR__ >= 4)
#define WARPSCOPE_MOST_REGISTERS(count) __maxnreg__(count)
#else
#define WARPSCOPE_MOST_REGISTERS(count)
#endif

namespace warpscope {

using namespace occupancy;

// kCount values a thread, all kept in registers from the loads to the stores. A warp's lie together, so that
// their addresses differ by constants, which take no registers. `one` is 1, which the compiler does not know.
template <uint32_t kCount, class Log>
__device__ __forceinline__ void registers(Log& log, float* __restrict__ out, const float* __restrict__ in,
                                          uint32_t steps, float one) {
  const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  const uint64_t first = thread / 32 * (32 * kCount) + thread % 32;
  in += first;
  out += first;
  float values[kCount];
  log.mark(kLoad);
#pragma unroll
  for (uint32_t k = 0; k < kCount; ++k) values[k] = in[32 * k];
  log.mark(kWork);
#pragma unroll 1
  for (uint32_t step = 0; step < steps; ++step) {
#pragma unroll
    for (uint32_t k = 0; k < kCount; ++k) values[k] = fmaf(values[k], one, one);
  }
  log.mark(kStore);
#pragma unroll
  for (uint32_t k = 0; k < kCount; ++k) out[32 * k] = values[k];
}

template <class Probe>
__global__ void WARPSCOPE_MOST_REGISTERS(kMostRegisters[0])
    registers_32(Probe probe, float* out, const float* in, uint32_t steps, float one) {
  auto log = probe.begin();
  registers<kValues[0]>(log, out, in, steps, one);
}
WARPSCOPE_INSTANTIATE(registers_32);

template <class Probe>
__global__ void WARPSCOPE_MOST_REGISTERS(kMostRegisters[1])
    registers_64(Probe probe, float* out, const float* in, uint32_t steps, float one) {
  auto log = probe.begin();
  registers<kValues[1]>(log, out, in, steps, one);
}
WARPSCOPE_INSTANTIATE(registers_64);

template <class Probe>
__global__ void WARPSCOPE_MOST_REGISTERS(kMostRegisters[2])
    registers_128(Probe probe, float* out, const float* in, uint32_t steps, float one) {
  auto log = probe.begin();
  registers<kValues[2]>(log, out, in, steps, one);
}
WARPSCOPE_INSTANTIATE(registers_128);

template <class Probe>
__global__ void WARPSCOPE_MOST_REGISTERS(kMostRegisters[3])
    registers_255(Probe probe, float* out, const float* in, uint32_t steps, float one) {
  auto log = probe.begin();
  registers<kValues[3]>(log, out, in, steps, one);
}
WARPSCOPE_INSTANTIATE(registers_255);

// Each row of the table says which comes next: loads that wait for one another, at L2's latency. How fast all
// of them go depends on how many warps wait side by side.
template <class Log>
__device__ __forceinline__ void walkRows(Log& log, uint32_t* out, const uint32_t* table, uint32_t size,
                                         uint32_t hops) {
  log.mark(kWork);
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t row = i / 32 % kRows;
#pragma unroll 4
  for (uint32_t hop = 0; hop < hops; ++hop) row = __ldcg(&table[row * 32 + i % 32]);
  log.mark(kStore);
  if (i < size) out[i] = row;
}

// The launch asks for shared memory that nobody uses: it counts all the same.
template <class Probe>
__global__ void __launch_bounds__(1024)
    shared_bytes(Probe probe, uint32_t* out, const uint32_t* table, uint32_t size, uint32_t hops) {
  auto log = probe.begin();
  walkRows(log, out, table, size, hops);
}
WARPSCOPE_INSTANTIATE(shared_bytes);

// The same in blocks so small that an SM runs out of places for blocks.
template <class Probe>
__global__ void __launch_bounds__(1024)
    small_blocks(Probe probe, uint32_t* out, const uint32_t* table, uint32_t size, uint32_t hops) {
  auto log = probe.begin();
  walkRows(log, out, table, size, hops);
}
WARPSCOPE_INSTANTIATE(small_blocks);

// The same with a grid of some tenths of what is resident at once.
template <class Probe>
__global__ void __launch_bounds__(1024)
    tail(Probe probe, uint32_t* out, const uint32_t* table, uint32_t size, uint32_t hops) {
  auto log = probe.begin();
  walkRows(log, out, table, size, hops);
}
WARPSCOPE_INSTANTIATE(tail);

}  // namespace warpscope
