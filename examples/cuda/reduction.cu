// The largest, the smallest and the sum of an array: one template, three operations.
//   warpscope run reduction.cu --variant 'reduceBlock<Largest>'
#include <cstdio>

struct Sum {
  static constexpr int kNone = 0;
  __host__ __device__ int operator()(int a, int b) const { return a + b; }
};
struct Largest {
  static constexpr int kNone = -0x7fffffff - 1;
  __host__ __device__ int operator()(int a, int b) const { return a > b ? a : b; }
};
struct Smallest {
  static constexpr int kNone = 0x7fffffff;
  __host__ __device__ int operator()(int a, int b) const { return a < b ? a : b; }
};

// Halves the number of threads that work at each step; those of the same warps stop together.
// warpscope: block = 256 fixed, n = 2^16, grid = ceil(n/block), in = random[n] in -1000..1000, of_block = zeros[grid]
template <class Operation>
__global__ void reduceBlock(const int* in, int* of_block, int n) {
  __shared__ int values[256];
  const Operation operation;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  values[threadIdx.x] = i < n ? in[i] : Operation::kNone;
  for (unsigned int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) values[threadIdx.x] = operation(values[threadIdx.x], values[threadIdx.x + half]);
  }
  if (threadIdx.x == 0) of_block[blockIdx.x] = values[0];
}
template __global__ void reduceBlock<Sum>(const int*, int*, int);
template __global__ void reduceBlock<Largest>(const int*, int*, int);
template __global__ void reduceBlock<Smallest>(const int*, int*, int);

// The sum as many first write it: the threads that work are those with a rank that 2, 4, 8 ... divides, a few of every
// warp to the end.
// warpscope sumDivergent: reference = reduceBlock<Sum>
__global__ void sumDivergent(const int* in, int* of_block, int n) {
  __shared__ int values[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  values[threadIdx.x] = i < n ? in[i] : 0;
  for (unsigned int distance = 1; distance < blockDim.x; distance *= 2) {
    __syncthreads();
    if (threadIdx.x % (2 * distance) == 0) values[threadIdx.x] += values[threadIdx.x + distance];
  }
  if (threadIdx.x == 0) of_block[blockIdx.x] = values[0];
}

template <class Operation>
bool isCorrect(const int* in, int* of_block, int n) {
  reduceBlock<Operation><<<n / 256, 256>>>(in, of_block, n);
  if (cudaDeviceSynchronize() != cudaSuccess) return false;
  int expected = Operation::kNone, got = Operation::kNone;
  for (int i = 0; i < n; ++i) expected = Operation()(expected, in[i]);
  for (int i = 0; i < n / 256; ++i) got = Operation()(got, of_block[i]);
  std::printf("%d, expected %d\n", got, expected);
  return got == expected;
}

int main() {
  const int n = 1 << 16;
  int *in, *of_block;
  cudaMallocManaged(&in, n * sizeof(int));
  cudaMallocManaged(&of_block, n / 256 * sizeof(int));
  for (int i = 0; i < n; ++i) in[i] = i * 37 % 2001 - 1000;
  const bool correct = isCorrect<Sum>(in, of_block, n) && isCorrect<Largest>(in, of_block, n) && isCorrect<Smallest>(in, of_block, n);
  return correct ? 0 : 1;
}
