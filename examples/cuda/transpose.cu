// A matrix is transposed through a tile of shared memory, so that reads and writes are both coalesced. The tile has a
// column more than it needs, which keeps its columns in different banks.
//   warpscope exec transpose.cu --grid 2,2 --block 32,8 --arg f32[4096]=iota --arg f32[4096]=zeros --arg s32=64 --arg s32=64 --print 1:0,4
#include <cstdio>
#include <vector>

constexpr int kTile = 32, kRows = 8;

// warpscope: block = (32, 8) fixed, width = 128, height = 96, grid = (ceil(width/32), ceil(height/32))
// warpscope: in = random[width*height], out = zeros[width*height]
__global__ void transpose(const float* in, float* out, int width, int height) {
  __shared__ float tile[kTile][kTile + 1];
  int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  for (int row = 0; row < kTile; row += kRows) {
    if (x < width && y + row < height) tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * width + x];
  }
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x, y = blockIdx.x * kTile + threadIdx.y;
  for (int row = 0; row < kTile; row += kRows) {
    if (x < height && y + row < width) out[(y + row) * height + x] = tile[threadIdx.x][threadIdx.y + row];
  }
}

int main() {
  const int width = 64, height = 64;
  std::vector<float> matrix(width * height);
  for (int i = 0; i < width * height; ++i) matrix[i] = static_cast<float>(i);
  const size_t bytes = matrix.size() * sizeof(float);
  float *in, *out;
  cudaMalloc(&in, bytes);
  cudaMalloc(&out, bytes);
  cudaMemcpy(in, matrix.data(), bytes, cudaMemcpyHostToDevice);
  const dim3 block(kTile, kRows), grid((width + kTile - 1) / kTile, (height + kTile - 1) / kTile);
  transpose<<<grid, block>>>(in, out, width, height);
  cudaMemcpy(matrix.data(), out, bytes, cudaMemcpyDeviceToHost);
  std::printf("second element: %g, expected %d\n", matrix[1], width);
  cudaFree(in);
  cudaFree(out);
}
