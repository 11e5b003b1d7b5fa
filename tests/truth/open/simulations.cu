// Flows, fields, particles and chances: steps of simulations.
#include <cooperative_groups.h>

#include <cstdint>

__constant__ signed char directions19[19][3] = {{0, 0, 0},  {1, 0, 0},   {-1, 0, 0},  {0, 1, 0},   {0, -1, 0},
                                                {0, 0, 1},  {0, 0, -1},  {1, 1, 0},   {-1, -1, 0}, {1, -1, 0},
                                                {-1, 1, 0}, {1, 0, 1},   {-1, 0, -1}, {1, 0, -1},  {-1, 0, 1},
                                                {0, 1, 1},  {0, -1, -1}, {0, 1, -1},  {0, -1, 1}};
// Lattice Boltzmann in three dimensions: 19 streams are pulled, relaxed, and written back elsewhere.
// warpscope lattice19: block = 64, side = 64, depth = 24, cells = side * side * depth, grid = (side, depth), from = random[19 * cells], to = zeros[19 * cells]
__global__ void lattice19(const float* __restrict__ from, float* __restrict__ to, int side, int depth,
                          int cells) {
  const int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y, at = (z * side + y) * side + x;
  float f[19], density = 0, ux = 0, uy = 0, uz = 0;
#pragma unroll
  for (int k = 0; k < 19; ++k) {
    const int cx = directions19[k][0], cy = directions19[k][1], cz = directions19[k][2];
    const int sx = (x - cx) & (side - 1), sy = (y - cy) & (side - 1), sz = (z - cz + depth) % depth;
    f[k] = from[k * cells + (sz * side + sy) * side + sx];
    density += f[k];
    ux += cx * f[k], uy += cy * f[k], uz += cz * f[k];
  }
  const float inverse = 1 / density;
  ux *= inverse, uy *= inverse, uz *= inverse;
  const float square = 1.5f * (ux * ux + uy * uy + uz * uz);
#pragma unroll
  for (int k = 0; k < 19; ++k) {
    const float w = k == 0 ? 1.f / 3 : k < 7 ? 1.f / 18 : 1.f / 36;
    const float cu = 3 * (directions19[k][0] * ux + directions19[k][1] * uy + directions19[k][2] * uz);
    to[k * cells + at] = f[k] + 0.8f * (w * density * (1 + cu + 0.5f * cu * cu - square) - f[k]);
  }
}

// Shallow water by finite volumes: fluxes with square roots at four sides of each cell, tiles with a rim.
// warpscope shallow_water: block = (16, 16) fixed, side = 560, grid = (side / 14, side / 14), in = f32 random[4 * (side + 2) * (side + 2)], out = f32 zeros[4 * (side + 2) * (side + 2)]
__global__ void shallow_water(const float4* in, float4* out, int side) {
  __shared__ float h[16][17], u[16][17], v[16][17];
  const int tx = threadIdx.x, ty = threadIdx.y, pitch = side + 2;
  const int at = (blockIdx.y * 14 + ty) * pitch + blockIdx.x * 14 + tx;
  const float4 s = in[at];
  h[ty][tx] = s.x + 1, u[ty][tx] = s.y, v[ty][tx] = s.z;
  __syncthreads();
  if (tx == 0 || ty == 0 || tx == 15 || ty == 15) return;
  auto flux = [](float hl, float ql, float pl, float hr, float qr, float pr) {
    const float ul = ql / hl, ur = qr / hr,
                speed = fmaxf(fabsf(ul) + sqrtf(9.81f * hl), fabsf(ur) + sqrtf(9.81f * hr));
    return make_float3(0.5f * (ql + qr) - 0.5f * speed * (hr - hl),
                       0.5f * (ql * ul + qr * ur + 4.905f * (hl * hl + hr * hr)) - 0.5f * speed * (qr - ql),
                       0.5f * (pl * ul + pr * ur) - 0.5f * speed * (pr - pl));
  };
  const float3 w = flux(h[ty][tx - 1], u[ty][tx - 1], v[ty][tx - 1], h[ty][tx], u[ty][tx], v[ty][tx]);
  const float3 e = flux(h[ty][tx], u[ty][tx], v[ty][tx], h[ty][tx + 1], u[ty][tx + 1], v[ty][tx + 1]);
  const float3 n = flux(h[ty - 1][tx], v[ty - 1][tx], u[ty - 1][tx], h[ty][tx], v[ty][tx], u[ty][tx]);
  const float3 o = flux(h[ty][tx], v[ty][tx], u[ty][tx], h[ty + 1][tx], v[ty + 1][tx], u[ty + 1][tx]);
  const float k = 0.01f;
  out[at] = make_float4(h[ty][tx] - k * (e.x - w.x + o.x - n.x), u[ty][tx] - k * (e.y - w.y + o.z - n.z),
                        v[ty][tx] - k * (e.z - w.z + o.y - n.y), s.w);
}

// Waves through rock: eight neighbours each way along three axes, planes marched through registers.
// warpscope marched_wave: block = (32, 6), side = 96, layers = 40, pitch = 104, grid = (3, 16), past = random[pitch * pitch * (layers + 8)], now = random[pitch * pitch * (layers + 8)]:2, speed = random[pitch * pitch * (layers + 8)]:3, next = zeros[pitch * pitch * (layers + 8)]
__global__ void marched_wave(const float* __restrict__ past, const float* __restrict__ now,
                             const float* __restrict__ speed, float* __restrict__ next, int layers,
                             int pitch) {
  __shared__ float tile[6 + 8][32 + 8];
  const int tx = threadIdx.x, ty = threadIdx.y, plane = pitch * pitch;
  const int x = blockIdx.x * 32 + tx + 4, y = blockIdx.y * 6 + ty + 4;
  const float c[5] = {-2.847f, 1.6f, -0.2f, 0.0254f, -0.00179f};
  int at = y * pitch + x;
  float line[9];
#pragma unroll
  for (int k = 0; k < 8; ++k) line[k + 1] = now[at + k * plane];
  at += 4 * plane;
  for (int z = 0; z < layers; ++z, at += plane) {
#pragma unroll
    for (int k = 0; k < 8; ++k) line[k] = line[k + 1];
    line[8] = now[at + 4 * plane];
    __syncthreads();
    for (int k = ty * 32 + tx; k < 14 * 40; k += 192)
      tile[k / 40][k % 40] =
          now[(z + 4) * plane + (blockIdx.y * 6 + k / 40) * pitch + blockIdx.x * 32 + k % 40];
    __syncthreads();
    float sum = 3 * c[0] * line[4];
#pragma unroll
    for (int k = 1; k <= 4; ++k)
      sum += c[k] * (line[4 - k] + line[4 + k] + tile[ty + 4][tx + 4 - k] + tile[ty + 4][tx + 4 + k] +
                     tile[ty + 4 - k][tx + 4] + tile[ty + 4 + k][tx + 4]);
    next[at] = 2 * line[4] - past[at] + 0.1f * speed[at] * sum;
  }
}

// Forces between atoms and those in a list of 40 neighbours, with charges by erfc; a neighbour's place is
// gathered.
// warpscope listed_forces: block = 128, atoms = 24000, neighbours = 40, grid = ceil(atoms / block), places = f32 random[4 * atoms], list = random[neighbours * atoms], forces = f32 zeros[4 * atoms]
__global__ void listed_forces(const float4* __restrict__ places, const int* __restrict__ list,
                              float4* __restrict__ forces, int atoms, int neighbours) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= atoms) return;
  const float4 me = places[i];
  float4 sum = {0, 0, 0, 0};
  for (int k = 0; k < neighbours; ++k) {
    const int j = (i + (list[k * atoms + i] & 1023)) % atoms;
    const float4 o = __ldg(&places[j]);
    float dx = me.x - o.x, dy = me.y - o.y, dz = me.z - o.z;
    dx -= rintf(dx), dy -= rintf(dy), dz -= rintf(dz);
    const float square = dx * dx + dy * dy + dz * dz + 1e-3f;
    if (square < 0.16f) {
      const float inverse = 1 / square, six = inverse * inverse * inverse * 1e-6f, length = sqrtf(square);
      const float charge = me.w * o.w * (erfcf(3 * length) / length + 3.385f * expf(-9 * square));
      const float f = (48 * six * (six - 0.5f) + charge) * inverse;
      sum.x += f * dx, sum.y += f * dy, sum.z += f * dz, sum.w += 4 * six * (six - 1);
    }
  }
  forces[i] = sum;
}

// Heston's model: variance and price step together with two normal numbers (Philox, Box and Muller), 32
// dates.
__device__ inline uint4 philox(uint4 c, uint2 k) {
#pragma unroll
  for (int r = 0; r < 10; ++r) {
    const uint32_t h0 = __umulhi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x, h1 = __umulhi(0xCD9E8D57u, c.z),
                   l1 = 0xCD9E8D57u * c.z;
    c = make_uint4(h1 ^ c.y ^ k.x, l1, h0 ^ c.w ^ k.y, l0);
    k.x += 0x9E3779B9u, k.y += 0xBB67AE85u;
  }
  return c;
}
// warpscope heston_paths_too: block = 128, paths = 33792, dates = 32, grid = paths / block, rate = 0.03, sums = zeros[grid]
__global__ void heston_paths_too(float* sums, float rate, int dates) {
  __shared__ float of_warp[32];
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  float price = 0, variance = 0.04f;
  const float dt = 1.f / dates, root = sqrtf(dt);
  for (int d = 0; d < dates; d += 2) {
    const uint4 r = philox(make_uint4(id, d, 7, 0), make_uint2(42, 17));
    const float a = sqrtf(-2 * logf((r.x + 0.5f) * 0x1p-32f)), b = sqrtf(-2 * logf((r.y + 0.5f) * 0x1p-32f));
    float s1, c1, s2, c2;
    sincospif(r.z * 0x1p-31f, &s1, &c1);
    sincospif(r.w * 0x1p-31f, &s2, &c2);
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const float z1 = k ? b * c2 : a * c1, z2 = k ? b * s2 : a * s1, v = fmaxf(variance, 0.f), sv = sqrtf(v);
      price += (rate - 0.5f * v) * dt + sv * root * z1;
      variance += 2 * (0.04f - v) * dt + 0.3f * sv * root * (-0.7f * z1 + 0.714f * z2);
    }
  }
  float pay = fmaxf(100 * expf(price) - 105, 0.f) * expf(-rate);
  for (int d = 16; d; d >>= 1) pay += __shfl_down_sync(~0u, pay, d);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = pay;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < blockDim.x / 32; ++w) pay += of_warp[w];
    sums[blockIdx.x] = pay;
  }
}

// Neurons with currents of three gates, rates by exponentials in double; 10 steps of Euler's method.
// warpscope spiking: block = 64, cells = 8448, steps = 10, grid = ceil(cells / block), voltage = random[cells] in -70..-50, gates = random[3 * cells], spikes = zeros[cells]
__global__ void spiking(double* voltage, double* gates, int* spikes, int cells, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= cells) return;
  double v = voltage[i], m = gates[i], h = gates[cells + i], n = gates[2 * cells + i];
  int count = 0;
  for (int s = 0; s < steps; ++s) {
    const double am = 0.1 * (v + 40.01) / (1 - exp(-(v + 40.01) / 10)), bm = 4 * exp(-(v + 65) / 18);
    const double ah = 0.07 * exp(-(v + 65) / 20), bh = 1 / (1 + exp(-(v + 35) / 10));
    const double an = 0.01 * (v + 55.01) / (1 - exp(-(v + 55.01) / 10)), bn = 0.125 * exp(-(v + 65) / 80);
    m += 0.01 * (am * (1 - m) - bm * m);
    h += 0.01 * (ah * (1 - h) - bh * h);
    n += 0.01 * (an * (1 - n) - bn * n);
    const double before = v;
    v += 0.01 * (10 - 120 * m * m * m * h * (v - 50) - 36 * n * n * n * n * (v + 77) - 0.3 * (v + 54.4));
    count += before < 0 && v >= 0;
  }
  voltage[i] = v, gates[i] = m, gates[cells + i] = h, gates[2 * cells + i] = n;
  spikes[i] = count;
}

// Heat in a plate: eight steps in one launch; all blocks meet after each, two arrays change places.
// warpscope plate_together: block = 256, cooperative = true, side = 512, steps = 8, grid = 132, a = random[side * side], b = zeros[side * side]
__global__ void plate_together(float* a, float* b, int side, int steps) {
  const auto grid = cooperative_groups::this_grid();
  for (int s = 0; s < steps; ++s) {
    for (int i = grid.thread_rank(); i < side * side; i += grid.size()) {
      const int x = i % side, y = i / side;
      const float me = a[i];
      const float left = x ? a[i - 1] : me, right = x < side - 1 ? a[i + 1] : me;
      const float up = y ? a[i - side] : me, down = y < side - 1 ? a[i + side] : me;
      b[i] = me + 0.2f * (left + right + up + down - 4 * me);
    }
    grid.sync();
    float* held = a;
    a = b;
    b = held;
  }
}

// Least-cost paths from the top row down: a block steps 20 rows on its own with a rim that shrinks.
// warpscope shrinking_rows: block = 256 fixed, width = 43200, rows = 20, grid = ceil(width / 216), wall = random[width * rows] in 0..9, from = random[width]:2 in 0..9, to = zeros[width]
__global__ void shrinking_rows(const int* wall, const int* from, int* to, int width, int rows) {
  __shared__ int cost[2][256];
  const int t = threadIdx.x, x = blockIdx.x * 216 + t - 20;
  const bool inside = x >= 0 && x < width;
  int mine = inside ? from[x] : 1 << 20;
  for (int r = 0; r < rows; ++r) {
    int* row = cost[r & 1];
    row[t] = mine;
    __syncthreads();
    const int left = row[max(t - 1, 0)], right = row[min(t + 1, 255)];
    if (inside) mine = min(mine, min(left, right)) + wall[r * width + x];
  }
  if (inside && t >= 20 && t < 236) to[x] = mine;
}

// Particles of a filter are drawn again by their weights: bisection in the running sums, then moved with
// noise.
// warpscope redraw_particles: block = 160, particles = 100000, grid = ceil(particles / block), offset = 0.37, sums = iota[particles], states = f32 random[4 * particles], out = f32 zeros[4 * particles]
__global__ void redraw_particles(const float* __restrict__ sums, const float4* __restrict__ states,
                                 float4* __restrict__ out, float offset, int particles) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= particles) return;
  const float wanted = (i + offset) / particles * sums[particles - 1] * (0.75f + 0.25f * __sinf(i * 1e-4f));
  int low = 0, high = particles - 1;
  while (low < high) {
    const int middle = (low + high) >> 1;
    if (sums[middle] < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  float4 s = states[low];
  uint32_t r = i * 1664525u + 1013904223u;
  r ^= r << 13, r ^= r >> 17, r ^= r << 5;
  const float noise = (r >> 8) * 0x1p-24f - 0.5f;
  s.x += s.z + 0.1f * noise, s.y += s.w - 0.1f * noise;
  const float turn = 0.05f * noise, c = cosf(turn), n = sinf(turn);
  out[i] = make_float4(s.x, s.y, c * s.z - n * s.w, n * s.z + c * s.w);
}

// Xorwow generators in global memory: 16 numbers each step, counted in bins of the block.
struct Generator {
  uint32_t v[5], d;
};
// warpscope dice_bins: block = 256, generators = 33792, grid = generators / block, states = u32 random[6 * generators], bins = zeros[36]
__global__ void dice_bins(Generator* states, unsigned* bins) {
  __shared__ unsigned local[36];
  if (threadIdx.x < 36) local[threadIdx.x] = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  Generator g = states[i];
  auto drawn = [&g] {
    const uint32_t t = g.v[0] ^ g.v[0] >> 2;
    g.v[0] = g.v[1], g.v[1] = g.v[2], g.v[2] = g.v[3], g.v[3] = g.v[4];
    g.v[4] = g.v[4] ^ g.v[4] << 4 ^ t ^ t << 1;
    g.d += 362437;
    return g.v[4] + g.d;
  };
#pragma unroll 1
  for (int k = 0; k < 16; ++k) {
    const uint32_t a = drawn() % 6, b = drawn() % 6;
    atomicAdd(&local[a * 6 + b], 1u);
  }
  states[i] = g;
  __syncthreads();
  if (threadIdx.x < 36) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}
