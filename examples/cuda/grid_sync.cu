// A sum of all elements in one launch: blocks add up their own, all wait for each other, and the first adds up theirs.
// The launch must be a cooperative one, so that all blocks run at the same time.
//   warpscope run grid_sync.cu --variant sumOfGrid
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

__device__ int sumOfWarp(int value) {
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffff, value, distance);
  return value;
}

// warpscope: cooperative = true, block = 128, n = 2^13, grid = 4, in = random[n] in -50..50, of_block = zeros[grid], sum = zeros[1]
__global__ void sumOfGrid(const int* in, int* of_block, int* sum, int n) {
  __shared__ int total;
  const auto grid = cg::this_grid();
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  int own = 0;
  for (int i = static_cast<int>(grid.thread_rank()); i < n; i += static_cast<int>(grid.size())) own += in[i];
  own = sumOfWarp(own);
  if (threadIdx.x % warpSize == 0) atomicAdd(&total, own);
  __syncthreads();
  if (threadIdx.x == 0) of_block[blockIdx.x] = total;
  grid.sync();
  if (blockIdx.x != 0 || threadIdx.x >= warpSize) return;
  own = 0;
  for (int i = threadIdx.x; i < gridDim.x; i += warpSize) own += of_block[i];
  own = sumOfWarp(own);
  if (threadIdx.x == 0) *sum = own;
}

int main() {
  int n = 1 << 13, expected = 0;
  int *in, *of_block, *sum;
  for (int** p : {&in, &of_block, &sum}) cudaMallocManaged(p, n * sizeof(int));
  for (int i = 0; i < n; ++i) {
    in[i] = i * 37 % 101 - 50;
    expected += in[i];
  }
  void* arguments[] = {&in, &of_block, &sum, &n};
  cudaLaunchCooperativeKernel(reinterpret_cast<void*>(sumOfGrid), dim3(4), dim3(128), arguments, 0, 0);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  std::printf("%d, expected %d\n", *sum, expected);
  return *sum != expected;
}
