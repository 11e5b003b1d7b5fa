// Transpose: out[column][row] = in[row][column] for a matrix of any shape. A block moves one square tile, as
// wide as the block (32 or 16; shared_padded_vec: 64); where the block is less high than the tile, each
// thread moves several elements.
//
// Tiles are numbered (x: blockIdx.x, y: blockIdx.y + gridDim.y * blockIdx.z), because a grid is at most
// 65,535 high.
#include "kernels/experiments/transpose/regions.h"
#include "kernels/experiments/transpose/shape.h"
#include "kernels/probe/probe.cuh"

namespace warpscope {

using namespace transpose;

__device__ __forceinline__ uint32_t tileX() {
  return blockIdx.x * blockDim.x;
}
__device__ __forceinline__ uint32_t tileY() {
  return (blockIdx.y + gridDim.y * blockIdx.z) * blockDim.x;
}

__device__ __forceinline__ uint32_t threadOfBlock() {
  return threadIdx.y * blockDim.x + threadIdx.x;
}

// Not a transpose: the same traffic in the order of memory, 16 bytes an access, four of them in flight a
// thread. What a transpose can reach at best.
template <class Probe>
__global__ void __launch_bounds__(1024) copy(Probe probe, float* __restrict__ out,
                                             const float* __restrict__ in, uint32_t rows, uint32_t columns) {
  auto log = probe.begin();
  log.mark(kMove);
  const uint32_t count = rows * columns;
  const uint32_t threads = blockDim.x * blockDim.y;
  const uint32_t first = blockIdx.x * threads * kFoursInFlight + threadOfBlock();
  const auto* from = reinterpret_cast<const float4*>(in);
  auto* to = reinterpret_cast<float4*>(out);
  float4 fours[kFoursInFlight];
#pragma unroll
  for (uint32_t k = 0; k < kFoursInFlight; ++k) {
    if (first + k * threads < count / 4) fours[k] = from[first + k * threads];
  }
#pragma unroll
  for (uint32_t k = 0; k < kFoursInFlight; ++k) {
    if (first + k * threads < count / 4) to[first + k * threads] = fours[k];
  }
  if (first < count % 4) out[count - 1 - first] = in[count - 1 - first];
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

// Four neighbours of a line, 16 bytes at once where all lines begin at multiples of 16 bytes. 0 for those
// outside.
template <bool kAligned>
__device__ __forceinline__ float4 readFour(const float* matrix, uint32_t line, uint32_t at, uint32_t lines,
                                           uint32_t length) {
  float4 four = make_float4(0, 0, 0, 0);
  if (line >= lines) return four;
  const float* const from = matrix + line * length + at;
  if constexpr (kAligned) {
    if (at < length) four = *reinterpret_cast<const float4*>(from);
  } else {
    if (at < length) four.x = from[0];
    if (at + 1 < length) four.y = from[1];
    if (at + 2 < length) four.z = from[2];
    if (at + 3 < length) four.w = from[3];
  }
  return four;
}

template <bool kAligned>
__device__ __forceinline__ void writeFour(float* matrix, uint32_t line, uint32_t at, uint32_t lines,
                                          uint32_t length, float4 four) {
  if (line >= lines) return;
  float* const to = matrix + line * length + at;
  if constexpr (kAligned) {
    if (at < length) *reinterpret_cast<float4*>(to) = four;
  } else {
    if (at < length) to[0] = four.x;
    if (at + 1 < length) to[1] = four.y;
    if (at + 2 < length) to[2] = four.z;
    if (at + 3 < length) to[3] = four.w;
  }
}

// Where a row or column of the tile lies: every fourth together, so that the lanes of a warp, whose fours are
// four apart, find their words in neighbouring places.
__device__ __forceinline__ uint32_t placeOf(uint32_t line) {
  return line / 4 + kVecTile / 4 * (line % 4);
}

// 16 lanes read a row of the tile, 4 elements each; all of a thread's rows are on their way at once.
template <bool kAligned>
__device__ __forceinline__ void loadFours(float* tile, const float* in, uint32_t rows, uint32_t columns,
                                          uint32_t first_row, uint32_t first_column) {
  constexpr uint32_t kLanes = kVecTile / 4;
  const uint32_t lane = threadOfBlock() % kLanes;
  const uint32_t step = blockDim.x * blockDim.y / kLanes;
  float4 fours[kFoursInFlight];
#pragma unroll
  for (uint32_t k = 0; k < kFoursInFlight; ++k) {
    const uint32_t row = threadOfBlock() / kLanes + k * step;
    if (row < kVecTile) {
      fours[k] = readFour<kAligned>(in, first_row + row, first_column + 4 * lane, rows, columns);
    }
  }
#pragma unroll
  for (uint32_t k = 0; k < kFoursInFlight; ++k) {
    const uint32_t row = threadOfBlock() / kLanes + k * step;
    if (row < kVecTile) {
      float* const to = tile + placeOf(row) * kVecPitch + lane;
      to[0] = fours[k].x;
      to[kLanes] = fours[k].y;
      to[2 * kLanes] = fours[k].z;
      to[3 * kLanes] = fours[k].w;
    }
  }
}

// 16 lanes write a column of the tile as a row of the output.
template <bool kAligned>
__device__ __forceinline__ void storeFours(const float* tile, float* out, uint32_t rows, uint32_t columns,
                                           uint32_t first_row, uint32_t first_column) {
  constexpr uint32_t kLanes = kVecTile / 4;
  const uint32_t lane = threadOfBlock() % kLanes;
  const uint32_t step = blockDim.x * blockDim.y / kLanes;
#pragma unroll
  for (uint32_t k = 0; k < kFoursInFlight; ++k) {
    const uint32_t column = threadOfBlock() / kLanes + k * step;
    if (column < kVecTile) {
      const float* const from = tile + lane * kVecPitch + placeOf(column);
      const float4 four = make_float4(from[0], from[kLanes * kVecPitch], from[2 * kLanes * kVecPitch],
                                      from[3 * kLanes * kVecPitch]);
      writeFour<kAligned>(out, first_column + column, first_row + 4 * lane, columns, rows, four);
    }
  }
}

// 16 bytes an access in global memory, through a padded tile of 64 x 64. In shared memory the fours are taken
// apart and put together the other way round, word by word, each warp's 32 words in 32 banks. Lines that do
// not begin at multiples of 16 bytes are read or written word by word.
template <class Probe>
__global__ void __launch_bounds__(1024)
    shared_padded_vec(Probe probe, float* __restrict__ out, const float* __restrict__ in, uint32_t rows,
                      uint32_t columns) {
  extern __shared__ float tile[];  // [kVecTile][kVecPitch]
  auto log = probe.begin();
  log.mark(kLoadTile);
  const uint32_t first_row = (blockIdx.y + gridDim.y * blockIdx.z) * kVecTile;
  const uint32_t first_column = blockIdx.x * kVecTile;
  if (columns % 4 == 0) {
    loadFours<true>(tile, in, rows, columns, first_row, first_column);
  } else {
    loadFours<false>(tile, in, rows, columns, first_row, first_column);
  }
  log.mark(kBarrier);
  __syncthreads();
  log.mark(kStoreTile);
  if (rows % 4 == 0) {
    storeFours<true>(tile, out, rows, columns, first_row, first_column);
  } else {
    storeFours<false>(tile, out, rows, columns, first_row, first_column);
  }
}
WARPSCOPE_INSTANTIATE(shared_padded_vec);

}  // namespace warpscope
