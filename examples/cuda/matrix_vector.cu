// A matrix times a vector: a thread a row, whose lanes read far apart, and a warp a row, whose lanes read side by side.
#include <cstdio>

// warpscope: block = 128, rows = 512 in 32..2^14, columns = 256 in 32..4096, matrix = random[rows * columns], x = random[columns], y = zeros[rows]
// warpscope: reference = threadPerRow
// warpscope threadPerRow: grid = ceil(rows / block), reference = host multiplyOnHost
__global__ void threadPerRow(const float* matrix, const float* x, float* y, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int i = 0; i < columns; ++i) sum += matrix[row * columns + i] * x[i];
  y[row] = sum;
}

// warpscope warpPerRow: grid = ceil(rows * 32 / block)
__global__ void warpPerRow(const float* matrix, const float* x, float* y, int rows, int columns) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize, lane = threadIdx.x % warpSize;
  if (row >= rows) return;
  float sum = 0;
  for (int i = lane; i < columns; i += warpSize) sum += matrix[row * columns + i] * x[i];
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(0xffffffff, sum, lanes);
  if (lane == 0) y[row] = sum;
}

void multiplyOnHost(const float* matrix, const float* x, float* y, int rows, int columns) {
  for (int row = 0; row < rows; ++row) {
    double sum = 0;
    for (int i = 0; i < columns; ++i) sum += static_cast<double>(matrix[row * columns + i]) * x[i];
    y[row] = static_cast<float>(sum);
  }
}

int main() {
  float *matrix, *x, *y;
  cudaMallocManaged(&matrix, 64 * 64 * sizeof(float));
  cudaMallocManaged(&x, 64 * sizeof(float));
  cudaMallocManaged(&y, 64 * sizeof(float));
  for (int i = 0; i < 64 * 64; ++i) matrix[i] = 1;
  for (int i = 0; i < 64; ++i) x[i] = 1;
  warpPerRow<<<16, 128>>>(matrix, x, y, 64, 64);
  cudaDeviceSynchronize();
  std::printf("y[0] = %g, expected 64\n", y[0]);
}
