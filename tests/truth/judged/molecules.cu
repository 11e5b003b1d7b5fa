// Particles, molecules, charges and scanners.

// Lennard-Jones forces by neighbour lists, in columns so that threads read side by side.
// warpscope md_lj_force: block = 256, atoms = 12000, neighbours = 64, grid = ceil(atoms / block), position = random[atoms] in 0..20, list = random[neighbours * atoms] in 0..11999, force = zeros[atoms], cutsq = 16
template <class T3>
__global__ void md_lj_force(T3* __restrict__ force, const T3* __restrict__ position, const int neighbours,
                            const int* __restrict__ list, const float cutsq, const int atoms) {
  const unsigned idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx >= atoms) return;
  const T3 ipos = position[idx];
  T3 f = {0, 0, 0, 0};
  for (int j = 0; j < neighbours; ++j) {
    const int jidx = list[j * atoms + idx];
    const T3 jpos = position[jidx];
    const float delx = ipos.x - jpos.x, dely = ipos.y - jpos.y, delz = ipos.z - jpos.z;
    float r2 = delx * delx + dely * dely + delz * delz;
    if (r2 < cutsq && jidx != idx) {
      const float r2inv = 1.0f / (r2 + 0.01f);
      const float r6inv = r2inv * r2inv * r2inv;
      const float fc = r2inv * r6inv * (1.5f * r6inv - 2.0f);
      f.x += delx * fc;
      f.y += dely * fc;
      f.z += delz * fc;
    }
  }
  force[idx] = f;
}
template __global__ void md_lj_force<float4>(float4* __restrict__, const float4* __restrict__, const int,
                                             const int* __restrict__, const float, const int);

// Potentials of charges on a plane of points, atoms in constant memory: the direct sum, eight points a
// thread.
__constant__ float4 cp_atoms[256] = {{1, 2, 3, 1}, {4, 5, 6, -1}, {7, 1, 2, 0.5f}};
// warpscope coulombic_potential: block = (16, 8) fixed, numatoms = 256, side = 512, grid = (side / (16 * 8), side / 8), energy = zeros[side * side], spacing = 0.1
__global__ void coulombic_potential(int numatoms, float spacing, float* energy) {
  const int xindex = blockIdx.x * 128 + threadIdx.x, yindex = blockIdx.y * blockDim.y + threadIdx.y;
  const int out = gridDim.x * 128 * yindex + xindex;
  const float coory = spacing * yindex, coorx = spacing * xindex, step = spacing * 16;
  float e[8] = {};
  for (int atom = 0; atom < numatoms; atom++) {
    const float dy = coory - cp_atoms[atom].y;
    const float dyz2 = dy * dy + cp_atoms[atom].z + 0.5f;
    float dx = coorx - cp_atoms[atom].x;
    const float q = cp_atoms[atom].w;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      e[k] += q * rsqrtf(dx * dx + dyz2);
      dx += step;
    }
  }
#pragma unroll
  for (int k = 0; k < 8; ++k) energy[out + k * 16] += e[k];
}

// The Fourier sum of a scanner's reconstruction, samples staged in shared memory.
// warpscope mri_q_compute: block = 256 fixed, numX = 33000, numK = 384, grid = ceil(numX / 256), k_values = f32 random[4 * numK], xs = random[numX], ys = random[numX]:2, zs = random[numX]:3, Qr = zeros[numX], Qi = zeros[numX]
__global__ void mri_q_compute(int numK, int numX, const float4* k_values, const float* xs, const float* ys,
                              const float* zs, float* Qr, float* Qi) {
  __shared__ float4 ck[128];
  const int i = blockIdx.x * 256 + threadIdx.x;
  const bool inside = i < numX;
  const float x = inside ? xs[i] : 0, y = inside ? ys[i] : 0, z = inside ? zs[i] : 0;
  float qr = 0, qi = 0;
  for (int base = 0; base < numK; base += 128) {
    __syncthreads();
    if (threadIdx.x < 128) ck[threadIdx.x] = k_values[base + threadIdx.x];
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < 128; ++k) {
      const float arg = 6.2831853071795864769252867665590058f * (ck[k].x * x + ck[k].y * y + ck[k].z * z);
      qr += ck[k].w * __cosf(arg);
      qi += ck[k].w * __sinf(arg);
    }
  }
  if (inside) {
    Qr[i] = qr;
    Qi[i] = qi;
  }
}

// Densities of smoothed particles: the 27 cells around are searched.
struct sph_cell {
  int begin, count;
};
// warpscope sph_cells: block = 256, cells = 32768, per_cell = 1, grid = ceil(cells / block), out = s32 zeros[2 * cells]
__global__ void sph_cells(sph_cell* out, int cells) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cells) return;
  const int x = c & 31, y = c >> 5 & 31, z = c >> 10;
  int before = 0;
  for (int k = c & ~31; k < c; ++k) before += 1 + ((k * 2654435761u) >> 31);
  out[c].begin = (c >> 5) * 64 + before;
  out[c].count = 1 + ((c * 2654435761u) >> 31) + (x + y + z < 0);
}
// warpscope sph_density: block = 128, cells = 32768, grid = ceil(cells / block), cell = sph_cells.out[2 * cells], particles = f32 random[8 * cells] in 0..32, density = zeros[2 * cells], h2 = 90
__global__ void sph_density(const sph_cell* cell, const float4* particles, float* density, int cells,
                            float h2) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cells) return;
  const int x = c & 31, y = c >> 5 & 31, z = c >> 10;
  const sph_cell own = cell[c];
  for (int p = own.begin; p < own.begin + own.count; ++p) {
    const float4 at = particles[p];
    float sum = 0;
    for (int dz = -1; dz <= 1; ++dz) {
      if (z + dz < 0 || z + dz > 31) continue;
      for (int dy = -1; dy <= 1; ++dy) {
        if (y + dy < 0 || y + dy > 31) continue;
        for (int xx = max(x - 1, 0); xx <= min(x + 1, 31); ++xx) {
          const sph_cell other = cell[((z + dz) << 10) + ((y + dy) << 5) + xx];
          for (int q = 0; q < other.count; ++q) {
            const float4 o = particles[other.begin + q];
            const float rx = at.x - o.x, ry = at.y - o.y, rz = at.z - o.z, r2 = rx * rx + ry * ry + rz * rz;
            if (r2 < h2) sum += (h2 - r2) * (h2 - r2) * (h2 - r2);
          }
        }
      }
    }
    density[p] = 1.5667f * sum / (h2 * h2 * h2 * h2);
  }
}

// Positions and velocities, half a step each, with a box that repeats.
// warpscope velocity_verlet: block = 256, n = 250000, grid = ceil(n / block), pos = random[n] in 0..10, vel = random[n] in -1..1, frc = random[n] in -1..1, dt = 0.002, box = 10
__global__ void velocity_verlet(float4* pos, float4* vel, const float4* frc, float dt, float box, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 p = pos[i], v = vel[i], f = frc[i];
  float half_dt_m = 0.5f * dt * (1.0f / (1.0f + fabsf(v.w)));
  v.x += half_dt_m * f.x;
  v.y += half_dt_m * f.y;
  v.z += half_dt_m * f.z;
  p.x += dt * v.x;
  p.y += dt * v.y;
  p.z += dt * v.z;
  p.x -= box * floorf(p.x / box);
  p.y -= box * floorf(p.y / box);
  p.z -= box * floorf(p.z / box);
  pos[i] = p;
  vel[i] = v;
}

// Bonded pairs pull both ends; others may pull the same atom.
// warpscope bond_forces: block = 128, bonds = 80000, atoms = 60000, grid = ceil(bonds / block), pairs = random[bonds] in 0..59999, xyz = random[3 * atoms] in 0..5, force = zeros[3 * atoms], stiffness = 12, rest = 1.1, tolerance = 1e-3
__global__ void bond_forces(const int2* pairs, const float* xyz, float* force, int bonds, float stiffness,
                            float rest) {
  const int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b >= bonds) return;
  const int2 ij = pairs[b];
  float d[3], r2 = 0;
  for (int k = 0; k < 3; ++k) {
    d[k] = xyz[3 * ij.x + k] - xyz[3 * ij.y + k];
    r2 += d[k] * d[k];
  }
  if (r2 < 1e-12f) return;
  const float r = sqrtf(r2), magnitude = -2.0f * stiffness * (r - rest) / r;
  for (int k = 0; k < 3; ++k) {
    atomicAdd(&force[3 * ij.x + k], magnitude * d[k]);
    atomicAdd(&force[3 * ij.y + k], -magnitude * d[k]);
  }
}

// Charges to a mesh by cubic splines: 27 points each.
// warpscope pme_spread_charge: block = 64, atoms = 6000, side = 32, grid = ceil(atoms / block), fractional = random[3 * atoms], charge = random[atoms] in -1..1, mesh = zeros[side * side * side], tolerance = 1e-2
__global__ void pme_spread_charge(const float* fractional, const float* charge, float* mesh, int atoms,
                                  int side) {
  const int a = blockIdx.x * blockDim.x + threadIdx.x;
  if (a >= atoms) return;
  int base[3];
  float w[3][3];
  for (int d = 0; d < 3; ++d) {
    const float u = fractional[3 * a + d] * side;
    base[d] = (int)u;
    const float t = u - base[d];
    w[d][0] = 0.5f * (1 - t) * (1 - t);
    w[d][1] = 0.5f + t - t * t;
    w[d][2] = 0.5f * t * t;
  }
  const float q = charge[a];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k) {
        const int x = (base[0] + i) % side, y = (base[1] + j) % side, z = (base[2] + k) % side;
        atomicAdd(&mesh[(x * side + y) * side + z], q * w[0][i] * w[1][j] * w[2][k]);
      }
}

// Cells of a cluster meet their neighbours' particles: a block for a box, 100 particles a box.
// warpscope lava_boxes: block = 128 fixed, boxes1d = 5, grid = 125, rv = f32 random[4 * 100 * 125], qv = random[100 * 125], fv = f32 zeros[4 * 100 * 125], alpha = 0.5
__global__ void lava_boxes(const float4* rv, const float* qv, float4* fv, int boxes1d, float alpha) {
  __shared__ float4 rB[100];
  __shared__ float qB[100];
  const float a2 = 2.0f * alpha * alpha;
  const int b = blockIdx.x, bx = b % boxes1d, by = b / boxes1d % boxes1d, bz = b / (boxes1d * boxes1d);
  float4 rA = make_float4(0, 0, 0, 0), f = rA;
  if (threadIdx.x < 100) rA = rv[b * 100 + threadIdx.x];
  for (int nb = 0; nb < 27; nb++) {
    const int x = bx + nb % 3 - 1, y = by + nb / 3 % 3 - 1, z = bz + nb / 9 - 1;
    if (x < 0 || y < 0 || z < 0 || x >= boxes1d || y >= boxes1d || z >= boxes1d) continue;
    const int first = ((z * boxes1d + y) * boxes1d + x) * 100;
    if (threadIdx.x < 100) {
      rB[threadIdx.x] = rv[first + threadIdx.x];
      qB[threadIdx.x] = qv[first + threadIdx.x];
    }
    __syncthreads();
    if (threadIdx.x < 100) {
      for (int j = 0; j < 100; j++) {
        const float r2 = rA.w + rB[j].w - (rA.x * rB[j].x + rA.y * rB[j].y + rA.z * rB[j].z);
        const float vij = expf(-a2 * r2), fs = 2.f * vij;
        f.w += qB[j] * vij;
        f.x += qB[j] * fs * (rA.x - rB[j].x);
        f.y += qB[j] * fs * (rA.y - rB[j].y);
        f.z += qB[j] * fs * (rA.z - rB[j].z);
      }
    }
    __syncthreads();
  }
  if (threadIdx.x < 100) fv[b * 100 + threadIdx.x] = f;
}

// Tomography: each pixel gathers from the projections, between two detectors by the texture's blend.
// warpscope backproject_parallel: block = (16, 16), size = 256, angles = 90, detectors = 368, grid = (size / block.x, size / block.y), sinogram = texture2d(f32 random[detectors, angles], linear, clamp), image = zeros[size * size]
__global__ void backproject_parallel(cudaTextureObject_t sinogram, float* image, int size, int angles,
                                     int detectors) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= size || y >= size) return;
  const float fx = x - 0.5f * (size - 1), fy = y - 0.5f * (size - 1), step = 3.14159265f / angles;
  float sum = 0;
  for (int a = 0; a < angles; ++a) {
    float s, c;
    __sincosf(a * step, &s, &c);
    sum += tex2D<float>(sinogram, fx * c + fy * s + 0.5f * detectors, a + 0.5f);
  }
  image[y * size + x] = sum * step;
}
