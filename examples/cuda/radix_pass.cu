// One pass of a radix sort: each block puts its elements in the order of one digit of four bits, and keeps the order of
// those with equal digits. Eight such passes, from the lowest digit on, sort 32-bit keys.
//   warpscope run radix_pass.cu --variant radixPass
#include <cstdio>

constexpr unsigned int kDigits = 16;

// Splits by one bit at a time. A ballot counts the zeros among a warp's lanes before each; shared memory those of the
// warps before it.
// warpscope: block = 256, n = 2^13, grid = ceil(n/block), in = random[n], out = zeros[n], shift = 4 fixed
// warpscope radixPass: shared = 4*block, reference = countingPass
__global__ void radixPass(const unsigned int* in, unsigned int* out, unsigned int n, unsigned int shift) {
  extern __shared__ unsigned int keys[];
  __shared__ unsigned int zeros_of_warp[32];
  const unsigned int first = blockIdx.x * blockDim.x, t = threadIdx.x;
  const unsigned int lane = t % warpSize, warp = t / warpSize, count = min(blockDim.x, n - first);
  keys[t] = t < count ? in[first + t] : 0xffffffffu;
  for (unsigned int bit = shift; bit < shift + 4; ++bit) {
    __syncthreads();
    const unsigned int key = keys[t];
    const bool is_zero = ((key >> bit) & 1) == 0;
    const unsigned int zeros = __ballot_sync(0xffffffff, is_zero);
    if (lane == 0) zeros_of_warp[warp] = __popc(zeros);
    __syncthreads();
    unsigned int before = __popc(zeros & ((1u << lane) - 1)), all = 0;
    for (unsigned int other = 0; other < blockDim.x / warpSize; ++other) {
      if (other < warp) before += zeros_of_warp[other];
      all += zeros_of_warp[other];
    }
    keys[is_zero ? before : all + t - before] = key;
  }
  __syncthreads();
  if (t < count) out[first + t] = keys[t];
}

// Counts the digits of one block's elements, and has one thread place them in turn.
__global__ void countingPass(const unsigned int* in, unsigned int* out, unsigned int n, unsigned int shift) {
  __shared__ unsigned int next[kDigits];
  if (threadIdx.x < kDigits) next[threadIdx.x] = 0;
  __syncthreads();
  const unsigned int first = blockIdx.x * blockDim.x, i = first + threadIdx.x, end = min(first + blockDim.x, n);
  auto digit = [shift](unsigned int key) { return (key >> shift) % kDigits; };
  if (i < n && digit(in[i]) + 1 < kDigits) atomicAdd(&next[digit(in[i]) + 1], 1u);
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (unsigned int d = 1; d < kDigits; ++d) next[d] += next[d - 1];
  for (unsigned int j = first; j < end; ++j) out[first + next[digit(in[j])]++] = in[j];
}

int main() {
  const unsigned int n = 1 << 13, block = 256;
  unsigned int *keys, *other, *expected;
  for (unsigned int** p : {&keys, &other, &expected}) cudaMallocManaged(p, n * sizeof(unsigned int));
  for (unsigned int i = 0; i < n; ++i) keys[i] = i * 2654435761u;
  countingPass<<<n / block, block>>>(keys, expected, n, 4);
  radixPass<<<n / block, block, block * sizeof(unsigned int)>>>(keys, other, n, 4);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  int wrong = 0;
  for (unsigned int i = 0; i < n; ++i) wrong += other[i] != expected[i];
  for (unsigned int shift = 0; shift < 32; shift += 8) {  // a whole sort
    radixPass<<<n / block, block, block * sizeof(unsigned int)>>>(keys, other, n, shift);
    radixPass<<<n / block, block, block * sizeof(unsigned int)>>>(other, keys, n, shift + 4);
  }
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  for (unsigned int i = 1; i < n; ++i) wrong += i % block != 0 && keys[i] < keys[i - 1];
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
