// Double precision.

// warpscope: block = 256, n = 2^18, grid = ceil(n / block), x = random[n] in 1..2, y = random[n]:2 in 1..2, out = zeros[n]
__global__ void daxpy(const double* x, const double* y, double* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 1.5 * x[i] + y[i];
}
__global__ void ddivide(const double* x, const double* y, double* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] / y[i];
}
__global__ void droot(const double* x, double* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = sqrt(x[i]);
}
__global__ void dexponent(const double* x, double* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = exp(x[i]) + log(x[i]);
}
__global__ void dpolynomial(const double* x, double* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double sum = 1;
  for (int k = 0; k < 24; ++k) sum = sum * x[i] + k;
  out[i] = sum;
}
__global__ void dquadratic(const double* x, const double* y, double* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double d = x[i] * x[i] * 9 - 4 * y[i];
  out[i] = d < 0 ? 0 : (-3 * x[i] + sqrt(d)) / (2 * y[i]);
}

// warpscope ddot: block = 256, n = 2^18, grid = 264, x = random[n], y = random[n]:2, out = zeros[264]
__global__ void ddot(const double* x, const double* y, double* out, int n) {
  __shared__ double of_warp[32];
  double sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i] * y[i];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xFFFFFFFF, sum, d);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < blockDim.x / 32; ++w) sum += of_warp[w];
    out[blockIdx.x] = sum;
  }
}

// warpscope dbodies: block = 128, n = 2^10, grid = ceil(n / block), place = random[3 * n], force = zeros[3 * n]
__global__ void dbodies(const double* place, double* force, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double fx = 0, fy = 0, fz = 0;
  for (int j = 0; j < 256; ++j) {
    const double dx = place[3 * j] - place[3 * i], dy = place[3 * j + 1] - place[3 * i + 1],
                 dz = place[3 * j + 2] - place[3 * i + 2], r2 = dx * dx + dy * dy + dz * dz + 0.01;
    const double w = rsqrt(r2 * r2 * r2);
    fx += dx * w;
    fy += dy * w;
    fz += dz * w;
  }
  force[3 * i] = fx;
  force[3 * i + 1] = fy;
  force[3 * i + 2] = fz;
}

// warpscope dproduct: block = (16, 16) fixed, n = 128, grid = (n / 16, n / 16), a = random[n * n], b = random[n * n]:2, c = zeros[n * n]
__global__ void dproduct(const double* a, const double* b, double* c, int n) {
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  double sum = 0;
  for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}

// warpscope dmandelbrot: block = (32, 4), width = 256, height = 128, grid = (ceil(width / block.x), ceil(height / block.y)), out = zeros[width * height]
__global__ void dmandelbrot(int* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const double cx = -2 + 3.0 * x / width, cy = -1 + 2.0 * y / height;
  double a = 0, b = 0;
  int k = 0;
  while (k < 100 && a * a + b * b < 4) {
    const double next = a * a - b * b + cx;
    b = 2 * a * b + cy;
    a = next;
    ++k;
  }
  out[y * width + x] = k;
}
