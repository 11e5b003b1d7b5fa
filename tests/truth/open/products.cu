// Dense products on tensor cores and without, and arithmetic in half precision.
#include <cuda_bf16.h>
#include <mma.h>

using namespace nvcuda;

// 64 x 64 results a block of four warps; tiles of halves in shared memory.
// warpscope tensor_tiles: block = 128 fixed, n = 768, grid = (n / 64, n / 64), a = random[n * n], b = random[n * n]:2, c = zeros[n * n]
__global__ void tensor_tiles(const half* a, const half* b, float* c, int n) {
  __shared__ __align__(32) half tile_a[64][40], tile_b[32][72];
  const int warp = threadIdx.x / 32, row = blockIdx.y * 64, column = blockIdx.x * 64;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[4];
  for (auto& sum : sums) wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < n; k += 32) {
    for (int e = threadIdx.x; e < 256; e += 128) {
      const int ar = e / 4, ac = e % 4 * 8, br = e / 8, bc = e % 8 * 8;
      *reinterpret_cast<uint4*>(&tile_a[ar][ac]) =
          *reinterpret_cast<const uint4*>(a + (row + ar) * n + k + ac);
      *reinterpret_cast<uint4*>(&tile_b[br][bc]) =
          *reinterpret_cast<const uint4*>(b + (k + br) * n + column + bc);
    }
    __syncthreads();
    for (int s = 0; s < 32; s += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
      wmma::load_matrix_sync(left, &tile_a[warp * 16][s], 40);
      for (int j = 0; j < 4; ++j) {
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right;
        wmma::load_matrix_sync(right, &tile_b[s][j * 16], 72);
        wmma::mma_sync(sums[j], left, right, sums[j]);
      }
    }
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j)
    wmma::store_matrix_sync(c + (row + warp * 16) * n + column + j * 16, sums[j], n, wmma::mem_row_major);
}

// warpscope tensor_bfloat: block = 64 fixed, n = 512, grid = (n / 32, n / 16), a = u16 random[n * n] in 15360..16256, b = u16 random[n * n]:2 in 15360..16256, c = zeros[n * n]
__global__ void tensor_bfloat(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int n) {
  const int row = blockIdx.y * 16, column = blockIdx.x * 32 + threadIdx.x / 32 * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < n; k += 16) {
    wmma::load_matrix_sync(left, a + row * n + k, n);
    wmma::load_matrix_sync(right, b + column * n + k, n);
    wmma::mma_sync(sum, left, right, sum);
  }
  wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}

// To the ten bits of fraction that these tensor cores take.
__device__ float shortened(float x) {
  return __uint_as_float((__float_as_uint(x) + 0x1000) & 0xFFFFE000);
}
// warpscope tensor_single: block = 32 fixed, n = 256, grid = (n / 16, n / 16), a = random[n * n], b = random[n * n]:2, c = zeros[n * n]
__global__ void tensor_single(const float* a, const float* b, float* c, int n) {
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < n; k += 8) {
    wmma::load_matrix_sync(left, a + blockIdx.y * 16 * n + k, n);
    wmma::load_matrix_sync(right, b + k * n + blockIdx.x * 16, n);
    for (auto& x : left.x) x = shortened(x);
    for (auto& x : right.x) x = shortened(x);
    wmma::mma_sync(sum, left, right, sum);
  }
  wmma::store_matrix_sync(c + blockIdx.y * 16 * n + blockIdx.x * 16, sum, n, wmma::mem_row_major);
}

// warpscope tensor_bytes: block = 256 fixed, n = 512, grid = n / 16 * n / 128, a = random[n * n], b = random[n * n]:2, c = zeros[n * n]
__global__ void tensor_bytes(const signed char* a, const signed char* b, int* c, int n) {
  const int warp = (blockIdx.x * 256 + threadIdx.x) / 32, row = warp / (n / 16) * 16,
            column = warp % (n / 16) * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> sum;
  wmma::fill_fragment(sum, 0);
  for (int k = 0; k < n; k += 16) {
    wmma::load_matrix_sync(left, a + row * n + k, n);
    wmma::load_matrix_sync(right, b + column * n + k, n);
    wmma::mma_sync(sum, left, right, sum);
  }
  wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}

// Many products of 16 x 16, each to the third power, with sums in half precision.
// warpscope tensor_batch: block = 96 fixed, count = 6000, grid = count / 3, m = random[256 * count] in -0.2..0.2
__global__ void tensor_batch(half* m, int count) {
  __shared__ __align__(32) half between[3][256];
  const int warp = threadIdx.x / 32, at = blockIdx.x * 3 + warp;
  if (at >= count) return;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, half> sum;
  wmma::load_matrix_sync(left, m + at * 256, 16);
  wmma::load_matrix_sync(right, m + at * 256, 16);
  wmma::fill_fragment(sum, __float2half(0));
  wmma::mma_sync(sum, left, right, sum);
  wmma::store_matrix_sync(between[warp], sum, 16, wmma::mem_row_major);
  __syncwarp();
  wmma::load_matrix_sync(right, between[warp], 16);
  wmma::fill_fragment(sum, __float2half(0));
  wmma::mma_sync(sum, left, right, sum);
  wmma::store_matrix_sync(m + at * 256, sum, 16, wmma::mem_row_major);
}

// 8 x 8 results a thread, 128 x 128 a block.
// warpscope large_tiles: block = (16, 16) fixed, n = 512, grid = (n / 128, n / 128), a = random[n * n], b = random[n * n]:2, c = zeros[n * n]
__global__ void large_tiles(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[8][132], tile_b[8][128];
  const int t = threadIdx.y * 16 + threadIdx.x, row = blockIdx.y * 128, column = blockIdx.x * 128;
  float sums[8][8] = {};
  for (int k = 0; k < n; k += 8) {
    const float4 of_a = *reinterpret_cast<const float4*>(a + (row + t / 2) * n + k + t % 2 * 4);
    tile_a[t % 2 * 4][t / 2] = of_a.x;
    tile_a[t % 2 * 4 + 1][t / 2] = of_a.y;
    tile_a[t % 2 * 4 + 2][t / 2] = of_a.z;
    tile_a[t % 2 * 4 + 3][t / 2] = of_a.w;
    *reinterpret_cast<float4*>(&tile_b[t / 32][t % 32 * 4]) =
        *reinterpret_cast<const float4*>(b + (k + t / 32) * n + column + t % 32 * 4);
    __syncthreads();
#pragma unroll
    for (int s = 0; s < 8; ++s) {
      float left[8], right[8];
#pragma unroll
      for (int e = 0; e < 8; ++e) {
        left[e] = tile_a[s][threadIdx.y * 8 + e];
        right[e] = tile_b[s][threadIdx.x + e * 16];
      }
#pragma unroll
      for (int r = 0; r < 8; ++r) {
#pragma unroll
        for (int e = 0; e < 8; ++e) sums[r][e] += left[r] * right[e];
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < 8; ++r) {
#pragma unroll
    for (int e = 0; e < 8; ++e)
      c[(row + threadIdx.y * 8 + r) * n + column + threadIdx.x + e * 16] = sums[r][e];
  }
}

// The lower triangle of a matrix times its transpose: blocks above the diagonal have nothing to do.
// warpscope gram_lower: block = (32, 8) fixed, n = 384, width = 256, grid = (n / 32, n / 32), a = random[n * width], c = zeros[n * n]
__global__ void gram_lower(const float* a, float* c, int n, int width) {
  __shared__ float rows[32][33], columns[32][33];
  if (blockIdx.x > blockIdx.y) return;
  float sums[4] = {};
  for (int k = 0; k < width; k += 32) {
    for (int r = threadIdx.y; r < 32; r += 8) {
      rows[r][threadIdx.x] = a[(blockIdx.y * 32 + r) * width + k + threadIdx.x];
      columns[r][threadIdx.x] = a[(blockIdx.x * 32 + r) * width + k + threadIdx.x];
    }
    __syncthreads();
    for (int s = 0; s < 32; ++s) {
      for (int r = 0; r < 4; ++r) sums[r] += rows[threadIdx.y + 8 * r][s] * columns[threadIdx.x][s];
    }
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r)
    c[(blockIdx.y * 32 + threadIdx.y + 8 * r) * n + blockIdx.x * 32 + threadIdx.x] = sums[r];
}

// Many matrices of 32 x 32 times a vector, a warp each.
// warpscope small_vectors: block = 160, count = 5000, grid = ceil(32 * count / block), m = random[1024 * count], x = random[32 * count]:2, y = zeros[32 * count]
__global__ void small_vectors(const float* m, const float* x, float* y, int count) {
  const int at = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (at >= count) return;
  const float mine = x[at * 32 + lane];
  float sum = 0;
  for (int k = 0; k < 32; ++k) sum += m[at * 1024 + k * 32 + lane] * __shfl_sync(0xFFFFFFFF, mine, k);
  y[at * 32 + lane] = sum;
}

// warpscope half_polynomial: block = 256, n = 1200000, grid = ceil(n / block), x = random[n], out = zeros[n]
__global__ void half_polynomial(const half2* x, half2* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const half2 v = x[i];
  half2 sum = __float2half2_rn(0.008333f);
  sum = __hfma2(sum, v, __float2half2_rn(0.041667f));
  sum = __hfma2(sum, v, __float2half2_rn(0.166667f));
  sum = __hfma2(sum, v, __float2half2_rn(0.5f));
  sum = __hfma2(sum, v, __float2half2_rn(1));
  sum = __hfma2(sum, v, __float2half2_rn(1));
  out[i] = __hmul2(sum, h2rsqrt(__hadd2(v, __float2half2_rn(1))));
}

// warpscope bfloat_gate: block = 224, n = 800000, grid = ceil(n / block), x = u16 random[n] in 15360..16256, y = u16 random[n]:2 in 15360..16256, out = u16 zeros[n]
__global__ void bfloat_gate(const __nv_bfloat16* x, const __nv_bfloat16* y, __nv_bfloat16* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const __nv_bfloat16 a = x[i], b = __hmul(a, y[i]);
  const float gate = 1 / (1 + __expf(-__bfloat162float(a)));
  out[i] = __hfma(b, __float2bfloat16(gate), a);
}

// warpscope kronecker: block = (24, 16), n = 24, grid = (n, n), a = random[n * n], b = random[16 * n], out = zeros[16 * n * n * n]
__global__ void kronecker(const double* a, const double* b, double* out, int n) {
  const double factor = a[blockIdx.y * n + blockIdx.x];
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * n + threadIdx.x;
  if (threadIdx.x < n && threadIdx.y < 16)
    out[row * n * n + column] = factor * b[threadIdx.y * n + threadIdx.x];
}

// A triangle of 64 rows, solved for many right sides, a column each thread.
// warpscope triangular_solve: block = 64, n = 64, columns = 2048, grid = ceil(columns / block), l = random[n * n] in 1..2, x = random[n * columns]
__global__ void triangular_solve(const float* l, float* x, int n, int columns) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= columns) return;
  for (int row = 0; row < n; ++row) {
    float sum = x[row * columns + column];
    for (int k = 0; k < row; ++k) sum -= l[row * n + k] * x[k * columns + column];
    x[row * columns + column] = sum / (8 * l[row * n + row]);
  }
}
