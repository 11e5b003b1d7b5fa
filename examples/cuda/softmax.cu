// The softmax of each row: exp(x) over the sum of the row's, made safe by taking off the row's maximum first.
//   warpscope run softmax.cu --variant softmaxWarp
#include <cmath>
#include <cstdio>
#include <vector>

// One thread a row: lanes read addresses a row apart.
// warpscope: block = 128, rows = 256, columns = 200, grid = ceil(rows/block), in = random[rows*columns] in -8..8, out = zeros[rows*columns]
__global__ void softmaxThread(const float* in, float* out, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float largest = -INFINITY, sum = 0;
  for (int i = 0; i < columns; ++i) largest = fmaxf(largest, in[row * columns + i]);
  for (int i = 0; i < columns; ++i) sum += expf(in[row * columns + i] - largest);
  for (int i = 0; i < columns; ++i) out[row * columns + i] = expf(in[row * columns + i] - largest) / sum;
}

template <class T, class Operation>
__device__ T acrossWarp(T value, Operation operation) {
  for (int distance = 16; distance > 0; distance /= 2)
    value = operation(value, __shfl_xor_sync(0xffffffff, value, distance));
  return value;
}

// One warp a row: its lanes read neighbours, and find maximum and sum by shuffles.
// warpscope softmaxWarp: grid = ceil(rows*32/block), reference = softmaxThread, tolerance = 1e-5
__global__ void softmaxWarp(const float* in, float* out, int rows, int columns) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize, lane = threadIdx.x % warpSize;
  if (row >= rows) return;
  const float* from = in + row * columns;
  float largest = -INFINITY, sum = 0;
  for (int i = lane; i < columns; i += warpSize) largest = fmaxf(largest, from[i]);
  largest = acrossWarp(largest, [](float a, float b) { return fmaxf(a, b); });
  for (int i = lane; i < columns; i += warpSize) sum += expf(from[i] - largest);
  sum = acrossWarp(sum, [](float a, float b) { return a + b; });
  for (int i = lane; i < columns; i += warpSize) out[row * columns + i] = expf(from[i] - largest) / sum;
}

int main() {
  const int rows = 256, columns = 200;
  std::vector<float> values(rows * columns);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 37 % 160) / 10.0f - 8.0f;
  float *in, *out;
  const size_t bytes = values.size() * sizeof(float);
  cudaMalloc(&in, bytes);
  cudaMalloc(&out, bytes);
  cudaMemcpy(in, values.data(), bytes, cudaMemcpyHostToDevice);
  int wrong = 0;
  std::vector<float> result(values.size());
  for (const bool by_warp : {false, true}) {
    if (by_warp) softmaxWarp<<<rows * 32 / 128, 128>>>(in, out, rows, columns);
    else softmaxThread<<<(rows + 127) / 128, 128>>>(in, out, rows, columns);
    cudaMemcpy(result.data(), out, bytes, cudaMemcpyDeviceToHost);
    for (int row = 0; row < rows; ++row) {
      double sum = 0;
      for (int i = 0; i < columns; ++i) sum += std::exp(values[row * columns + i]);
      for (int i = 0; i < columns; ++i) {
        const double expected = std::exp(values[row * columns + i]) / sum;
        wrong += !(std::fabs(result[row * columns + i] - expected) <= 1e-5 * expected + 1e-9);
      }
    }
  }
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
