// Particles, fields and lattices.

// warpscope tiled_bodies: block = 128 fixed, n = 4096, grid = n / 128, place = random[n], force = zeros[n]
__global__ void tiled_bodies(const float4* place, float4* force, int n) {
  __shared__ float4 tile[128];
  const int i = blockIdx.x * 128 + threadIdx.x;
  const float4 here = place[i];
  float fx = 0, fy = 0, fz = 0;
  for (int first = 0; first < n; first += 128) {
    tile[threadIdx.x] = place[first + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < 128; ++k) {
      const float4 other = tile[k];
      const float dx = other.x - here.x, dy = other.y - here.y, dz = other.z - here.z;
      const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.001f);
      const float strength = other.w * inverse * inverse * inverse;
      fx += strength * dx;
      fy += strength * dy;
      fz += strength * dz;
    }
    __syncthreads();
  }
  force[i] = make_float4(fx, fy, fz, 0);
}

// Lattice Boltzmann in two dimensions with nine speeds: pulls, collides and writes.
// warpscope lattice9: block = 96, side = 480, grid = (side / block, side), from = random[9 * side * side] in 1..2, to = zeros[9 * side * side]
__global__ void lattice9(const float* from, float* to, int side) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= side) return;
  const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  const int cells = side * side;
  float f[9], density = 0, u = 0, v = 0;
#pragma unroll
  for (int k = 0; k < 9; ++k) {
    int sx = x - cx[k], sy = y - cy[k];
    sx = sx < 0 ? side - 1 : (sx == side ? 0 : sx);
    sy = sy < 0 ? side - 1 : (sy == side ? 0 : sy);
    f[k] = from[k * cells + sy * side + sx];
    density += f[k];
    u += cx[k] * f[k];
    v += cy[k] * f[k];
  }
  u /= density;
  v /= density;
  const float square = 1.5f * (u * u + v * v);
#pragma unroll
  for (int k = 0; k < 9; ++k) {
    const float weight = k == 0 ? 4.0f / 9 : (k < 5 ? 1.0f / 9 : 1.0f / 36);
    const float along = 3 * (cx[k] * u + cy[k] * v);
    const float rest = weight * density * (1 + along + 0.5f * along * along - square);
    to[k * cells + y * side + x] = f[k] + 0.6f * (rest - f[k]);
  }
}

// A cloth: each mass hangs on springs to its neighbours.
// warpscope cloth: block = (16, 12), side = 768, grid = (ceil(side / block.x), ceil(side / block.y)), now = random[side * side], before = random[side * side]:2, next = zeros[side * side]
__global__ void cloth(const float4* now, const float4* before, float4* next, int side) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= side || y >= side) return;
  const int i = y * side + x;
  const float4 p = now[i], old = before[i];
  float fx = 0, fy = -9.81f, fz = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      const int nx = x + dx, ny = y + dy;
      if ((dx == 0 && dy == 0) || nx < 0 || ny < 0 || nx >= side || ny >= side) continue;
      const float4 q = now[ny * side + nx];
      const float ax = q.x - p.x, ay = q.y - p.y, az = q.z - p.z;
      const float length = sqrtf(ax * ax + ay * ay + az * az) + 1e-6f;
      const float rest = dx != 0 && dy != 0 ? 1.41421f : 1.0f, pull = 40 * (length - rest) / length;
      fx += pull * ax;
      fy += pull * ay;
      fz += pull * az;
    }
  }
  const float step = 0.0001f;
  next[i] =
      make_float4(2 * p.x - old.x + step * fx, 2 * p.y - old.y + step * fy, 2 * p.z - old.z + step * fz, 1);
}

// Particles in cells of at most eight: each looks at the cells around its own.
// warpscope cell_neighbours: block = 64, side = 64, grid = ceil(8 * side * side / block), counts = random[side * side] in 0..8, places = random[8 * side * side], out = zeros[8 * side * side]
__global__ void cell_neighbours(const int* counts, const float2* places, float* out, int side) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, cell = i / 8, slot = i % 8;
  if (cell >= side * side || slot >= counts[cell]) return;
  const int cx = cell % side, cy = cell / side;
  const float2 here = places[i];
  float sum = 0;
  for (int ny = max(cy - 1, 0); ny <= min(cy + 1, side - 1); ++ny) {
    for (int nx = max(cx - 1, 0); nx <= min(cx + 1, side - 1); ++nx) {
      const int other = ny * side + nx, count = counts[other];
      for (int k = 0; k < count; ++k) {
        const float2 place = places[8 * other + k];
        const float dx = nx - cx + place.x - here.x, dy = ny - cy + place.y - here.y,
                    apart = dx * dx + dy * dy;
        if (apart < 1 && apart > 0) sum += (1 - apart) * (1 - apart);
      }
    }
  }
  out[i] = sum;
}

// warpscope ising: block = 224, width = 1792, rows = 512, grid = (width / 2 / block, rows), seed = 77, spins = random[width * rows] in 0..1
__global__ void ising(signed char* spins, int width, int rows, unsigned seed) {
  const int y = blockIdx.y, x = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + y % 2;
  if (x >= width || y >= rows) return;
  const int left = x == 0 ? width - 1 : x - 1, right = x + 1 == width ? 0 : x + 1;
  const int up = y == 0 ? rows - 1 : y - 1, down = y + 1 == rows ? 0 : y + 1;
  const int spin = 2 * spins[y * width + x] - 1;
  const int around =
      spins[y * width + left] + spins[y * width + right] + spins[up * width + x] + spins[down * width + x];
  const int gain = 2 * spin * (2 * around - 4);
  unsigned random = seed + y * width + x;
  for (int k = 0; k < 3; ++k) {
    random ^= random << 13;
    random ^= random >> 17;
    random ^= random << 5;
  }
  if (gain <= 0 || random * 2.3283064e-10f < __expf(-0.44f * gain)) spins[y * width + x] = spin < 0 ? 1 : 0;
}

// A wave in three dimensions, to the fourth order in space.
// warpscope wave_volume: block = (32, 4, 2), side = 96, grid = (side / 32, side / 4, side / 2), now = random[side * side * side], past = random[side * side * side]:3
__global__ void wave_volume(const float* now, float* past, int side) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
            z = blockIdx.z * blockDim.z + threadIdx.z;
  if (min(x, min(y, z)) < 2 || max(x, max(y, z)) >= side - 2) return;
  const int plane = side * side, i = z * plane + y * side + x;
  float sum = -7.5f * now[i];
  const int steps[3] = {1, side, plane};
  for (int k = 0; k < 3; ++k) {
    sum += 1.3333333f * (now[i - steps[k]] + now[i + steps[k]]);
    sum -= 0.0833333f * (now[i - 2 * steps[k]] + now[i + 2 * steps[k]]);
  }
  past[i] = 2 * now[i] - past[i] + 0.1f * sum;
}

// Molecules with lists of 24 neighbours each.
// warpscope lennard_jones: block = 192, n = 30000, grid = ceil(n / block), neighbours = random[24 * n], place = random[n] in 0..8, force = zeros[3 * n]
__global__ void lennard_jones(const unsigned* neighbours, const float4* place, float* force, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 here = place[i];
  float fx = 0, fy = 0, fz = 0;
  for (int k = 0; k < 24; ++k) {
    const float4 other = place[neighbours[k * n + i] % n];
    const float dx = here.x - other.x, dy = here.y - other.y, dz = here.z - other.z;
    const float square = dx * dx + dy * dy + dz * dz;
    if (square > 0 && square < 16) {
      const float inverse = 1 / square, sixth = inverse * inverse * inverse;
      const float strength = inverse * sixth * (sixth - 0.5f);
      fx += strength * dx;
      fy += strength * dy;
      fz += strength * dz;
    }
  }
  force[i] = fx;
  force[n + i] = fy;
  force[2 * n + i] = fz;
}

// Maxwell's equations on a staggered grid: the magnetic half of a step.
// warpscope magnetic_step: block = (128, 2), width = 2000, height = 700, grid = (ceil(width / block.x), ceil(height / block.y)), ez = random[width * height], hx = random[width * height]:2, hy = random[width * height]:3
__global__ void magnetic_step(const float* ez, float* hx, float* hy, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width - 1 || y >= height - 1) return;
  const int i = y * width + x;
  const float here = ez[i];
  hx[i] -= 0.5f * (ez[i + width] - here);
  hy[i] += 0.5f * (ez[i + 1] - here);
}

// warpscope deposit_charge: block = 256, n = 200000, side = 128, grid = ceil(n / block), place = random[n], charge = random[n]:5, field = zeros[side * side]
__global__ void deposit_charge(const float2* place, const float* charge, float* field, int n, int side) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float x = place[i].x * (side - 2), y = place[i].y * (side - 2), q = charge[i];
  const int cx = static_cast<int>(x), cy = static_cast<int>(y);
  const float fx = x - cx, fy = y - cy;
  float* to = field + cy * side + cx;
  atomicAdd(to, q * (1 - fx) * (1 - fy));
  atomicAdd(to + 1, q * fx * (1 - fy));
  atomicAdd(to + side, q * (1 - fx) * fy);
  atomicAdd(to + side + 1, q * fx * fy);
}

// One colour of a red-black relaxation, in place.
// warpscope relax_red: block = (48, 5), width = 1440, height = 1000, grid = (ceil(width / 2 / block.x), ceil(height / block.y)), right = random[width * height], u = random[width * height]:4
__global__ void relax_red(const float* right, float* u, int width, int height) {
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + (y & 1);
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  const int i = y * width + x;
  const float wanted = 0.25f * (u[i - 1] + u[i + 1] + u[i - width] + u[i + width] - right[i]);
  u[i] += 1.7f * (wanted - u[i]);
}

// Pendulums, each by itself, with Runge and Kutta's method in double precision.
// warpscope pendulums: block = 96, n = 20000, steps = 24, grid = ceil(n / block), angle = random[n], speed = random[n]:2
__global__ void pendulums(double* angle, double* speed, int n, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double h = 0.01;
  double a = angle[i], v = speed[i];
  for (int s = 0; s < steps; ++s) {
    const double k1 = -sin(a), k2 = -sin(a + 0.5 * h * v), k3 = -sin(a + 0.5 * h * (v + 0.5 * h * k1)),
                 k4 = -sin(a + h * (v + 0.5 * h * k2));
    a += h * (v + h * (k1 + k2 + k3) / 6);
    v += h * (k1 + 2 * k2 + 2 * k3 + k4) / 6;
  }
  angle[i] = a;
  speed[i] = v;
}
