// Gravity between all pairs of bodies: x, y and z of a float4 are the place, w the mass.
//   warpscope run nbody.cu --variant forcesTiled
#include <cmath>
#include <cstdio>
#include <cstdlib>

constexpr float kSoftening = 1e-2f;  // so that close bodies do not tear each other apart

__device__ float3 pull(float3 sum, float4 on, float4 by) {
  const float dx = by.x - on.x, dy = by.y - on.y, dz = by.z - on.z;
  const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + kSoftening);
  const float strength = by.w * inverse * inverse * inverse;
  return make_float3(sum.x + dx * strength, sum.y + dy * strength, sum.z + dz * strength);
}

// Each thread reads all bodies from global memory.
// warpscope: block = 128, n = 1024, grid = ceil(n/block), bodies = random[n], forces = zeros[n]
__global__ void forces(const float4* bodies, float4* forces, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 own = bodies[i];
  float3 sum = make_float3(0, 0, 0);
  for (int j = 0; j < n; ++j) sum = pull(sum, own, bodies[j]);
  forces[i] = make_float4(sum.x, sum.y, sum.z, 0);
}

// The block reads a tile of bodies into shared memory, which all its threads then use.
// warpscope forcesTiled: shared = 16*block, reference = forces, tolerance = 1e-4
__global__ void forcesTiled(const float4* bodies, float4* forces, int n) {
  extern __shared__ float4 tile[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 own = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
  float3 sum = make_float3(0, 0, 0);
  for (int first = 0; first < n; first += blockDim.x) {
    const int count = min((int)blockDim.x, n - first);
    if (threadIdx.x < count) tile[threadIdx.x] = bodies[first + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < count; ++j) sum = pull(sum, own, tile[j]);
    __syncthreads();
  }
  if (i < n) forces[i] = make_float4(sum.x, sum.y, sum.z, 0);
}

int main() {
  const int n = 1024, block = 128;
  float4 *bodies, *one, *two;
  cudaMallocManaged(&bodies, n * sizeof(float4));
  cudaMallocManaged(&one, n * sizeof(float4));
  cudaMallocManaged(&two, n * sizeof(float4));
  auto random = [] { return static_cast<float>(std::rand()) / static_cast<float>(RAND_MAX); };
  for (int i = 0; i < n; ++i) bodies[i] = make_float4(random(), random(), random(), random());
  forces<<<n / block, block>>>(bodies, one, n);
  forcesTiled<<<n / block, block, block * sizeof(float4)>>>(bodies, two, n);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  // Every force has its counter-force, so momentum is conserved: mass times pull adds up to nothing.
  double total = 0, size = 0;
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    total += bodies[i].w * one[i].x;
    size += std::fabs(bodies[i].w * one[i].x);
    wrong += !(std::fabs(one[i].x - two[i].x) <= 1e-3f * std::fabs(one[i].x) + 1e-2f);
  }
  std::printf("%d differ; momentum %g of %g\n", wrong, total, size);
  return wrong != 0 || std::fabs(total) > 1e-4 * size;
}
