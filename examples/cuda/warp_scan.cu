// A running sum over each block: shuffles within the warps, shared memory between them.
//   warpscope run warp_scan.cu --block 512
#include <cstdio>

__device__ int scanOfWarp(int value) {
  for (int distance = 1; distance < warpSize; distance *= 2) {
    const int below = __shfl_up_sync(0xffffffff, value, distance);
    if (threadIdx.x % warpSize >= distance) value += below;
  }
  return value;
}

// warpscope: block = 256, n = 2^14 in 1024..2^22, grid = ceil(n / block), in = random[n] in 0..9, out = zeros[n]
// warpscope: per_block = block, reference = host scanBlocksOnHost
__global__ void scanBlocks(const int* in, int* out, int n, int per_block) {
  __shared__ int of_warp[32];
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x, warp = threadIdx.x / warpSize;
  int sum = scanOfWarp(i < n ? in[i] : 0);
  if (threadIdx.x % warpSize == warpSize - 1) of_warp[warp] = sum;
  __syncthreads();
  if (warp == 0) of_warp[threadIdx.x] = scanOfWarp(threadIdx.x < per_block / warpSize ? of_warp[threadIdx.x] : 0);
  __syncthreads();
  if (warp > 0) sum += of_warp[warp - 1];
  if (i < n) out[i] = sum;
}

void scanBlocksOnHost(const int* in, int* out, int n, int per_block) {
  int sum = 0;
  for (int i = 0; i < n; ++i) out[i] = sum = (i % per_block == 0 ? 0 : sum) + in[i];
}

int main() {
  const int n = 1024;
  int *in, *out;
  cudaMallocManaged(&in, n * sizeof(int));
  cudaMallocManaged(&out, n * sizeof(int));
  for (int i = 0; i < n; ++i) in[i] = 1;
  scanBlocks<<<n / 256, 256>>>(in, out, n, 256);
  cudaDeviceSynchronize();
  std::printf("sum of the first block: %d, expected 256\n", out[255]);
}
