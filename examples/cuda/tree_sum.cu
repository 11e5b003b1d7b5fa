// A sum of one number a thread: shuffles within each warp, shared memory between the warps, one atomic addition a block.
//   warpscope exec tree_sum.cu --grid 4 --block 256 --arg u32[1024]=iota --arg u32[1]=zeros --arg u32=1000 --print 1
#include <cstdio>
#include <numeric>
#include <vector>

template <class T>
__device__ T sumOfWarp(T value) {
  for (int offset = warpSize / 2; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffff, value, offset);
  return value;
}

// warpscope: block = 256, n = 2^14, grid = ceil(n/block), in = random[n] in 0..999, sum = zeros[1]
__global__ void treeSum(const unsigned int* in, unsigned int* sum, unsigned int n) {
  __shared__ unsigned int of_warp[32];
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
  const unsigned int value = sumOfWarp(i < n ? in[i] : 0u);
  if (lane == 0) of_warp[warp] = value;
  __syncthreads();
  if (warp == 0) {
    const unsigned int total = sumOfWarp(lane < blockDim.x / warpSize ? of_warp[lane] : 0u);
    if (lane == 0) atomicAdd(sum, total);
  }
}

int main() {
  std::vector<unsigned int> numbers(1000);
  std::iota(numbers.begin(), numbers.end(), 0u);
  unsigned int *in, *sum, result = 0;
  cudaMalloc(&in, numbers.size() * sizeof(unsigned int));
  cudaMalloc(&sum, sizeof(unsigned int));
  cudaMemcpy(in, numbers.data(), numbers.size() * sizeof(unsigned int), cudaMemcpyHostToDevice);
  cudaMemset(sum, 0, sizeof(unsigned int));
  treeSum<<<4, 256>>>(in, sum, static_cast<unsigned int>(numbers.size()));
  cudaMemcpy(&result, sum, sizeof(unsigned int), cudaMemcpyDeviceToHost);
  std::printf("%u, expected %u\n", result, std::accumulate(numbers.begin(), numbers.end(), 0u));
  cudaFree(in);
  cudaFree(sum);
}
