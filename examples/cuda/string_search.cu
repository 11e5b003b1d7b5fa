// Where does a word begin in a text? The word is in constant memory, since all threads read the same letter at a time.
//   warpscope run string_search.cu --variant searchShared
#include <cstdio>
#include <cstring>
#include <string>

constexpr int kLength = 5;
__constant__ char word[kLength + 1] = "abcab";

// One thread for each place; most leave the loop at the first letter.
// warpscope: block = 256, n = 2^15, grid = ceil(n/block), text = random[n] in 97..99, found = zeros[n], count = zeros[1]
__global__ void search(const char* text, unsigned char* found, unsigned int* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > n - kLength) return;
  int same = 0;
  while (same < kLength && text[i + same] == word[same]) ++same;
  found[i] = same == kLength;
  if (same == kLength) atomicAdd(count, 1u);
}

// Each letter is read from global memory once, and matches are counted by warps.
// warpscope searchShared: shared = block+5, reference = search
__global__ void searchShared(const char* text, unsigned char* found, unsigned int* count, int n) {
  extern __shared__ char letters[];
  const int first = blockIdx.x * blockDim.x, i = first + threadIdx.x;
  for (int j = threadIdx.x; j < blockDim.x + kLength && first + j < n; j += blockDim.x) letters[j] = text[first + j];
  __syncthreads();
  bool match = i <= n - kLength;
#pragma unroll
  for (int j = 0; j < kLength; ++j) match = match && letters[threadIdx.x + j] == word[j];
  const unsigned int matches = __ballot_sync(0xffffffff, match);
  if (threadIdx.x % warpSize == 0 && matches != 0) atomicAdd(count, static_cast<unsigned int>(__popc(matches)));
  if (i <= n - kLength) found[i] = match;
}

int main() {
  const int n = 1 << 15, block = 256;
  std::string text(n, 'a');
  for (int i = 0; i < n; ++i) text[i] = static_cast<char>('a' + i * i % 7 % 3);
  text.replace(100, kLength, "abcab");
  char* in;
  unsigned char* found;
  unsigned int* count;
  cudaMallocManaged(&in, n);
  cudaMallocManaged(&found, n);
  cudaMallocManaged(&count, 2 * sizeof(unsigned int));
  std::memcpy(in, text.data(), n);
  count[0] = count[1] = 0;
  search<<<n / block, block>>>(in, found, &count[0], n);
  searchShared<<<n / block, block, block + kLength>>>(in, found, &count[1], n);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  unsigned int expected = 0;
  for (size_t at = text.find("abcab"); at != std::string::npos; at = text.find("abcab", at + 1)) ++expected;
  std::printf("%u and %u times, expected %u\n", count[0], count[1], expected);
  return count[0] != expected || count[1] != expected || found[100] != 1;
}
