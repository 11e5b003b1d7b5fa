// Warps, blocks and grids that wait for each other.
#include <cooperative_groups.h>
#include <cuda_pipeline.h>

// warpscope: block = 256, n = 2^21, grid = ceil(n / block), in = random[n], out = zeros[ceil(n / block)]
__global__ void block_sum(const float* in, float* out, int n) {
  __shared__ float tile[1024];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  tile[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    if (t < d) tile[t] += tile[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = tile[0];
}
__global__ void warp_sum(const float* in, float* out, int n) {
  __shared__ float of_warp[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  float v = i < n ? in[i] : 0;
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xFFFFFFFF, v, d);
  if (lane == 0) of_warp[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = lane < blockDim.x / 32 ? of_warp[lane] : 0;
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xFFFFFFFF, v, d);
    if (lane == 0) out[blockIdx.x] = v;
  }
}
// warpscope last_block: block = 256, n = 2^18, grid = 264, in = random[n], partials = zeros[264], tickets = zeros[1], out = zeros[1]
__global__ void last_block(const unsigned* in, unsigned* partials, unsigned* tickets, unsigned* out, int n) {
  __shared__ unsigned is_last;
  unsigned sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  sum = __reduce_add_sync(0xFFFFFFFF, sum);
  if (threadIdx.x % 32 == 0) atomicAdd(&partials[blockIdx.x], sum);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicAdd(tickets, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!is_last) return;
  unsigned total = 0;
  for (int b = threadIdx.x; b < gridDim.x; b += blockDim.x) total += partials[b];
  total = __reduce_add_sync(0xFFFFFFFF, total);
  if (threadIdx.x % 32 == 0) atomicAdd(out, total);
}
// warpscope grid_steps: block = 256, n = 2^15, grid = 128, cooperative = true, u = random[n], v = zeros[n]
__global__ void grid_steps(float* u, float* v, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int step = 0; step < 4; ++step) {
    float *from = step % 2 ? v : u, *to = step % 2 ? u : v;
    if (i > 0 && i + 1 < n) to[i] = (from[i - 1] + from[i] + from[i + 1]) / 3;
    cooperative_groups::this_grid().sync();
  }
}
// warpscope many_barriers: block = 256, grid = 264, rounds = 64, out = zeros[264]
__global__ void many_barriers(unsigned* out, int rounds) {
  __shared__ unsigned cell;
  if (threadIdx.x == 0) cell = blockIdx.x;
  for (int k = 0; k < rounds; ++k) {
    __syncthreads();
    if (threadIdx.x == k) cell = cell * 5 + k;
  }
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = cell;
}
// warpscope voting: block = 256, n = 2^21, grid = ceil(n / block), in = random[n], out = zeros[ceil(n / 32)]
__global__ void voting(const unsigned* in, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned found = 0;
  for (int k = 0; k < 4; ++k)
    found ^= __ballot_sync(0xFFFFFFFF, in[i] >> k & 1) + __any_sync(0xFFFFFFFF, in[i] == 0);
  if (threadIdx.x % 32 == 0) out[i / 32] = found;
}
// warpscope matching: block = 256, n = 2^16, grid = ceil(n / block), in = random[n] in 0..7, out = zeros[n]
__global__ void matching(const unsigned* in, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __popc(__match_any_sync(0xFFFFFFFF, in[i]));
}
// warpscope half_warps: block = 128, n = 2^17, grid = ceil(n / block), in = random[n], out = zeros[n]
__global__ void half_warps(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = in[i];
  if (threadIdx.x % 32 < 16) {
    for (int d = 8; d > 0; d /= 2) v += __shfl_xor_sync(0x0000FFFF, v, d);
  } else {
    for (int d = 8; d > 0; d /= 2) v ^= __shfl_xor_sync(0xFFFF0000, v, d);
  }
  out[i] = v;
}
// warpscope copy_pipeline: block = 128 fixed, n = 2^19, grid = 264, in = random[n], out = zeros[264 * 128]
__global__ void copy_pipeline(const float* in, float* out, int n) {
  __shared__ float stages[2][128];
  const int per_block = n / gridDim.x / 128;
  const float* mine = in + static_cast<size_t>(blockIdx.x) * per_block * 128;
  float sum = 0;
  __pipeline_memcpy_async(&stages[0][threadIdx.x], &mine[threadIdx.x], 4);
  __pipeline_commit();
  for (int k = 0; k < per_block; ++k) {
    if (k + 1 < per_block)
      __pipeline_memcpy_async(&stages[(k + 1) % 2][threadIdx.x], &mine[(k + 1) * 128 + threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += stages[k % 2][127 - threadIdx.x];
    __syncthreads();
  }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}
// Half of the warps produce, half consume.
// warpscope specialised: block = 256 fixed, rounds = 32, grid = 264, in = random[128 * 32], out = zeros[264 * 128]
__global__ void specialised(const float* in, float* out, int rounds) {
  __shared__ float box[2][128];
  const int t = threadIdx.x % 128;
  const bool produces = threadIdx.x < 128;
  float sum = 0;
  if (produces) box[0][t] = in[t];
  __syncthreads();
  for (int k = 0; k < rounds; ++k) {
    if (produces) {
      if (k + 1 < rounds) box[(k + 1) % 2][t] = in[(k + 1) * 128 + t] * 2;
    } else {
      for (int j = 0; j < 4; ++j) sum += box[k % 2][(t + j * 8) % 128];
    }
    __syncthreads();
  }
  if (!produces) out[blockIdx.x * 128 + t] = sum;
}
