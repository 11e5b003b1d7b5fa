// Sparse matrices and the solvers around them.

// A matrix of 5 diagonals, as five-point stencils give, kept by diagonals.
// warpscope spmv_dia: block = 256, side = 800, rows = side * side, grid = ceil(rows / block), offsets = iota[5], diagonals = random[5 * rows], x = random[rows + 8], y = zeros[rows]
__global__ void spmv_dia(const int* __restrict__ offsets, const float* __restrict__ diagonals,
                         const float* __restrict__ x, float* __restrict__ y, int rows) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float sum = 0;
  for (int d = 0; d < 5; ++d) {
    const int c = r + offsets[d];
    if (c < rows) sum += diagonals[d * rows + r] * x[c];
  }
  y[r] = sum;
}

// Blocks of 3 x 3 as meshes of elasticity have: a thread for a row of a block.
// warpscope spmv_bsr3: block = 192, block_rows = 16000, per_row = 8, grid = ceil(3 * block_rows / block), columns = random[block_rows * per_row] in 0..15999, values = random[9 * block_rows * per_row], x = random[3 * block_rows], y = zeros[3 * block_rows]
__global__ void spmv_bsr3(const int* columns, const double* values, const double* x, double* y,
                          int block_rows, int per_row) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 3 * block_rows) return;
  const int row = i / 3, inner = i % 3, length = 2 + row % (per_row - 1);
  double sum = 0;
  for (int k = 0; k < length; ++k) {
    const int b = row * per_row + k, c = 3 * columns[b];
    const double* v = values + 9 * b + 3 * inner;
    sum += v[0] * x[c] + v[1] * x[c + 1] + v[2] * x[c + 2];
  }
  y[i] = sum;
}

// Conjugate gradients: x and r move on, and the new residual's square is summed for the block.
// warpscope cg_update_fused: block = 256 fixed, n = 500000, grid = 264, x = random[n], r = random[n], p = random[n], ap = random[n], partial = zeros[264], alpha = 0.37
__global__ void cg_update_fused(double* x, double* r, const double* p, const double* ap, double* partial,
                                double alpha, int n) {
  __shared__ double cache[256];
  double local = 0;
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x) {
    x[i] += alpha * p[i];
    const double ri = r[i] - alpha * ap[i];
    r[i] = ri;
    local += ri * ri;
  }
  cache[threadIdx.x] = local;
  __syncthreads();
  int i = blockDim.x / 2;
  while (i != 0) {
    if (threadIdx.x < i) cache[threadIdx.x] += cache[threadIdx.x + i];
    __syncthreads();
    i /= 2;
  }
  if (threadIdx.x == 0) partial[blockIdx.x] = cache[0];
}

// Multigrid on a plane: residuals to the coarser grid with full weighting, and corrections back.
// warpscope mg_restrict: block = (32, 8), nc = 1022, nf = 2046, grid = (ceil(nc / block.x), ceil(nc / block.y)), fine = random[nf * nf], coarse = zeros[nc * nc]
__global__ void mg_restrict(const float* fine, float* coarse, int nf, int nc) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= nc || j >= nc) return;
  const float* f = fine + (2 * j + 1) * nf + 2 * i + 1;
  coarse[j * nc + i] = 0.25f * f[0] + 0.125f * (f[-1] + f[1] + f[-nf] + f[nf]) +
                       0.0625f * (f[-nf - 1] + f[-nf + 1] + f[nf - 1] + f[nf + 1]);
}
// warpscope mg_prolong_add: block = (32, 8), nc = 700, nf = 1400, grid = (ceil(nf / block.x), ceil(nf / block.y)), coarse = random[nc * nc], fine = random[nf * nf]
__global__ void mg_prolong_add(const float* __restrict__ coarse, float* __restrict__ fine, int nf, int nc) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= nf || j >= nf) return;
  const int ci = i >> 1, cj = j >> 1, ni = min(ci + (i & 1), nc - 1), nj = min(cj + (j & 1), nc - 1);
  fine[j * nf + i] +=
      0.25f * (coarse[cj * nc + ci] + coarse[cj * nc + ni] + coarse[nj * nc + ci] + coarse[nj * nc + ni]);
}

// Parallel cyclic reduction: systems of 256 unknowns in shared memory, dynamic.
// warpscope pcr_batched: block = 256 fixed, systems = 400, grid = systems, shared = 16 * 256, a = random[256 * systems], b = random[256 * systems] in 4..5, c = random[256 * systems], d = random[256 * systems], x = zeros[256 * systems]
__global__ void pcr_batched(const float* a, const float* b, const float* c, const float* d, float* x) {
  extern __shared__ float smem[];
  const int n = blockDim.x, i = threadIdx.x, at = blockIdx.x * n + i;
  float *sa = smem, *sb = sa + n, *sc = sb + n, *sd = sc + n;
  sa[i] = i > 0 ? a[at] : 0;
  sb[i] = b[at];
  sc[i] = i < n - 1 ? c[at] : 0;
  sd[i] = d[at];
  __syncthreads();
  for (int stride = 1; stride < n; stride *= 2) {
    const int low = max(i - stride, 0), high = min(i + stride, n - 1);
    const float k1 = i - stride >= 0 ? sa[i] / sb[low] : 0, k2 = i + stride < n ? sc[i] / sb[high] : 0;
    const float na = -sa[low] * k1, nb = sb[i] - sc[low] * k1 - sa[high] * k2, nc = -sc[high] * k2,
                nd = sd[i] - sd[low] * k1 - sd[high] * k2;
    __syncthreads();
    sa[i] = na, sb[i] = nb, sc[i] = nc, sd[i] = nd;
    __syncthreads();
  }
  x[at] = sd[i] / sb[i];
}

// How many entries each row of a product of sparse matrices has: columns in a hash table in shared memory, a
// warp a row.
// warpscope spgemm_count: block = 128 fixed, rows = 4000, grid = ceil(rows / 4), a_cols = random[8 * rows] in 0..3999, b_cols = random[8 * rows]:2 in 0..3999, counts = zeros[rows]
__global__ void spgemm_count(const int* a_cols, const int* b_cols, int* counts, int rows) {
  __shared__ int table[4][256];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = blockIdx.x * 4 + warp;
  for (int i = lane; i < 256; i += 32) table[warp][i] = -1;
  __syncwarp();
  if (row >= rows) return;
  const int a_length = 1 + row % 8;
  int fresh = 0;
  for (int e = lane; e < a_length * 8; e += 32) {
    const int mid = a_cols[row * 8 + e / 8];
    if (e % 8 > mid % 8) continue;
    const int col = b_cols[mid * 8 + e % 8];
    int slot = (col * 107) & 255;
    while (true) {
      const int old = atomicCAS(&table[warp][slot], -1, col);
      if (old == -1) ++fresh;
      if (old == -1 || old == col) break;
      slot = (slot + 1) & 255;
    }
  }
  for (int o = 16; o > 0; o /= 2) fresh += __shfl_down_sync(0xffffffff, fresh, o);
  if (lane == 0) counts[row] = fresh;
}

// Stiffness of linear tetrahedra: a matrix of 4 x 4 from four corners, added to a vector's product.
// warpscope fem_tetra_apply: block = 128, tets = 40000, nodes = 9000, grid = ceil(tets / block), corners = random[tets] in 0..8999, xyz = random[nodes * 3], u = random[nodes], ku = zeros[nodes], tolerance = 1e-2
__global__ void fem_tetra_apply(const int4* __restrict__ corners, const float* __restrict__ xyz,
                                const float* __restrict__ u, float* ku, int tets) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= tets) return;
  const int4 c = corners[t];
  const int id[4] = {c.x, c.y, c.z, c.w};
  float p[4][3], g[4][3];
#pragma unroll
  for (int k = 0; k < 4; ++k)
#pragma unroll
    for (int d = 0; d < 3; ++d) p[k][d] = xyz[3 * id[k] + d];
  float e[3][3];
#pragma unroll
  for (int k = 0; k < 3; ++k)
#pragma unroll
    for (int d = 0; d < 3; ++d) e[k][d] = p[k + 1][d] - p[0][d];
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    g[k + 1][0] = e[i][1] * e[j][2] - e[i][2] * e[j][1];
    g[k + 1][1] = e[i][2] * e[j][0] - e[i][0] * e[j][2];
    g[k + 1][2] = e[i][0] * e[j][1] - e[i][1] * e[j][0];
  }
  const float det = e[0][0] * g[1][0] + e[0][1] * g[1][1] + e[0][2] * g[1][2];
  const float scale = 1.0f / (6.0f * (fabsf(det) + 1e-3f));
  float flux[3] = {0, 0, 0};
#pragma unroll
  for (int d = 0; d < 3; ++d) {
    g[0][d] = -g[1][d] - g[2][d] - g[3][d];
#pragma unroll
    for (int k = 0; k < 4; ++k) flux[d] += g[k][d] * u[id[k]];
  }
#pragma unroll
  for (int k = 0; k < 4; ++k)
    atomicAdd(&ku[id[k]], scale * (g[k][0] * flux[0] + g[k][1] * flux[1] + g[k][2] * flux[2]));
}

// Chebyshev's smoother on rows of equal width, column by column.
// warpscope chebyshev_ell: block = 256, rows = 120000, width = 7, grid = ceil(rows / block), cols = random[rows * width] in -1..119999, vals = random[rows * width] in -1..0, diag = random[rows] in 7..8, b = random[rows], x = random[rows], d = random[rows], x_new = zeros[rows], c1 = 0.3, c2 = 0.6
__global__ void chebyshev_ell(const int* cols, const float* vals, const float* diag, const float* b,
                              const float* x, float* d, float* x_new, int rows, int width, float c1,
                              float c2) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float res = b[r] - diag[r] * x[r];
  for (int k = 0; k < width; k++) {
    const int c = cols[k * rows + r];
    if (c >= 0) res -= vals[k * rows + r] * x[c];
  }
  const float dn = c1 * d[r] + c2 * res / diag[r];
  d[r] = dn;
  x_new[r] = x[r] + dn;
}

// Many small dense systems: Gauss-Jordan with pivots, 12 unknowns, a warp each.
// warpscope batched_gauss_jordan: block = 64 fixed, systems = 6000, grid = ceil(systems / 2), matrices = random[144 * systems] in -1..1, rhs = random[12 * systems]
__global__ void batched_gauss_jordan(const float* matrices, float* rhs, int systems) {
  __shared__ float m[2][12][14];
  const int w = threadIdx.x >> 5, lane = threadIdx.x & 31, s = blockIdx.x * 2 + w;
  if (s >= systems) return;
  for (int i = lane; i < 144; i += 32)
    m[w][i / 12][i % 12] = matrices[s * 144 + i] + (i % 13 == 0 ? 3.0f : 0.0f);
  if (lane < 12) m[w][lane][12] = rhs[s * 12 + lane];
  __syncwarp();
  for (int k = 0; k < 12; ++k) {
    float value = lane >= k && lane < 12 ? fabsf(m[w][lane][k]) : -1.0f;
    int pivot = lane;
    for (int o = 8; o > 0; o >>= 1) {
      const float ov = __shfl_xor_sync(0xffffffff, value, o);
      const int op = __shfl_xor_sync(0xffffffff, pivot, o);
      if (ov > value || (ov == value && op < pivot)) value = ov, pivot = op;
    }
    pivot = __shfl_sync(0xffffffff, pivot, 0);
    __syncwarp();
    if (lane < 13 && pivot != k) {
      const float keep = m[w][k][lane];
      m[w][k][lane] = m[w][pivot][lane];
      m[w][pivot][lane] = keep;
    }
    __syncwarp();
    const float inverse = 1.0f / m[w][k][k];
    __syncwarp();
    if (lane < 13) m[w][k][lane] *= inverse;
    __syncwarp();
    if (lane < 12 && lane != k) {
      const float factor = m[w][lane][k];
      for (int c = k; c < 13; ++c) m[w][lane][c] -= factor * m[w][k][c];
    }
    __syncwarp();
  }
  if (lane < 12) rhs[s * 12 + lane] = m[w][lane][12];
}
