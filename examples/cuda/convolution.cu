// A row of samples smoothed by a filter of constant weights: each result is a weighted sum of its neighbours.
//   warpscope run convolution.cu --variant smoothShared
#include <cmath>
#include <cstdio>

constexpr int kRadius = 4, kWeights = 2 * kRadius + 1;
__constant__ float weights[kWeights] = {1 / 256.0f, 8 / 256.0f,  28 / 256.0f, 56 / 256.0f, 70 / 256.0f,
                                        56 / 256.0f, 28 / 256.0f, 8 / 256.0f,  1 / 256.0f};

// warpscope: block = 128, n = 2^15, grid = ceil(n/block), in = random[n], out = zeros[n]
__global__ void smooth(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  auto sample = [in, n](int at) { return in[at < 0 ? 0 : at >= n ? n - 1 : at]; };  // the ends go on
  float sum = 0;
#pragma unroll
  for (int j = -kRadius; j <= kRadius; ++j) sum += weights[j + kRadius] * sample(i + j);
  out[i] = sum;
}

// The block reads its samples, and a radius on both sides, once.
// warpscope smoothShared: shared = 4*(block+8), reference = smooth, tolerance = 1e-5
__global__ void smoothShared(const float* in, float* out, int n) {
  extern __shared__ float samples[];
  const int first = blockIdx.x * blockDim.x - kRadius;
  for (int j = threadIdx.x; j < blockDim.x + 2 * kRadius; j += blockDim.x) samples[j] = in[min(max(first + j, 0), n - 1)];
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll
  for (int j = 0; j < kWeights; ++j) sum += weights[j] * samples[threadIdx.x + j];
  if (i < n) out[i] = sum;
}

int main() {
  const int n = 1 << 15, block = 128;
  float *in, *out;
  cudaMallocManaged(&in, n * sizeof(float));
  cudaMallocManaged(&out, n * sizeof(float));
  for (int i = 0; i < n; ++i) in[i] = static_cast<float>(i);  // a straight line stays as it is
  int wrong = 0;
  for (const bool shared : {false, true}) {
    if (shared) smoothShared<<<n / block, block, (block + 2 * kRadius) * sizeof(float)>>>(in, out, n);
    else smooth<<<n / block, block>>>(in, out, n);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    for (int i = kRadius; i < n - kRadius; ++i) wrong += !(std::fabs(out[i] - in[i]) <= 1e-5f * in[i]);
  }
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
