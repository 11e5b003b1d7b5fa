// Transpose: out[column][row] = in[row][column] for a matrix of any shape. A block moves one square tile, as
// wide as the block (32 or 16); where the block is less high than the tile, each thread moves several
// elements.
//
// Tiles are numbered (x: blockIdx.x, y: blockIdx.y + gridDim.y * blockIdx.z), because a grid is at most
// 65,535 high.
#include "kernels/experiments/transpose/regions.h"
#include "kernels/probe/probe.cuh"

namespace warpscope {

using namespace transpose;

__device__ __forceinline__ uint32_t tileX() {
  return blockIdx.x * blockDim.x;
}
__device__ __forceinline__ uint32_t tileY() {
  return (blockIdx.y + gridDim.y * blockIdx.z) * blockDim.x;
}

// Not a transpose: the same traffic, coalesced both ways. What a transpose can reach at best.
template <class Probe>
__global__ void __launch_bounds__(1024) copy(Probe probe, float* __restrict__ out,
                                             const float* __restrict__ in, uint32_t rows, uint32_t columns) {
  auto log = probe.begin();
  log.mark(kMove);
  const uint32_t column = tileX() + threadIdx.x;
#pragma unroll 4
  for (uint32_t y = threadIdx.y; y < blockDim.x; y += blockDim.y) {
    const uint32_t row = tileY() + y;
    if (row < rows && column < columns) out[row * columns + column] = in[row * columns + column];
  }
}
WARPSCOPE_INSTANTIATE(copy);

// A warp reads along a row (one line of memory) and writes down a column (32 lines, 4 bytes of each).
template <class Probe>
__global__ void __launch_bounds__(1024)
    naive_row(Probe probe, float* __restrict__ out, const float* __restrict__ in, uint32_t rows,
              uint32_t columns) {
  auto log = probe.begin();
  log.mark(kMove);
  const uint32_t column = tileX() + threadIdx.x;
#pragma unroll 4
  for (uint32_t y = threadIdx.y; y < blockDim.x; y += blockDim.y) {
    const uint32_t row = tileY() + y;
    if (row < rows && column < columns) out[column * rows + row] = in[row * columns + column];
  }
}
WARPSCOPE_INSTANTIATE(naive_row);

// A warp reads down a column and writes along a row: the strided side is the loads, which caches help.
template <class Probe>
__global__ void __launch_bounds__(1024)
    naive_column(Probe probe, float* __restrict__ out, const float* __restrict__ in, uint32_t rows,
                 uint32_t columns) {
  auto log = probe.begin();
  log.mark(kMove);
  const uint32_t row = tileY() + threadIdx.x;
#pragma unroll 4
  for (uint32_t x = threadIdx.y; x < blockDim.x; x += blockDim.y) {
    const uint32_t column = tileX() + x;
    if (row < rows && column < columns) out[column * rows + row] = in[row * columns + column];
  }
}
WARPSCOPE_INSTANTIATE(naive_column);

// Through a tile in shared memory: rows are read and rows are written. But the tile is read down a column,
// whose 32 words all lie in one bank: 32 turns.
template <class Probe>
__global__ void __launch_bounds__(1024)
    shared(Probe probe, float* __restrict__ out, const float* __restrict__ in, uint32_t rows,
           uint32_t columns) {
  extern __shared__ float tile[];  // [blockDim.x][blockDim.x]
  const uint32_t pitch = blockDim.x;
  auto log = probe.begin();
  log.mark(kLoadTile);
  const uint32_t column = tileX() + threadIdx.x;
#pragma unroll 4
  for (uint32_t y = threadIdx.y; y < blockDim.x; y += blockDim.y) {
    const uint32_t row = tileY() + y;
    if (row < rows && column < columns) tile[y * pitch + threadIdx.x] = in[row * columns + column];
  }
  log.mark(kBarrier);
  __syncthreads();
  log.mark(kStoreTile);
  const uint32_t row = tileY() + threadIdx.x;
#pragma unroll 4
  for (uint32_t x = threadIdx.y; x < blockDim.x; x += blockDim.y) {
    const uint32_t out_row = tileX() + x;
    if (row < rows && out_row < columns) out[out_row * rows + row] = tile[threadIdx.x * pitch + x];
  }
}
WARPSCOPE_INSTANTIATE(shared);

// The same with one unused word behind each row of the tile: a column then lies in 32 different banks.
template <class Probe>
__global__ void __launch_bounds__(1024)
    shared_padded(Probe probe, float* __restrict__ out, const float* __restrict__ in, uint32_t rows,
                  uint32_t columns) {
  extern __shared__ float tile[];  // [blockDim.x][blockDim.x + 1]
  const uint32_t pitch = blockDim.x + 1;
  auto log = probe.begin();
  log.mark(kLoadTile);
  const uint32_t column = tileX() + threadIdx.x;
#pragma unroll 4
  for (uint32_t y = threadIdx.y; y < blockDim.x; y += blockDim.y) {
    const uint32_t row = tileY() + y;
    if (row < rows && column < columns) tile[y * pitch + threadIdx.x] = in[row * columns + column];
  }
  log.mark(kBarrier);
  __syncthreads();
  log.mark(kStoreTile);
  const uint32_t row = tileY() + threadIdx.x;
#pragma unroll 4
  for (uint32_t x = threadIdx.y; x < blockDim.x; x += blockDim.y) {
    const uint32_t out_row = tileX() + x;
    if (row < rows && out_row < columns) out[out_row * rows + row] = tile[threadIdx.x * pitch + x];
  }
}
WARPSCOPE_INSTANTIATE(shared_padded);

// No padding: row y keeps its word x at place x ^ y, which also spreads each column over all banks.
template <class Probe>
__global__ void __launch_bounds__(1024)
    shared_swizzled(Probe probe, float* __restrict__ out, const float* __restrict__ in, uint32_t rows,
                    uint32_t columns) {
  extern __shared__ float tile[];  // [blockDim.x][blockDim.x]
  const uint32_t pitch = blockDim.x;
  auto log = probe.begin();
  log.mark(kLoadTile);
  const uint32_t column = tileX() + threadIdx.x;
#pragma unroll 4
  for (uint32_t y = threadIdx.y; y < blockDim.x; y += blockDim.y) {
    const uint32_t row = tileY() + y;
    if (row < rows && column < columns) tile[y * pitch + (threadIdx.x ^ y)] = in[row * columns + column];
  }
  log.mark(kBarrier);
  __syncthreads();
  log.mark(kStoreTile);
  const uint32_t row = tileY() + threadIdx.x;
#pragma unroll 4
  for (uint32_t x = threadIdx.y; x < blockDim.x; x += blockDim.y) {
    const uint32_t out_row = tileX() + x;
    if (row < rows && out_row < columns)
      out[out_row * rows + row] = tile[threadIdx.x * pitch + (x ^ threadIdx.x)];
  }
}
WARPSCOPE_INSTANTIATE(shared_swizzled);

}  // namespace warpscope
