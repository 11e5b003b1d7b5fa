// Tasks of very different lengths: how many steps does Collatz's sequence take from each number to 1?
//   warpscope run work_queue.cu --variant fromQueue
#include <cstdio>

__host__ __device__ inline int stepsFrom(unsigned long long number) {
  int steps = 0;
  for (; number > 1; ++steps) number = number % 2 == 0 ? number / 2 : 3 * number + 1;
  return steps;
}

// Each thread has one number; the launch lasts as long as its slowest warp.
// warpscope: block = 128, n = 2^14, grid = ceil(n/block), steps = zeros[n], next = zeros[1]
__global__ void oneEach(int* steps, unsigned int* next, unsigned int n) {
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) steps[i] = stepsFrom(i + 1);
  if (i == 0) *next = (n + 31) / 32 * 32;
}

// A few warps take 32 numbers at a time from a queue until it is empty. `next` is its head.
// warpscope fromQueue: grid = 8, next = zeros[1]
__global__ void fromQueue(int* steps, unsigned int* next, unsigned int n) {
  const unsigned int lane = threadIdx.x % warpSize;
  while (true) {
    unsigned int first = 0;
    if (lane == 0) first = atomicAdd(next, warpSize);
    first = __shfl_sync(0xffffffff, first, 0);
    if (first >= n) return;
    if (first + lane < n) steps[first + lane] = stepsFrom(first + lane + 1);
  }
}

int main() {
  const unsigned int n = 1 << 14;
  int* steps;
  unsigned int* next;
  cudaMallocManaged(&steps, n * sizeof(int));
  cudaMallocManaged(&next, sizeof(unsigned int));
  int wrong = 0;
  for (const bool queue : {false, true}) {
    *next = 0;
    if (queue) fromQueue<<<8, 128>>>(steps, next, n);
    else oneEach<<<n / 128, 128>>>(steps, next, n);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    for (unsigned int i = 0; i < n; ++i) wrong += steps[i] != stepsFrom(i + 1);
  }
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
