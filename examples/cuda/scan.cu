// Prefix sums of each block's elements: every element becomes the sum of itself and those before it in its block.
//   warpscope run scan.cu --variant scanShuffle
#include <cstdio>

// Each thread adds up everything before it: n^2 / 2 additions a block.
// warpscope: block = 256, n = 2^14, grid = ceil(n/block), in = random[n] in 0..9, out = zeros[n]
__global__ void scanNaive(const unsigned int* in, unsigned int* out, unsigned int n) {
  const unsigned int first = blockIdx.x * blockDim.x, i = first + threadIdx.x;
  if (i >= n) return;
  unsigned int sum = 0;
  for (unsigned int j = first; j <= i; ++j) sum += in[j];
  out[i] = sum;
}

// A tree of sums up and down again in shared memory (Blelloch): 2 n additions, but many warps idle near the root.
// warpscope scanWorkEfficient: block = 256 fixed, shared = 4*block, reference = scanNaive
__global__ void scanWorkEfficient(const unsigned int* in, unsigned int* out, unsigned int n) {
  extern __shared__ unsigned int sums[];  // as many as the block has threads, a power of two
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  const unsigned int own = i < n ? in[i] : 0;
  sums[t] = own;
  for (unsigned int stride = 1; stride < blockDim.x; stride *= 2) {
    __syncthreads();
    const unsigned int right = (t + 1) * stride * 2 - 1;
    if (right < blockDim.x) sums[right] += sums[right - stride];
  }
  __syncthreads();
  if (t == 0) sums[blockDim.x - 1] = 0;
  for (unsigned int stride = blockDim.x / 2; stride > 0; stride /= 2) {
    __syncthreads();
    const unsigned int right = (t + 1) * stride * 2 - 1;
    if (right < blockDim.x) {
      const unsigned int left = sums[right - stride];
      sums[right - stride] = sums[right];
      sums[right] += left;
    }
  }
  __syncthreads();
  if (i < n) out[i] = sums[t] + own;
}

__device__ unsigned int scanOfWarp(unsigned int value) {
  for (int distance = 1; distance < warpSize; distance *= 2) {
    const unsigned int other = __shfl_up_sync(0xffffffff, value, distance);
    if (threadIdx.x % warpSize >= distance) value += other;
  }
  return value;
}

// Warps scan their lanes by shuffles, then one warp scans the warps' sums.
// warpscope scanShuffle: reference = scanNaive
__global__ void scanShuffle(const unsigned int* in, unsigned int* out, unsigned int n) {
  __shared__ unsigned int of_warp[32];
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
  const unsigned int sum = scanOfWarp(i < n ? in[i] : 0);
  if (lane == warpSize - 1) of_warp[warp] = sum;
  __syncthreads();
  if (warp == 0) of_warp[lane] = scanOfWarp(lane < blockDim.x / warpSize ? of_warp[lane] : 0);
  __syncthreads();
  if (i < n) out[i] = sum + (warp > 0 ? of_warp[warp - 1] : 0);
}

int main() {
  const unsigned int n = 1 << 14, block = 256;
  unsigned int *in, *out;
  cudaMallocManaged(&in, n * sizeof(unsigned int));
  cudaMallocManaged(&out, n * sizeof(unsigned int));
  for (unsigned int i = 0; i < n; ++i) in[i] = i * 7 % 10;
  int wrong = 0;
  for (int way = 0; way < 3; ++way) {
    if (way == 0) scanNaive<<<n / block, block>>>(in, out, n);
    if (way == 1) scanWorkEfficient<<<n / block, block, block * sizeof(unsigned int)>>>(in, out, n);
    if (way == 2) scanShuffle<<<n / block, block>>>(in, out, n);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    unsigned int sum = 0;
    for (unsigned int i = 0; i < n; ++i) {
      sum = (i % block == 0 ? 0 : sum) + in[i];
      wrong += out[i] != sum;
    }
  }
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
