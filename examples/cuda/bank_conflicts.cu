// Shared memory has 32 banks. Lanes that read different words of the same bank take turns: with a stride of 2 there are
// two turns, with 32 there are 32, and with 33, or any odd number, one.
//   warpscope run bank_conflicts.cu --variant 'readStrided<32>'
#include <cstdio>

// warpscope: block = 32 fixed, n = 4096, grid = ceil(n/32), in = iota[n], out = zeros[n]
template <int Stride>
__global__ void readStrided(const int* in, int* out, int n) {
  __shared__ int words[32 * 33];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = threadIdx.x; k < 32 * 33; k += blockDim.x) words[k] = k;
  __syncwarp();
  int sum = 0;
#pragma unroll 1
  for (int turn = 0; turn < 16; ++turn) sum += words[(threadIdx.x * Stride + turn) % (32 * 33)];
  if (i < n) out[i] = in[i] + sum;
}
template __global__ void readStrided<1>(const int*, int*, int);
template __global__ void readStrided<2>(const int*, int*, int);
template __global__ void readStrided<32>(const int*, int*, int);
template __global__ void readStrided<33>(const int*, int*, int);

template <int Stride>
int wrongWith(const int* in, int* out, int n) {
  readStrided<Stride><<<(n + 31) / 32, 32>>>(in, out, n);
  if (cudaDeviceSynchronize() != cudaSuccess) return n;
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    int expected = in[i];
    for (int turn = 0; turn < 16; ++turn) expected += (i % 32 * Stride + turn) % (32 * 33);
    wrong += out[i] != expected;
  }
  return wrong;
}

int main() {
  const int n = 4096;
  int *in, *out;
  cudaMallocManaged(&in, n * sizeof(int));
  cudaMallocManaged(&out, n * sizeof(int));
  for (int i = 0; i < n; ++i) in[i] = i;
  const int wrong = wrongWith<1>(in, out, n) + wrongWith<2>(in, out, n) + wrongWith<32>(in, out, n) + wrongWith<33>(in, out, n);
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
