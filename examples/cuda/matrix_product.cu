// The product of two n x n matrices.
//   warpscope run matrix_product.cu --variant 'productTiled<16>'
#include <cstdio>

// Each thread reads a row of a and a column of b from global memory.
// warpscope: block = (16, 16) fixed, n = 128, grid = (ceil(n/16), ceil(n/16)), a = random[n*n], b = random[n*n], c = zeros[n*n]
__global__ void product(const float* a, const float* b, float* c, int n) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || column >= n) return;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

// The block reads tiles of both into shared memory; each value is then used Tile times.
// warpscope productTiled: reference = product, tolerance = 1e-4
template <int Tile>
__global__ void productTiled(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[Tile][Tile], tile_b[Tile][Tile];
  const int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * Tile + x, row = blockIdx.y * Tile + y;
  float sum = 0;
  for (int first = 0; first < n; first += Tile) {
    tile_a[y][x] = row < n && first + x < n ? a[row * n + first + x] : 0;
    tile_b[y][x] = first + y < n && column < n ? b[(first + y) * n + column] : 0;
    __syncthreads();
    for (int k = 0; k < Tile; ++k) sum += tile_a[y][k] * tile_b[k][x];
    __syncthreads();
  }
  if (row < n && column < n) c[row * n + column] = sum;
}
template __global__ void productTiled<16>(const float* a, const float* b, float* c, int n);

int main() {
  const int n = 128, tile = 16;
  float *a, *b, *c;
  for (float** p : {&a, &b, &c}) cudaMallocManaged(p, n * n * sizeof(float));
  for (int i = 0; i < n * n; ++i) {
    a[i] = static_cast<float>(i % 7);
    b[i] = static_cast<float>(i % 5);
  }
  const dim3 block(tile, tile), grid((n + tile - 1) / tile, (n + tile - 1) / tile);
  int wrong = 0;
  for (const bool tiled : {false, true}) {
    if (tiled) productTiled<tile><<<grid, block>>>(a, b, c, n);
    else product<<<grid, block>>>(a, b, c, n);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    for (int row = 0; row < n; ++row) {
      for (int column = 0; column < n; ++column) {
        float sum = 0;  // of whole numbers: exact in any order
        for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
        wrong += c[row * n + column] != sum;
      }
    }
  }
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
