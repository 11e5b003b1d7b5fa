// Linear algebra in small pieces and in sparse forms.

// Cholesky factors of many matrices of 8 by 8: eight lanes a matrix, a row each, in registers.
// warpscope eight_lane_cholesky: block = 128, count = 2^13, grid = ceil(count * 8 / block), matrices = random[count * 64], factors = zeros[count * 64]
__global__ void eight_lane_cholesky(const float* matrices, float* factors, int count) {
  const int id = (blockIdx.x * blockDim.x + threadIdx.x) / 8, row = threadIdx.x % 8;
  if (id >= count) return;
  float a[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) a[k] = matrices[id * 64 + min(row, k) * 8 + max(row, k)] + (k == row ? 8 : 0);
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const float pivot = rsqrtf(__shfl_sync(~0u, a[k], k, 8));
    a[k] *= pivot;
#pragma unroll
    for (int j = k + 1; j < 8; ++j) {
      const float other = __shfl_sync(~0u, a[k], j, 8);
      a[j] -= a[k] * other;
    }
  }
#pragma unroll
  for (int k = 0; k < 8; ++k) factors[id * 64 + row * 8 + k] = k <= row ? a[k] : 0;
}

// A sparse matrix by rows times a vector; groups of LANES lanes have a row.
template <int LANES>
__device__ inline void rowsByGroups(const int* starts, const int* columns, const double* values,
                                    const double* x, double* y, int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
  double sum = 0;
  if (row < rows)
    for (int k = starts[row] + lane; k < starts[row + 1]; k += LANES) sum += values[k] * x[columns[k]];
#pragma unroll
  for (int d = LANES / 2; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d, LANES);
  if (row < rows && lane == 0) y[row] = sum;
}
// Makes a matrix of rows with 1 to 24 elements, as the next kernels want it.
// warpscope uneven_rows_made: block = 128, rows = 2^14, grid = ceil((rows + 1) / block), starts = zeros[rows + 1], columns = zeros[rows * 13]
__global__ void uneven_rows_made(int* starts, int* columns, int rows) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r > rows) return;
  auto start = [](int k) { return k * 12 + (int)((k * 2654435761u) >> 20) % 12; };
  starts[r] = start(r);
  if (r == rows) return;
  unsigned h = r * 747796405u + 1;
  for (int k = start(r); k < start(r + 1); ++k) {
    h = h * 1664525u + 1013904223u;
    columns[k] = (h & 256) ? (h >> 10) % rows : min(max(r + (int)(h >> 27) - 16, 0), rows - 1);
  }
}
// warpscope rows_by_four_lanes: block = 256, rows = 2^14, grid = ceil(rows * 4 / block), starts = uneven_rows_made.starts[rows + 1], columns = uneven_rows_made.columns[rows * 13], values = random[rows * 13], x = random[rows], y = zeros[rows]
__global__ void rows_by_four_lanes(const int* starts, const int* columns, const double* values,
                                   const double* x, double* y, int rows) {
  rowsByGroups<4>(starts, columns, values, x, y, rows);
}

// Systems of three diagonals, a thread each, interleaved in memory; the factors in between go through an
// array.
// warpscope interleaved_diagonals: block = 64, systems = 4096, length = 48, grid = ceil(systems / block), lower = random[systems * length], upper = random[systems * length], right = random[systems * length], work = zeros[systems * length], x = zeros[systems * length]
__global__ void interleaved_diagonals(const float* __restrict__ lower, const float* __restrict__ upper,
                                      const float* __restrict__ right, float* __restrict__ work,
                                      float* __restrict__ x, int systems, int length) {
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= systems) return;
  float c = 0, d = 0;
  for (int k = 0; k < length; ++k) {
    const int at = k * systems + s;
    const float m = 1 / (3 - lower[at] * c);
    c = upper[at] * m;
    d = (right[at] - lower[at] * d) * m;
    work[at] = c;
    x[at] = d;
  }
  for (int k = length - 2; k >= 0; --k) {
    const int at = k * systems + s;
    d = x[at] - work[at] * d;
    x[at] = d;
  }
}

// Solves 16 by 16 systems in doubles with a search for the pivot; half a warp a system, in shared memory.
// warpscope pivoted_sixteen: block = 64 fixed, systems = 2048, grid = systems / 4, matrices = random[systems * 256] in -1..1, right = random[systems * 16], x = zeros[systems * 16]
__global__ void pivoted_sixteen(const double* matrices, const double* right, double* x, int systems) {
  __shared__ double a[4][16][17];
  const int mine = threadIdx.x / 16, lane = threadIdx.x % 16, id = blockIdx.x * 4 + mine;
  double(*m)[17] = a[mine];
  for (int r = 0; r < 16; ++r) m[r][lane] = matrices[id * 256 + r * 16 + lane];
  m[lane][16] = right[id * 16 + lane];
  __syncwarp();
  for (int k = 0; k < 16; ++k) {
    double best = lane >= k ? fabs(m[lane][k]) : -1;
    int at = lane;
    for (int d = 8; d > 0; d /= 2) {
      const double other = __shfl_xor_sync(~0u, best, d);
      const int from = __shfl_xor_sync(~0u, at, d);
      if (other > best || (other == best && from < at)) best = other, at = from;
    }
    __syncwarp();
    if (at != k) {
      const double t = m[k][lane];
      m[k][lane] = m[at][lane];
      m[at][lane] = t;
      if (lane == 0) {
        const double u = m[k][16];
        m[k][16] = m[at][16];
        m[at][16] = u;
      }
    }
    __syncwarp();
    if (lane != k) {
      const double factor = m[lane][k] / m[k][k];
      for (int j = k; j < 17; ++j) m[lane][j] -= factor * m[k][j];
    }
    __syncwarp();
  }
  x[id * 16 + lane] = m[lane][16] / m[lane][lane];
}

// Eigenvalues of symmetric matrices of three rows, by turns about the largest element beside the diagonal.
// warpscope three_row_eigenvalues: block = 256, n = 2^15, grid = ceil(n / block), in = random[6 * n] in -1..1, out = zeros[3 * n]
__global__ void three_row_eigenvalues(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float xx = in[i], yy = in[n + i], zz = in[2 * n + i], xy = in[3 * n + i], xz = in[4 * n + i],
        yz = in[5 * n + i];
  auto turn = [](float& a, float& b, float& ab, float& p, float& q) {
    const float theta = (b - a) / (2 * ab),
                t = copysignf(1, theta) / (fabsf(theta) + sqrtf(theta * theta + 1));
    const float c = rsqrtf(t * t + 1), s = t * c, old = p;
    a -= t * ab;
    b += t * ab;
    ab = 0;
    p = c * old - s * q;
    q = s * old + c * q;
  };
  for (int k = 0; k < 12; ++k) {
    const float u = fabsf(xy), v = fabsf(xz), w = fabsf(yz);
    if (fmaxf(u, fmaxf(v, w)) < 1e-6f) break;
    if (u >= v && u >= w) {
      turn(xx, yy, xy, xz, yz);
    } else if (v >= w) {
      turn(xx, zz, xz, xy, yz);
    } else {
      turn(yy, zz, yz, xy, xz);
    }
  }
  out[i] = fminf(xx, fminf(yy, zz));
  out[n + i] = xx + yy + zz - fminf(xx, fminf(yy, zz)) - fmaxf(xx, fmaxf(yy, zz));
  out[2 * n + i] = fmaxf(xx, fmaxf(yy, zz));
}

// Reflections that make a panel of 128 by 16 triangular; one block a panel, a column after the other.
// warpscope reflected_panels: block = 128 fixed, panels = 264, grid = panels, in = random[panels * 2048] in -1..1, out = zeros[panels * 2048]
__global__ void reflected_panels(const float* in, float* out) {
  __shared__ float parts[4][16], v[128];
  const int r = threadIdx.x, warp = r / 32;
  float row[16];
#pragma unroll
  for (int k = 0; k < 16; ++k) row[k] = in[blockIdx.x * 2048 + k * 128 + r];
  auto total = [&](float s, int slot) {
    for (int d = 16; d; d /= 2) s += __shfl_xor_sync(~0u, s, d);
    if (r % 32 == 0) parts[warp][slot] = s;
  };
#pragma unroll
  for (int k = 0; k < 16; ++k) {
    total(r >= k ? row[k] * row[k] : 0, 0);
    if (r == k) v[0] = row[k];
    __syncthreads();
    const float norm = sqrtf(parts[0][0] + parts[1][0] + parts[2][0] + parts[3][0]), head = v[0];
    const float alpha = head > 0 ? -norm : norm, u = r < k ? 0 : r == k ? row[k] - alpha : row[k];
    const float beta = 1 / fmaxf(norm * (norm + fabsf(head)), 1e-20f);
    __syncthreads();
#pragma unroll
    for (int j = k; j < 16; ++j) total(u * row[j], j);
    __syncthreads();
#pragma unroll
    for (int j = k; j < 16; ++j) row[j] -= beta * u * (parts[0][j] + parts[1][j] + parts[2][j] + parts[3][j]);
    __syncthreads();
  }
#pragma unroll
  for (int k = 0; k < 16; ++k) out[blockIdx.x * 2048 + k * 128 + r] = row[k];
}

// Sparse blocks of 4 by 4 times a vector: sixteen lanes a block row, a lane an element of each block.
// warpscope four_by_four_blocks: block = 128, rows = 4096, each = 12, grid = ceil(rows * 16 / block), columns = random[rows * each], values = random[rows * each * 16], x = random[rows * 4], y = zeros[rows * 4]
__global__ void four_by_four_blocks(const unsigned* columns, const float* values, const float* x, float* y,
                                    int rows, int each) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 4, lane = threadIdx.x & 15;
  if (row >= rows) return;
  float sum = 0;
  for (int k = row * each; k < (row + 1) * each; ++k)
    sum += values[k * 16 + lane] * x[(columns[k] % rows) * 4 + (lane & 3)];
  sum += __shfl_xor_sync(~0u, sum, 1);
  sum += __shfl_xor_sync(~0u, sum, 2);
  if ((lane & 3) == 0) y[row * 4 + lane / 4] = sum;
}
