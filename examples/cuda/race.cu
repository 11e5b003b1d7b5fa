// Broken on purpose: a barrier is missing, so that threads read what others may not have written yet. On a GPU the
// result is often right all the same; the checks of a simulated GPU name both lines.
//   warpscope run race.cu --variant shiftRace
#include <cstdio>

// warpscope: block = 128 fixed, n = 2^12, grid = ceil(n/block), in = iota[n], out = zeros[n]
__global__ void shiftRace(const int* in, int* out, int n) {
  __shared__ int values[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  values[threadIdx.x] = i < n ? in[i] : 0;
  // __syncthreads() is missing here.
  if (i < n) out[i] = values[(threadIdx.x + 1) % blockDim.x];
}

__global__ void shift(const int* in, int* out, int n) {
  __shared__ int values[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  values[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  if (i < n) out[i] = values[(threadIdx.x + 1) % blockDim.x];
}

int main() {
  const int n = 1 << 12;
  int *in, *out;
  cudaMallocManaged(&in, n * sizeof(int));
  cudaMallocManaged(&out, n * sizeof(int));
  for (int i = 0; i < n; ++i) in[i] = i;
  int wrong = 0;
  for (const bool race : {true, false}) {
    if (race) shiftRace<<<n / 128, 128>>>(in, out, n);
    else shift<<<n / 128, 128>>>(in, out, n);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    wrong = 0;
    for (int i = 0; i < n; ++i) wrong += out[i] != i / 128 * 128 + (i + 1) % 128;
    std::printf("%s: %d wrong\n", race ? "with the race" : "with the barrier", wrong);
  }
  return wrong != 0;
}
