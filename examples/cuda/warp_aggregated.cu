// Threads that find something append it to a list, in any order. Those of a warp that do so together need one atomic
// addition: their leader adds for all, and each takes its own place.
//   warpscope run warp_aggregated.cu --variant appendTogether
#include <cooperative_groups.h>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

__device__ int placeFor(int* count) {
  const auto together = cg::coalesced_threads();
  int first = 0;
  if (together.thread_rank() == 0) first = atomicAdd(count, static_cast<int>(together.size()));
  return together.shfl(first, 0) + together.thread_rank();
}

// warpscope: block = 256, n = 2^14, grid = ceil(n/block), in = random[n] in 0..99, list = zeros[n], count = zeros[1], unordered = list, reference = append
__global__ void appendTogether(const int* in, int* list, int* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] < 30) list[placeFor(count)] = i;
}

// An atomic addition for each.
__global__ void append(const int* in, int* list, int* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] < 30) list[atomicAdd(count, 1)] = i;
}

int main() {
  const int n = 1 << 14;
  int *in, *list, *count;
  for (int** p : {&in, &list, &count}) cudaMallocManaged(p, n * sizeof(int));
  for (int i = 0; i < n; ++i) in[i] = i * 7919 % 100;
  int wrong = 0;
  for (const bool together : {false, true}) {
    *count = 0;
    if (together) appendTogether<<<n / 256, 256>>>(in, list, count, n);
    else append<<<n / 256, 256>>>(in, list, count, n);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    std::vector<int> times(n);
    for (int i = 0; i < *count; ++i) ++times[list[i]];
    for (int i = 0; i < n; ++i) wrong += times[i] != (in[i] < 30);
  }
  std::printf("%d found, %d wrong\n", *count, wrong);
  return wrong != 0;
}
