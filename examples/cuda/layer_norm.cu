// Layer normalization: each row less its mean, over its standard deviation, times gain plus bias.
//   warpscope run layer_norm.cu --variant 'layerNorm<128>'
#include <cmath>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>

namespace cg = cooperative_groups;

constexpr float kEpsilon = 1e-5f;

// The sum over a block: tiles reduce their own, the first tile reduces theirs.
template <int Threads>
__device__ float sumOfBlock(float value) {
  __shared__ float of_tile[Threads / 32];
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<32>(block);
  const float own = cg::reduce(tile, value, cg::plus<float>());
  block.sync();
  if (tile.thread_rank() == 0) of_tile[tile.meta_group_rank()] = own;
  block.sync();
  float sum = 0;
  for (int i = 0; i < Threads / 32; ++i) sum += of_tile[i];
  return sum;
}

// One block a row.
// warpscope: block = 128 fixed, rows = 96, columns = 300, in = random[rows*columns] in -3..3, out = zeros[rows*columns]
// warpscope: gain = random[columns]:1, bias = random[columns]:2
// warpscope layerNorm: grid = rows, reference = layerNormThread, tolerance = 1e-4
template <int Threads>
__global__ void layerNorm(const float* in, float* out, const float* gain, const float* bias, int rows, int columns) {
  if (blockIdx.x >= rows) return;
  const float* row = in + blockIdx.x * columns;
  float sum = 0, squares = 0;
  for (int i = threadIdx.x; i < columns; i += Threads) sum += row[i];
  const float mean = sumOfBlock<Threads>(sum) / columns;
  for (int i = threadIdx.x; i < columns; i += Threads) squares += (row[i] - mean) * (row[i] - mean);
  const float scale = rsqrtf(sumOfBlock<Threads>(squares) / columns + kEpsilon);
  for (int i = threadIdx.x; i < columns; i += Threads)
    out[blockIdx.x * columns + i] = (row[i] - mean) * scale * gain[i] + bias[i];
}
template __global__ void layerNorm<128>(const float*, float*, const float*, const float*, int, int);

// One thread a row.
// warpscope layerNormThread: grid = ceil(rows/block)
__global__ void layerNormThread(const float* in, float* out, const float* gain, const float* bias, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0, squares = 0;
  for (int i = 0; i < columns; ++i) sum += in[row * columns + i];
  const float mean = sum / columns;
  for (int i = 0; i < columns; ++i) squares += (in[row * columns + i] - mean) * (in[row * columns + i] - mean);
  const float scale = rsqrtf(squares / columns + kEpsilon);
  for (int i = 0; i < columns; ++i)
    out[row * columns + i] = (in[row * columns + i] - mean) * scale * gain[i] + bias[i];
}

int main() {
  const int rows = 96, columns = 300;
  float *in, *out, *gain, *bias;
  for (float** p : {&in, &out, &gain, &bias}) cudaMallocManaged(p, rows * columns * sizeof(float));
  for (int i = 0; i < rows * columns; ++i) in[i] = static_cast<float>(i * 37 % 601) / 100.0f - 3.0f;
  for (int i = 0; i < columns; ++i) gain[i] = 1, bias[i] = 0;
  layerNorm<128><<<rows, 128>>>(in, out, gain, bias, rows, columns);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  int wrong = 0;  // without gain and bias each row has mean 0 and variance 1
  for (int row = 0; row < rows; ++row) {
    double sum = 0, squares = 0;
    for (int i = 0; i < columns; ++i) {
      const double value = out[row * columns + i];
      sum += value;
      squares += value * value;
    }
    wrong += !(std::fabs(sum / columns) < 1e-4 && std::fabs(squares / columns - 1) < 1e-3);
  }
  std::printf("%d rows wrong\n", wrong);
  return wrong != 0;
}
