// Differential equations in time and space: limited fluxes, staggered meshes, implicit steps, spectra, stiff
// cells.

// Gas flows by a limited upwind step of second order in a conserved triple along rows; the row of a block is
// in shared memory.
__device__ inline float gentler(float a, float b) {
  return a * b <= 0 ? 0.0f : 2.0f * a * b / (a + b);
}
// warpscope gas_row_rusanov: block = 256 fixed, rows = 512, grid = rows, state = random[768 * rows] in 1..2, next = zeros[768 * rows], ratio = 0.1
__global__ void gas_row_rusanov(const float* __restrict__ state, float* __restrict__ next, float ratio) {
  __shared__ float u[3][260], flux[3][257];
  const int t = threadIdx.x, at = t + 2;
  const float* mine = state + blockIdx.x * 768;
  for (int k = 0; k < 3; ++k) {
    u[k][at] = mine[k * 256 + t];
    if (t < 2) u[k][t] = mine[k * 256], u[k][258 + t] = mine[k * 256 + 255];
  }
  __syncthreads();
  for (int face = t; face < 257; face += 256) {
    float l[3], r[3], fl[3], fr[3];
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      const float a = u[k][face], b = u[k][face + 1], c = u[k][face + 2], d = u[k][min(face + 3, 259)];
      l[k] = b + 0.5f * gentler(b - a, c - b);
      r[k] = c - 0.5f * gentler(c - b, d - c);
    }
    const float vl = l[1] / l[0], vr = r[1] / r[0];
    const float pl = 0.4f * fmaxf(l[2] - 0.5f * l[1] * vl, 0.01f),
                pr = 0.4f * fmaxf(r[2] - 0.5f * r[1] * vr, 0.01f);
    fl[0] = l[1], fl[1] = l[1] * vl + pl, fl[2] = vl * (l[2] + pl);
    fr[0] = r[1], fr[1] = r[1] * vr + pr, fr[2] = vr * (r[2] + pr);
    const float fast = fmaxf(fabsf(vl) + sqrtf(1.4f * pl / l[0]), fabsf(vr) + sqrtf(1.4f * pr / r[0]));
#pragma unroll
    for (int k = 0; k < 3; ++k) flux[k][face] = 0.5f * (fl[k] + fr[k] - fast * (r[k] - l[k]));
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 3; ++k)
    next[blockIdx.x * 768 + k * 256 + t] = u[k][at] - ratio * (flux[k][t + 1] - flux[k][t]);
}

// Ice creeps downhill: its thickness changes by a flow that depends on the fifth power of thickness and the
// square of slope.
// warpscope creeping_ice: block = (16, 16), width = 700, height = 500, grid = (ceil(width / 16), ceil(height / 16)), ice = random[width * height], bed = random[width * height], out = zeros[width * height], dt = 0.01
__global__ void creeping_ice(const float* ice, const float* bed, float* out, float dt, int width,
                             int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const int at = y * width + x;
  if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
    out[at] = ice[at];
    return;
  }
  const int away[4] = {1, -1, width, -width};
  const float mine = ice[at], top = mine + bed[at];
  float change = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int o = at + away[k];
    const float other = ice[o], slope = other + bed[o] - top, thick = 0.5f * (mine + other);
    const int side = away[k] == 1 || away[k] == -1 ? width : 1;
    const float across = 0.25f * (ice[at + side] + bed[at + side] - ice[at - side] - bed[at - side] +
                                  ice[min(max(o + side, 0), width * height - 1)] -
                                  ice[min(max(o - side, 0), width * height - 1)]);
    const float square = thick * thick;
    change += square * square * thick * (slope * slope + across * across) * slope;
  }
  const float season = 0.02f * (top - 0.7f);
  out[at] = fmaxf(mine + dt * (change + season), 0.0f);
}

// Half a step of alternating directions: each thread solves the three-banded system of its column, with
// coefficients that vary in space.
// warpscope columns_implicitly: block = 64, width = 2048, height = 96, grid = width / block, heat = random[width * height], spread = random[width * height] in 0.1..1, scratch = zeros[width * height], out = zeros[width * height]
__global__ void columns_implicitly(const float* __restrict__ heat, const float* __restrict__ spread,
                                   float* __restrict__ scratch, float* __restrict__ out, int width,
                                   int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  float c = 0, d = 0, down = spread[x];
  for (int y = 0; y < height; ++y) {
    const int at = y * width + x;
    const float up = y + 1 < height ? spread[at + width] : 0.0f;
    const float low = y == 0 ? 0.0f : 0.5f * down, high = 0.5f * up;
    const float inverse = 1.0f / (1.0f + low + high + low * c);
    const float right = heat[at];
    d = (right + low * d) * inverse;
    c = -high * inverse;
    scratch[at] = c;
    out[at] = d;
    down = up;
  }
  float value = d;
  for (int y = height - 2; y >= 0; --y) {
    const int at = y * width + x;
    value = out[at] - scratch[at] * value;
    out[at] = value;
  }
}

// Waves in shallow channels by Korteweg and de Vries' equation: several steps of a block's stretch between
// reads, with a border that is used up.
// warpscope lonely_waves: block = 256 fixed, n = 196608, grid = n / 192, now = random[n] in -0.5..0.5, next = zeros[n]
__global__ void lonely_waves(const float* __restrict__ now, float* __restrict__ next, int n) {
  __shared__ float u[2][256];
  const int t = threadIdx.x;
  const int place = (int)(blockIdx.x * 192) + t - 32;
  u[0][t] = now[(place + n) % n];
  int in = 0;
#pragma unroll 1
  for (int step = 0; step < 16; ++step) {
    __syncthreads();
    float v = u[in][t];
    if (t >= 2 && t < 254) {
      const float a = u[in][t - 2], b = u[in][t - 1], c = u[in][t + 1], d = u[in][t + 2];
      v -= 0.002f * (2.0f * (c + v + b) * (c - b) + 0.5f * (d - 2.0f * c + 2.0f * b - a));
    }
    u[in ^ 1][t] = v;
    in ^= 1;
  }
  if (t >= 32 && t < 224) next[place] = u[in][t];
}

// Predators and prey that also wander: an embedded pair of methods picks its own step, and lanes take
// different numbers of steps.
__device__ inline void hunt(float x, float y, float a, float& dx, float& dy) {
  const float eaten = a * x * y / (1.0f + 0.3f * x);
  dx = x * (1.0f - 0.1f * x) - eaten;
  dy = 0.7f * eaten - 0.4f * y;
}
// warpscope hunters_with_own_steps: block = 128, n = 2^15, grid = n / block, start = random[2 * n] in 0.5..4, hunger = random[n] in 0.3..1.5, end = zeros[2 * n], steps = zeros[n], until = 4.0
__global__ void hunters_with_own_steps(const float2* start, const float* hunger, float2* end, int* steps,
                                       float until) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float2 p = start[i];
  const float a = hunger[i];
  float time = 0, h = 0.1f, kx, ky;
  int taken = 0;
  hunt(p.x, p.y, a, kx, ky);
  while (time < until && taken < 120) {
    h = fminf(h, until - time);
    float k2x, k2y, k3x, k3y, k4x, k4y;
    hunt(p.x + 0.5f * h * kx, p.y + 0.5f * h * ky, a, k2x, k2y);
    hunt(p.x + 0.75f * h * k2x, p.y + 0.75f * h * k2y, a, k3x, k3y);
    const float nx = p.x + h * (2 * kx + 3 * k2x + 4 * k3x) / 9,
                ny = p.y + h * (2 * ky + 3 * k2y + 4 * k3y) / 9;
    hunt(nx, ny, a, k4x, k4y);
    const float ex = h * (-5 * kx + 6 * k2x + 8 * k3x - 9 * k4x) / 72,
                ey = h * (-5 * ky + 6 * k2y + 8 * k3y - 9 * k4y) / 72;
    const float error = fmaxf(fabsf(ex), fabsf(ey)) / 1e-4f;
    if (error <= 1.0f) {
      time += h;
      p = make_float2(nx, ny);
      kx = k4x, ky = k4y;
    }
    h *= fminf(fmaxf(0.9f * cbrtf(1.0f / (error + 1e-6f)), 0.3f), 3.0f);
    ++taken;
  }
  end[i] = p;
  steps[i] = taken;
}

// Currents of a layered sea: the weight of water from the top down gives pressure, its slope and the turning
// of the earth speed the water up.
// warpscope layered_sea: block = (32, 2), width = 256, height = 128, depth = 24, grid = (width / 32, height / 2), density = random[width * height * depth] in 1.02..1.03, u = random[width * height * depth] in -1..1, v = random[width * height * depth] in -1..1, uOut = zeros[width * height * depth], vOut = zeros[width * height * depth], floor = random[width * height] in 4..24
__global__ void layered_sea(const float* __restrict__ density, const float* __restrict__ u,
                            const float* __restrict__ v, float* __restrict__ uOut, float* __restrict__ vOut,
                            const int* __restrict__ floor, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int east = y * width + (x + 1) % width, north = min(y + 1, height - 1) * width + x,
            here = y * width + x;
  const int layers = min(floor[here], min(floor[east], floor[north]));
  const float turn = 0.1f * sinf(1.5f * (y - height / 2) / height);
  float pe = 0, pn = 0, ph = 0;
  for (int k = 0; k < layers; ++k) {
    const size_t base = (size_t)k * width * height;
    const float thick = 5.0f + k;
    ph += thick * density[base + here], pe += thick * density[base + east],
        pn += thick * density[base + north];
    const float a = u[base + here], b = v[base + here];
    const float drag = k == layers - 1 ? 0.02f * sqrtf(a * a + b * b) : 0.001f;
    uOut[base + here] = a + 0.5f * (turn * b - 0.3f * (pe - ph) - drag * a);
    vOut[base + here] = b - 0.5f * (turn * a + 0.3f * (pn - ph) + drag * b);
  }
}

// Fitting the pressure to the walls: weighted relaxation of a grid in space with solid cells, where a bit for
// each side says what is open.
// warpscope pressure_by_openings: block = (32, 4, 2), side = 64, grid = (side / 32, side / 4, side / 2), openings = u8 random[side * side * side], divergence = random[side * side * side] in -1..1, pressure = random[side * side * side], out = zeros[side * side * side]
__global__ void pressure_by_openings(const unsigned char* __restrict__ openings,
                                     const float* __restrict__ divergence, const float* __restrict__ pressure,
                                     float* __restrict__ out, int side) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
            z = blockIdx.z * blockDim.z + threadIdx.z;
  const int at = (z * side + y) * side + x;
  unsigned bits = openings[at] & 63u;
  if (x == 0) bits &= ~1u;
  if (x == side - 1) bits &= ~2u;
  if (y == 0) bits &= ~4u;
  if (y == side - 1) bits &= ~8u;
  if (z == 0) bits &= ~16u;
  if (z == side - 1) bits &= ~32u;
  const int count = __popc(bits);
  if (!count) {
    out[at] = 0;
    return;
  }
  float sum = -divergence[at];
  if (bits & 1) sum += pressure[at - 1];
  if (bits & 2) sum += pressure[at + 1];
  if (bits & 4) sum += pressure[at - side];
  if (bits & 8) sum += pressure[at + side];
  if (bits & 16) sum += pressure[at - side * side];
  if (bits & 32) sum += pressure[at + side * side];
  out[at] = pressure[at] + 0.8f * (sum / count - pressure[at]);
}

// Derivatives of a field on elements of 16 x 16 points, along and across, by a dense matrix; a block takes
// four elements.
// warpscope derivative_of_elements: block = 256, elements = 1024, grid = elements / 4, matrix = random[256] in -3..3, u = random[256 * elements], du = zeros[256 * elements]
__global__ void derivative_of_elements(const double* __restrict__ matrix, const double* __restrict__ u,
                                       double* __restrict__ du) {
  __shared__ double d[16][17], field[4][16][17];
  d[threadIdx.x / 16][threadIdx.x % 16] = matrix[threadIdx.x];
#pragma unroll
  for (int e = 0; e < 4; ++e)
    field[e][threadIdx.x / 16][threadIdx.x % 16] = u[(blockIdx.x * 4 + e) * 256 + threadIdx.x];
  __syncthreads();
  const int row = threadIdx.x / 16, column = threadIdx.x % 16;
  for (int e = 0; e < 4; ++e) {
    double along = 0, across = 0;
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      along += d[column][k] * field[e][row][k];
      across += d[row][k] * field[e][k][column];
    }
    du[(blockIdx.x * 4 + e) * 256 + threadIdx.x] = along * field[e][row][column] + 0.5 * across;
  }
}
