// Optimisation: swarms, annealing, evolution, descents, plans of assignments.
#include <cstdint>

__device__ __forceinline__ uint32_t shaken(uint32_t v) {
  v ^= v << 13;
  v ^= v >> 17;
  return v ^ v << 5;
}

// A swarm in eight dimensions: each particle is drawn to its own best place and to that of all; a wavy
// valley.
// warpscope swarm_in_valley: block = 128, particles = 2^14, grid = ceil(particles / block), place = random[8 * particles] in -5..5, speed = random[8 * particles] in -1..1, own = random[8 * particles] in -5..5, all = random[8], worth = zeros[particles]
__global__ void swarm_in_valley(float* place, float* speed, const float* own, const float* all, float* worth,
                                int particles) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= particles) return;
  uint32_t r = i * 2654435761u + 99;
  float value = 80;
#pragma unroll 2
  for (int d = 0; d < 8; ++d) {
    const int at = d * particles + i;
    float x = place[at], v = speed[at];
    r = shaken(r);
    v = 0.7f * v + (r & 0xffff) / 65536.f * 1.4f * (own[at] - x) + (r >> 16) / 65536.f * 1.4f * (all[d] - x);
    x = fminf(fmaxf(x + v, -5.12f), 5.12f);
    place[at] = x;
    speed[at] = v;
    value += x * x - 10 * cospif(2 * x);
  }
  worth[i] = value;
}

// Tours of 64 towns improved by turning pieces around: each warp anneals its own tour, its lanes try
// different turns.
// warpscope turned_tours: block = 64 fixed, tours = 528, grid = tours / 2, towns = random[128], lengths = zeros[tours], rounds = 40
__global__ void turned_tours(const float2* towns, float* lengths, int rounds) {
  __shared__ float2 place[64];
  __shared__ unsigned char tours[2][64];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, id = blockIdx.x * 2 + warp;
  unsigned char* tour = tours[warp];
  place[threadIdx.x] = towns[threadIdx.x];
  tour[lane] = lane;
  tour[lane + 32] = lane + 32;
  __syncthreads();
  auto far = [&](int a, int b) {
    const float2 p = place[tour[a & 63]], q = place[tour[b & 63]];
    return sqrtf((p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y));
  };
  uint32_t r = (id * 32 + lane) * 747796405u + 1;
  for (int round = 0; round < rounds; ++round) {
    r = shaken(r);
    int a = r & 63, b = r >> 8 & 63;
    if (a > b) {
      const int t = a;
      a = b;
      b = t;
    }
    float gain = b - a < 2 || (a == 0 && b == 63)
                     ? -1e9f
                     : far(a - 1 + 64, a) + far(b, b + 1) - far(a - 1 + 64, b) - far(a, b + 1);
    float best = gain;
    for (int d = 16; d; d /= 2) best = fmaxf(best, __shfl_xor_sync(~0u, best, d));
    if (best <= -0.3f / (round + 1)) continue;
    const int winner = __ffs(__ballot_sync(~0u, gain == best)) - 1;
    a = __shfl_sync(~0u, a, winner);
    b = __shfl_sync(~0u, b, winner);
    __syncwarp();
    for (int k = lane; k < (b - a + 1) / 2; k += 32) {
      const unsigned char t = tour[a + k];
      tour[a + k] = tour[b - k];
      tour[b - k] = t;
    }
    __syncwarp();
  }
  float sum = far(lane, lane + 1) + far(lane + 32, lane + 33);
  for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  if (lane == 0) lengths[id] = sum;
}

// Evolution by differences: a child of three others, dimension by dimension, lives if it is better on a
// curved ridge.
// warpscope children_of_differences: block = 256, n = 2^14, grid = ceil(n / block), parents = random[12 * n] in -2..2, children = zeros[12 * n]
__global__ void children_of_differences(const float* __restrict__ parents, float* __restrict__ children,
                                        int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t r = shaken(i + 1);
  const float* a = parents + 12 * (r % n);
  r = shaken(r);
  const float* b = parents + 12 * (r % n);
  r = shaken(r);
  const float* c = parents + 12 * (r % n);
  const float* me = parents + 12 * i;
  float child[12];
#pragma unroll
  for (int d = 0; d < 12; ++d) {
    r = shaken(r);
    child[d] = (r & 255) < 230 ? a[d] + 0.6f * (b[d] - c[d]) : me[d];
  }
  auto ridge = [](const float* x) {
    float sum = 0;
#pragma unroll
    for (int d = 0; d < 11; ++d)
      sum += 100 * (x[d + 1] - x[d] * x[d]) * (x[d + 1] - x[d] * x[d]) + (1 - x[d]) * (1 - x[d]);
    return sum;
  };
  const bool better = ridge(child) < ridge(me);
#pragma unroll
  for (int d = 0; d < 12; ++d) children[12 * i + d] = better ? child[d] : me[d];
}

// Search by a triangle that mirrors, stretches and shrinks, many starts at once: branches that differ from
// lane to lane.
__device__ float humps(float2 p) {
  const float a = p.x * p.x + p.y - 11, b = p.x + p.y * p.y - 7;
  return a * a + b * b;
}
// warpscope mirrored_triangles: block = 128, starts = 2^13, grid = ceil(starts / block), from = random[2 * starts] in -4..4, out = zeros[2 * starts], trips = 40
__global__ void mirrored_triangles(const float2* from, float2* out, int starts, int trips) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= starts) return;
  float2 a = from[i], b{a.x + 0.5f, a.y}, c{a.x, a.y + 0.5f};
  float fa = humps(a), fb = humps(b), fc = humps(c);
  auto order = [](float2& p, float2& q, float& fp, float& fq) {
    if (fq < fp) {
      const float2 t = p;
      p = q, q = t;
      const float f = fp;
      fp = fq, fq = f;
    }
  };
  for (int k = 0; k < trips; ++k) {
    order(a, b, fa, fb);
    order(b, c, fb, fc);
    order(a, b, fa, fb);
    if (fc - fa < 1e-4f) break;
    const float2 middle{(a.x + b.x) / 2, (a.y + b.y) / 2};
    auto along = [&](float t) {
      return float2{middle.x + t * (c.x - middle.x), middle.y + t * (c.y - middle.y)};
    };
    const float2 mirror = along(-1);
    const float f = humps(mirror);
    if (f < fa) {
      const float2 further = along(-2);
      const float g = humps(further);
      c = g < f ? further : mirror;
      fc = fminf(g, f);
    } else if (f < fb) {
      c = mirror, fc = f;
    } else {
      const float2 inner = along(f < fc ? -0.5f : 0.5f);
      const float g = humps(inner);
      if (g < fminf(f, fc)) {
        c = inner, fc = g;
      } else {
        b = {(a.x + b.x) / 2, (a.y + b.y) / 2}, c = {(a.x + c.x) / 2, (a.y + c.y) / 2};
        fb = humps(b), fc = humps(c);
      }
    }
  }
  out[i] = a;
}

// One pivot of the simplex method on a tableau in doubles: each block row by row, the pivot row through
// shared memory.
// warpscope tableau_pivot: block = 256 fixed, rows = 512, columns = 512, grid = (columns / 256, rows / 16), tableau = random[rows * columns] in 0.5..1, next = zeros[rows * columns], row = 100, column = 77
__global__ void tableau_pivot(const double* __restrict__ tableau, double* __restrict__ next, int row,
                              int column, int columns) {
  __shared__ double factors[16];
  const int x = blockIdx.x * 256 + threadIdx.x, y0 = blockIdx.y * 16;
  const double inverse = 1 / tableau[row * columns + column];
  if (threadIdx.x < 16) factors[threadIdx.x] = tableau[(y0 + threadIdx.x) * columns + column];
  const double top = tableau[row * columns + x] * inverse;
  __syncthreads();
#pragma unroll 4
  for (int k = 0; k < 16; ++k) {
    const int y = y0 + k;
    next[y * columns + x] = y == row ? top : tableau[y * columns + x] - factors[k] * top;
  }
}

// Bids for things: each warp reads a person's row of values less prices, and finds the best and the second
// best.
// warpscope bids_of_persons: block = 256, persons = 1024, things = 512, grid = ceil(persons / 8), values = random[persons * things], prices = random[things] in 0..0.3, bids = zeros[things]
__global__ void bids_of_persons(const float* __restrict__ values, const float* __restrict__ prices,
                                unsigned long long* bids, int persons, int things) {
  const int p = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (p >= persons) return;
  float first = -1e9f, second = -1e9f;
  int which = 0;
  for (int t = lane; t < things; t += 32) {
    const float v = values[p * things + t] - prices[t];
    if (v > first) {
      second = first, first = v, which = t;
    } else {
      second = fmaxf(second, v);
    }
  }
  for (int d = 16; d; d /= 2) {
    const float f = __shfl_xor_sync(~0u, first, d), s = __shfl_xor_sync(~0u, second, d);
    const int w = __shfl_xor_sync(~0u, which, d);
    if (f > first || (f == first && w < which)) {
      second = fmaxf(first, s);
      first = f, which = w;
    } else {
      second = fmaxf(second, f);
    }
  }
  if (lane == 0)
    atomicMax(&bids[which],
              (unsigned long long)__float_as_uint(prices[which] + first - second + 0.01f) << 32 | p);
}

// Curves fitted to few samples each: damped steps with a system of three unknowns, in registers.
// warpscope decays_fitted: block = 64, curves = 2^13, grid = ceil(curves / block), samples = random[16 * curves] in 0.2..1, out = zeros[3 * curves]
__global__ void decays_fitted(const float* samples, float* out, int curves) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= curves) return;
  float a = 1, b = 0.3f, c = 0.1f, damp = 0.01f, last = 1e9f;
  for (int trip = 0; trip < 8; ++trip) {
    float m00 = 0, m01 = 0, m02 = 0, m11 = 0, m12 = 0, g0 = 0, g1 = 0, g2 = 0, off = 0;
    for (int k = 0; k < 16; ++k) {
      const float e = __expf(-b * k), j1 = -a * k * e, r = samples[k * curves + i] - a * e - c;
      m00 += e * e, m01 += e * j1, m02 += e, m11 += j1 * j1, m12 += j1;
      g0 += e * r, g1 += j1 * r, g2 += r;
      off += r * r;
    }
    if (fabsf(last - off) < 1e-5f * off) break;
    damp = off < last ? damp * 0.5f : damp * 4;
    last = off;
    m00 *= 1 + damp, m11 *= 1 + damp;
    const float m22 = 16 * (1 + damp);
    const float p = m11 * m22 - m12 * m12, q = m02 * m12 - m01 * m22, s = m01 * m12 - m02 * m11;
    const float det = 1 / (m00 * p + m01 * q + m02 * s + 1e-9f);
    a += det * (p * g0 + q * g1 + s * g2);
    b += fminf(fmaxf(det * (q * g0 + (m00 * m22 - m02 * m02) * g1 + (m01 * m02 - m00 * m12) * g2), -0.2f),
               0.2f);
    b = fminf(fmaxf(b, 0.01f), 2.0f);
    c += det * (s * g0 + (m01 * m02 - m00 * m12) * g1 + (m00 * m11 - m01 * m01) * g2);
  }
  out[3 * i] = a;
  out[3 * i + 1] = b;
  out[3 * i + 2] = c;
}
