// Banks: how the lanes of a warp read a table in shared memory, and nothing else. Every thread adds up
// `reads` elements of the table. Each read moves all lanes on by the same distance, which does not change how
// many of them meet in a bank; warps start one element apart.
#include "kernels/experiments/banks/regions.h"
#include "kernels/experiments/banks/table.h"
#include "kernels/experiments/random_index.h"
#include "kernels/probe/probe.cuh"

namespace warpscope {

using namespace banks;

// Neighbouring threads write neighbouring words: one word a bank, no conflicts, whatever an element is.
template <class Element>
__device__ __forceinline__ void fillTable(Element* table) {
  auto* words = reinterpret_cast<uint32_t*>(table);
  constexpr uint32_t kWords = kElements * sizeof(Element) / sizeof(uint32_t);
#pragma unroll 1
  for (uint32_t word = threadIdx.x; word < kWords; word += blockDim.x) words[word] = word * kWordFactor;
}

// Words of 4 bytes, `stride` apart: gcd(stride, 32) lanes meet in a bank.
template <class Probe>
__global__ void __launch_bounds__(1024)
    stride(Probe probe, uint32_t* __restrict__ out, const uint32_t* __restrict__ in, uint32_t size,
           uint32_t reads, uint32_t stride) {
  __shared__ uint32_t table[kElements];
  auto log = probe.begin();
  log.mark(kFill);
  fillTable(table);
  log.mark(kBarrier);
  __syncthreads();
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  uint32_t sum = in[i];
  log.mark(kRead);
  const uint32_t first = threadIdx.x % 32 * stride + threadIdx.x / 32;
#pragma unroll 4
  for (uint32_t read = 0; read < reads; ++read) sum += table[(first + read) % kElements];
  log.mark(kStore);
  out[i] = sum;
}
WARPSCOPE_INSTANTIATE(stride);

// Elements of 8 bytes: half a warp's lanes already fill all banks, so a warp takes two turns at least.
template <class Probe>
__global__ void __launch_bounds__(1024)
    stride_vec2(Probe probe, uint32_t* __restrict__ out, const uint32_t* __restrict__ in, uint32_t size,
                uint32_t reads, uint32_t stride) {
  __shared__ uint2 table[kElements];
  auto log = probe.begin();
  log.mark(kFill);
  fillTable(table);
  log.mark(kBarrier);
  __syncthreads();
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  uint32_t sum = in[i];
  log.mark(kRead);
  const uint32_t first = threadIdx.x % 32 * stride + threadIdx.x / 32;
#pragma unroll 4
  for (uint32_t read = 0; read < reads; ++read) {
    const uint2 element = table[(first + read) % kElements];
    sum += element.x + element.y;
  }
  log.mark(kStore);
  out[i] = sum;
}
WARPSCOPE_INSTANTIATE(stride_vec2);

// Elements of 16 bytes: eight lanes go together, four turns at least.
template <class Probe>
__global__ void __launch_bounds__(1024)
    stride_vec4(Probe probe, uint32_t* __restrict__ out, const uint32_t* __restrict__ in, uint32_t size,
                uint32_t reads, uint32_t stride) {
  __shared__ uint4 table[kElements];
  auto log = probe.begin();
  log.mark(kFill);
  fillTable(table);
  log.mark(kBarrier);
  __syncthreads();
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  uint32_t sum = in[i];
  log.mark(kRead);
  const uint32_t first = threadIdx.x % 32 * stride + threadIdx.x / 32;
#pragma unroll 4
  for (uint32_t read = 0; read < reads; ++read) {
    const uint4 element = table[(first + read) % kElements];
    sum += element.x + element.y + element.z + element.w;
  }
  log.mark(kStore);
  out[i] = sum;
}
WARPSCOPE_INSTANTIATE(stride_vec4);

// All lanes read the same word: its bank hands it to everybody in one turn.
template <class Probe>
__global__ void __launch_bounds__(1024)
    broadcast(Probe probe, uint32_t* __restrict__ out, const uint32_t* __restrict__ in, uint32_t size,
              uint32_t reads) {
  __shared__ uint32_t table[kElements];
  auto log = probe.begin();
  log.mark(kFill);
  fillTable(table);
  log.mark(kBarrier);
  __syncthreads();
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  uint32_t sum = in[i];
  log.mark(kRead);
  const uint32_t first = threadIdx.x / 32;
#pragma unroll 4
  for (uint32_t read = 0; read < reads; ++read) sum += table[(first + read) % kElements];
  log.mark(kStore);
  out[i] = sum;
}
WARPSCOPE_INSTANTIATE(broadcast);

// Every lane reads any word. The fullest of 32 banks decides, and with 32 lanes it holds three or four.
template <class Probe>
__global__ void __launch_bounds__(1024)
    random(Probe probe, uint32_t* __restrict__ out, const uint32_t* __restrict__ in, uint32_t size,
           uint32_t reads) {
  __shared__ uint32_t table[kElements];
  auto log = probe.begin();
  log.mark(kFill);
  fillTable(table);
  log.mark(kBarrier);
  __syncthreads();
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  uint32_t sum = in[i];
  log.mark(kRead);
#pragma unroll 4
  for (uint32_t read = 0; read < reads; ++read) {
    sum += table[randomIndex(threadIdx.x + 1024 * read, kElements)];
  }
  log.mark(kStore);
  out[i] = sum;
}
WARPSCOPE_INSTANTIATE(random);

}  // namespace warpscope
