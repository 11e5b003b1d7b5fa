// y = a x + y, one element a thread: the first kernel that one writes.
//   warpscope exec saxpy.cu --grid 4 --block 256 --arg u32=1000 --arg f32=2 --arg f32[1000]=iota --arg f32[1000]=ones --print 3:0,8
#include <cstdio>
#include <vector>

// warpscope: block = 256, n = 2^16, grid = ceil(n/block), a = 2, x = random[n], y = random[n]:1
__global__ void saxpy(unsigned int n, float a, const float* x, float* y) {
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

int main() {
  const unsigned int n = 1000;
  std::vector<float> x(n), y(n, 1.0f);
  for (unsigned int i = 0; i < n; ++i) x[i] = static_cast<float>(i);
  float *device_x, *device_y;
  cudaMalloc(&device_x, n * sizeof(float));
  cudaMalloc(&device_y, n * sizeof(float));
  cudaMemcpy(device_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(device_y, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, device_x, device_y);
  cudaMemcpy(y.data(), device_y, n * sizeof(float), cudaMemcpyDeviceToHost);
  const cudaError_t error = cudaGetLastError();
  std::printf("%s: y[7] = %g\n", cudaGetErrorString(error), y[7]);
  cudaFree(device_x);
  cudaFree(device_y);
  return error == cudaSuccess ? 0 : 1;
}
