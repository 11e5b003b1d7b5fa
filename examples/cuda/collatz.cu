// How long the Collatz sequence of a number is: lanes leave the loop one by one.
#include <cstdio>

// warpscope: block = 256, n = 2^13 in 256..2^20, grid = ceil(n / block), lengths = zeros[n], reference = host lengthsOnHost
__global__ void collatz(int* lengths, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long number = i + 1;
  int steps = 0;
  while (number != 1) {
    number = number % 2 == 0 ? number / 2 : 3 * number + 1;
    ++steps;
  }
  lengths[i] = steps;
}

void lengthsOnHost(int* lengths, int n) {
  for (int i = 0; i < n; ++i) {
    lengths[i] = 0;
    for (unsigned long long number = i + 1; number != 1; ++lengths[i]) number = number % 2 == 0 ? number / 2 : 3 * number + 1;
  }
}

int main() {
  int* lengths;
  cudaMallocManaged(&lengths, 256 * sizeof(int));
  collatz<<<1, 256>>>(lengths, 256);
  cudaDeviceSynchronize();
  std::printf("27 takes %d steps, expected 111\n", lengths[26]);
}
