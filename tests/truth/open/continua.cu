// Computational physics: particles, grids, finite elements and volumes.

// Finite-difference time domain in two dimensions: the electric field from the curl of the magnetic one, with
// losses.
__constant__ float loss_of[4] = {1.0f, 0.98f, 0.9f, 0.0f};
// warpscope curl_update: block = (32, 8), width = 1024, height = 1024, grid = (width / block.x, height / block.y), ez = random[width * height] in -0.1..0.1, hx = random[width * height] in -0.1..0.1, hy = random[width * height]:2 in -0.1..0.1, kind = u8 random[width * height] in 0..3
__global__ void curl_update(float* ez, const float* __restrict__ hx, const float* __restrict__ hy,
                            const unsigned char* __restrict__ kind, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x == 0 || y == 0 || x >= width - 1 || y >= height - 1) return;
  const int at = y * width + x;
  const float curl = hy[at] - hy[at - 1] - hx[at] + hx[at - width];
  ez[at] = loss_of[kind[at] & 3] * ez[at] + 0.5f * curl;
}

// Smoothed particles: density over the neighbours of a list of fixed width with a poly-6 kernel.
// warpscope poly6_density: block = 128, n = 2^14, grid = ceil(n / block), places = random[n * 4], neighbours = random[n * 24], counts = random[n] in 8..24, density = zeros[n], pressure = zeros[n]
__global__ void poly6_density(const float4* __restrict__ places, const unsigned* __restrict__ neighbours,
                              const int* __restrict__ counts, float* density, float* pressure, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 p = places[i];
  const int count = min(counts[i], 24);
  float sum = 0.05f;
  for (int k = 0; k < count; ++k) {
    const unsigned j = (i + (neighbours[k * n + i] & 1023)) % n;
    const float4 q = places[j];
    const float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
    const float rest = 0.64f - (dx * dx + dy * dy + dz * dz);
    if (rest > 0) sum += q.w * rest * rest * rest;
  }
  density[i] = sum;
  pressure[i] = fmaxf(0.0f, powf(sum / 1.5f, 7.0f) - 1);
}

// Stiffness of linear tetrahedra in double precision, times a vector: gathers corners, scatters forces.
// warpscope tetrahedra_forces: block = 64, elements = 2^14, nodes = 4096, grid = ceil(elements / block), corners = random[elements * 4], places = random[nodes * 3] in 0.1..2, moved = random[nodes * 3]:2 in -0.1..0.1, forces = zeros[nodes * 3]
__global__ void tetrahedra_forces(const uint4* corners, const double* places, const double* moved,
                                  double* forces, int elements, unsigned nodes) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= elements) return;
  const uint4 c = corners[e];
  const unsigned id[4] = {c.x % nodes, c.y % nodes, c.z % nodes, c.w % nodes};
  double d[3][3], u[3][3];
#pragma unroll
  for (int k = 0; k < 3; ++k)
#pragma unroll
    for (int a = 0; a < 3; ++a) {
      d[a][k] = places[id[k + 1] * 3 + a] - places[id[0] * 3 + a];
      u[a][k] = moved[id[k + 1] * 3 + a] - moved[id[0] * 3 + a];
    }
  double inverse[3][3];
#pragma unroll
  for (int i = 0; i < 3; ++i)
#pragma unroll
    for (int j = 0; j < 3; ++j) {
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      inverse[j][i] = d[i1][j1] * d[i2][j2] - d[i1][j2] * d[i2][j1];
    }
  const double volume = d[0][0] * inverse[0][0] + d[0][1] * inverse[1][0] + d[0][2] * inverse[2][0];
  if (fabs(volume) < 1e-6) return;
  double strain[3][3];
#pragma unroll
  for (int a = 0; a < 3; ++a)
#pragma unroll
    for (int b = 0; b < 3; ++b)
      strain[a][b] = (u[a][0] * inverse[0][b] + u[a][1] * inverse[1][b] + u[a][2] * inverse[2][b]) / volume;
  const double trace = strain[0][0] + strain[1][1] + strain[2][2];
#pragma unroll
  for (int a = 0; a < 3; ++a) {
    double rest = 0;
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      double f = 0;
#pragma unroll
      for (int b = 0; b < 3; ++b)
        f += ((strain[a][b] + strain[b][a]) * 0.4 + (a == b ? 0.6 * trace : 0)) * inverse[k][b];
      rest -= f;
      atomicAdd(&forces[id[k + 1] * 3 + a], f);
    }
    atomicAdd(&forces[id[0] * 3 + a], rest);
  }
}

// Gas dynamics: fluxes between cells of a line by the HLL solver, then the update; three conserved values.
struct Gas {
  float density, impulse, energy;
};
__device__ Gas flux_between(Gas l, Gas r) {
  const float ul = l.impulse / l.density, ur = r.impulse / r.density;
  const float pl = 0.4f * (l.energy - 0.5f * l.impulse * ul), pr = 0.4f * (r.energy - 0.5f * r.impulse * ur);
  const float cl = sqrtf(1.4f * pl / l.density), cr = sqrtf(1.4f * pr / r.density);
  const float sl = fminf(ul - cl, ur - cr), sr = fmaxf(ul + cl, ur + cr);
  const Gas fl{l.impulse, l.impulse * ul + pl, (l.energy + pl) * ul};
  const Gas fr{r.impulse, r.impulse * ur + pr, (r.energy + pr) * ur};
  if (sl >= 0) return fl;
  if (sr <= 0) return fr;
  const float scale = 1 / (sr - sl), both = sl * sr;
  return {(sr * fl.density - sl * fr.density + both * (r.density - l.density)) * scale,
          (sr * fl.impulse - sl * fr.impulse + both * (r.impulse - l.impulse)) * scale,
          (sr * fl.energy - sl * fr.energy + both * (r.energy - l.energy)) * scale};
}
// warpscope hll_gas_line: block = 256, cells = 2^19, grid = ceil(cells / block), density = random[cells] in 0.5..1.5, impulse = random[cells] in -0.3..0.3, energy = random[cells] in 2..3, out = zeros[cells * 3], ratio = 0.2
__global__ void hll_gas_line(const float* density, const float* impulse, const float* energy, float* out,
                             int cells, float ratio) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= cells) return;
  const int before = max(i - 1, 0), after = min(i + 1, cells - 1);
  const Gas me{density[i], impulse[i], energy[i]};
  const Gas in = flux_between({density[before], impulse[before], energy[before]}, me);
  const Gas away = flux_between(me, {density[after], impulse[after], energy[after]});
  out[i] = me.density + ratio * (in.density - away.density);
  out[cells + i] = me.impulse + ratio * (in.impulse - away.impulse);
  out[2 * cells + i] = me.energy + ratio * (in.energy - away.energy);
}

// An explicit step of heat in three dimensions by planes: a block slides upwards, its plane in shared memory.
// warpscope sliding_plane_heat: block = (32, 8) fixed, nx = 128, ny = 64, nz = 48, grid = (nx / 32, ny / 8), in = random[nx * ny * nz], out = zeros[nx * ny * nz]
__global__ void sliding_plane_heat(const float* __restrict__ in, float* __restrict__ out, int nx, int ny,
                                   int nz) {
  __shared__ float plane[10][34];
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, layer = nx * ny;
  int at = y * nx + x;
  float below = in[at], here = below, above;
  for (int z = 0; z < nz; ++z, at += layer) {
    above = z + 1 < nz ? in[at + layer] : here;
    plane[ty][tx] = here;
    if (tx == 1) plane[ty][0] = x > 0 ? in[at - 1] : here;
    if (tx == 32) plane[ty][33] = x < nx - 1 ? in[at + 1] : here;
    if (ty == 1) plane[0][tx] = y > 0 ? in[at - nx] : here;
    if (ty == 8) plane[9][tx] = y < ny - 1 ? in[at + nx] : here;
    __syncthreads();
    out[at] = here + 0.1f * (plane[ty][tx - 1] + plane[ty][tx + 1] + plane[ty - 1][tx] + plane[ty + 1][tx] +
                             above + below - 6 * here);
    __syncthreads();
    below = here;
    here = above;
  }
}

// Molecules of water: three sites each, distances held by the SHAKE iteration until they are close enough.
// warpscope held_water: block = 96, molecules = 12000, grid = ceil(molecules / block), sites = random[molecules * 9] in -0.05..0.05, out = zeros[molecules * 9], trips = zeros[molecules]
__global__ void held_water(const float* sites, float* out, int* trips, int molecules) {
  const int m = blockIdx.x * blockDim.x + threadIdx.x;
  if (m >= molecules) return;
  const float rest[3][3] = {{0, 0, 0}, {0.9572f, 0, 0}, {-0.24f, 0.9266f, 0}};
  const float lengths[3] = {0.91623f, 0.91623f, 2.2918f};
  const float inverse[3] = {0.0625f, 1, 1};
  float p[3][3];
#pragma unroll
  for (int s = 0; s < 3; ++s)
#pragma unroll
    for (int a = 0; a < 3; ++a) p[s][a] = rest[s][a] + sites[(s * 3 + a) * molecules + m];
  int trip = 0;
  for (bool done = false; !done && trip < 60; ++trip) {
    done = true;
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      const int i = k == 2 ? 1 : 0, j = k == 0 ? 1 : 2;
      float now = 0, along = 0, d[3], r[3];
#pragma unroll
      for (int a = 0; a < 3; ++a) {
        d[a] = p[i][a] - p[j][a];
        r[a] = rest[i][a] - rest[j][a];
        now += d[a] * d[a];
        along += d[a] * r[a];
      }
      const float wrong = now - lengths[k];
      if (fabsf(wrong) < 1e-4f * lengths[k]) continue;
      done = false;
      const float push = wrong / (2 * along * (inverse[i] + inverse[j]));
#pragma unroll
      for (int a = 0; a < 3; ++a) {
        p[i][a] -= push * inverse[i] * r[a];
        p[j][a] += push * inverse[j] * r[a];
      }
    }
  }
  trips[m] = trip;
#pragma unroll
  for (int s = 0; s < 3; ++s)
#pragma unroll
    for (int a = 0; a < 3; ++a) out[(s * 3 + a) * molecules + m] = p[s][a];
}

// Charged particles put onto a grid with bilinear weights, first into the block's copy in shared memory.
// warpscope charges_by_copy: block = 512, particles = 2^17, grid = 132, places = random[particles * 2], grid_values = zeros[32 * 32]
__global__ void charges_by_copy(const float2* places, float* grid_values, int particles) {
  __shared__ float own[1024];
  for (int k = threadIdx.x; k < 1024; k += blockDim.x) own[k] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < particles; i += gridDim.x * blockDim.x) {
    const float2 p = places[i];
    const float fx = fminf(p.x, 0.999f) * 31, fy = fminf(p.y, 0.999f) * 31;
    const int x = fx, y = fy;
    const float u = fx - x, v = fy - y;
    atomicAdd(&own[y * 32 + x], (1 - u) * (1 - v));
    atomicAdd(&own[y * 32 + x + 1], u * (1 - v));
    atomicAdd(&own[y * 32 + x + 32], (1 - u) * v);
    atomicAdd(&own[y * 32 + x + 33], u * v);
  }
  __syncthreads();
  for (int k = threadIdx.x; k < 1024; k += blockDim.x)
    if (own[k] != 0) atomicAdd(&grid_values[k], own[k]);
}

// Chemistry: three stiff reactions a cell by implicit steps, Newton's method on a 3 x 3 system in double
// precision.
// warpscope stiff_cells: block = 128, cells = 50000, grid = ceil(cells / block), y = random[cells * 3] in 0.1..1, out = zeros[cells * 3], step = 0.05
__global__ void stiff_cells(const double* y, double* out, int cells, double step) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= cells) return;
  const double a0 = y[i], b0 = y[cells + i] * 1e-3, c0 = y[2 * cells + i];
  double a = a0, b = b0, c = c0;
  for (int trip = 0; trip < 12; ++trip) {
    const double slow = 0.04 * a, fast = 1e4 * b * c, third = 3e3 * b * b;
    const double f = a - a0 + step * (slow - fast), g = b - b0 - step * (slow - fast - third);
    const double h = c - c0 - step * third;
    if (fabs(f) + fabs(g) + fabs(h) < 1e-11) break;
    const double m00 = 1 + step * 0.04, m01 = -step * 1e4 * c, m02 = -step * 1e4 * b;
    const double m10 = -step * 0.04, m11 = 1 + step * (1e4 * c + 6e3 * b), m12 = step * 1e4 * b,
                 m21 = -step * 6e3 * b;
    const double q = m10 / m00, n11 = m11 - q * m01, n12 = m12 - q * m02, g1 = g - q * f;
    const double r = m21 / n11, dc = (h - r * g1) / (1 - r * n12), db = (g1 - n12 * dc) / n11;
    a -= (f - m01 * db - m02 * dc) / m00;
    b -= db;
    c -= dc;
  }
  out[i] = a;
  out[cells + i] = b;
  out[2 * cells + i] = c;
}
