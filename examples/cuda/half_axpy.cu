// y = a x + y in half precision: two halves of a half2 are computed by one instruction, and a step rounds twice as often
// as in single precision.
//   warpscope run half_axpy.cu --variant axpyPairs
#include <cmath>
#include <cstdio>
#include <cuda_fp16.h>

// warpscope: block = 128, pairs = 2^12, grid = ceil(pairs/block), a = 1.5, x = random[pairs], y = ones[pairs]
__global__ void axpyPairs(float a, const half2* x, half2* y, int pairs) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < pairs) y[i] = __hfma2(__float2half2_rn(a), x[i], y[i]);
}

// The same by single halves, rounded after the product and after the sum.
// warpscope axpySingles: reference = axpyPairs, tolerance = 2e-3
__global__ void axpySingles(float a, const half2* x, half2* y, int pairs) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pairs) return;
  const half factor = __float2half(a);
  const half low = __hadd(__hmul(factor, __low2half(x[i])), __low2half(y[i]));
  const half high = __hadd(__hmul(factor, __high2half(x[i])), __high2half(y[i]));
  y[i] = __halves2half2(low, high);
}

// Fills the vectors, as conversions on the host differ between versions of CUDA.
// warpscope fill: a = 0
__global__ void fill(float a, half2* x, half2* y, int pairs) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pairs) return;
  x[i] = __floats2half2_rn(a + i % 64, a + i % 32);
  y[i] = __floats2half2_rn(1, 2);
}

// warpscope widen: y = ones[pairs], out = zeros[pairs]
__global__ void widen(const half2* y, float2* out, int pairs) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < pairs) out[i] = __half22float2(y[i]);
}

int main() {
  const int pairs = 1 << 12, blocks = pairs / 128;
  half2 *x, *y;
  float2* out;
  cudaMallocManaged(&x, pairs * sizeof(half2));
  cudaMallocManaged(&y, pairs * sizeof(half2));
  cudaMallocManaged(&out, pairs * sizeof(float2));
  int wrong = 0;
  for (const bool singles : {false, true}) {
    fill<<<blocks, 128>>>(0, x, y, pairs);
    if (singles) axpySingles<<<blocks, 128>>>(1.5f, x, y, pairs);
    else axpyPairs<<<blocks, 128>>>(1.5f, x, y, pairs);
    widen<<<blocks, 128>>>(y, out, pairs);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    // Such small numbers are exact in half precision.
    for (int i = 0; i < pairs; ++i) wrong += out[i].x != 1.5f * (i % 64) + 1 || out[i].y != 1.5f * (i % 32) + 2;
  }
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
