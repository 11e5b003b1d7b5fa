// Counts bytes: each block counts in shared memory first, because atomics there collide less and cost less.
//   warpscope exec histogram.cu --grid 4 --block 128 --arg u8[4096]=iota --arg u32=4096 --arg u32[256]=zeros --print 2:0,8
#include <cstdio>
#include <vector>

constexpr int kBins = 256;

// warpscope: block = 128, n = 2^14, grid = 4, bytes = random[n], bins = zeros[256]
__global__ void histogram(const unsigned char* bytes, unsigned int n, unsigned int* bins) {
  __shared__ unsigned int of_block[kBins];
  for (unsigned int bin = threadIdx.x; bin < kBins; bin += blockDim.x) of_block[bin] = 0;
  __syncthreads();
  for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&of_block[bytes[i]], 1u);
  }
  __syncthreads();
  for (unsigned int bin = threadIdx.x; bin < kBins; bin += blockDim.x) {
    if (of_block[bin] > 0) atomicAdd(&bins[bin], of_block[bin]);
  }
}

int main() {
  std::vector<unsigned char> text(4096);
  for (size_t i = 0; i < text.size(); ++i) text[i] = static_cast<unsigned char>(i);
  std::vector<unsigned int> counted(kBins);
  unsigned char* bytes;
  unsigned int* bins;
  cudaMalloc(&bytes, text.size());
  cudaMalloc(&bins, kBins * sizeof(unsigned int));
  cudaMemcpy(bytes, text.data(), text.size(), cudaMemcpyHostToDevice);
  cudaMemset(bins, 0, kBins * sizeof(unsigned int));
  histogram<<<4, 128>>>(bytes, static_cast<unsigned int>(text.size()), bins);
  cudaMemcpy(counted.data(), bins, kBins * sizeof(unsigned int), cudaMemcpyDeviceToHost);
  std::printf("bin 0: %u, expected 16\n", counted[0]);
  cudaFree(bytes);
  cudaFree(bins);
}
