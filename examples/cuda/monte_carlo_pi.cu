// Pi from random points: of those in a square, pi / 4 are in the quarter circle. The numbers are Philox's, which are a
// function of a counter, so that each thread has its own without any state.
//   warpscope run monte_carlo_pi.cu --variant countHits
// Source of the generator: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011.
#include <cmath>
#include <cstdio>

__host__ __device__ inline uint2 philox(unsigned int counter, unsigned int key) {
  unsigned int left = counter, right = 0;
  for (int round = 0; round < 10; ++round) {
    const unsigned long long product = 0xD256D193ull * left;
    left = static_cast<unsigned int>(product >> 32) ^ key ^ right;
    right = static_cast<unsigned int>(product);
    key += 0x9E3779B9u;
  }
  return make_uint2(left, right);
}

__host__ __device__ inline bool isHit(unsigned int point, unsigned int seed) {
  const uint2 random = philox(point, seed);
  const float x = (random.x >> 8) * 0x1p-24f, y = (random.y >> 8) * 0x1p-24f;
  return x * x + y * y < 1.0f;
}

// Each hit is added by itself.
// warpscope: block = 256, points = 2^16, seed = 7 fixed, grid = ceil(points/(8*block)), hits = zeros[1]
__global__ void countHitsAtomic(unsigned int* hits, unsigned int points, unsigned int seed) {
  const unsigned int first = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned int i = first; i < points; i += gridDim.x * blockDim.x) {
    if (isHit(i, seed)) atomicAdd(hits, 1u);
  }
}

// Each thread counts its own, and the block adds them up.
// warpscope countHits: reference = countHitsAtomic
__global__ void countHits(unsigned int* hits, unsigned int points, unsigned int seed) {
  __shared__ unsigned int of_block;
  if (threadIdx.x == 0) of_block = 0;
  __syncthreads();
  unsigned int own = 0;
  for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < points; i += gridDim.x * blockDim.x) own += isHit(i, seed);
  for (int distance = 16; distance > 0; distance /= 2) own += __shfl_down_sync(0xffffffff, own, distance);
  if (threadIdx.x % warpSize == 0) atomicAdd(&of_block, own);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(hits, of_block);
}

int main() {
  const unsigned int points = 1 << 16, seed = 7;
  unsigned int* hits;
  cudaMallocManaged(&hits, 2 * sizeof(unsigned int));
  hits[0] = hits[1] = 0;
  countHitsAtomic<<<32, 256>>>(&hits[0], points, seed);
  countHits<<<32, 256>>>(&hits[1], points, seed);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  const double pi = 4.0 * hits[1] / points;
  std::printf("pi is about %g\n", pi);
  return hits[0] != hits[1] || std::fabs(pi - 3.14159265) > 0.03;
}
