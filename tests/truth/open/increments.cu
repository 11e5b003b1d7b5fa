// Solvers of ordinary and partial differential equations.

// Chaotic flows in three variables, with steps that adapt to the error; each thread its own start.
// warpscope adapted_steps_chaos: block = 64, n = 2^13, grid = ceil(n / block), start = random[3 * n] in -5..5, out = zeros[4 * n]
__global__ void adapted_steps_chaos(const float* start, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = start[3 * i], y = start[3 * i + 1], z = start[3 * i + 2] + 20, t = 0, h = 0.01f;
  auto slope = [](float x, float y, float z) {
    return float3{10 * (y - x), x * (28 - z) - y, x * y - 2.6666667f * z};
  };
  int steps = 0;
  while (t < 0.5f && steps < 200) {
    h = fminf(h, 0.5f - t + 1e-6f);
    const float3 a = slope(x, y, z);
    const float3 b = slope(x + h * 0.5f * a.x, y + h * 0.5f * a.y, z + h * 0.5f * a.z);
    const float3 c = slope(x + h * 0.75f * b.x, y + h * 0.75f * b.y, z + h * 0.75f * b.z);
    const float nx = x + h / 9 * (2 * a.x + 3 * b.x + 4 * c.x),
                ny = y + h / 9 * (2 * a.y + 3 * b.y + 4 * c.y),
                nz = z + h / 9 * (2 * a.z + 3 * b.z + 4 * c.z);
    const float3 d = slope(nx, ny, nz);
    const float ex = h * fabsf(-5 / 72.f * a.x + b.x / 12 + c.x / 9 - d.x / 8),
                ey = h * fabsf(-5 / 72.f * a.y + b.y / 12 + c.y / 9 - d.y / 8);
    const float error = fmaxf(fmaxf(ex, ey), 1e-7f);
    if (error < 1e-3f) x = nx, y = ny, z = nz, t += h;
    h *= fminf(fmaxf(0.9f * cbrtf(1e-3f / error), 0.3f), 3.0f);
    ++steps;
  }
  out[4 * i] = x, out[4 * i + 1] = y, out[4 * i + 2] = z, out[4 * i + 3] = steps;
}

// A stiff reaction of three substances, implicit steps: Newton's method with the inverse of three by three,
// in doubles.
// warpscope stiff_reaction_newton: block = 128, n = 2^12, grid = ceil(n / block), start = random[n] in 0.1..1, out = zeros[3 * n]
__global__ void stiff_reaction_newton(const double* start, double* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double a = start[i], b = 1e-5, c = 1 - a;
  const double h = 0.1;
  for (int step = 0; step < 4; ++step) {
    const double a0 = a, b0 = b, c0 = c;
    for (int k = 0; k < 6; ++k) {
      const double f = a - a0 - h * (-0.04 * a + 1e4 * b * c),
                   g = b - b0 - h * (0.04 * a - 1e4 * b * c - 3e7 * b * b), e = c - c0 - h * 3e7 * b * b;
      const double m00 = 1 + 0.04 * h, m01 = -h * 1e4 * c, m02 = -h * 1e4 * b, m10 = -0.04 * h,
                   m11 = 1 + h * (1e4 * c + 6e7 * b), m12 = h * 1e4 * b, m21 = -h * 6e7 * b;
      const double det = m00 * (m11 - m12 * m21) - m01 * m10 + m02 * m10 * m21;
      const double da = (f * (m11 - m12 * m21) - m01 * (g - m12 * e) + m02 * (g * m21 - m11 * e)) / det;
      const double db = (m00 * (g - m12 * e) - f * m10 + m02 * m10 * e) / det;
      const double dc = e - m21 * db;
      a -= da, b -= db, c -= dc;
      if (fabs(da) + fabs(db) + fabs(dc) < 1e-10) break;
    }
  }
  out[i] = a, out[n + i] = b, out[2 * n + i] = c;
}

// From a fine grid to a coarse one: what is left of the equation, weighed over nine points.
__device__ inline float leftOver(const float* u, const float* f, int x, int y, int side) {
  const int at = y * side + x;
  return f[at] - (4 * u[at] - u[at - 1] - u[at + 1] - u[at - side] - u[at + side]);
}
// warpscope coarser_left_over: block = (16, 16), side = 1024, grid = (side / 2 / block.x, side / 2 / block.y), u = random[side * side], f = random[side * side], coarse = zeros[side * side / 4]
__global__ void coarser_left_over(const float* __restrict__ u, const float* __restrict__ f,
                                  float* __restrict__ coarse, int side) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
            half = side / 2;
  if (x == 0 || y == 0 || x >= half - 1 || y >= half - 1) return;
  float sum = 0;
#pragma unroll
  for (int dy = -1; dy <= 1; ++dy)
#pragma unroll
    for (int dx = -1; dx <= 1; ++dx)
      sum += leftOver(u, f, 2 * x + dx, 2 * y + dy, side) * (dx == 0 ? 2 : 1) * (dy == 0 ? 2 : 1);
  coarse[y * half + x] = sum / 16;
}

// Relaxes a tile of 64 by 32 points, red and black in turn, several sweeps in shared memory.
// warpscope two_colour_sweeps: block = (32, 8) fixed, across = 16, down = 32, grid = (across, down), u = random[across * 64 * down * 32], f = random[across * 64 * down * 32], sweeps = 6
__global__ void two_colour_sweeps(float* u, const float* f, int across, int sweeps) {
  __shared__ float tile[34][66];
  const int width = across * 64;
  float* corner = u + (blockIdx.y * 32) * width + blockIdx.x * 64;
  const float* right = f + (blockIdx.y * 32) * width + blockIdx.x * 64;
  for (int y = threadIdx.y; y < 34; y += 8)
    for (int x = threadIdx.x; x < 66; x += 32)
      tile[y][x] = x > 0 && x < 65 && y > 0 && y < 33 ? corner[(y - 1) * width + x - 1] : 0;
  for (int s = 0; s < 2 * sweeps; ++s) {
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const int y = threadIdx.y + 8 * k, x = 2 * threadIdx.x + ((y + s) & 1);
      const float around = tile[y][x + 1] + tile[y + 2][x + 1] + tile[y + 1][x] + tile[y + 1][x + 2];
      tile[y + 1][x + 1] += 1.5f * (0.25f * (around + right[y * width + x]) - tile[y + 1][x + 1]);
    }
  }
  __syncthreads();
  for (int y = threadIdx.y; y < 32; y += 8) {
    corner[y * width + threadIdx.x] = tile[y + 1][threadIdx.x + 1];
    corner[y * width + threadIdx.x + 32] = tile[y + 1][threadIdx.x + 33];
  }
}

// Nerve cells with gates for sodium and potassium: one thread a cell, exponentials at every step.
struct Nerve {
  float volt, m, h, n;
};
__device__ __noinline__ float openRate(float v, float scale, float width) {
  const float x = v / width;
  return fabsf(x) < 1e-4f ? scale * width : scale * v / (1 - __expf(-x));
}
// warpscope gated_nerve_cells: block = 128, cells = 2^14, grid = ceil(cells / block), state = random[4 * cells] in 0.1..0.9, current = random[cells] in 5..15, steps = 20
__global__ void gated_nerve_cells(Nerve* state, const float* current, int cells, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= cells) return;
  Nerve c = state[i];
  const float drive = current[i];
  for (int k = 0; k < steps; ++k) {
    const float v = c.volt;
    const float am = openRate(v - 25, 0.1f, 10), an = openRate(v - 10, 0.01f, 10);
    const float bm = 4 * __expf(-v / 18), bn = 0.125f * __expf(-v / 80), ah = 0.07f * __expf(-v / 20),
                bh = 1 / (1 + __expf((30 - v) / 10));
    c.m += 0.02f * (am * (1 - c.m) - bm * c.m);
    c.n += 0.02f * (an * (1 - c.n) - bn * c.n);
    c.h += 0.02f * (ah * (1 - c.h) - bh * c.h);
    c.volt += 0.02f * (drive - 120 * c.m * c.m * c.m * c.h * (v - 115) -
                       36 * c.n * c.n * c.n * c.n * (v + 12) - 0.3f * (v - 10.6f));
  }
  state[i] = c;
}

// A front that moves along its normal: differences against the wind, fifth order weights of three stencils.
__device__ __forceinline__ float weighedSlope(float a, float b, float c, float d, float e) {
  const float p = a / 3 - 7 * b / 6 + 11 * c / 6, q = -b / 6 + 5 * c / 6 + d / 3,
              r = c / 3 + 5 * d / 6 - e / 6;
  const float u = a - 2 * b + c, v = b - 2 * c + d, w = c - 2 * d + e;
  const float x = 0.1f / ((1e-6f + u * u) * (1e-6f + u * u)), y = 0.6f / ((1e-6f + v * v) * (1e-6f + v * v)),
              z = 0.3f / ((1e-6f + w * w) * (1e-6f + w * w));
  return (x * p + y * q + z * r) / (x + y + z);
}
// warpscope front_against_wind: block = 256 fixed, width = 1024, height = 128, grid = (width / 256, height), level = random[width * height], out = zeros[width * height]
__global__ void front_against_wind(const float* level, float* out, int width) {
  __shared__ float d[262];
  const float* row = level + blockIdx.y * width;
  const int x0 = blockIdx.x * 256;
  for (int k = threadIdx.x; k < 262; k += 256) {
    const int x = x0 + k - 3;
    d[k] = row[(x + 1 + width) % width] - row[(x + width) % width];
  }
  __syncthreads();
  const int t = threadIdx.x;
  const float minus = weighedSlope(d[t], d[t + 1], d[t + 2], d[t + 3], d[t + 4]);
  const float plus = weighedSlope(d[t + 5], d[t + 4], d[t + 3], d[t + 2], d[t + 1]);
  const float low = fmaxf(minus, 0), high = fminf(plus, 0);
  out[blockIdx.y * width + x0 + t] = row[x0 + t] - 0.3f * sqrtf(low * low + high * high);
}

// Oscillators that pull at all others: a block's tile of phases is shared, each thread adds the sines.
// warpscope coupled_clocks: block = 256 fixed, n = 4096, grid = ceil(n / 256), phase = random[n] in 0..6.28, speed = random[n], out = zeros[n]
__global__ void coupled_clocks(const float* phase, const float* speed, float* out, int n) {
  __shared__ float tile[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float mine = i < n ? phase[i] : 0;
  float pull = 0;
  for (int first = 0; first < n; first += 1024) {
    tile[threadIdx.x] = first + threadIdx.x * 4 < n ? phase[first + threadIdx.x * 4] : mine;
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < 256; ++k) pull += __sinf(tile[k] - mine);
    __syncthreads();
  }
  if (i < n) out[i] = mine + 0.01f * (speed[i] + 2 * pull / n);
}
