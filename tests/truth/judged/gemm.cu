// Matrix products as libraries and tutorials write them.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

// 64 x 64 of C for a block, 4 x 4 for a thread.
// warpscope sgemm_64x64: block = 256 fixed, M = 512, N = 768, K = 256, grid = (N / 64, M / 64), A = random[M * K], B = random[K * N], C = random[M * N], alpha = 1.25, beta = 0.5
__global__ void __launch_bounds__(256)
    sgemm_64x64(int M, int N, int K, float alpha, const float* __restrict__ A, const float* __restrict__ B,
                float beta, float* __restrict__ C) {
  __shared__ float As[16][64];
  __shared__ float Bs[16][64];
  const int tid = threadIdx.x, tx = tid % 16, ty = tid / 16;
  const int a_row = tid / 4, a_col = tid % 4 * 4, b_row = tid / 16, b_col = tid % 16 * 4;
  A += blockIdx.y * 64 * K;
  B += blockIdx.x * 64;
  float acc[4][4] = {};
  for (int k0 = 0; k0 < K; k0 += 16) {
    const float4 a = *reinterpret_cast<const float4*>(&A[a_row * K + k0 + a_col]);
    As[a_col + 0][a_row] = a.x;
    As[a_col + 1][a_row] = a.y;
    As[a_col + 2][a_row] = a.z;
    As[a_col + 3][a_row] = a.w;
    *reinterpret_cast<float4*>(&Bs[b_row][b_col]) =
        *reinterpret_cast<const float4*>(&B[(k0 + b_row) * N + b_col]);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      float ra[4], rb[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) ra[i] = As[k][ty * 4 + i];
#pragma unroll
      for (int j = 0; j < 4; ++j) rb[j] = Bs[k][tx * 4 + j];
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) acc[i][j] += ra[i] * rb[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) {
    float4* out =
        reinterpret_cast<float4*>(&C[(blockIdx.y * 64 + ty * 4 + i) * N + blockIdx.x * 64 + tx * 4]);
    float4 c = *out;
    c.x = alpha * acc[i][0] + beta * c.x;
    c.y = alpha * acc[i][1] + beta * c.y;
    c.z = alpha * acc[i][2] + beta * c.z;
    c.w = alpha * acc[i][3] + beta * c.w;
    *out = c;
  }
}

// The course's tiled product, for sides that are no multiples of the tile.
template <int TILE>
__device__ void gemm_any_size(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float sA[TILE][TILE];
  __shared__ float sB[TILE][TILE];
  const int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  float value = 0.0f;
  for (int t = 0; t < (K + TILE - 1) / TILE; t++) {
    sA[threadIdx.y][threadIdx.x] =
        row < M && t * TILE + threadIdx.x < K ? A[row * K + t * TILE + threadIdx.x] : 0.0f;
    sB[threadIdx.y][threadIdx.x] =
        col < N && t * TILE + threadIdx.y < K ? B[(t * TILE + threadIdx.y) * N + col] : 0.0f;
    __syncthreads();
    for (int k = 0; k < TILE; k++) value += sA[threadIdx.y][k] * sB[k][threadIdx.x];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = value;
}
// warpscope matrixMulRagged: block = (20, 20) fixed, M = 333, N = 410, K = 190, grid = (ceil(N / 20), ceil(M / 20)), A = random[M * K], B = random[K * N], C = zeros[M * N]
__global__ void matrixMulRagged(const float* A, const float* B, float* C, int M, int N, int K) {
  gemm_any_size<20>(A, B, C, M, N, K);
}

// Tiles arrive by asynchronous copies while those before are multiplied.
// warpscope sgemm_cp_async: block = (16, 16) fixed, M = 256, N = 512, K = 512, grid = (N / 32, M / 32), A = random[M * K], B = random[K * N], C = zeros[M * N]
__global__ void sgemm_cp_async(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ __align__(16) float a[2][32][36], b[2][32][32];
  const int tid = threadIdx.y * 16 + threadIdx.x;
  const int r = tid / 8, c = tid % 8 * 4;
  const float* from_a = A + (blockIdx.y * 32 + r) * K + c;
  const float* from_b = B + r * N + blockIdx.x * 32 + c;
  auto fetch = [&](int stage, int k0) {
    __pipeline_memcpy_async(&a[stage][r][c], from_a + k0, 16);
    __pipeline_memcpy_async(&b[stage][r][c], from_b + (size_t)k0 * N, 16);
    __pipeline_commit();
  };
  float c00 = 0, c01 = 0, c10 = 0, c11 = 0;
  fetch(0, 0);
  for (int k0 = 0; k0 < K; k0 += 32) {
    const int stage = k0 / 32 & 1;
    if (k0 + 32 < K) {
      fetch(stage ^ 1, k0 + 32);
      __pipeline_wait_prior(1);
    } else {
      __pipeline_wait_prior(0);
    }
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < 32; ++k) {
      const float a0 = a[stage][threadIdx.y][k], a1 = a[stage][threadIdx.y + 16][k];
      const float b0 = b[stage][k][threadIdx.x], b1 = b[stage][k][threadIdx.x + 16];
      c00 += a0 * b0;
      c01 += a0 * b1;
      c10 += a1 * b0;
      c11 += a1 * b1;
    }
    __syncthreads();
  }
  float* out = C + (blockIdx.y * 32 + threadIdx.y) * N + blockIdx.x * 32 + threadIdx.x;
  out[0] = c00;
  out[16] = c01;
  out[16 * N] = c10;
  out[16 * N + 16] = c11;
}

// Halves on the tensor cores, with tiles in shared memory: four warps, a 64 x 64 part of C.
// warpscope hgemm_wmma: block = 128 fixed, M = 512, N = 1024, K = 256, grid = (N / 64, M / 64), A = random[M * K], B = random[K * N], C = zeros[M * N]
__global__ void hgemm_wmma(const __half* __restrict__ A, const __half* __restrict__ B, float* __restrict__ C,
                           int M, int N, int K) {
  using namespace nvcuda;
  __shared__ __align__(32) __half sa[64][40], sb[32][72];
  const int warp = threadIdx.x / 32, wr = warp / 2 * 32, wc = warp % 2 * 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) wmma::fill_fragment(acc[i][j], 0.0f);
  for (int k0 = 0; k0 < K; k0 += 32) {
    for (int i = threadIdx.x; i < 64 * 4; i += 128)
      *(uint4*)&sa[i / 4][i % 4 * 8] = *(const uint4*)&A[(blockIdx.y * 64 + i / 4) * K + k0 + i % 4 * 8];
    for (int i = threadIdx.x; i < 32 * 8; i += 128)
      *(uint4*)&sb[i / 8][i % 8 * 8] = *(const uint4*)&B[(k0 + i / 8) * N + blockIdx.x * 64 + i % 8 * 8];
    __syncthreads();
    for (int kk = 0; kk < 32; kk += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb[2];
      for (int i = 0; i < 2; i++) {
        wmma::load_matrix_sync(fa[i], &sa[wr + i * 16][kk], 40);
        wmma::load_matrix_sync(fb[i], &sb[kk][wc + i * 16], 72);
      }
      for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) wmma::mma_sync(acc[i][j], fa[i], fb[j], acc[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      wmma::store_matrix_sync(C + (blockIdx.y * 64 + wr + i * 16) * N + blockIdx.x * 64 + wc + j * 16,
                              acc[i][j], N, wmma::mem_row_major);
}

// Bytes times bytes, four at a time, then a scale for each column.
// warpscope igemm_dp4a: block = (32, 8) fixed, M = 512, N = 512, K4 = 64, grid = (N / 32, M / 32), A = random[M * K4], B = random[N * K4], scales = random[N], C = zeros[M * N]
__global__ void igemm_dp4a(const int* __restrict__ A, const int* __restrict__ B,
                           const float* __restrict__ scales, float* __restrict__ C, int M, int N, int K4) {
  __shared__ int sa[32][17], sb[32][17];
  int sum[4] = {0, 0, 0, 0};
  const int tid = threadIdx.y * 32 + threadIdx.x;
  for (int k0 = 0; k0 < K4; k0 += 16) {
    for (int i = tid; i < 512; i += 256) {
      sa[i / 16][i % 16] = A[(blockIdx.y * 32 + i / 16) * K4 + k0 + i % 16];
      sb[i / 16][i % 16] = B[(blockIdx.x * 32 + i / 16) * K4 + k0 + i % 16];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      const int b = sb[threadIdx.x][k];
#pragma unroll
      for (int i = 0; i < 4; ++i) sum[i] = __dp4a(sa[threadIdx.y + 8 * i][k], b, sum[i]);
    }
    __syncthreads();
  }
  const int col = blockIdx.x * 32 + threadIdx.x;
  for (int i = 0; i < 4; ++i) C[(blockIdx.y * 32 + threadIdx.y + 8 * i) * N + col] = sum[i] * scales[col];
}

// Many products of 8 x 8 doubles: a warp has two elements a lane.
// warpscope dgemm_batched_8x8: block = (32, 4) fixed, batch = 6000, grid = ceil(batch / 4), A = random[64 * batch], B = random[64 * batch], C = zeros[64 * batch]
__global__ void dgemm_batched_8x8(const double* A, const double* B, double* C, int batch) {
  __shared__ double a[4][64], b[4][64];
  const int matrix = blockIdx.x * 4 + threadIdx.y, lane = threadIdx.x;
  if (matrix >= batch) return;
  const size_t base = (size_t)matrix * 64;
  a[threadIdx.y][lane] = A[base + lane];
  a[threadIdx.y][lane + 32] = A[base + lane + 32];
  b[threadIdx.y][lane] = B[base + lane];
  b[threadIdx.y][lane + 32] = B[base + lane + 32];
  __syncwarp();
  const int col = lane % 8, row = lane / 8;
  double low = 0, high = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const double x = b[threadIdx.y][k * 8 + col];
    low += a[threadIdx.y][row * 8 + k] * x;
    high += a[threadIdx.y][(row + 4) * 8 + k] * x;
  }
  C[base + lane] = low;
  C[base + lane + 32] = high;
}

// Few rows and columns, long sums: blocks share the sum and add their parts.
// warpscope gemm_split_k: block = (16, 16) fixed, M = 48, N = 64, K = 16384, splits = 64, grid = (N / 16, M / 16, splits), A = random[M * K], B = random[K * N], C = zeros[M * N], tolerance = 1e-3
__global__ void gemm_split_k(const float* A, const float* B, float* C, int M, int N, int K, int splits) {
  __shared__ float As[16][17], Bs[16][17];
  const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  const int per_split = K / splits, begin = blockIdx.z * per_split, end = begin + per_split;
  float acc = 0;
  for (int k = begin; k < end; k += 16) {
    As[threadIdx.y][threadIdx.x] = A[(size_t)row * K + k + threadIdx.x];
    Bs[threadIdx.y][threadIdx.x] = B[(size_t)(k + threadIdx.y) * N + col];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; ++i) acc = fmaf(As[threadIdx.y][i], Bs[i][threadIdx.x], acc);
    __syncthreads();
  }
  atomicAdd(&C[row * N + col], acc);
}

// A matrix of halves times a vector, with bias and a rectifier: a block for a row.
// warpscope hgemv_bias_relu: block = 128 fixed, rows = 3000, cols = 2048, grid = rows, W = random[rows * cols] in -1..1, x = random[cols] in -1..1, bias = random[rows], y = zeros[rows]
__global__ void hgemv_bias_relu(const __half2* __restrict__ W, const __half2* __restrict__ x,
                                const __half* __restrict__ bias, __half* __restrict__ y, int cols) {
  const __half2* row = W + (size_t)blockIdx.x * (cols / 2);
  float sum = 0.0f;
  for (int i = threadIdx.x; i < cols / 2; i += blockDim.x) {
    const float2 w = __half22float2(row[i]), v = __half22float2(x[i]);
    sum += w.x * v.x + w.y * v.y;
  }
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
  __shared__ float warps[4];
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    const float total = warps[0] + warps[1] + warps[2] + warps[3] + __half2float(bias[blockIdx.x]);
    y[blockIdx.x] = __float2half(fmaxf(total, 0.0f));
  }
}
