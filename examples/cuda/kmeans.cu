// One step of k-means: each point joins the nearest of k centres, and each centre's points are added up, so that the
// host can move it to their mean.
//   warpscope run kmeans.cu --variant assignShared
#include <cfloat>
#include <cmath>
#include <cstdio>

constexpr int kMostCentres = 16;

__host__ __device__ inline int nearest(float2 point, const float2* centres, int k) {
  int best = 0;
  float least = FLT_MAX;
  for (int c = 0; c < k; ++c) {
    const float dx = point.x - centres[c].x, dy = point.y - centres[c].y, distance = dx * dx + dy * dy;
    if (distance < least) least = distance, best = c;
  }
  return best;
}

// warpscope: block = 256, n = 2^13, k = 8 in 1..16, grid = ceil(n/block), points = random[n], centres = random[k]:1, owner = zeros[n], sums = zeros[16], counts = zeros[16]
__global__ void assign(const float2* points, const float2* centres, int* owner, float2* sums, int* counts, int n, int k) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int own = nearest(points[i], centres, k);
  owner[i] = own;
  atomicAdd(&sums[own].x, points[i].x);
  atomicAdd(&sums[own].y, points[i].y);
  atomicAdd(&counts[own], 1);
}

// Each block adds up in shared memory first.
// warpscope assignShared: reference = assign, tolerance = 1e-4
__global__ void assignShared(const float2* points, const float2* centres, int* owner, float2* sums, int* counts, int n, int k) {
  __shared__ float2 near[kMostCentres], sum[kMostCentres];
  __shared__ int count[kMostCentres];
  if (threadIdx.x < k) {
    near[threadIdx.x] = centres[threadIdx.x];
    sum[threadIdx.x] = make_float2(0, 0);
    count[threadIdx.x] = 0;
  }
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const float2 point = points[i];
    const int own = nearest(point, near, k);
    owner[i] = own;
    atomicAdd(&sum[own].x, point.x);
    atomicAdd(&sum[own].y, point.y);
    atomicAdd(&count[own], 1);
  }
  __syncthreads();
  if (threadIdx.x >= k) return;
  atomicAdd(&sums[threadIdx.x].x, sum[threadIdx.x].x);
  atomicAdd(&sums[threadIdx.x].y, sum[threadIdx.x].y);
  atomicAdd(&counts[threadIdx.x], count[threadIdx.x]);
}

int main() {
  const int n = 1 << 13, k = 8;
  float2 *points, *centres, *sums;
  int *owner, *counts;
  for (float2** p : {&points, &centres, &sums}) cudaMallocManaged(p, n * sizeof(float2));
  for (int** p : {&owner, &counts}) cudaMallocManaged(p, n * sizeof(int));
  for (int i = 0; i < n; ++i) points[i] = make_float2(i * 7919 % 1000 / 1000.0f, i * 104729 % 1000 / 1000.0f);
  for (int c = 0; c < k; ++c) centres[c] = points[c * 100];
  int wrong = 0;
  for (int step = 0; step < 5; ++step) {
    for (int c = 0; c < k; ++c) sums[c] = make_float2(0, 0), counts[c] = 0;
    assignShared<<<n / 256, 256>>>(points, centres, owner, sums, counts, n, k);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    int all = 0;
    for (int c = 0; c < k; ++c) all += counts[c];
    wrong += all != n;
    for (int i = 0; i < n; ++i) wrong += owner[i] < 0 || owner[i] >= k;
    for (int c = 0; c < k && counts[c] > 0; ++c) centres[c] = make_float2(sums[c].x / counts[c], sums[c].y / counts[c]);
  }
  std::printf("%d wrong; the first centre is at %g, %g\n", wrong, centres[0].x, centres[0].y);
  return wrong != 0;
}
