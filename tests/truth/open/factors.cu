// Dense and sparse algebra.
#include <cuda_fp16.h>
#include <mma.h>

// Rank-k update of a symmetric matrix, lower tiles only, 32 x 32 by 64 threads with 4 x 4 results each.
// warpscope lower_rank_update: block = (8, 8) fixed, n = 256, depth = 96, grid = (n / 32, n / 32), a = random[n * depth] in -1..1, c = zeros[n * n]
__global__ void __launch_bounds__(64)
    lower_rank_update(const float* __restrict__ a, float* c, int n, int depth) {
  if (blockIdx.x > blockIdx.y) return;
  __shared__ float left[16][33], right[16][33];
  const int t = threadIdx.y * 8 + threadIdx.x;
  float sum[4][4] = {};
  for (int first = 0; first < depth; first += 16) {
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      const int row = t / 16 + 4 * k, column = t % 16;
      left[column][row] = a[(blockIdx.y * 32 + row) * depth + first + column];
      right[column][row] = a[(blockIdx.x * 32 + row) * depth + first + column];
    }
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < 16; ++k) {
      float u[4], v[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        u[i] = left[k][threadIdx.y * 4 + i];
        v[i] = right[k][threadIdx.x + 8 * i];
      }
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) sum[i][j] += u[i] * v[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j)
      c[(blockIdx.y * 32 + threadIdx.y * 4 + i) * n + blockIdx.x * 32 + threadIdx.x + 8 * j] = sum[i][j];
}

// Many 8 x 8 systems, each by 8 lanes: elimination with pivots, columns exchanged by shuffles.
// warpscope eight_lane_systems: block = 128, systems = 8192, grid = ceil(systems * 8 / block), a = random[systems * 64] in -1..1, b = random[systems * 8], x = zeros[systems * 8]
__global__ void eight_lane_systems(const float* a, const float* b, float* x, int systems) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x, system = at / 8, row = at & 7;
  if (system >= systems) return;
  float r[9];
  const float4* own = reinterpret_cast<const float4*>(a + at * 8);
  *reinterpret_cast<float4*>(r) = own[0];
  *reinterpret_cast<float4*>(r + 4) = own[1];
  r[8] = b[at];
#pragma unroll
  for (int k = 0; k < 8; ++k)
    if (k == row) r[k] += 0.01f;
  int place = -1;
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    float size = place < 0 ? fabsf(r[k]) : -1;
    int who = row;
    for (int d = 4; d; d /= 2) {
      const float other = __shfl_xor_sync(~0u, size, d, 8);
      const int whose = __shfl_xor_sync(~0u, who, d, 8);
      if (other > size || (other == size && whose < who)) {
        size = other;
        who = whose;
      }
    }
    if (row == who) place = k;
    const float pivot = 1 / __shfl_sync(~0u, r[k], who, 8);
    const float scale = row == who ? 0 : r[k] * pivot;
#pragma unroll
    for (int j = k; j < 9; ++j) r[j] -= scale * __shfl_sync(~0u, r[j], who, 8);
    if (row == who)
#pragma unroll
      for (int j = k; j < 9; ++j) r[j] *= pivot;
  }
  x[system * 8 + place] = r[8];
}

// A sparse matrix of 4 x 4 blocks times a vector: four lanes to a block row, rows of different lengths.
__device__ __forceinline__ int start_of_row(const int* begin, int row) {
  const int b = begin[row];
  return 6 * b + (b * 5 & 7) / 4;
}
// warpscope four_square_blocks: block = 128, rows = 8192, grid = ceil(rows * 4 / block), begin = iota[rows + 1], columns = random[rows * 8 + 32], blocks = random[rows * 8 * 16 + 256] in -1..1, x = random[rows * 4], y = zeros[rows * 4]
__global__ void four_square_blocks(const int* __restrict__ begin, const unsigned* __restrict__ columns,
                                   const float4* __restrict__ blocks, const float4* __restrict__ x, float* y,
                                   int rows) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x, row = at / 4, part = at % 4;
  if (row >= rows) return;
  const int last = start_of_row(begin, row + 1);
  float sum = 0;
  for (int k = start_of_row(begin, row); k < last; ++k) {
    const unsigned column = (row + columns[k] % 509) % rows;
    const float4 b = blocks[k * 4 + part], v = x[column];
    sum += b.x * v.x + b.y * v.y + b.z * v.z + b.w * v.w;
  }
  y[at] = sum;
}

// A block Jacobi preconditioner in double precision fused with the dot product of conjugate gradients.
// warpscope jacobi_and_dot: block = 256, n = 2^19, grid = 264, diagonal = random[n] in 1..2, residual = random[n] in -1..1, z = zeros[n], dot = zeros[1]
__global__ void jacobi_and_dot(const double2* diagonal, const double2* residual, double2* z, double* dot,
                               int n) {
  __shared__ double sums[8];
  double sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 2; i += gridDim.x * blockDim.x) {
    const double2 d = diagonal[i], r = residual[i];
    const double2 s = make_double2(r.x / d.x, r.y / d.y);
    z[i] = s;
    sum += s.x * r.x + s.y * r.y;
  }
  for (int d = 16; d; d >>= 1) sum += __shfl_down_sync(~0u, sum, d);
  if ((threadIdx.x & 31) == 0) sums[threadIdx.x >> 5] = sum;
  __syncthreads();
  if (threadIdx.x < 8) {
    sum = sums[threadIdx.x];
    for (int d = 4; d; d >>= 1) sum += __shfl_down_sync(0xFF, sum, d);
    if (threadIdx.x == 0) atomicAdd(dot, sum);
  }
}

// Tall thin matrices: one panel of 256 x 8 a block, orthogonal by modified Gram and Schmidt.
__device__ float block_total(float v, float* held) {
  for (int d = 16; d; d /= 2) v += __shfl_xor_sync(~0u, v, d);
  __syncthreads();
  if (threadIdx.x % 32 == 0) held[threadIdx.x / 32] = v;
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int w = 0; w < 8; ++w) sum += held[w];
  return sum;
}
// warpscope orthogonal_panel: block = 256 fixed, panels = 160, grid = panels, a = random[panels * 256 * 8] in -1..1, q = zeros[panels * 256 * 8], r = zeros[panels * 64]
__global__ void orthogonal_panel(const float* a, float* q, float* r) {
  __shared__ float held[8];
  const int base = blockIdx.x * 2048 + threadIdx.x;
  float v[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) v[k] = a[base + k * 256];
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const float norm = sqrtf(block_total(v[k] * v[k], held));
    v[k] /= norm;
    if (threadIdx.x == 0) r[blockIdx.x * 64 + k * 9] = norm;
#pragma unroll
    for (int j = k + 1; j < 8; ++j) {
      const float dot = block_total(v[k] * v[j], held);
      v[j] -= dot * v[k];
      if (threadIdx.x == 0) r[blockIdx.x * 64 + k * 8 + j] = dot;
    }
  }
#pragma unroll
  for (int k = 0; k < 8; ++k) q[base + k * 256] = v[k];
}

// Batches of 32 x 32 half matrices multiplied on the tensor cores, one warp a product, bias and rectifier
// behind it.
// warpscope batched_small_tensor: block = 128 fixed, batches = 2048, grid = batches / 4, a = f16 random[batches * 1024] in -1..1, b = f16 random[batches * 1024]:2 in -1..1, c = zeros[batches * 1024], bias = -0.5
__global__ void batched_small_tensor(const __half* a, const __half* b, float* c, float bias) {
  using namespace nvcuda::wmma;
  const int batch = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const __half *left = a + batch * 1024, *right = b + batch * 1024;
  for (int i = 0; i < 2; ++i) {
    fragment<accumulator, 16, 16, 16, float> sum[2];
    fill_fragment(sum[0], bias);
    fill_fragment(sum[1], bias);
    for (int k = 0; k < 2; ++k) {
      fragment<matrix_a, 16, 16, 16, __half, row_major> f;
      load_matrix_sync(f, left + i * 512 + k * 16, 32);
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        fragment<matrix_b, 16, 16, 16, __half, col_major> g;
        load_matrix_sync(g, right + j * 512 + k * 16, 32);
        mma_sync(sum[j], f, g, sum[j]);
      }
    }
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      for (int e = 0; e < sum[j].num_elements; ++e) sum[j].x[e] = fmaxf(sum[j].x[e], 0.0f);
      store_matrix_sync(c + batch * 1024 + i * 512 + j * 16, sum[j], 32, mem_row_major);
    }
  }
}

// Largest eigenvalue of banded symmetric matrices (two off-diagonals) by bisection with Sturm's counts.
// warpscope sturm_bisection: block = 32, matrices = 4224, size = 24, grid = ceil(matrices / block), diagonal = random[matrices * size] in -2..2, beside = random[matrices * size] in 0.1..1, out = zeros[matrices]
__global__ void sturm_bisection(const float* diagonal, const float* beside, float* out, int matrices,
                                int size) {
  const int m = blockIdx.x * blockDim.x + threadIdx.x;
  if (m >= matrices) return;
  float low = -4.1f, high = 4.1f;
  while (high - low > 1e-4f) {
    const float middle = 0.5f * (low + high);
    int below = 0;
    float p = 1, e = 0;
    for (int k = 0; k < size; ++k) {
      p = diagonal[k * matrices + m] - middle - e * e / p;
      if (fabsf(p) < 1e-12f) p = -1e-12f;
      below += p < 0;
      e = beside[k * matrices + m];
    }
    if (below < size)
      low = middle;
    else
      high = middle;
  }
  out[m] = low;
}

// Sampled products: dot products of rows of two matrices only where a sparse pattern stands, half a warp an
// entry.
// warpscope pattern_products: block = 256, entries = 2^16, grid = ceil(entries * 16 / block), places = random[entries * 2], left = random[2048 * 64], right = random[2048 * 64]:2, out = zeros[entries]
__global__ void pattern_products(const uint2* __restrict__ places, const float4* __restrict__ left,
                                 const float4* __restrict__ right, float* out, int entries) {
  const int entry = (blockIdx.x * blockDim.x + threadIdx.x) >> 4, lane = threadIdx.x & 15;
  if (entry >= entries) return;
  const uint2 p = places[entry];
  const float4 a = left[(p.x & 2047) * 16 + lane], b = right[(p.y & 2047) * 16 + lane];
  float dot = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
#pragma unroll
  for (int d = 8; d; d >>= 1) dot += __shfl_xor_sync(~0u, dot, d);
  if (lane == 0) out[entry] = dot;
}
