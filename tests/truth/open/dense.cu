// Dense products and small matrices.
#include <mma.h>

// warpscope: block = (16, 16) fixed, n = 256, grid = (n / 16, n / 16), a = random[n * n], b = random[n * n]:2, c = zeros[n * n]
__global__ void product_naive(const float* a, const float* b, float* c, int n) {
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}

__global__ void product_tiled(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[16][16], tile_b[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    tile_a[ty][tx] = a[y * n + k + tx];
    tile_b[ty][tx] = b[(k + ty) * n + x];
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += tile_a[ty][i] * tile_b[i][tx];
    __syncthreads();
  }
  c[y * n + x] = sum;
}

// warpscope product_registers: block = (16, 16) fixed, n = 512, grid = (n / 64, n / 64), a = random[n * n], b = random[n * n]:2, c = zeros[n * n]
__global__ void product_registers(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[16][65], tile_b[16][64];
  const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
  float sum[4][4] = {};
  for (int k = 0; k < n; k += 16) {
    for (int i = t; i < 1024; i += 256) {
      tile_a[i % 16][i / 16] = a[(blockIdx.y * 64 + i / 16) * n + k + i % 16];
      tile_b[i / 64][i % 64] = b[(k + i / 64) * n + blockIdx.x * 64 + i % 64];
    }
    __syncthreads();
    for (int i = 0; i < 16; ++i) {
      for (int r = 0; r < 4; ++r) {
        for (int s = 0; s < 4; ++s) sum[r][s] += tile_a[i][ty * 4 + r] * tile_b[i][tx + 16 * s];
      }
    }
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r) {
    for (int s = 0; s < 4; ++s)
      c[(blockIdx.y * 64 + ty * 4 + r) * n + blockIdx.x * 64 + tx + 16 * s] = sum[r][s];
  }
}

__global__ void product_transposed(const float* a, const float* b, float* c, int n) {
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[x * n + k];
  c[y * n + x] = sum;
}

// warpscope vector_rows: block = 128, rows = 2048, grid = ceil(rows / block), m = random[rows * 512], x = random[512], y = zeros[rows]
__global__ void vector_rows(const float* m, const float* x, float* y, int rows) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float sum = 0;
  for (int k = 0; k < 512; ++k) sum += m[r * 512 + k] * x[k];
  y[r] = sum;
}

// warpscope vector_warps: block = 256, rows = 8192, grid = ceil(32 * rows / block), m = random[rows * 512], x = random[512], y = zeros[rows]
__global__ void vector_warps(const float* m, const float* x, float* y, int rows) {
  const int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (r >= rows) return;
  float sum = 0;
  for (int k = lane; k < 512; k += 32) sum += m[r * 512 + k] * x[k];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xFFFFFFFF, sum, d);
  if (lane == 0) y[r] = sum;
}

// warpscope outer: block = (32, 8), n = 1024, grid = (ceil(n / block.x), ceil(n / block.y)), x = random[n], y = random[n]:4, m = zeros[n * n]
__global__ void outer(const float* x, const float* y, float* m, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n) m[j * n + i] += x[i] * y[j];
}

// warpscope inverse3: block = 128, count = 2^16, grid = ceil(count / block), in = random[9 * count] in 1..2, out = zeros[9 * count]
__global__ void inverse3(const float* in, float* out, int count) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= count) return;
  float m[9];
  for (int i = 0; i < 9; ++i) m[i] = in[9 * k + i] + (i % 4 == 0 ? 3 : 0);
  const float c0 = m[4] * m[8] - m[5] * m[7], c1 = m[5] * m[6] - m[3] * m[8], c2 = m[3] * m[7] - m[4] * m[6];
  const float scale = 1 / (m[0] * c0 + m[1] * c1 + m[2] * c2);
  float* o = out + 9 * k;
  o[0] = c0 * scale;
  o[1] = (m[2] * m[7] - m[1] * m[8]) * scale;
  o[2] = (m[1] * m[5] - m[2] * m[4]) * scale;
  o[3] = c1 * scale;
  o[4] = (m[0] * m[8] - m[2] * m[6]) * scale;
  o[5] = (m[2] * m[3] - m[0] * m[5]) * scale;
  o[6] = c2 * scale;
  o[7] = (m[1] * m[6] - m[0] * m[7]) * scale;
  o[8] = (m[0] * m[4] - m[1] * m[3]) * scale;
}

// warpscope lu16: block = (16, 16) fixed, count = 1056, grid = count, m = random[256 * count] in 1..2
__global__ void lu16(float* m, int count) {
  __shared__ float a[16][17];
  const int x = threadIdx.x, y = threadIdx.y;
  float* mine = m + 256 * (blockIdx.x % count);
  a[y][x] = mine[y * 16 + x] + (x == y ? 20 : 0);
  __syncthreads();
  for (int k = 0; k < 15; ++k) {
    if (x == k && y > k) a[y][k] /= a[k][k];
    __syncthreads();
    if (x > k && y > k) a[y][x] -= a[y][k] * a[k][x];
    __syncthreads();
  }
  mine[y * 16 + x] = a[y][x];
}

// warpscope tensor_wmma: block = 128 fixed, n = 512, grid = n / 16 * n / 64, a = random[n * n], b = random[n * n]:2, c = zeros[n * n]
__global__ void tensor_wmma(const half* a, const half* b, float* c, int n) {
  using namespace nvcuda;
  const int tile = blockIdx.x * 4 + threadIdx.x / 32, row = tile / (n / 16), column = tile % (n / 16);
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < n; k += 16) {
    wmma::load_matrix_sync(fa, a + row * 16 * n + k, n);
    wmma::load_matrix_sync(fb, b + k * n + column * 16, n);
    wmma::mma_sync(sum, fa, fb, sum);
  }
  wmma::store_matrix_sync(c + row * 16 * n + column * 16, sum, n, wmma::mem_row_major);
}
