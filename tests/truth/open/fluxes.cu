// Fluids, waves, plasma and lattices.

__constant__ const int step_x[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ const int step_y[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ const float share[9] = {4 / 9.f,  1 / 9.f,  1 / 9.f,  1 / 9.f, 1 / 9.f,
                                     1 / 36.f, 1 / 36.f, 1 / 36.f, 1 / 36.f};
// A lattice gas with nine speeds: pulls from the neighbours, relaxes to the equilibrium; walls bounce.
// warpscope nine_speed_gas: block = 128, width = 512, height = 256, grid = (width / block, height), from = random[9 * width * height] in 0.05..0.15, to = zeros[9 * width * height], wall = random[width * height]
__global__ void nine_speed_gas(const float* __restrict__ from, float* __restrict__ to,
                               const unsigned char* __restrict__ wall, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, cells = width * height,
            here = y * width + x;
  float f[9], density = 0, u = 0, v = 0;
#pragma unroll
  for (int k = 0; k < 9; ++k) {
    const int sx = (x - step_x[k] + width) % width, sy = (y - step_y[k] + height) % height;
    f[k] = from[k * cells + sy * width + sx];
    density += f[k];
    u += f[k] * step_x[k];
    v += f[k] * step_y[k];
  }
  if (wall[here] < 16) {
    to[here] = f[0];
#pragma unroll
    for (int k = 1; k < 9; ++k) to[(k < 5 ? (k + 1) % 4 + 1 : (k - 5 + 2) % 4 + 5) * cells + here] = f[k];
    return;
  }
  u /= density;
  v /= density;
  const float square = 1.5f * (u * u + v * v);
#pragma unroll
  for (int k = 0; k < 9; ++k) {
    const float along = 3 * (step_x[k] * u + step_y[k] * v);
    to[k * cells + here] =
        f[k] + 1.2f * (share[k] * density * (1 + along + 0.5f * along * along - square) - f[k]);
  }
}

struct Charge {
  float x, y, z, u, v, w;
};
// Moves charges in a field: half a kick, a turn about the magnetic field, half a kick. Structures of six
// floats.
// warpscope charges_turned: block = 256, n = 2^17, grid = ceil(n / block), charges = random[6 * n], electric = random[3 * 4096] in -1..1, magnetic = random[3 * 4096] in -1..1, dt = 0.001
__global__ void charges_turned(Charge* charges, const float* electric, const float* magnetic, float dt,
                               int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Charge c = charges[i];
  const int cell = ((int)(c.x * 16) & 15) * 256 + ((int)(c.y * 16) & 15) * 16 + ((int)(c.z * 16) & 15);
  const float ex = electric[3 * cell] * dt, ey = electric[3 * cell + 1] * dt,
              ez = electric[3 * cell + 2] * dt;
  const float bx = magnetic[3 * cell] * dt, by = magnetic[3 * cell + 1] * dt,
              bz = magnetic[3 * cell + 2] * dt;
  c.u += ex, c.v += ey, c.w += ez;
  const float px = c.u + c.v * bz - c.w * by, py = c.v + c.w * bx - c.u * bz, pz = c.w + c.u * by - c.v * bx;
  const float s = 2 / (1 + bx * bx + by * by + bz * bz);
  c.u += s * (py * bz - pz * by) + ex;
  c.v += s * (pz * bx - px * bz) + ey;
  c.w += s * (px * by - py * bx) + ez;
  c.x += c.u * dt, c.y += c.v * dt, c.z += c.w * dt;
  c.x -= floorf(c.x), c.y -= floorf(c.y), c.z -= floorf(c.z);
  charges[i] = c;
}

// Spreads charges over the four nearest nodes of a grid kept in shared memory, then adds the grid to the one
// of all.
// warpscope charge_to_nodes: block = 256, n = 2^16, grid = 64, place = random[2 * n], nodes = zeros[33 * 33]
__global__ void charge_to_nodes(const float2* place, float* nodes, int n) {
  __shared__ float mine[33 * 33];
  for (int k = threadIdx.x; k < 33 * 33; k += blockDim.x) mine[k] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float2 p = place[i];
    const float x = p.x * 31.99f, y = p.y * 31.99f;
    const int cx = (int)x, cy = (int)y;
    const float fx = x - cx, fy = y - cy;
    float* node = mine + cy * 33 + cx;
    atomicAdd(node, (1 - fx) * (1 - fy));
    atomicAdd(node + 1, fx * (1 - fy));
    atomicAdd(node + 33, (1 - fx) * fy);
    atomicAdd(node + 34, fx * fy);
  }
  __syncthreads();
  for (int k = threadIdx.x; k < 33 * 33; k += blockDim.x) atomicAdd(nodes + k, mine[k]);
}

// Light in a box: the electric field out of the plane from the curl of the magnetic one, several steps in a
// tile.
// warpscope light_in_tile: block = (32, 16) fixed, tiles = 264, grid = tiles, field = random[tiles * 512], glass = random[tiles * 512] in 0.2..0.5, steps = 24
__global__ void light_in_tile(float* field, const float* glass, int steps) {
  __shared__ float e[17][33], hx[17][33], hy[17][33];
  const int x = threadIdx.x, y = threadIdx.y, at = blockIdx.x * 512 + y * 32 + x;
  for (int k = y * 32 + x; k < 17 * 33; k += 512)
    e[k / 33][k % 33] = hx[k / 33][k % 33] = hy[k / 33][k % 33] = 0;
  __syncthreads();
  e[y][x] = field[at];
  const float c = glass[at];
  for (int step = 0; step < steps; ++step) {
    __syncthreads();
    hx[y + 1][x] -= 0.5f * (e[y + 1][x] - e[y][x]);
    hy[y][x + 1] += 0.5f * (e[y][x + 1] - e[y][x]);
    __syncthreads();
    e[y][x] += c * (hy[y][x + 1] - hy[y][x] - hx[y + 1][x] + hx[y][x]);
  }
  field[at] = e[y][x];
}

struct Gas {
  float density, push, energy;
};
__device__ __noinline__ Gas fluxBetween(Gas l, Gas r) {
  const float ul = l.push / l.density, ur = r.push / r.density;
  const float pl = fmaxf(0.4f * (l.energy - 0.5f * l.push * ul), 1e-4f),
              pr = fmaxf(0.4f * (r.energy - 0.5f * r.push * ur), 1e-4f);
  const float al = sqrtf(1.4f * pl / l.density), ar = sqrtf(1.4f * pr / r.density);
  const float sl = fminf(ul - al, ur - ar), sr = fmaxf(ul + al, ur + ar);
  const Gas fl{l.push, l.push * ul + pl, ul * (l.energy + pl)},
      fr{r.push, r.push * ur + pr, ur * (r.energy + pr)};
  if (sl >= 0) return fl;
  if (sr <= 0) return fr;
  const float d = 1 / (sr - sl);
  return {(sr * fl.density - sl * fr.density + sl * sr * (r.density - l.density)) * d,
          (sr * fl.push - sl * fr.push + sl * sr * (r.push - l.push)) * d,
          (sr * fl.energy - sl * fr.energy + sl * sr * (r.energy - l.energy)) * d};
}
// One step of a gas in a tube: flows between cells from the two waves that leave each border.
// warpscope gas_in_tube: block = 192, n = 2^17, grid = ceil(n / block), density = random[n] in 0.5..1, push = random[n] in -0.2..0.2, energy = random[n] in 1..3, out = zeros[3 * n]
__global__ void gas_in_tube(const float* density, const float* push, const float* energy, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  auto cell = [&](int k) {
    k = min(max(k, 0), n - 1);
    return Gas{density[k], push[k], energy[k]};
  };
  const Gas left = cell(i - 1), here = cell(i), right = cell(i + 1);
  const Gas in = fluxBetween(left, here), away = fluxBetween(here, right);
  out[i] = here.density + 0.1f * (in.density - away.density);
  out[n + i] = here.push + 0.1f * (in.push - away.push);
  out[2 * n + i] = here.energy + 0.1f * (in.energy - away.energy);
}

// Spins of 64 copies of a lattice in the bits of words; a bit turns if its neighbours outvote it, or by a
// shared chance.
// warpscope spins_in_bits: block = (32, 8), side = 512, grid = (side / 2 / block.x, side / block.y), spins = random[side * side], colour = 1, seed = 12345
__global__ void spins_in_bits(unsigned long long* spins, int side, int colour, unsigned seed) {
  const int y = blockIdx.y * blockDim.y + threadIdx.y,
            x = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + ((y + colour) & 1);
  const unsigned long long s = spins[y * side + x];
  const unsigned long long a = s ^ spins[y * side + (x + 1) % side],
                           b = s ^ spins[y * side + (x + side - 1) % side];
  const unsigned long long c = s ^ spins[(y + 1) % side * side + x],
                           d = s ^ spins[(y + side - 1) % side * side + x];
  const unsigned long long ab = a ^ b, cd = c ^ d, two = (a & b) | (c & d) | (ab & cd), one = ab ^ cd;
  unsigned r = (y * side + x) * 2654435761u ^ seed;
  r ^= r << 13, r ^= r >> 17, r ^= r << 5;
  const unsigned long long some = r < 0x2b000000u ? ~0ull : 0, rare = r < 0x05000000u ? ~0ull : 0;
  spins[y * side + x] = s ^ (two | (one & some) | rare);
}

// The density at particles of a fluid: those in the nine cells around, whose starts are listed.
// warpscope density_from_cells: block = 128, n = 2^14, cells = 32, grid = ceil(n / block), jitter = random[2 * n], out = zeros[n]
__global__ void density_from_cells(const float2* jitter, float* out, int n, int cells) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, per = n / (cells * cells);
  if (i >= n) return;
  const int cell = i / per, cx = cell % cells, cy = cell / cells;
  const float x = cx + jitter[i].x, y = cy + jitter[i].y;
  float sum = 0;
  for (int oy = max(cy - 1, 0); oy <= min(cy + 1, cells - 1); ++oy)
    for (int ox = max(cx - 1, 0); ox <= min(cx + 1, cells - 1); ++ox) {
      const int first = (oy * cells + ox) * per;
      for (int k = first; k < first + per; ++k) {
        const float dx = ox + jitter[k].x - x, dy = oy + jitter[k].y - y, r = dx * dx + dy * dy;
        if (r < 1) sum += (1 - r) * (1 - r) * (1 - r);
      }
    }
  out[i] = sum;
}

// Waves in three dimensions, fourth order; a block marches along z with the column of values in registers.
// warpscope waves_marching: block = (32, 8) fixed, width = 128, height = 64, depth = 36, grid = (width / 32, height / 8), now = random[width * height * depth], last = random[width * height * depth]
__global__ void waves_marching(const float* __restrict__ now, float* __restrict__ last, int width, int height,
                               int depth) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, layer = width * height;
  if (x < 2 || y < 2 || x >= width - 2 || y >= height - 2) return;
  int at = y * width + x;
  float a = now[at], b = now[at + layer], c = now[at + 2 * layer], d = now[at + 3 * layer];
  for (int z = 2; z < depth - 2; ++z) {
    const float e = now[at + (z + 2) * layer];
    const float* p = now + at + z * layer;
    const float near = p[-1] + p[1] + p[-width] + p[width] + b + d;
    const float wide = p[-2] + p[2] + p[-2 * width] + p[2 * width] + a + e;
    float* to = last + at + z * layer;
    *to = 2 * c - *to + 0.05f * (-7.5f * c + 1.3333333f * near - 0.0833333f * wide);
    a = b, b = c, c = d, d = e;
  }
}
