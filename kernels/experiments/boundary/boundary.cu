// Boundary: what bounds checks cost. Data seldom fills its last blocks, so kernels ask of each element
// whether it is there; warps whose lanes answer differently diverge.
#include "kernels/experiments/boundary/regions.h"
#include "kernels/probe/probe.cuh"

namespace warpscope {

using namespace boundary;

// A thread an element. Only the warp that holds the end of the data has lanes on both sides of the check.
template <class Probe>
__global__ void __launch_bounds__(1024)
    vector_add(Probe probe, float* __restrict__ out, const float* __restrict__ a, const float* __restrict__ b,
               uint32_t size) {
  auto log = probe.begin();
  log.mark(kCheck);
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) {
    log.mark(kInside);
    out[i] = a[i] + b[i];
  } else {
    log.mark(kOutside);
  }
}
WARPSCOPE_INSTANTIATE(vector_add);

// One element of a tile; what lies outside of the matrix counts as 0.
template <class Log>
__device__ __forceinline__ void loadTile(Log& log, float* tile, const float* matrix, uint32_t width,
                                         uint32_t row, uint32_t column) {
  const uint32_t at = threadIdx.y * blockDim.x + threadIdx.x;
  if (row < width && column < width) {
    log.mark(kInside);
    tile[at] = matrix[row * width + column];
  } else {
    log.mark(kOutside);
    tile[at] = 0;
  }
}

__device__ __forceinline__ uint32_t ownRow() {
  return blockIdx.y * blockDim.y + threadIdx.y;
}
__device__ __forceinline__ uint32_t ownColumn() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

// The loading phases of M alone: tile after tile along the block's rows. To show what was loaded, each thread
// adds up what the mirrored thread of its row put into the tiles; `out` has an element for every thread, so
// that nothing but the loads is checked.
template <class Probe>
__global__ void __launch_bounds__(1024)
    tiled_matmul_load_m(Probe probe, float* __restrict__ out, const float* __restrict__ m, uint32_t width) {
  extern __shared__ float tiles[];  // [blockDim.y][blockDim.x]
  auto log = probe.begin();
  const uint32_t mirrored = threadIdx.y * blockDim.x + blockDim.x - 1 - threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (uint32_t first = 0; first < width; first += blockDim.x) {
    log.mark(kTileOfM);
    loadTile(log, tiles, m, width, ownRow(), first + threadIdx.x);
    log.mark(kBarrier);
    __syncthreads();
    log.mark(kUse);
    sum += tiles[mirrored];
    __syncthreads();
  }
  log.mark(kStore);
  out[ownRow() * gridDim.x * blockDim.x + ownColumn()] = sum;
}
WARPSCOPE_INSTANTIATE(tiled_matmul_load_m);

// The same of N: tile after tile down the block's columns.
template <class Probe>
__global__ void __launch_bounds__(1024)
    tiled_matmul_load_n(Probe probe, float* __restrict__ out, const float* __restrict__ n, uint32_t width) {
  extern __shared__ float tiles[];  // [blockDim.y][blockDim.x]
  auto log = probe.begin();
  const uint32_t mirrored = (blockDim.y - 1 - threadIdx.y) * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (uint32_t first = 0; first < width; first += blockDim.y) {
    log.mark(kTileOfN);
    loadTile(log, tiles, n, width, first + threadIdx.y, ownColumn());
    log.mark(kBarrier);
    __syncthreads();
    log.mark(kUse);
    sum += tiles[mirrored];
    __syncthreads();
  }
  log.mark(kStore);
  out[ownRow() * gridDim.x * blockDim.x + ownColumn()] = sum;
}
WARPSCOPE_INSTANTIATE(tiled_matmul_load_n);

// out = M x N: both loads, the products, and a third check where the result is stored.
template <class Probe>
__global__ void __launch_bounds__(1024)
    tiled_matmul(Probe probe, float* __restrict__ out, const float* __restrict__ m,
                 const float* __restrict__ n, uint32_t width) {
  extern __shared__ float tiles[];  // M's [blockDim.y][blockDim.x], then N's
  auto log = probe.begin();
  const uint32_t side = blockDim.x;
  float* const tile_m = tiles;
  float* const tile_n = tiles + side * side;
  float sum = 0;
#pragma unroll 1
  for (uint32_t first = 0; first < width; first += side) {
    log.mark(kTileOfM);
    loadTile(log, tile_m, m, width, ownRow(), first + threadIdx.x);
    log.mark(kTileOfN);
    loadTile(log, tile_n, n, width, first + threadIdx.y, ownColumn());
    log.mark(kBarrier);
    __syncthreads();
    log.mark(kUse);
#pragma unroll 8
    for (uint32_t k = 0; k < side; ++k)
      sum += tile_m[threadIdx.y * side + k] * tile_n[k * side + threadIdx.x];
    __syncthreads();
  }
  log.mark(kCheck);
  if (ownRow() < width && ownColumn() < width) {
    log.mark(kStore);
    out[ownRow() * width + ownColumn()] = sum;
  }
}
WARPSCOPE_INSTANTIATE(tiled_matmul);

}  // namespace warpscope
