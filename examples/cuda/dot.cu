// The dot product of two vectors with cooperative groups: the grid strides over the data, tiles reduce, and one thread
// of each tile adds to the result.
//   warpscope run dot.cu --variant dotTiles
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>

namespace cg = cooperative_groups;

// warpscope: block = 128, n = 2^15, grid = 16, x = random[n] in 0..9, y = random[n]:1 in 0..9, result = zeros[1]
// warpscope dotTiles: reference = dotAtomic
__global__ void dotTiles(const int* x, const int* y, int* result, int n) {
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const auto grid = cg::this_grid();
  int sum = 0;
  for (unsigned long long i = grid.thread_rank(); i < n; i += grid.size()) sum += x[i] * y[i];
  sum = cg::reduce(tile, sum, cg::plus<int>());
  if (tile.thread_rank() == 0) atomicAdd(result, sum);
}

// Every product is added by itself: all threads of the grid wait for one address.
__global__ void dotAtomic(const int* x, const int* y, int* result, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(result, x[i] * y[i]);
}

int main() {
  const int n = 1 << 15;
  int *x, *y, *result, expected = 0;
  for (int** p : {&x, &y, &result}) cudaMallocManaged(p, n * sizeof(int));
  for (int i = 0; i < n; ++i) {
    x[i] = i % 10;
    y[i] = i * 7 % 10;
    expected += x[i] * y[i];
  }
  result[0] = result[1] = 0;
  dotTiles<<<16, 128>>>(x, y, &result[0], n);
  dotAtomic<<<16, 128>>>(x, y, &result[1], n);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  std::printf("%d and %d, expected %d\n", result[0], result[1], expected);
  return result[0] != expected || result[1] != expected;
}
