// Reduction across blocks: how the blocks' sums become one. By atomics, by a second launch, by the block that
// ends last, by a barrier of the whole grid, or by the host; and how few blocks it may take.
#include "kernels/experiments/reduction/tree.cuh"

namespace warpscope {

using namespace reduction;

// Thread 0 gets the sum of all threads' values: shuffles in each warp, then in the first one. Before a block
// calls it again its threads must have met at a barrier.
template <class Log, class T>
__device__ __forceinline__ T sumOfBlock(Log& log, T sum) {
  __shared__ T warp_sums[32];
  log.mark(kStep);
#pragma unroll
  for (uint32_t distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(kAllLanes, sum, distance);
  if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = sum;
  log.mark(kBarrier);
  __syncthreads();
  if (threadIdx.x < 32) {
    log.mark(kFirstWarp);
    sum = threadIdx.x < blockDim.x / 32 ? warp_sums[threadIdx.x] : T(0);
#pragma unroll
    for (uint32_t distance = 16; distance > 0; distance /= 2)
      sum += __shfl_down_sync(kAllLanes, sum, distance);
  }
  return sum;
}

// The sum of the thread's own elements when the grid strides over all of them.
template <class T>
__device__ __forceinline__ T sumOfStrides(const T* data, uint32_t size) {
  const uint32_t stride = gridDim.x * blockDim.x;
  T sum = 0;
#pragma unroll 4
  for (uint32_t element = blockIdx.x * blockDim.x + threadIdx.x; element < size; element += stride) {
    sum += data[element];
  }
  return sum;
}

// The same within the block, of what all blocks left.
template <class T>
__device__ __forceinline__ T sumOfPartials(const T* partials, uint32_t count) {
  T sum = 0;
  for (uint32_t i = threadIdx.x; i < count; i += blockDim.x) sum += partials[i];
  return sum;
}

template <class T>
__device__ __forceinline__ T ownElement(const T* data, uint32_t size) {
  const uint32_t element = blockIdx.x * blockDim.x + threadIdx.x;
  return element < size ? data[element] : T(0);
}

// Writes the block's sum and draws a ticket. True for all threads of the block that drew the last one: it
// sees what all others wrote. The counter is 0 again afterwards, ready for the next launch.
template <class Log, class T>
__device__ __forceinline__ bool isLastBlock(Log& log, T sum, T* partials, uint32_t* ticket) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    log.mark(kTicket);
    partials[blockIdx.x] = sum;
    __threadfence();  // the sum first, for whoever sees the ticket
    is_last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();
  }
  log.mark(kBarrier);
  __syncthreads();
  return is_last;
}

// Every thread adds its element to the one total: as many atomics as elements, all to one address. `slots` is
// 1, but the compiler does not know: were the address known to be the same for all lanes, ptxas would add the
// lanes up by itself.
template <class Probe, class T>
__global__ void __launch_bounds__(1024)
    atomic_per_thread(Probe probe, const T* data, T* total, uint32_t size, uint32_t slots) {
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t element = blockIdx.x * blockDim.x + threadIdx.x;
  if (element >= size) return;
  const T value = data[element];
  log.mark(kAtomic);
  atomicAdd(&total[__umulhi(threadIdx.x, slots)], value);
}
WARPSCOPE_INSTANTIATE_TYPES(atomic_per_thread);

// The block adds up first; one atomic a block.
template <class Probe, class T>
__global__ void __launch_bounds__(1024)
    atomic_per_block(Probe probe, const T* data, T* total, uint32_t size) {
  auto log = probe.begin();
  log.mark(kLoad);
  const T sum = sumOfBlock(log, ownElement(data, size));
  if (threadIdx.x == 0) {
    log.mark(kAtomic);
    atomicAdd(total, sum);
  }
}
WARPSCOPE_INSTANTIATE_TYPES(atomic_per_block);

// One sum a block, and a second launch adds those up: the end of a kernel is a barrier for all.
template <class Probe, class T>
__global__ void __launch_bounds__(1024) two_pass(Probe probe, const T* data, T* partials, uint32_t size) {
  auto log = probe.begin();
  log.mark(kLoad);
  const T sum = sumOfBlock(log, ownElement(data, size));
  if (threadIdx.x == 0) {
    log.mark(kWrite);
    partials[blockIdx.x] = sum;
  }
}
WARPSCOPE_INSTANTIATE_TYPES(two_pass);

// The second launch: one block.
template <class Probe, class T>
__global__ void __launch_bounds__(1024)
    two_pass_second(Probe probe, const T* partials, T* total, uint32_t count) {
  auto log = probe.begin();
  log.mark(kLoad);
  const T sum = sumOfBlock(log, sumOfPartials(partials, count));
  if (threadIdx.x == 0) {
    log.mark(kWrite);
    *total = sum;
  }
}
WARPSCOPE_INSTANTIATE_TYPES(two_pass_second);

// Each block leaves its sum and draws a ticket; the one with the last ticket adds the sums up. One launch,
// and always the same order of additions.
template <class Probe, class T>
__global__ void __launch_bounds__(1024)
    last_block(Probe probe, const T* data, T* partials, uint32_t* ticket, T* total, uint32_t size) {
  auto log = probe.begin();
  log.mark(kLoad);
  const T sum = sumOfBlock(log, ownElement(data, size));
  if (!isLastBlock(log, sum, partials, ticket)) return;
  log.mark(kLastBlock);
  const T all = sumOfBlock(log, sumOfPartials(partials, gridDim.x));
  if (threadIdx.x == 0) {
    log.mark(kWrite);
    *total = all;
  }
}
WARPSCOPE_INSTANTIATE_TYPES(last_block);

// Until all blocks of the grid have come here. All must be resident: a cooperative launch. Block 0 adds what
// makes the sum of all arrivals 2^31, so the top bit flips once a launch, and nothing is ever reset.
__device__ __forceinline__ void waitForGrid(uint32_t* barrier) {
  constexpr uint32_t kTopBit = 0x80000000U;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    const uint32_t before = atomicAdd(barrier, blockIdx.x == 0 ? kTopBit - (gridDim.x - 1) : 1U);
    while (((before ^ *static_cast<volatile uint32_t*>(barrier)) & kTopBit) == 0) {
    }
    __threadfence();
  }
  __syncthreads();
}

// The grid waits for itself, then its first block adds up the sums.
template <class Probe, class T>
__global__ void __launch_bounds__(1024)
    grid_sync(Probe probe, const T* data, T* partials, uint32_t* barrier, T* total, uint32_t size) {
  auto log = probe.begin();
  log.mark(kLoad);
  const T sum = sumOfBlock(log, sumOfStrides(data, size));
  if (threadIdx.x == 0) {
    log.mark(kWrite);
    partials[blockIdx.x] = sum;
  }
  log.mark(kGridBarrier);
  waitForGrid(barrier);
  if (blockIdx.x != 0) return;
  log.mark(kLastBlock);
  const T all = sumOfBlock(log, sumOfPartials(partials, gridDim.x));
  if (threadIdx.x == 0) *total = all;
}
WARPSCOPE_INSTANTIATE_TYPES(grid_sync);

// A fixed number of blocks strides over the whole input; each thread adds many elements before the shuffles,
// so the tree is paid once for thousands of elements. The host adds the blocks' sums.
template <class Probe, class T>
__global__ void __launch_bounds__(1024) grid_stride(Probe probe, const T* data, T* partials, uint32_t size) {
  auto log = probe.begin();
  log.mark(kLoad);
  const T sum = sumOfBlock(log, sumOfStrides(data, size));
  if (threadIdx.x == 0) {
    log.mark(kWrite);
    partials[blockIdx.x] = sum;
  }
}
WARPSCOPE_INSTANTIATE_TYPES(grid_stride);

template <class T>
struct VectorOf;
template <>
struct VectorOf<int> {
  using Type = int4;
};
template <>
struct VectorOf<float> {
  using Type = float4;
};

// The same with loads of 16 bytes, four of them in flight, and four sums that do not wait for each other; the
// block that ends last makes the total.
template <class Probe, class T>
__global__ void __launch_bounds__(1024)
    grid_stride_vec4(Probe probe, const T* data, T* partials, uint32_t* ticket, T* total, uint32_t size) {
  using Vector = typename VectorOf<T>::Type;
  auto log = probe.begin();
  log.mark(kLoad);
  const auto* vectors = reinterpret_cast<const Vector*>(data);
  const uint32_t count = size / 4, stride = gridDim.x * blockDim.x;
  const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  T sums[kVectorsInFlight] = {};
  uint32_t i = thread;
  for (; i + (kVectorsInFlight - 1) * stride < count; i += kVectorsInFlight * stride) {
    Vector loaded[kVectorsInFlight];
#pragma unroll
    for (uint32_t k = 0; k < kVectorsInFlight; ++k) loaded[k] = __ldg(vectors + i + k * stride);
#pragma unroll
    for (uint32_t k = 0; k < kVectorsInFlight; ++k) {
      sums[k] += (loaded[k].x + loaded[k].y) + (loaded[k].z + loaded[k].w);
    }
  }
  for (; i < count; i += stride) {
    const Vector loaded = __ldg(vectors + i);
    sums[0] += (loaded.x + loaded.y) + (loaded.z + loaded.w);
  }
  if (count * 4 + thread < size) sums[1] += data[count * 4 + thread];  // what fills no vector
  const T sum = sumOfBlock(log, (sums[0] + sums[1]) + (sums[2] + sums[3]));
  if (!isLastBlock(log, sum, partials, ticket)) return;
  log.mark(kLastBlock);
  const T all = sumOfBlock(log, sumOfPartials(partials, gridDim.x));
  if (threadIdx.x == 0) {
    log.mark(kWrite);
    *total = all;
  }
}
WARPSCOPE_INSTANTIATE_TYPES(grid_stride_vec4);

// Thread coarsening: each thread adds `coarsening` elements, a block apart from each other, before the block
// adds up; fewer blocks, fewer atomics.
template <class Probe, class T>
__global__ void __launch_bounds__(1024)
    coarsened(Probe probe, const T* data, T* total, uint32_t size, uint32_t coarsening) {
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t first = blockIdx.x * blockDim.x * coarsening + threadIdx.x;
  T own = 0;
  for (uint32_t k = 0; k < coarsening; ++k) {
    const uint32_t element = first + k * blockDim.x;
    if (element < size) own += data[element];
  }
  const T sum = sumOfBlock(log, own);
  if (threadIdx.x == 0) {
    log.mark(kAtomic);
    atomicAdd(total, sum);
  }
}
WARPSCOPE_INSTANTIATE_TYPES(coarsened);

// Results without an argument for them: they live in the module, and the host asks it where.
__device__ int static_ints[kStaticSums];
__device__ float static_floats[kStaticSums];

__device__ __forceinline__ void writeStatic(int sum) {
  static_ints[blockIdx.x] = sum;
}
__device__ __forceinline__ void writeStatic(float sum) {
  static_floats[blockIdx.x] = sum;
}

// As grid_stride, but the blocks' sums go to a __device__ array.
template <class Probe, class T>
__global__ void __launch_bounds__(1024) static_output(Probe probe, const T* data, uint32_t size) {
  auto log = probe.begin();
  log.mark(kLoad);
  const T sum = sumOfBlock(log, sumOfStrides(data, size));
  if (threadIdx.x == 0) {
    log.mark(kWrite);
    writeStatic(sum);
  }
}
WARPSCOPE_INSTANTIATE_TYPES(static_output);

}  // namespace warpscope
