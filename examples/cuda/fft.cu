// The discrete Fourier transform of one block's samples, radix 2: butterflies of pairs at distances 1, 2, 4 ...
//   warpscope run fft.cu --variant fft
#include <cmath>
#include <cstdio>

constexpr int kSamples = 256;
constexpr float kTwoPi = 6.283185307f;

__device__ float2 times(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

// The samples are read in the order of their reversed indices; each thread then computes one butterfly a step.
// warpscope: block = 128 fixed, batches = 16, grid = batches, in = random[256*batches], out = zeros[256*batches]
// warpscope fft: reference = fourierSums, tolerance = 1e-3
__global__ void fft(const float2* in, float2* out, int batches) {
  __shared__ float2 values[kSamples];
  if (blockIdx.x >= batches) return;
  const int bits = 31 - __clz(kSamples);
  for (int i = threadIdx.x; i < kSamples; i += blockDim.x)
    values[__brev(i) >> (32 - bits)] = in[blockIdx.x * kSamples + i];
  for (int half = 1; half < kSamples; half *= 2) {
    __syncthreads();
    const int within = threadIdx.x % half, first = threadIdx.x / half * 2 * half + within;
    float2 turn;
    sincosf(-kTwoPi * within / (2 * half), &turn.y, &turn.x);
    const float2 a = values[first], b = times(turn, values[first + half]);
    values[first] = make_float2(a.x + b.x, a.y + b.y);
    values[first + half] = make_float2(a.x - b.x, a.y - b.y);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < kSamples; i += blockDim.x) out[blockIdx.x * kSamples + i] = values[i];
}

// The definition, sum by sum.
__global__ void fourierSums(const float2* in, float2* out, int batches) {
  if (blockIdx.x >= batches) return;
  for (int i = threadIdx.x; i < kSamples; i += blockDim.x) {
    float2 sum = make_float2(0, 0);
    for (int j = 0; j < kSamples; ++j) {
      float2 turn;
      sincosf(-kTwoPi * (i * j % kSamples) / kSamples, &turn.y, &turn.x);
      const float2 part = times(turn, in[blockIdx.x * kSamples + j]);
      sum = make_float2(sum.x + part.x, sum.y + part.y);
    }
    out[blockIdx.x * kSamples + i] = sum;
  }
}

int main() {
  const int batches = 16;
  float2 *in, *out;
  cudaMallocManaged(&in, batches * kSamples * sizeof(float2));
  cudaMallocManaged(&out, batches * kSamples * sizeof(float2));
  // Batch b is a wave of b + 1 periods, whose transform is one peak.
  for (int i = 0; i < batches * kSamples; ++i) in[i] = make_float2(std::cos(kTwoPi * (i / kSamples + 1) * (i % kSamples) / kSamples), 0);
  fft<<<batches, kSamples / 2>>>(in, out, batches);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  int wrong = 0;
  for (int i = 0; i < batches * kSamples; ++i) {
    const int periods = i / kSamples + 1, at = i % kSamples;
    const float expected = at == periods || at == kSamples - periods ? kSamples / 2 : 0;
    wrong += !(std::fabs(out[i].x - expected) < 0.01f && std::fabs(out[i].y) < 0.01f);
  }
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
