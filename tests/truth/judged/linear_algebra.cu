// Dense linear algebra as benchmark suites of compiled loops have it.

// tmp = A x, a thread for each row.
// warpscope atax_kernel1: block = 256, nx = 4096, ny = 256, grid = ceil(nx / block), A = random[nx * ny], x = random[ny], tmp = zeros[nx]
__global__ void atax_kernel1(const float* A, const float* x, float* tmp, int nx, int ny) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < nx) {
    for (int j = 0; j < ny; j++) {
      tmp[i] += A[i * ny + j] * x[j];
    }
  }
}

// s = A' r, a thread for each column.
// warpscope bicg_kernel2: block = 256, nx = 512, ny = 4096, grid = ceil(ny / block), A = random[nx * ny], r = random[nx], s = zeros[ny]
__global__ void bicg_kernel2(const double* __restrict__ A, const double* __restrict__ r,
                             double* __restrict__ s, int nx, int ny) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < ny) {
    double sum = 0.0;
    for (int i = 0; i < nx; i++) sum += A[i * ny + j] * r[i];
    s[j] = sum;
  }
}

// y = alpha A x + beta B x.
// warpscope gesummv_kernel: block = 128, n = 640, grid = ceil(n / block), A = random[n * n], B = random[n * n]:2, x = random[n], y = zeros[n], alpha = 1.5, beta = 1.2
__global__ void gesummv_kernel(float alpha, float beta, const float* A, const float* B, const float* x,
                               float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float t = 0.0f, u = 0.0f;
  for (int j = 0; j < n; j++) {
    t += A[j * n + i] * x[j];
    u += B[j * n + i] * x[j];
  }
  y[i] = alpha * t + beta * u;
}

// C = alpha A A' + beta C, without tiles.
// warpscope syrk_kernel: block = (32, 8), n = 256, m = 256, grid = (ceil(n / block.x), ceil(n / block.y)), A = random[n * m], C = random[n * n], alpha = 1.5, beta = 1.2
__global__ void syrk_kernel(int n, int m, float alpha, float beta, const float* A, float* C) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n) {
    C[i * n + j] *= beta;
    for (int k = 0; k < m; k++) {
      C[i * n + j] += alpha * A[i * m + k] * A[j * m + k];
    }
  }
}

// sum[r][q][p] = sum over s of A[r][q][s] C4[s][p].
// warpscope doitgen_kernel: block = (32, 4, 2), nr = 32, nq = 48, np = 96, grid = (ceil(np / block.x), ceil(nq / block.y), ceil(nr / block.z)), A = random[nr * nq * np], C4 = random[np * np], sum = zeros[nr * nq * np]
__global__ void doitgen_kernel(int nr, int nq, int np, const float* __restrict__ A,
                               const float* __restrict__ C4, float* __restrict__ sum) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  int q = blockIdx.y * blockDim.y + threadIdx.y;
  int r = blockIdx.z * blockDim.z + threadIdx.z;
  if (p >= np || q >= nq || r >= nr) return;
  float acc = 0;
  for (int s = 0; s < np; s++) acc += A[(r * nq + q) * np + s] * C4[s * np + p];
  sum[(r * nq + q) * np + p] = acc;
}

// A 16 x 16 tile on the diagonal is factorised in shared memory; the host calls it once a step, here for all
// tiles.
// warpscope lud_diagonal_tiles: block = 16 fixed, dim = 1024, grid = dim / 16, m = random[dim * dim] in 1..2
#define LUD_TILE 16
__global__ void lud_diagonal_tiles(float* m, int dim) {
  __shared__ float shadow[LUD_TILE][LUD_TILE];
  const int tx = threadIdx.x;
  float* tile = m + (size_t)blockIdx.x * LUD_TILE * dim + blockIdx.x * LUD_TILE;
  for (int i = 0; i < LUD_TILE; i++) shadow[i][tx] = tile[i * dim + tx] + (i == tx ? 16.0f : 0.0f);
  __syncthreads();
  for (int i = 0; i < LUD_TILE - 1; i++) {
    if (tx > i) {
      for (int j = 0; j < i; j++) shadow[tx][i] -= shadow[tx][j] * shadow[j][i];
      shadow[tx][i] /= shadow[i][i];
    }
    __syncthreads();
    if (tx > i) {
      for (int j = 0; j < i + 1; j++) shadow[i + 1][tx] -= shadow[i + 1][j] * shadow[j][tx];
    }
    __syncthreads();
  }
  for (int i = 1; i < LUD_TILE; i++) tile[i * dim + tx] = shadow[i][tx];
}

// Gaussian elimination, one step: each row below takes a multiple of the pivot's off itself.
// warpscope gaussian_fan2: block = (16, 16), size = 768, t = 5, grid = (ceil(size / block.x), ceil(size / block.y)), m = random[size * size], a = random[size * size], b = random[size]
__global__ void gaussian_fan2(const float* m, float* a, float* b, int size, int t) {
  int xidx = blockIdx.x * blockDim.x + threadIdx.x;
  int yidx = blockIdx.y * blockDim.y + threadIdx.y;
  if (xidx >= size - 1 - t) return;
  if (yidx >= size - t) return;
  a[size * (xidx + 1 + t) + (yidx + t)] -= m[size * (xidx + 1 + t) + t] * a[size * t + (yidx + t)];
  if (yidx == 0) b[xidx + 1 + t] -= m[size * (xidx + 1 + t) + t] * b[t];
}

// Householder's vector of each of many tall columns: norm, sign, scale.
// warpscope batched_householder: block = 96 fixed, len = 700, batch = 1000, grid = batch, cols = random[len * batch] in -1..1, tau = zeros[batch]
__global__ void batched_householder(float* __restrict__ cols, float* __restrict__ tau, int len) {
  __shared__ float partial[3];
  __shared__ float scale;
  float* x = cols + (size_t)blockIdx.x * len;
  float acc = 0;
  for (int i = 1 + threadIdx.x; i < len; i += blockDim.x) acc += x[i] * x[i];
  for (int o = 16; o > 0; o >>= 1) acc += __shfl_xor_sync(0xffffffffu, acc, o);
  if ((threadIdx.x & 31) == 0) partial[threadIdx.x >> 5] = acc;
  __syncthreads();
  if (threadIdx.x == 0) {
    const float alpha = x[0], rest = partial[0] + partial[1] + partial[2];
    const float beta = -copysignf(sqrtf(alpha * alpha + rest), alpha);
    tau[blockIdx.x] = (beta - alpha) / beta;
    scale = 1.0f / (alpha - beta);
    x[0] = beta;
  }
  __syncthreads();
  const float s = scale;
  for (int i = 1 + threadIdx.x; i < len; i += blockDim.x) x[i] *= s;
}

// Means and deviations of columns, then the columns are normalised: the correlation benchmark's middle step.
// warpscope corr_standardise: block = 64, m = 1536, n = 150, grid = ceil(m / block), data = random[m * n], mean = zeros[m], stddev = zeros[m]
__global__ void corr_standardise(float* data, float* mean, float* stddev, int m, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= m) return;
  float mu = 0;
  for (int i = 0; i < n; i++) mu += data[i * m + j];
  mu /= n;
  float var = 0;
  for (int i = 0; i < n; i++) {
    const float d = data[i * m + j] - mu;
    var += d * d;
  }
  float sd = sqrtf(var / n);
  if (sd <= 0.005f) sd = 1.0f;
  mean[j] = mu;
  stddev[j] = sd;
  const float inv = 1.0f / (sqrtf((float)n) * sd);
  for (int i = 0; i < n; i++) data[i * m + j] = (data[i * m + j] - mu) * inv;
}
