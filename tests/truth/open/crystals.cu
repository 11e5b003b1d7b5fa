// Physics of many kinds: lattices of spins and atoms, waves, grains, plasma and rays of neutrons.

// Metropolis steps on angles: the compass model of magnets, one colour of a chequered board at a time.
__device__ inline unsigned nextDraw(unsigned& state) {
  state = state * 747796405u + 2891336453u;
  const unsigned word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
  return (word >> 22) ^ word;
}
// warpscope compass_spins: block = (32, 8), side = 512, grid = (side / 64, side / 8), angles = random[side * side] in 0..6.28, colour = 0, coupling = 1.1, seed = 77
__global__ void compass_spins(float* angles, int side, int colour, float coupling, unsigned seed) {
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + ((y + colour) & 1);
  const int mask = side - 1;
  const float right = angles[y * side + ((x + 1) & mask)], left = angles[y * side + ((x - 1) & mask)];
  const float down = angles[((y + 1) & mask) * side + x], up = angles[((y - 1) & mask) * side + x];
  float mine = angles[y * side + x];
  unsigned state = seed ^ (y * side + x) * 2654435761u;
  float energy = -cosf(mine - right) - cosf(mine - left) - cosf(mine - down) - cosf(mine - up);
  for (int trial = 0; trial < 4; ++trial) {
    const float proposed = mine + (nextDraw(state) * 2.3283064e-10f - 0.5f) * 2.0f;
    const float then =
        -cosf(proposed - right) - cosf(proposed - left) - cosf(proposed - down) - cosf(proposed - up);
    if (then <= energy || nextDraw(state) * 2.3283064e-10f < __expf(-coupling * (then - energy))) {
      mine = proposed;
      energy = then;
    }
  }
  angles[y * side + x] = mine;
}

// An alloy that separates: chemical potential and its Laplacian within a tile, with two layers of border
// around it.
// warpscope separating_alloy: block = (16, 16) fixed, side = 512, grid = (side / 16, side / 16), now = random[side * side] in -1..1, next = zeros[side * side]
__global__ void separating_alloy(const float* __restrict__ now, float* __restrict__ next, int side) {
  __shared__ float c[20][21], mu[18][19];
  const int left = blockIdx.x * 16 - 2, top = blockIdx.y * 16 - 2, t = threadIdx.y * 16 + threadIdx.x;
  for (int i = t; i < 400; i += 256) {
    const int y = (top + i / 20 + side) % side, x = (left + i % 20 + side) % side;
    c[i / 20][i % 20] = now[y * side + x];
  }
  __syncthreads();
  for (int i = t; i < 324; i += 256) {
    const int y = i / 18 + 1, x = i % 18 + 1;
    const float v = c[y][x];
    mu[y - 1][x - 1] =
        v * v * v - v - 0.5f * (c[y - 1][x] + c[y + 1][x] + c[y][x - 1] + c[y][x + 1] - 4.0f * v);
  }
  __syncthreads();
  const int y = threadIdx.y + 1, x = threadIdx.x + 1;
  const float flow = mu[y - 1][x] + mu[y + 1][x] + mu[y][x - 1] + mu[y][x + 1] - 4.0f * mu[y][x];
  next[(top + 1 + y) * side + left + 1 + x] = c[y + 1][x + 1] + 0.01f * flow;
}

// Grains in a box, listed by cells of fixed room: springs, damping and friction where they overlap.
struct Grain {
  float x, y, vx, vy;
};
// warpscope grain_contacts: block = 128, cells = 96, room = 4, grid = ceil(cells * cells * room / 128), grains = random[4 * cells * cells * room], counts = random[cells * cells] in 1..4, force = zeros[2 * cells * cells * room]
__global__ void grain_contacts(const Grain* __restrict__ grains, const int* __restrict__ counts,
                               float2* __restrict__ force, int cells, int room) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int cell = i / room, slot = i % room;
  if (cell >= cells * cells || slot >= counts[cell]) return;
  const int cx = cell % cells, cy = cell / cells;
  const Grain me = grains[i];
  float fx = 0, fy = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      const int nx = cx + dx, ny = cy + dy;
      if (nx < 0 || ny < 0 || nx >= cells || ny >= cells) continue;
      const int other = ny * cells + nx, held = counts[other];
      for (int k = 0; k < held; ++k) {
        if (other == cell && k == slot) continue;
        const Grain it = grains[other * room + k];
        const float ax = it.x + dx - me.x, ay = it.y + dy - me.y;
        const float square = ax * ax + ay * ay;
        if (square >= 0.36f || square < 1e-8f) continue;
        const float inverse = rsqrtf(square), distance = square * inverse;
        const float nxv = ax * inverse, nyv = ay * inverse;
        const float rvx = it.vx - me.vx, rvy = it.vy - me.vy;
        const float along = rvx * nxv + rvy * nyv;
        const float push = -50.0f * (0.6f - distance) + 0.3f * along;
        const float across = rvy * nxv - rvx * nyv;
        const float rub = copysignf(fminf(fabsf(0.2f * across), 0.4f * fabsf(push)), across);
        fx += push * nxv - rub * nyv;
        fy += push * nyv + rub * nxv;
      }
    }
  }
  force[i] = make_float2(fx, fy);
}

// One step of a quantum particle in a potential, real and imaginary parts staggered in time, with a
// fourth-order second derivative.
// warpscope staggered_quantum_line: block = 256, n = 2^19, grid = ceil(n / block), re = random[n] in -1..1, im = random[n] in -1..1, out = zeros[n], chances = zeros[n], well = 0.3, dt = 0.05
__global__ void staggered_quantum_line(const double* __restrict__ re, const double* __restrict__ im,
                                       double* __restrict__ out, float* __restrict__ chances, double well,
                                       double dt, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (i < 2 || i >= n - 2) {
    out[i] = 0;
    chances[i] = 0;
    return;
  }
  const double bend = (-re[i - 2] + 16 * re[i - 1] - 30 * re[i] + 16 * re[i + 1] - re[i + 2]) / 12.0;
  const double place = (i - n / 2) * (20.0 / n);
  const double potential = well * place * place + (fabs(place) < 0.5 ? 4.0 : 0.0);
  const double fresh = im[i] + dt * (0.5 * bend - potential * re[i]);
  out[i] = fresh;
  chances[i] = (float)(re[i] * re[i] + fresh * im[i]);
}

// Neutrons in a slab of many angles: each thread takes an angle of an energy group and sweeps the cells there
// and back.
// warpscope neutron_sweeps: block = 64, groups = 256, angles = 16, cells = 200, grid = groups * angles / block, opacity = random[groups * cells] in 0.2..2, source = random[groups * cells], flux = zeros[groups * angles]
__global__ void neutron_sweeps(const float* __restrict__ opacity, const float* __restrict__ source,
                               float* __restrict__ flux, int groups, int angles, int cells) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int g = i % groups, a = i / groups;
  const float slope = (a + 0.5f) / angles, reach = 2.0f * slope / 0.1f;
  float stream = 0, total = 0;
  for (int c = 0; c < cells; ++c) {
    const float s = opacity[c * groups + g], q = source[c * groups + g];
    const float middle = (q + reach * stream) / (s + reach);
    stream = fmaxf(2.0f * middle - stream, 0.0f);
    total += middle;
  }
  for (int c = cells - 1; c >= 0; --c) {
    const float s = opacity[c * groups + g], q = source[c * groups + g];
    const float middle = (q + reach * stream) / (s + reach);
    stream = fmaxf(2.0f * middle - stream, 0.0f);
    total += middle;
  }
  flux[i] = total;
}

// Gas of few molecules: pairs in a cell collide, if chance has it, and leave in directions drawn anew. A warp
// takes a cell of 32 molecules.
// warpscope collisions_in_cells: block = 128, cells = 8192, grid = cells / 4, velocities = random[3 * 32 * cells] in -1..1, out = zeros[3 * 32 * cells], seed = 5
__global__ void collisions_in_cells(const float* velocities, float* out, unsigned seed) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  unsigned state = seed + i * 9781u;
  float vx = velocities[3 * i], vy = velocities[3 * i + 1], vz = velocities[3 * i + 2];
  for (int round = 1; round <= 8; ++round) {
    const float ox = __shfl_xor_sync(~0u, vx, round), oy = __shfl_xor_sync(~0u, vy, round),
                oz = __shfl_xor_sync(~0u, vz, round);
    const float rx = vx - ox, ry = vy - oy, rz = vz - oz;
    const float speed = sqrtf(rx * rx + ry * ry + rz * rz);
    const bool lower = lane < (lane ^ round);
    float chance = nextDraw(state) * 2.3283064e-10f, cosine = nextDraw(state) * 4.656613e-10f - 1.0f;
    float turn = nextDraw(state) * 1.4629181e-9f;
    const int leader = min(lane, lane ^ round);
    chance = __shfl_sync(~0u, chance, leader);
    cosine = __shfl_sync(~0u, cosine, leader);
    turn = __shfl_sync(~0u, turn, leader);
    if (chance * 2.0f > speed) continue;
    const float sine = sqrtf(fmaxf(1.0f - cosine * cosine, 0.0f));
    const float half = lower ? 0.5f * speed : -0.5f * speed;
    vx = 0.5f * (vx + ox) + half * sine * __cosf(turn);
    vy = 0.5f * (vy + oy) + half * sine * __sinf(turn);
    vz = 0.5f * (vz + oz) + half * cosine;
  }
  out[3 * i] = vx, out[3 * i + 1] = vy, out[3 * i + 2] = vz;
}

// A snow flake grows: phase and temperature of a supercooled melt, with a surface whose stiffness has six
// directions.
// warpscope six_armed_flake: block = (32, 4), side = 400, grid = (ceil(side / 32), ceil(side / 4)), phase = random[side * side], heat = random[side * side], phaseOut = zeros[side * side], heatOut = zeros[side * side]
__global__ void six_armed_flake(const float* phase, const float* heat, float* phaseOut, float* heatOut,
                                int side) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  if (x < 1 || y < 1 || x >= side - 1 || y >= side - 1) return;
  const int at = y * side + x;
  const float p = phase[at], t = heat[at];
  const float px = phase[at + 1] - phase[at - 1], py = phase[at + side] - phase[at - side];
  const float around = phase[at + 1] + phase[at - 1] + phase[at + side] + phase[at - side] - 4.0f * p;
  const float angle = atan2f(py, px);
  const float stiff = 0.01f * (1.0f + 0.04f * cosf(6.0f * (angle - 0.3f)));
  const float drive = 0.9f / 3.14159265f * atanf(10.0f * (1.0f - t));
  const float change = 3.0f * (stiff * stiff * 1111.0f * around + p * (1.0f - p) * (p - 0.5f + drive)) * 0.1f;
  const float spread = heat[at + 1] + heat[at - 1] + heat[at + side] + heat[at - side] - 4.0f * t;
  phaseOut[at] = p + change;
  heatOut[at] = t + 0.11f * spread + 1.6f * change;
}

// A distribution in place and speed is carried along the speeds: each row shifts by its own amount, by a
// cubic through four samples.
// warpscope carried_phase_space: block = 256, places = 1024, speeds = 512, grid = (places / 256, speeds), f = random[places * speeds], moved = zeros[places * speeds], dt = 3.7
__global__ void carried_phase_space(const float* __restrict__ f, float* __restrict__ moved, int places,
                                    int speeds, float dt) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, v = blockIdx.y;
  const float speed = (v - 0.5f * speeds + 0.5f) / speeds * 8.0f;
  const float from = x - speed * dt, whole = floorf(from), t = from - whole;
  const int base = (int)whole;
  float s[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) s[k] = f[v * places + ((base + k - 1) & (places - 1))];
  const float a = -t * (t - 1) * (t - 2) / 6, b = (t + 1) * (t - 1) * (t - 2) / 2;
  const float c = -(t + 1) * t * (t - 2) / 2, d = (t + 1) * t * (t - 1) / 6;
  moved[v * places + x] = fmaxf(a * s[0] + b * s[1] + c * s[2] + d * s[3], 0.0f);
}

// Elastic waves in a plate: stresses from velocities on a staggered grid, with damping in a margin.
// warpscope plate_stresses: block = (64, 4), width = 768, height = 512, grid = (width / 64, height / 4), vx = random[width * height] in -1..1, vy = random[width * height] in -1..1, stiff = random[2 * width * height] in 1..2, xx = zeros[width * height], yy = zeros[width * height], xy = zeros[width * height]
__global__ void plate_stresses(const float* __restrict__ vx, const float* __restrict__ vy,
                               const float2* __restrict__ stiff, float* __restrict__ xx,
                               float* __restrict__ yy, float* __restrict__ xy, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int at = y * width + x;
  if (x < 2 || y < 2 || x > width - 3 || y > height - 3) return;
  constexpr float kNear = 1.125f, kFar = -1.0f / 24.0f;
  const float dxx = kNear * (vx[at] - vx[at - 1]) + kFar * (vx[at + 1] - vx[at - 2]);
  const float dyy = kNear * (vy[at] - vy[at - width]) + kFar * (vy[at + width] - vy[at - 2 * width]);
  const float dxy = kNear * (vx[at + width] - vx[at]) + kFar * (vx[at + 2 * width] - vx[at - width]);
  const float dyx = kNear * (vy[at + 1] - vy[at]) + kFar * (vy[at + 2] - vy[at - 1]);
  const float2 k = stiff[at];
  const int edge = min(min(x, width - 1 - x), min(y, height - 1 - y));
  float keep = 1.0f;
  if (edge < 20) {
    const float depth = 0.015f * (20 - edge);
    keep = expf(-depth * depth);
  }
  xx[at] = keep * (xx[at] + 0.1f * ((k.x + 2 * k.y) * dxx + k.x * dyy));
  yy[at] = keep * (yy[at] + 0.1f * ((k.x + 2 * k.y) * dyy + k.x * dxx));
  xy[at] = keep * (xy[at] + 0.1f * k.y * (dxy + dyx));
}
