// Pairs of kernels as in broken.cu, of those that need compute capability 9.0.
#include "kernels/experiments/broken/regions.h"
#include "kernels/probe/probe.cuh"

namespace warpscope {

using namespace broken;

// A thread asks so often whether the phase is over, and waits a while each time: the broken kernel must come
// to its end, too.
constexpr uint32_t kMostTries = 16;

__device__ __forceinline__ uint32_t sharedAddress(const void* at) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(at));
}

__device__ __forceinline__ void beginCopy(uint32_t* to, const uint32_t* from, uint32_t bytes,
                                          uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
          sharedAddress(to)),
      "l"(from), "r"(bytes), "r"(sharedAddress(barrier))
      : "memory");
}
__device__ __forceinline__ void initBarrier(uint64_t* barrier) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(sharedAddress(barrier)) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ __forceinline__ void arriveExpecting(uint64_t* barrier, uint32_t bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(sharedAddress(barrier)),
      "r"(bytes)
      : "memory");
}

// Turns each block's values round, as missing_syncthreads does; a bulk copy brings them to shared memory. The
// mbarrier is told to expect so many elements where it should be so many bytes.
template <class Probe>
__global__ void __launch_bounds__(1024)
    wrong_transaction_count(Probe probe, const uint32_t* in, uint32_t* out, uint32_t size) {
  __shared__ __align__(16) uint32_t board[1024];
  __shared__ uint64_t barrier;
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t first = blockIdx.x * blockDim.x;
  const uint32_t count = min(blockDim.x, size - first);
  const uint32_t copied = count / 4 * 4;  // bulk copies are of 16 bytes each
  if (threadIdx.x == 0) {
    initBarrier(&barrier);
    if (copied > 0) beginCopy(board, in + first, copied * 4, &barrier);
    arriveExpecting(&barrier, copied);
  }
  if (threadIdx.x >= copied && threadIdx.x < count) board[threadIdx.x] = in[first + threadIdx.x];
  __syncthreads();
  log.mark(kWait);
  uint32_t over = 0;  // whether the phase is
  for (uint32_t tries = 0; over == 0 && tries < kMostTries; ++tries) {
    asm volatile(
        "{\n"
        " .reg .pred over;\n"
        " mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 over, [%1], 0;\n"
        " selp.u32 %0, 1, 0, over;\n"
        "}\n"
        : "=r"(over)
        : "r"(sharedAddress(&barrier))
        : "memory");
  }
  log.mark(kExchange);
  if (threadIdx.x < count) out[first + threadIdx.x] = over != 0 ? board[count - 1 - threadIdx.x] : 0;
}
WARPSCOPE_INSTANTIATE(wrong_transaction_count);

template <class Probe>
__global__ void __launch_bounds__(1024)
    right_transaction_count(Probe probe, const uint32_t* in, uint32_t* out, uint32_t size) {
  __shared__ __align__(16) uint32_t board[1024];
  __shared__ uint64_t barrier;
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t first = blockIdx.x * blockDim.x;
  const uint32_t count = min(blockDim.x, size - first);
  const uint32_t copied = count / 4 * 4;  // bulk copies are of 16 bytes each
  if (threadIdx.x == 0) {
    initBarrier(&barrier);
    if (copied > 0) beginCopy(board, in + first, copied * 4, &barrier);
    arriveExpecting(&barrier, copied * 4);
  }
  if (threadIdx.x >= copied && threadIdx.x < count) board[threadIdx.x] = in[first + threadIdx.x];
  __syncthreads();
  log.mark(kWait);
  uint32_t over = 0;  // whether the phase is
  for (uint32_t tries = 0; over == 0 && tries < kMostTries; ++tries) {
    asm volatile(
        "{\n"
        " .reg .pred over;\n"
        " mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 over, [%1], 0;\n"
        " selp.u32 %0, 1, 0, over;\n"
        "}\n"
        : "=r"(over)
        : "r"(sharedAddress(&barrier))
        : "memory");
  }
  log.mark(kExchange);
  if (threadIdx.x < count) out[first + threadIdx.x] = over != 0 ? board[count - 1 - threadIdx.x] : 0;
}
WARPSCOPE_INSTANTIATE(right_transaction_count);

// Turns each block's values round. Two launches of it, the second of which may begin early, leave all values
// where they were - if the second waits until the first is complete: a trigger says nothing about what has
// been written.
template <class Probe>
__global__ void __launch_bounds__(1024)
    trigger_without_visibility(Probe probe, const uint32_t* in, uint32_t* out, uint32_t size) {
  auto log = probe.begin();
  log.mark(kWait);
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  const uint32_t first = blockIdx.x * blockDim.x;
  const uint32_t count = min(blockDim.x, size - first);
  if (threadIdx.x >= count) return;
  log.mark(kLoad);
  const uint32_t early = in[first + count - 1 - threadIdx.x];
  log.mark(kStore);
  out[first + threadIdx.x] = early;
}
WARPSCOPE_INSTANTIATE(trigger_without_visibility);

template <class Probe>
__global__ void __launch_bounds__(1024)
    trigger_with_wait(Probe probe, const uint32_t* in, uint32_t* out, uint32_t size) {
  auto log = probe.begin();
  log.mark(kWait);
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  asm volatile("griddepcontrol.wait;" ::: "memory");
  const uint32_t first = blockIdx.x * blockDim.x;
  const uint32_t count = min(blockDim.x, size - first);
  if (threadIdx.x >= count) return;
  log.mark(kLoad);
  const uint32_t behind = in[first + count - 1 - threadIdx.x];
  log.mark(kStore);
  out[first + threadIdx.x] = behind;
}
WARPSCOPE_INSTANTIATE(trigger_with_wait);

}  // namespace warpscope
