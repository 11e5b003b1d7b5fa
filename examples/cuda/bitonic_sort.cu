// Each block sorts its own elements: pairs at changing distances are compared and exchanged, in the same order whatever
// the values are. Beyond the end the largest value stands, which stays behind.
//   warpscope run bitonic_sort.cu --variant bitonicSort
#include <algorithm>
#include <cstdio>
#include <vector>

// warpscope: n = 2^13, in = random[n] in 0..9999, out = zeros[n]
// warpscope bitonicSort: block = 256 fixed, grid = ceil(n/block), shared = 4*block, reference = rankSort
__global__ void bitonicSort(const unsigned int* in, unsigned int* out, unsigned int n) {
  extern __shared__ unsigned int keys[];
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  keys[t] = i < n ? in[i] : 0xffffffffu;
  for (unsigned int size = 2; size <= blockDim.x; size *= 2) {
    for (unsigned int distance = size / 2; distance > 0; distance /= 2) {
      __syncthreads();
      const unsigned int partner = t ^ distance;
      if (partner > t) {
        const bool ascending = (t & size) == 0;
        const unsigned int low = keys[t], high = keys[partner];
        if ((low > high) == ascending) keys[t] = high, keys[partner] = low;
      }
    }
  }
  __syncthreads();
  if (i < n) out[i] = keys[t];
}

// The place of an element is the number of those before it: n^2 comparisons, no exchange.
// warpscope rankSort: block = 256 fixed, grid = ceil(n/block)
__global__ void rankSort(const unsigned int* in, unsigned int* out, unsigned int n) {
  const unsigned int first = blockIdx.x * blockDim.x, i = first + threadIdx.x;
  if (i >= n) return;
  const unsigned int end = min(first + blockDim.x, n), key = in[i];
  unsigned int rank = 0;
  for (unsigned int j = first; j < end; ++j) rank += in[j] < key || (in[j] == key && j < i);
  out[first + rank] = key;
}

int main() {
  const unsigned int n = 1 << 13, block = 256;
  std::vector<unsigned int> keys(n), sorted(n);
  for (unsigned int i = 0; i < n; ++i) keys[i] = i * 2654435761u % 10000;
  unsigned int *in, *out;
  cudaMalloc(&in, n * sizeof(unsigned int));
  cudaMalloc(&out, n * sizeof(unsigned int));
  cudaMemcpy(in, keys.data(), n * sizeof(unsigned int), cudaMemcpyHostToDevice);
  for (unsigned int first = 0; first < n; first += block) std::sort(keys.begin() + first, keys.begin() + first + block);
  bool correct = true;
  for (const bool by_rank : {false, true}) {
    if (by_rank) rankSort<<<n / block, block>>>(in, out, n);
    else bitonicSort<<<n / block, block, block * sizeof(unsigned int)>>>(in, out, n);
    cudaMemcpy(sorted.data(), out, n * sizeof(unsigned int), cudaMemcpyDeviceToHost);
    correct = correct && sorted == keys;
  }
  std::printf("%s\n", correct ? "sorted" : "WRONG");
  cudaFree(in);
  cudaFree(out);
  return correct ? 0 : 1;
}
