// Pairs of kernels, one of each broken on purpose: the other is the same with the one line put right. The
// check of the result may well pass where nothing happened to go wrong; the checks of a simulated GPU and
// compute-sanitizer name what is wrong all the same.
#include "kernels/experiments/broken/regions.h"
#include "kernels/probe/probe.cuh"

namespace warpscope {

using namespace broken;

// Turns each block's values round, through shared memory. No warp waits for the one whose values it takes.
template <class Probe>
__global__ void __launch_bounds__(1024)
    missing_syncthreads(Probe probe, const uint32_t* in, uint32_t* out, uint32_t size) {
  __shared__ uint32_t board[1024];
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t first = blockIdx.x * blockDim.x;
  const uint32_t count = min(blockDim.x, size - first);
  if (threadIdx.x < count) board[threadIdx.x] = in[first + threadIdx.x];
  // __syncthreads() is missing.
  log.mark(kExchange);
  if (threadIdx.x < count) out[first + threadIdx.x] = board[count - 1 - threadIdx.x];
}
WARPSCOPE_INSTANTIATE(missing_syncthreads);

template <class Probe>
__global__ void __launch_bounds__(1024)
    with_syncthreads(Probe probe, const uint32_t* in, uint32_t* out, uint32_t size) {
  __shared__ uint32_t board[1024];
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t first = blockIdx.x * blockDim.x;
  const uint32_t count = min(blockDim.x, size - first);
  if (threadIdx.x < count) board[threadIdx.x] = in[first + threadIdx.x];
  log.mark(kWait);
  __syncthreads();
  log.mark(kExchange);
  if (threadIdx.x < count) out[first + threadIdx.x] = board[count - 1 - threadIdx.x];
}
WARPSCOPE_INSTANTIATE(with_syncthreads);

// Each block's sum: the first warp adds up the columns, one a lane, then the 32 sums in five steps.
// `volatile` makes every step go to memory, but nothing makes one lane's step wait for the step before of
// another.
template <class Probe>
__global__ void __launch_bounds__(1024)
    missing_syncwarp(Probe probe, const uint32_t* in, uint32_t* out, uint32_t size) {
  __shared__ uint32_t values[1024];
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t t = threadIdx.x;
  const uint32_t i = blockIdx.x * blockDim.x + t;
  values[t] = i < size ? in[i] : 0;
  __syncthreads();
  if (t >= 32) return;
  log.mark(kColumns);
  volatile uint32_t* sums = values;
  for (uint32_t row = 32; row < blockDim.x; row += 32) sums[t] += sums[t + row];
  __syncwarp();
  log.mark(kTail);
  for (uint32_t step = 16; step > 0; step /= 2) {
    if (t < step) sums[t] += sums[t + step];
    // __syncwarp() is missing.
  }
  if (t == 0) out[blockIdx.x] = sums[0];
}
WARPSCOPE_INSTANTIATE(missing_syncwarp);

template <class Probe>
__global__ void __launch_bounds__(1024)
    with_syncwarp(Probe probe, const uint32_t* in, uint32_t* out, uint32_t size) {
  __shared__ uint32_t values[1024];
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t t = threadIdx.x;
  const uint32_t i = blockIdx.x * blockDim.x + t;
  values[t] = i < size ? in[i] : 0;
  __syncthreads();
  if (t >= 32) return;
  log.mark(kColumns);
  volatile uint32_t* sums = values;
  for (uint32_t row = 32; row < blockDim.x; row += 32) sums[t] += sums[t + row];
  __syncwarp();
  log.mark(kTail);
  for (uint32_t step = 16; step > 0; step /= 2) {
    if (t < step) sums[t] += sums[t + step];
    __syncwarp();
  }
  if (t == 0) out[blockIdx.x] = sums[0];
}
WARPSCOPE_INSTANTIATE(with_syncwarp);

// Even threads add twice the value of their partner at the block's other end, odd ones subtract theirs. Every
// thread comes to a __syncthreads(), but lanes of one warp to different ones. That is undefined; that both
// sides come to one keeps a GPU that counts threads from waiting for ever.
template <class Probe>
__global__ void __launch_bounds__(1024)
    divergent_barrier(Probe probe, const uint32_t* in, uint32_t* out, uint32_t size) {
  __shared__ uint32_t board[1024];
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t t = threadIdx.x;
  const uint32_t i = blockIdx.x * blockDim.x + t;
  const uint32_t partner = blockDim.x - 1 - t;
  uint32_t value = i < size ? in[i] : 0;
  log.mark(kBranch);
  if (t % 2 == 0) {
    board[t] = value;
    __syncthreads();  // 16 of a warp's lanes
    value += board[partner];
  } else {
    board[t] = 2 * value;
    __syncthreads();  // the 16 others
    value -= board[partner];
  }
  log.mark(kStore);
  if (i < size) out[i] = value;
}
WARPSCOPE_INSTANTIATE(divergent_barrier);

template <class Probe>
__global__ void __launch_bounds__(1024)
    uniform_barrier(Probe probe, const uint32_t* in, uint32_t* out, uint32_t size) {
  __shared__ uint32_t board[1024];
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t t = threadIdx.x;
  const uint32_t i = blockIdx.x * blockDim.x + t;
  const uint32_t partner = blockDim.x - 1 - t;
  uint32_t value = i < size ? in[i] : 0;
  board[t] = t % 2 == 0 ? value : 2 * value;
  log.mark(kWait);
  __syncthreads();  // all threads
  log.mark(kBranch);
  if (t % 2 == 0) {
    value += board[partner];
  } else {
    value -= board[partner];
  }
  log.mark(kStore);
  if (i < size) out[i] = value;
}
WARPSCOPE_INSTANTIATE(uniform_barrier);

// How much larger the next value is, round in a ring. The last thread takes what lies behind the array's end.
template <class Probe>
__global__ void __launch_bounds__(1024)
    out_of_bounds(Probe probe, const uint32_t* in, uint32_t* out, uint32_t size) {
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const uint32_t next = in[i + 1];
  log.mark(kStore);
  out[i] = next - in[i];
}
WARPSCOPE_INSTANTIATE(out_of_bounds);

template <class Probe>
__global__ void __launch_bounds__(1024)
    in_bounds(Probe probe, const uint32_t* in, uint32_t* out, uint32_t size) {
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const uint32_t next = in[i + 1 < size ? i + 1 : 0];
  log.mark(kStore);
  out[i] = next - in[i];
}
WARPSCOPE_INSTANTIATE(in_bounds);

// Transposes tiles of 32 x 32 values, each 1,024 that follow each other. A warp writes a row of the tile and
// reads a column, whose 32 words all lie in one bank: right, and slow.
template <class Probe>
__global__ void __launch_bounds__(1024)
    missing_pad(Probe probe, const uint32_t* in, uint32_t* out, uint32_t size) {
  __shared__ uint32_t tile[kTile][kTile];
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t first = blockIdx.x * kTile * kTile;
  const uint32_t lane = threadIdx.x % kTile;
  for (uint32_t row = threadIdx.x / kTile; row < kTile; row += blockDim.x / kTile) {
    const uint32_t from = first + row * kTile + lane;
    tile[row][lane] = from < size ? in[from] : 0;
  }
  log.mark(kWait);
  __syncthreads();
  log.mark(kStore);
  for (uint32_t column = threadIdx.x / kTile; column < kTile; column += blockDim.x / kTile) {
    const uint32_t to = first + column * kTile + lane;
    if (to < size) out[to] = tile[lane][column];
  }
}
WARPSCOPE_INSTANTIATE(missing_pad);

template <class Probe>
__global__ void __launch_bounds__(1024)
    padded(Probe probe, const uint32_t* in, uint32_t* out, uint32_t size) {
  __shared__ uint32_t tile[kTile][kTile + 1];
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t first = blockIdx.x * kTile * kTile;
  const uint32_t lane = threadIdx.x % kTile;
  for (uint32_t row = threadIdx.x / kTile; row < kTile; row += blockDim.x / kTile) {
    const uint32_t from = first + row * kTile + lane;
    tile[row][lane] = from < size ? in[from] : 0;
  }
  log.mark(kWait);
  __syncthreads();
  log.mark(kStore);
  for (uint32_t column = threadIdx.x / kTile; column < kTile; column += blockDim.x / kTile) {
    const uint32_t to = first + column * kTile + lane;
    if (to < size) out[to] = tile[lane][column];
  }
}
WARPSCOPE_INSTANTIATE(padded);

}  // namespace warpscope
