// The shortest ways between all pairs of places: is the way over k shorter?
//   warpscope run floyd_warshall.cu --variant shortestWays
#include <algorithm>
#include <cstdio>
#include <vector>

// A small map in one block: a barrier after each k, and no launch in between.
// warpscope: n = 48, block = (16, 16) fixed, grid = 1, distance = random[n*n] in 1..99
// warpscope shortestWays: reference = shortestWaysSerial
__global__ void shortestWays(int* distance, int n) {
  for (int k = 0; k < n; ++k) {
    for (int from = threadIdx.y; from < n; from += blockDim.y) {
      for (int to = threadIdx.x; to < n; to += blockDim.x) {
        if (from == k || to == k) continue;  // they do not change, so that all may read them
        const int over = distance[from * n + k] + distance[k * n + to];
        if (over < distance[from * n + to]) distance[from * n + to] = over;
      }
    }
    __syncthreads();
  }
}

__global__ void shortestWaysSerial(int* distance, int n) {
  if (threadIdx.x != 0 || threadIdx.y != 0) return;
  for (int k = 0; k < n; ++k) {
    for (int from = 0; from < n; ++from) {
      for (int to = 0; to < n; ++to)
        distance[from * n + to] = min(distance[from * n + to], distance[from * n + k] + distance[k * n + to]);
    }
  }
}

// A large map takes a launch for each k.
// warpscope improve: k = 3 fixed, grid = (ceil(n/16), ceil(n/16))
__global__ void improve(int* distance, int n, int k) {
  const int to = blockIdx.x * blockDim.x + threadIdx.x, from = blockIdx.y * blockDim.y + threadIdx.y;
  if (from >= n || to >= n || from == k || to == k) return;
  const int over = distance[from * n + k] + distance[k * n + to];
  if (over < distance[from * n + to]) distance[from * n + to] = over;
}

int main() {
  const int n = 48;
  std::vector<int> expected(n * n);
  int *one, *two;
  cudaMallocManaged(&one, n * n * sizeof(int));
  cudaMallocManaged(&two, n * n * sizeof(int));
  for (int i = 0; i < n * n; ++i) expected[i] = one[i] = two[i] = i % (n + 1) == 0 ? 0 : 1 + i * 7919 % 99;
  for (int k = 0; k < n; ++k) {
    for (int i = 0; i < n * n; ++i) expected[i] = std::min(expected[i], expected[i / n * n + k] + expected[k * n + i % n]);
  }
  const dim3 block(16, 16);
  shortestWays<<<1, block>>>(one, n);
  for (int k = 0; k < n; ++k) improve<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(two, n, k);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  int wrong = 0;
  for (int i = 0; i < n * n; ++i) wrong += (one[i] != expected[i]) + (two[i] != expected[i]);
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
