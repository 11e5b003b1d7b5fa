// Factorisations, transforms and steps of solvers.
#include <mma.h>

// Cholesky of a matrix of 32 rows, a warp each.
// warpscope cholesky32: block = 32, count = 528, grid = count, m = random[1024 * count], out = zeros[1024 * count]
__global__ void cholesky32(const float* m, float* out, int count) {
  __shared__ float a[32][33];
  const int lane = threadIdx.x;
  const float* mine = m + 1024 * (blockIdx.x % count);
  for (int r = 0; r < 32; ++r) a[r][lane] = 0.1f * (mine[r * 32 + lane] + (r == lane ? 100 : 0));
  __syncwarp();
  for (int k = 0; k < 32; ++k) {
    const float root = sqrtf(a[k][k]);
    __syncwarp();
    if (lane >= k) a[lane][k] /= root;
    __syncwarp();
    for (int c = k + 1; c <= lane; ++c) a[lane][c] -= a[lane][k] * a[c][k];
    __syncwarp();
  }
  for (int r = 0; r < 32; ++r) out[1024 * blockIdx.x + r * 32 + lane] = a[r][lane];
}
// Givens rotations of rows, in double.
// warpscope rotations: block = 64, n = 2^12, grid = ceil(n / block), in = random[8 * n] in 1..2, out = zeros[8 * n]
__global__ void rotations(const double* in, double* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double v[8];
  for (int k = 0; k < 8; ++k) v[k] = in[i + k * n];
  for (int k = 7; k > 0; --k) {
    const double a = v[k - 1], b = v[k], r = sqrt(a * a + b * b), c = a / r, s = b / r;
    v[k - 1] = c * a + s * b;
    v[k] = c * b - s * a + v[0];
  }
  for (int k = 0; k < 8; ++k) out[i + k * n] = v[k];
}
// Tridiagonal systems, one for each thread.
// warpscope tridiagonal_rows: block = 64, n = 2^12, grid = ceil(n / block), rows = 32, d = random[rows * n], c = zeros[rows * n], x = zeros[rows * n]
__global__ void tridiagonal_rows(const float* d, float* c, float* x, int n, int rows) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float before_c = 0, before_d = 0;
  for (int r = 0; r < rows; ++r) {
    const float scale = 1 / (4 + before_c);
    before_c = -scale;
    before_d = (d[r * n + i] + before_d) * scale;
    c[r * n + i] = before_c;
    x[r * n + i] = before_d;
  }
  float next = 0;
  for (int r = rows - 1; r >= 0; --r) {
    next = x[r * n + i] - c[r * n + i] * next;
    x[r * n + i] = next;
  }
}
// Conjugate gradients: one block's vector, with two dot products a step.
// warpscope gradients: block = 256 fixed, grid = 132, steps = 8, b = random[132 * 256], out = zeros[132 * 256]
__global__ void gradients(const float* b, float* out, int steps) {
  __shared__ float p[258], of_warp[8];
  const int t = threadIdx.x, i = blockIdx.x * 256 + t;
  auto dot = [&](float v) {
    for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xFFFFFFFF, v, d);
    __syncthreads();
    if (t % 32 == 0) of_warp[t / 32] = v;
    __syncthreads();
    float sum = 0;
    for (int w = 0; w < 8; ++w) sum += of_warp[w];
    return sum;
  };
  float x = 0, r = b[i], direction = r;
  if (t == 0) p[0] = p[257] = 0;
  float rr = dot(r * r);
  for (int k = 0; k < steps; ++k) {
    p[t + 1] = direction;
    __syncthreads();
    const float ap = 3 * direction - p[t] - p[t + 2], alpha = rr / (dot(direction * ap) + 1e-20f);
    x += alpha * direction;
    r -= alpha * ap;
    const float next = dot(r * r);
    direction = r + next / (rr + 1e-20f) * direction;
    rr = next;
  }
  out[i] = x;
}
// A Fourier transform of 512 values, in shared memory, radix 2, with sines on the way.
// warpscope fourier512: block = 256 fixed, grid = 264, in = random[1024 * 264], out = zeros[1024 * 264]
__global__ void fourier512(const float2* in, float2* out) {
  __shared__ float2 v[512];
  const int t = threadIdx.x;
  const float2* mine = in + 512 * blockIdx.x;
  for (int k = t; k < 512; k += 256) v[__brev(k) >> 23] = mine[k];
  for (int half = 1; half < 512; half *= 2) {
    __syncthreads();
    const int j = t % half, at = (t / half) * 2 * half + j;
    float s, c;
    sincospif(-static_cast<float>(j) / half, &s, &c);
    const float2 a = v[at], b = v[at + half], w = {b.x * c - b.y * s, b.x * s + b.y * c};
    v[at] = {a.x + w.x, a.y + w.y};
    v[at + half] = {a.x - w.x, a.y - w.y};
  }
  __syncthreads();
  for (int k = t; k < 512; k += 256) out[512 * blockIdx.x + k] = v[k];
}
// Butterflies of 8 values in registers, fast sines.
// warpscope butterflies8: block = 128, n = 2^15, grid = ceil(n / block), in = random[8 * n], out = zeros[8 * n]
__global__ void butterflies8(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v[8];
  for (int k = 0; k < 8; ++k) v[k] = in[k * n + i];
  for (int half = 4; half > 0; half /= 2) {
    for (int k = 0; k < 8; ++k) {
      if (k & half) continue;
      const float a = v[k], b = v[k + half];
      v[k] = a + b;
      v[k + half] = (a - b) * __cosf(0.3f * k);
    }
  }
  for (int k = 0; k < 8; ++k) out[k * n + i] = v[k];
}
// Bodies pull at each other, tile by tile.
// warpscope bodies_tiled: block = 128, n = 4096, grid = ceil(n / block), in = random[4 * n], out = zeros[4 * n]
__global__ void bodies_tiled(const float4* in, float4* out, int n) {
  __shared__ float4 tile[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 mine = in[i];
  float3 pull = {0, 0, 0};
  for (int first = 0; first < n; first += blockDim.x) {
    tile[threadIdx.x] = in[first + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < 128; ++k) {
      const float4 o = tile[k];
      const float dx = o.x - mine.x, dy = o.y - mine.y, dz = o.z - mine.z;
      const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.001f),
                  s = o.w * inverse * inverse * inverse;
      pull.x += dx * s;
      pull.y += dy * s;
      pull.z += dz * s;
    }
    __syncthreads();
  }
  out[i] = {pull.x, pull.y, pull.z, mine.w};
}
// A product of matrices with tiles that are loaded as vectors of 4 and kept in registers, 8 by 4 each thread.
// warpscope product_vectors: block = 128 fixed, n = 512, grid = (n / 64, n / 64), a = random[n * n], b = random[n * n]:2, c = zeros[n * n]
__global__ void product_vectors(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[8][64], tile_b[8][64];
  const int t = threadIdx.x, row = t / 16 * 8, column = t % 16 * 4;
  float sum[8][4] = {};
  for (int k = 0; k < n; k += 8) {
    const float4 va = *reinterpret_cast<const float4*>(&a[(blockIdx.y * 64 + t / 2) * n + k + t % 2 * 4]);
    const float4 vb = *reinterpret_cast<const float4*>(&b[(k + t / 16) * n + blockIdx.x * 64 + column]);
    __syncthreads();
    tile_a[t % 2 * 4 + 0][t / 2] = va.x;
    tile_a[t % 2 * 4 + 1][t / 2] = va.y;
    tile_a[t % 2 * 4 + 2][t / 2] = va.z;
    tile_a[t % 2 * 4 + 3][t / 2] = va.w;
    *reinterpret_cast<float4*>(&tile_b[t / 16][column]) = vb;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      float ra[8], rb[4];
      *reinterpret_cast<float4*>(ra) = *reinterpret_cast<const float4*>(&tile_a[i][row]);
      *reinterpret_cast<float4*>(ra + 4) = *reinterpret_cast<const float4*>(&tile_a[i][row + 4]);
      *reinterpret_cast<float4*>(rb) = *reinterpret_cast<const float4*>(&tile_b[i][column]);
      for (int r = 0; r < 8; ++r) {
        for (int s = 0; s < 4; ++s) sum[r][s] += ra[r] * rb[s];
      }
    }
  }
  for (int r = 0; r < 8; ++r)
    *reinterpret_cast<float4*>(&c[(blockIdx.y * 64 + row + r) * n + blockIdx.x * 64 + column]) =
        *reinterpret_cast<const float4*>(sum[r]);
}
// Tensor cores from shared memory, four warps in a tile of 32 by 32.
// warpscope tensor_shared: block = 128 fixed, n = 512, grid = (n / 32, n / 32), a = random[n * n], b = random[n * n]:2, c = zeros[n * n]
__global__ void tensor_shared(const half* a, const half* b, half* c, int n) {
  using namespace nvcuda;
  __shared__ half tile_a[32][40], tile_b[32][40];
  const int t = threadIdx.x, warp = t / 32, y = blockIdx.y * 32, x = blockIdx.x * 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, half> sum;
  wmma::fill_fragment(sum, __float2half(0));
  for (int k = 0; k < n; k += 32) {
    __syncthreads();
    *reinterpret_cast<uint4*>(&tile_a[t / 4][t % 4 * 8]) =
        *reinterpret_cast<const uint4*>(&a[(y + t / 4) * n + k + t % 4 * 8]);
    *reinterpret_cast<uint4*>(&tile_b[t / 4][t % 4 * 8]) =
        *reinterpret_cast<const uint4*>(&b[(k + t / 4) * n + x + t % 4 * 8]);
    __syncthreads();
    for (int i = 0; i < 32; i += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
      wmma::load_matrix_sync(fa, &tile_a[warp / 2 * 16][i], 40);
      wmma::load_matrix_sync(fb, &tile_b[i][warp % 2 * 16], 40);
      wmma::mma_sync(sum, fa, fb, sum);
    }
  }
  wmma::store_matrix_sync(c + (y + warp / 2 * 16) * n + x + warp % 2 * 16, sum, n, wmma::mem_row_major);
}
