// Small systems of equations, one for each thread, warp or block.

// Cholesky's factors of 6 x 6, in registers; element e of matrix i is at e * count + i.
// warpscope cholesky6: block = 128, count = 40000, grid = ceil(count / block), in = random[36 * count], out = zeros[21 * count]
__global__ void cholesky6(const float* in, float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float l[21];
#pragma unroll
  for (int r = 0; r < 6; ++r) {
#pragma unroll
    for (int c = 0; c <= r; ++c) {
      float sum = in[(r * 6 + c) * count + i] + (r == c ? 6 : 0);
#pragma unroll
      for (int k = 0; k < c; ++k) sum -= l[r * (r + 1) / 2 + k] * l[c * (c + 1) / 2 + k];
      l[r * (r + 1) / 2 + c] = r == c ? sqrtf(sum) : sum / l[c * (c + 1) / 2 + c];
    }
  }
#pragma unroll
  for (int e = 0; e < 21; ++e) out[e * count + i] = l[e];
}

// Givens' rotations of a 16 x 16 matrix in shared memory; each lane has a column.
// warpscope givens: block = 32 fixed, count = 800, grid = count, m = random[256 * count] in -1..1
__global__ void givens(float* m) {
  __shared__ float a[16][17];
  const int lane = threadIdx.x;
  float* mine = m + blockIdx.x * 256;
  for (int e = lane; e < 256; e += 32) a[e / 16][e % 16] = mine[e];
  __syncwarp();
  for (int c = 0; c < 15; ++c) {
    for (int r = 15; r > c; --r) {
      const float x = a[r - 1][c], y = a[r][c], length = sqrtf(x * x + y * y) + 1e-20f;
      const float cosine = x / length, sine = y / length;
      __syncwarp();
      if (lane < 16) {
        const float above = a[r - 1][lane], below = a[r][lane];
        a[r - 1][lane] = cosine * above + sine * below;
        a[r][lane] = cosine * below - sine * above;
      }
      __syncwarp();
    }
  }
  for (int e = lane; e < 256; e += 32) mine[e] = a[e / 16][e % 16];
}

// Eigenvalues of symmetric 3 x 3 matrices by sweeps of Jacobi's rotations.
// warpscope eigen3: block = 256, count = 100000, grid = ceil(count / block), in = random[6 * count], out = zeros[3 * count]
__global__ void eigen3(const float* in, float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float a = in[i], b = in[count + i], c = in[2 * count + i];                  // diagonal
  float d = in[3 * count + i], e = in[4 * count + i], f = in[5 * count + i];  // ab, ac, bc
  for (int sweep = 0; sweep < 6; ++sweep) {
    if (fabsf(d) + fabsf(e) + fabsf(f) < 1e-6f) break;
    const auto rotate = [](float& p, float& q, float& off, float& r, float& s) {
      if (fabsf(off) < 1e-12f) return;
      const float ratio = (q - p) / (2 * off);
      const float t = copysignf(1, ratio) / (fabsf(ratio) + sqrtf(1 + ratio * ratio));
      const float cosine = rsqrtf(1 + t * t), sine = t * cosine, old = r;
      p -= t * off;
      q += t * off;
      off = 0;
      r = cosine * old - sine * s;
      s = sine * old + cosine * s;
    };
    rotate(a, b, d, e, f);
    rotate(a, c, e, d, f);
    rotate(b, c, f, d, e);
  }
  out[i] = a;
  out[count + i] = b;
  out[2 * count + i] = c;
}

// Tridiagonal systems, a thread each, whose elements interleave.
// warpscope thomas: block = 64, systems = 4096, size = 64, grid = ceil(systems / block), lower = random[systems * size], diagonal = random[systems * size] in 3..4, upper = random[systems * size]:3, right = random[systems * size]:4
__global__ void thomas(const float* lower, const float* diagonal, float* upper, float* right, int systems,
                       int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= systems) return;
  float above = upper[i] / diagonal[i], value = right[i] / diagonal[i];
  upper[i] = above;
  right[i] = value;
  for (int k = 1; k < size; ++k) {
    const int at = k * systems + i;
    const float scale = 1 / (diagonal[at] - lower[at] * above);
    above = upper[at] * scale;
    value = (right[at] - lower[at] * value) * scale;
    upper[at] = above;
    right[at] = value;
  }
  for (int k = size - 2; k >= 0; --k) {
    const int at = k * systems + i;
    value = right[at] - upper[at] * value;
    right[at] = value;
  }
}

// The same by cyclic reduction, a block each.
// warpscope cyclic_reduction: block = 128 fixed, systems = 1500, grid = systems, diagonals = random[384 * systems], right = random[128 * systems]:2
__global__ void cyclic_reduction(const float* diagonals, float* right) {
  __shared__ float a[128], b[128], c[128], d[128];
  const int t = threadIdx.x;
  const float* from = diagonals + blockIdx.x * 384;
  a[t] = t > 0 ? from[t] : 0;
  b[t] = from[128 + t] + 3;
  c[t] = t < 127 ? from[256 + t] : 0;
  d[t] = right[blockIdx.x * 128 + t];
  for (int step = 1; step < 128; step *= 2) {
    __syncthreads();
    const int low = max(t - step, 0), high = min(t + step, 127);
    const float p = t >= step ? a[t] / b[low] : 0, q = t + step < 128 ? c[t] / b[high] : 0;
    const float na = -p * a[low], nb = b[t] - p * c[low] - q * a[high], nc = -q * c[high],
                nd = d[t] - p * d[low] - q * d[high];
    __syncthreads();
    a[t] = na;
    b[t] = nb;
    c[t] = nc;
    d[t] = nd;
  }
  right[blockIdx.x * 128 + t] = d[t] / b[t];
}

// Conjugate gradients for a dense matrix of 32 rows, a warp each; a lane keeps its row in registers.
// warpscope conjugate: block = 96, count = 900, grid = ceil(32 * count / block), m = random[1024 * count], right = random[32 * count]:2, out = zeros[32 * count]
__global__ void conjugate(const float* m, const float* right, float* out, int count) {
  const int at = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (at >= count) return;
  const auto sum_of = [](float v) {
    for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xFFFFFFFF, v, d);
    return v;
  };
  float row[32];
#pragma unroll
  for (int k = 0; k < 32; ++k)
    row[k] = 0.5f * (m[at * 1024 + lane * 32 + k] + m[at * 1024 + k * 32 + lane]) + (k == lane ? 32 : 0);
  float x = 0, r = right[at * 32 + lane], p = r, size = sum_of(r * r);
  for (int step = 0; step < 12; ++step) {
    float q = 0;
#pragma unroll
    for (int k = 0; k < 32; ++k) q += row[k] * __shfl_sync(0xFFFFFFFF, p, k);
    const float along = size / sum_of(p * q);
    x += along * p;
    r -= along * q;
    const float next = sum_of(r * r);
    if (next < 1e-12f) break;
    p = r + next / size * p;
    size = next;
  }
  out[at * 32 + lane] = x;
}

// The largest eigenvalue of a 64 x 64 matrix.
// warpscope power_steps: block = 64 fixed, count = 300, grid = count, m = random[4096 * count], out = zeros[count]
__global__ void power_steps(const float* m, float* out) {
  __shared__ float a[64][65], x[64], sums[2];
  const int t = threadIdx.x;
  for (int k = 0; k < 64; ++k) a[k][t] = m[blockIdx.x * 4096 + k * 64 + t];
  x[t] = 1;
  float length = 0;
  for (int step = 0; step < 20; ++step) {
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 64; ++k) sum += a[t][k] * x[k];
    float squares = sum * sum;
    for (int d = 16; d > 0; d /= 2) squares += __shfl_down_sync(0xFFFFFFFF, squares, d);
    if (t % 32 == 0) sums[t / 32] = squares;
    __syncthreads();
    length = sqrtf(sums[0] + sums[1]);
    x[t] = sum / length;
  }
  if (t == 0) out[blockIdx.x] = length;
}

// 5 x 5 in double precision, with pivots: rows are found by index.
// warpscope pivot5: block = 96, count = 12000, grid = ceil(count / block), in = random[25 * count], right = random[5 * count]:2
__global__ void pivot5(const double* in, double* right, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  double a[5][6];
  int order[5];
  for (int r = 0; r < 5; ++r) {
    for (int c = 0; c < 5; ++c) a[r][c] = in[i * 25 + r * 5 + c];
    a[r][5] = right[i * 5 + r];
    order[r] = r;
  }
  for (int c = 0; c < 5; ++c) {
    int best = c;
    for (int r = c + 1; r < 5; ++r) {
      if (fabs(a[order[r]][c]) > fabs(a[order[best]][c])) best = r;
    }
    const int pivot = order[best];
    order[best] = order[c];
    order[c] = pivot;
    for (int r = c + 1; r < 5; ++r) {
      const double factor = a[order[r]][c] / a[pivot][c];
      for (int k = c; k < 6; ++k) a[order[r]][k] -= factor * a[pivot][k];
    }
  }
  for (int c = 4; c >= 0; --c) {
    double sum = a[order[c]][5];
    for (int k = c + 1; k < 5; ++k) sum -= a[order[c]][k] * right[i * 5 + k];
    right[i * 5 + c] = sum / a[order[c]][c];
  }
}

// warpscope singular2: block = 512, count = 500000, grid = ceil(count / block), m = random[count] in -1..1, out = zeros[count]
__global__ void singular2(const float4* m, float4* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float4 a = m[i];
  const float e = 0.5f * (a.x + a.w), f = 0.5f * (a.x - a.w), g = 0.5f * (a.z + a.y), h = 0.5f * (a.z - a.y);
  const float q = sqrtf(e * e + h * h), r = sqrtf(f * f + g * g);
  const float first = atan2f(g, f), second = atan2f(h, e);
  out[i] = make_float4(q + r, q - r, 0.5f * (second + first), 0.5f * (second - first));
}

// All complex roots of polynomials of degree five, by the method of Durand and Kerner.
// warpscope all_roots: block = 64, count = 6000, grid = ceil(count / block), in = random[5 * count] in -2..2, out = zeros[5 * count]
__global__ void all_roots(const double* in, double2* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  double coefficients[5], x[5], y[5];
  for (int k = 0; k < 5; ++k) {
    coefficients[k] = in[k * count + i];
    sincospi(0.4 * k + 0.1, &y[k], &x[k]);
  }
  for (int step = 0; step < 10; ++step) {
#pragma unroll
    for (int k = 0; k < 5; ++k) {
      double px = 1, py = 0, qx = 1, qy = 0;
#pragma unroll
      for (int j = 0; j < 5; ++j) {
        const double nx = px * x[k] - py * y[k] + coefficients[j];
        py = px * y[k] + py * x[k];
        px = nx;
        if (j != k) {
          const double dx = x[k] - x[j], dy = y[k] - y[j], mx = qx * dx - qy * dy;
          qy = qx * dy + qy * dx;
          qx = mx;
        }
      }
      const double size = qx * qx + qy * qy + 1e-30;
      x[k] -= (px * qx + py * qy) / size;
      y[k] -= (py * qx - px * qy) / size;
    }
  }
  for (int k = 0; k < 5; ++k) out[k * count + i] = make_double2(x[k], y[k]);
}

// Householder's reflections of 48 x 48, a block each.
// warpscope reflections: block = 48 fixed, count = 264, grid = count, m = random[2304 * count] in -1..1
__global__ void reflections(float* m) {
  __shared__ float a[48][48], v[48], along;
  const int t = threadIdx.x;
  float* mine = m + blockIdx.x * 2304;
  for (int r = 0; r < 48; ++r) a[r][t] = mine[r * 48 + t];
  for (int c = 0; c < 47; ++c) {
    __syncthreads();
    v[t] = t >= c ? a[t][c] : 0;
    __syncthreads();
    if (t == 0) {
      float squares = 0;
      for (int k = c; k < 48; ++k) squares += v[k] * v[k];
      const float length = copysignf(sqrtf(squares), v[c]);
      const float first = v[c];
      v[c] += length;
      along = squares > 0 ? 1 / (squares + length * first) : 0;
    }
    __syncthreads();
    if (t >= c) {
      float sum = 0;
      for (int k = c; k < 48; ++k) sum += v[k] * a[k][t];
      sum *= along;
      for (int k = c; k < 48; ++k) a[k][t] -= sum * v[k];
    }
  }
  __syncthreads();
  for (int r = 0; r < 48; ++r) mine[r * 48 + t] = a[r][t];
}
