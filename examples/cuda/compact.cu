// Keeps the positive elements of each block in their order, at the front of the block's part of the output.
//   warpscope run compact.cu --variant compact
#include <cstdio>

// A ballot tells each lane how many before it in its warp are kept; shared memory, how many in the warps before.
// warpscope: block = 256, n = 2^14, grid = ceil(n/block), in = random[n] in -9..9, out = zeros[n], kept = zeros[grid]
// warpscope compact: reference = compactSerial
__global__ void compact(const int* in, int* out, int* kept, int n) {
  __shared__ int of_warp[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
  const int value = i < n ? in[i] : 0;
  const unsigned int keeps = __ballot_sync(0xffffffff, value > 0);
  if (lane == 0) of_warp[warp] = __popc(keeps);
  __syncthreads();
  int place = blockIdx.x * blockDim.x + __popc(keeps & ((1u << lane) - 1)), all = 0;
  for (unsigned int other = 0; other < blockDim.x / warpSize; ++other) {
    if (other < warp) place += of_warp[other];
    all += of_warp[other];
  }
  if (value > 0) out[place] = value;
  if (threadIdx.x == 0) kept[blockIdx.x] = all;
}

// One thread does all of its block's work.
__global__ void compactSerial(const int* in, int* out, int* kept, int n) {
  if (threadIdx.x != 0) return;
  const int first = blockIdx.x * blockDim.x, end = min(first + (int)blockDim.x, n);
  int count = 0;
  for (int i = first; i < end; ++i) {
    if (in[i] > 0) out[first + count++] = in[i];
  }
  kept[blockIdx.x] = count;
}

int main() {
  const int n = 1 << 14, block = 256;
  int *in, *out, *kept;
  for (int** p : {&in, &out, &kept}) cudaMallocManaged(p, n * sizeof(int));
  for (int i = 0; i < n; ++i) in[i] = i * 7919 % 19 - 9;
  compact<<<n / block, block>>>(in, out, kept, n);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  int wrong = 0;
  for (int first = 0; first < n; first += block) {
    int count = 0;
    for (int i = first; i < first + block; ++i) {
      if (in[i] > 0) wrong += out[first + count++] != in[i];
    }
    wrong += kept[first / block] != count;
  }
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
