// Odd-even transposition sort within each block: neighbours are exchanged, even pairs and odd pairs in turn, until no
// pair is out of order.
//   warpscope run odd_even_sort.cu --variant oddEvenSort
#include <algorithm>
#include <cstdio>
#include <vector>

// warpscope: block = 128, n = 2^11, grid = ceil(n/(2*block)), keys = random[n] in -999..999
// warpscope oddEvenSort: shared = 8*block, reference = insertionSort
__global__ void oddEvenSort(int* keys, int n) {
  extern __shared__ int own[];
  const int first = blockIdx.x * blockDim.x * 2, count = min((int)blockDim.x * 2, n - first);
  for (int i = threadIdx.x; i < count; i += blockDim.x) own[i] = keys[first + i];
  __syncthreads();
  int changed = 1;
  for (int step = 0; changed; ++step) {
    changed = 0;
    for (int parity = 0; parity < 2; ++parity) {
      const int i = 2 * threadIdx.x + parity;
      if (i + 1 < count && own[i] > own[i + 1]) {
        const int key = own[i];
        own[i] = own[i + 1];
        own[i + 1] = key;
        changed = 1;
      }
      __syncthreads();
    }
    changed = __syncthreads_or(changed);
  }
  for (int i = threadIdx.x; i < count; i += blockDim.x) keys[first + i] = own[i];
}

__global__ void insertionSort(int* keys, int n) {
  if (threadIdx.x != 0) return;
  const int first = blockIdx.x * blockDim.x * 2, end = min(first + (int)blockDim.x * 2, n);
  for (int i = first + 1; i < end; ++i) {
    const int key = keys[i];
    int j = i;
    for (; j > first && keys[j - 1] > key; --j) keys[j] = keys[j - 1];
    keys[j] = key;
  }
}

int main() {
  const int n = 1 << 11, block = 128;
  int* keys;
  cudaMallocManaged(&keys, n * sizeof(int));
  for (int i = 0; i < n; ++i) keys[i] = i * 7919 % 1999 - 999;
  std::vector<int> expected(keys, keys + n);
  for (int first = 0; first < n; first += 2 * block) std::sort(expected.begin() + first, expected.begin() + first + 2 * block);
  oddEvenSort<<<n / (2 * block), block, 2 * block * sizeof(int)>>>(keys, n);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  const bool correct = std::equal(expected.begin(), expected.end(), keys);
  std::printf("%s\n", correct ? "sorted" : "WRONG");
  return correct ? 0 : 1;
}
