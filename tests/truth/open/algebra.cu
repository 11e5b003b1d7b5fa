// Matrices: factorisations, products, solvers; single, double and half; panels in shared memory and in
// registers.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

// A panel of 32 columns is divided out of the trailing matrix (as in LU): tiles of 32 by 32, four elements a
// thread.
// warpscope trailing_update: block = (32, 8) fixed, n = 640, offset = 64, grid = (18, 18), m = random[n * n]
__global__ void trailing_update(float* m, int n, int offset) {
  __shared__ float row[32][32], column[32][33];
  const int x = threadIdx.x, y = threadIdx.y, left = offset;
  const int gx = left + blockIdx.x * 32 + x, gy = left + blockIdx.y * 32;
  for (int k = y; k < 32; k += 8) {
    row[k][x] = m[(offset - 32 + k) * n + gx];
    column[k][x] = m[(gy + k) * n + offset - 32 + x];
  }
  __syncthreads();
  for (int k = y; k < 32; k += 8) {
    float sum = 0;
    for (int i = 0; i < 32; ++i) sum += column[k][i] * row[i][x];
    m[(gy + k) * n + gx] -= sum;
  }
}

// Householder's reflections make 24 by 24 matrices triangular, a warp each, columns in registers.
// warpscope householder24: block = 64, count = 1500, grid = ceil(count / 2), m = random[576 * count] in -1..1
__global__ void householder24(float* m, int count) {
  const int which = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (which >= count) return;
  float c[24];
#pragma unroll
  for (int r = 0; r < 24; ++r) c[r] = lane < 24 ? m[which * 576 + r * 24 + lane] : 0.f;
#pragma unroll
  for (int k = 0; k < 23; ++k) {
    float v[24], norm = 0;
#pragma unroll
    for (int r = k; r < 24; ++r) {
      v[r] = __shfl_sync(~0u, c[r], k);
      norm += v[r] * v[r];
    }
    const float alpha = v[k] > 0 ? -sqrtf(norm) : sqrtf(norm);
    const float inverse = 1 / (norm - v[k] * alpha + 1e-20f);
    v[k] -= alpha;
    float product = 0;
#pragma unroll
    for (int r = k; r < 24; ++r) product += v[r] * c[r];
    product *= inverse;
#pragma unroll
    for (int r = k; r < 24; ++r) c[r] -= product * v[r];
  }
#pragma unroll
  for (int r = 0; r < 24; ++r)
    if (lane < 24) m[which * 576 + r * 24 + lane] = c[r];
}

// Tridiagonal systems of 32 rows a warp, by parallel cyclic reduction with shuffles, in double.
// warpscope warp_reduction: block = 96, systems = 6000, grid = ceil(systems / 3), a = random[32 * systems] in -1..0, b = random[32 * systems]:2 in 3..4, c = random[32 * systems]:3 in -1..0, d = random[32 * systems]:4
__global__ void warp_reduction(const double* a, const double* b, const double* c, double* d, int systems) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  if (i >= 32 * systems) return;
  double l = lane ? a[i] : 0, m = b[i], u = lane < 31 ? c[i] : 0, r = d[i];
#pragma unroll
  for (int s = 1; s < 32; s *= 2) {
    const double lm = __shfl_up_sync(~0u, m, s), ll = __shfl_up_sync(~0u, l, s),
                 lu = __shfl_up_sync(~0u, u, s), lr = __shfl_up_sync(~0u, r, s);
    const double um = __shfl_down_sync(~0u, m, s), ul = __shfl_down_sync(~0u, l, s),
                 uu = __shfl_down_sync(~0u, u, s), ur = __shfl_down_sync(~0u, r, s);
    const double alpha = lane >= s ? -l / lm : 0, beta = lane + s < 32 ? -u / um : 0;
    m += alpha * lu + beta * ul;
    r += alpha * lr + beta * ur;
    l = alpha * ll;
    u = beta * uu;
  }
  d[i] = r / m;
}

// A product whose tiles are copied asynchronously, two stages deep.
// warpscope staged_product: block = 256 fixed, n = 384, grid = (n / 64, n / 64), a = random[n * n], b = random[n * n]:2, c = zeros[n * n]
__global__ void __launch_bounds__(256)
    staged_product(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
  __shared__ __align__(16) float ta[2][64][20], tb[2][16][64];
  const int t = threadIdx.x, x = blockIdx.x * 64, y = blockIdx.y * 64, tx = t % 16 * 4, ty = t / 16 * 4;
  auto copy = [&](int stage, int k) {
    __pipeline_memcpy_async(&ta[stage][t / 4][t % 4 * 4], &a[(y + t / 4) * n + k + t % 4 * 4], 16);
    __pipeline_memcpy_async(&tb[stage][t / 16][t % 16 * 4], &b[(k + t / 16) * n + x + t % 16 * 4], 16);
    __pipeline_commit();
  };
  float sum[4][4] = {};
  copy(0, 0);
  for (int k = 0, stage = 0; k < n; k += 16, stage ^= 1) {
    if (k + 16 < n) {
      copy(stage ^ 1, k + 16);
      __pipeline_wait_prior(1);
    } else {
      __pipeline_wait_prior(0);
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      const float4 v = *reinterpret_cast<const float4*>(&tb[stage][i][tx]);
#pragma unroll
      for (int r = 0; r < 4; ++r) {
        const float w = ta[stage][ty + r][i];
        sum[r][0] += w * v.x, sum[r][1] += w * v.y, sum[r][2] += w * v.z, sum[r][3] += w * v.w;
      }
    }
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r)
    *reinterpret_cast<float4*>(&c[(y + ty + r) * n + x + tx]) =
        make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
}

// Triangular matrices of 16 rows are inverted, a half warp each, in shared memory, double.
// warpscope triangle_inverse: block = 128 fixed, grid = 264, m = random[8 * 256 * 264] in 1..2, out = zeros[8 * 256 * 264]
__global__ void triangle_inverse(const double* m, double* out) {
  __shared__ double l[8][16][17];
  const int which = threadIdx.x / 16, c = threadIdx.x % 16;
  const double* mine = m + (blockIdx.x * 8 + which) * 256;
  for (int r = 0; r < 16; ++r) l[which][r][c] = mine[r * 16 + c];
  __syncwarp();
  double x[16];
#pragma unroll
  for (int r = 0; r < 16; ++r) {
    double sum = r == c ? 1 : 0;
#pragma unroll
    for (int k = 0; k < r; ++k) sum -= l[which][r][k] * x[k];
    x[r] = r < c ? 0 : sum / l[which][r][r];
  }
#pragma unroll
  for (int r = 0; r < 16; ++r) out[(blockIdx.x * 8 + which) * 256 + r * 16 + c] = x[r];
}

// Jacobi's rotations find the eigenvalues of symmetric 8 by 8 matrices, one thread each; its matrix is a
// local array.
// warpscope jacobi8: block = 32, count = 2112, grid = ceil(count / 32), m = random[64 * count], values = zeros[8 * count]
__global__ void jacobi8(const float* m, float* values, int count) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= count) return;
  float a[8][8];
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 8; ++c) a[r][c] = m[(max(r, c) * 8 + min(r, c)) * count + id];
  for (int sweep = 0; sweep < 3; ++sweep) {
    for (int p = 0; p < 7; ++p) {
      for (int q = p + 1; q < 8; ++q) {
        if (fabsf(a[p][q]) < 1e-7f) continue;
        const float theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        const float t = copysignf(1.f, theta) / (fabsf(theta) + sqrtf(theta * theta + 1)),
                    c = rsqrtf(t * t + 1), s = t * c;
        for (int k = 0; k < 8; ++k) {
          const float x = a[k][p], y = a[k][q];
          a[k][p] = c * x - s * y;
          a[k][q] = s * x + c * y;
        }
        for (int k = 0; k < 8; ++k) {
          const float x = a[p][k], y = a[q][k];
          a[p][k] = c * x - s * y;
          a[q][k] = s * x + c * y;
        }
      }
    }
  }
  for (int k = 0; k < 8; ++k) values[k * count + id] = a[k][k];
}

// Multigrid: the residual of a five-point operator is restricted to a grid of half the side with nine
// weights.
// warpscope restrict_residual: block = (32, 4), side = 1025, half_side = 513, grid = (ceil(half_side / 32), ceil(half_side / 4)), u = random[side * side], f = random[side * side]:2, coarse = zeros[half_side * half_side]
__global__ void restrict_residual(const double* __restrict__ u, const double* __restrict__ f,
                                  double* __restrict__ coarse, int side, int half_side) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  if (x < 1 || y < 1 || x >= half_side - 1 || y >= half_side - 1) return;
  auto residual = [&](int cx, int cy) {
    const int at = cy * side + cx;
    return f[at] - 4 * u[at] + u[at - 1] + u[at + 1] + u[at - side] + u[at + side];
  };
  double sum = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      const double w = (dx ? 1 : 2) * (dy ? 1 : 2) * 0.0625;
      sum += w * residual(2 * x + dx, 2 * y + dy);
    }
  }
  coarse[y * half_side + x] = sum;
}

// y += A^T x, column sums of blocks of rows, joined by atomics; four columns a thread.
// warpscope transposed_vector: block = 64, rows = 1056, columns = 1024, grid = (columns / 256, rows / 32), a = f32 random[rows * columns], x = f32 random[rows], y = zeros[columns]
__global__ void transposed_vector(const float4* a, const float* x, float* y, int columns) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  float4 sum = {0, 0, 0, 0};
#pragma unroll 8
  for (int r = blockIdx.y * 32; r < blockIdx.y * 32 + 32; ++r) {
    const float4 v = a[r * (columns / 4) + c];
    const float s = x[r];
    sum.x += s * v.x, sum.y += s * v.y, sum.z += s * v.z, sum.w += s * v.w;
  }
  atomicAdd(&y[4 * c], sum.x);
  atomicAdd(&y[4 * c + 1], sum.y);
  atomicAdd(&y[4 * c + 2], sum.z);
  atomicAdd(&y[4 * c + 3], sum.w);
}

// A layer on tensor cores with a bias and a rectifier: four warps each 16 by 32, operands straight from
// global memory.
// warpscope tensor_rectified: block = 128 fixed, m = 256, n = 512, k = 256, grid = (n / 32, m / 64), a = random[m * k] in -1..1, b = random[k * n]:2 in -1..1, bias = random[n], c = zeros[m * n]
__global__ void tensor_rectified(const half* a, const half* b, const float* bias, half* c, int m, int n,
                                 int k) {
  using namespace nvcuda::wmma;
  __shared__ float tiles[4][16][36];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = blockIdx.y * 64 + warp * 16,
            column = blockIdx.x * 32;
  fragment<accumulator, 16, 16, 16, float> sum[2];
  fill_fragment(sum[0], 0.f);
  fill_fragment(sum[1], 0.f);
  for (int i = 0; i < k; i += 16) {
    fragment<matrix_a, 16, 16, 16, half, row_major> fa;
    fragment<matrix_b, 16, 16, 16, half, row_major> fb;
    load_matrix_sync(fa, a + row * k + i, k);
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      load_matrix_sync(fb, b + i * n + column + 16 * j, n);
      mma_sync(sum[j], fa, fb, sum[j]);
    }
  }
  store_matrix_sync(&tiles[warp][0][0], sum[0], 36, mem_row_major);
  store_matrix_sync(&tiles[warp][0][16], sum[1], 36, mem_row_major);
  __syncwarp();
  const float add = bias[column + lane];
  for (int r = 0; r < 16; ++r)
    c[(row + r) * n + column + lane] = __float2half(fmaxf(tiles[warp][r][lane] + add, 0.f));
}

// Sparse blocks of 4 by 4 times a vector; four lanes a row of blocks' rows.
// warpscope block_sparse4: block = 160, rows = 9600, per_row = 6, grid = ceil(4 * rows / block), columns = random[per_row * rows], values = f64 random[16 * per_row * rows], x = f64 random[4 * rows], y = f64 zeros[4 * rows]
__global__ void block_sparse4(const unsigned* columns, const double2* __restrict__ values,
                              const double2* __restrict__ x, double* y, int rows, int per_row) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x, row = id / 4, part = id % 4;
  if (row >= rows) return;
  double sum = 0;
  for (int k = 0; k < per_row; ++k) {
    const int entry = row * per_row + k;
    const unsigned c = columns[entry] % rows;
    const double2 a = values[entry * 8 + part * 2], b = values[entry * 8 + part * 2 + 1];
    const double2 u = x[2 * c], v = x[2 * c + 1];
    sum += a.x * u.x + a.y * u.y + b.x * v.x + b.y * v.y;
  }
  y[id] = sum;
}

// Red and black points of a small grid are relaxed by one block, many sweeps, all in shared memory.
// warpscope red_black_block: block = 512, side = 64, sweeps = 24, grid = 40, u = random[40 * side * side], f = random[40 * side * side]:2
__global__ void red_black_block(float* u, const float* f, int side, int sweeps) {
  __shared__ float grid[64 * 64];
  u += blockIdx.x * side * side;
  f += blockIdx.x * side * side;
  for (int k = threadIdx.x; k < side * side; k += blockDim.x) grid[k] = u[k];
  __syncthreads();
  for (int s = 0; s < 2 * sweeps; ++s) {
    for (int k = threadIdx.x; k < side * side / 2; k += blockDim.x) {
      const int y = 2 * k / side, x = 2 * k % side + ((y + s) & 1);
      if (x > 0 && y > 0 && x < side - 1 && y < side - 1) {
        const int at = y * side + x;
        grid[at] +=
            1.7f *
            (0.25f * (grid[at - 1] + grid[at + 1] + grid[at - side] + grid[at + side] - f[at]) - grid[at]);
      }
    }
    __syncthreads();
  }
  for (int k = threadIdx.x; k < side * side; k += blockDim.x) u[k] = grid[k];
}
