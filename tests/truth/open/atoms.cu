// Molecules: forces between atoms, lists of neighbours, integrals, reactions by chance.
#include <cstdint>

// Forces between atoms in lists of neighbours, a box that repeats; each thread an atom, lists laid out by
// columns.
// warpscope listed_atom_forces: block = 128, atoms = 2^14, most = 40, grid = ceil(atoms / block), place = random[4 * atoms] in 0..12, counts = random[atoms] in 20..40, list = random[atoms * most], force = zeros[4 * atoms]
__global__ void listed_atom_forces(const float4* __restrict__ place, const int* __restrict__ counts,
                                   const unsigned* __restrict__ list, float4* force, int atoms, int most) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= atoms) return;
  const float4 me = place[i];
  float fx = 0, fy = 0, fz = 0, energy = 0;
  const int count = min(max(counts[i], 0), most);
  for (int k = 0; k < count; ++k) {
    const float4 o = __ldg(&place[(i + (list[k * atoms + i] & 1023)) % atoms]);
    float dx = me.x - o.x, dy = me.y - o.y, dz = me.z - o.z;
    dx -= 12 * rintf(dx * (1 / 12.f));
    dy -= 12 * rintf(dy * (1 / 12.f));
    dz -= 12 * rintf(dz * (1 / 12.f));
    const float square = dx * dx + dy * dy + dz * dz;
    if (square < 9 && square > 0.01f) {
      const float inverse = 1 / square, sixth = inverse * inverse * inverse;
      const float f = (48 * sixth - 24) * sixth * inverse;
      fx += f * dx, fy += f * dy, fz += f * dz;
      energy += 4 * sixth * (sixth - 1);
    }
  }
  force[i] = {fx, fy, fz, energy};
}

// The long-range part of charges' forces: a block for each wave vector sums cosines and sines over all atoms.
// warpscope waves_of_charges: block = 256 fixed, waves = 256, atoms = 2048, grid = waves, place = random[4 * atoms], out = zeros[2 * waves]
__global__ void waves_of_charges(const float4* place, float2* out, int atoms) {
  __shared__ float2 parts[8];
  const float kx = (int)(blockIdx.x & 7) - 4, ky = (int)(blockIdx.x >> 3 & 7) - 4,
              kz = (int)(blockIdx.x >> 6) + 1;
  float c = 0, s = 0;
  for (int i = threadIdx.x; i < atoms; i += blockDim.x) {
    const float4 a = place[i];
    float sine, cosine;
    sincospif(2 * (kx * a.x + ky * a.y + kz * a.z), &sine, &cosine);
    c += (a.w - 0.5f) * cosine;
    s += (a.w - 0.5f) * sine;
  }
  for (int d = 16; d; d >>= 1) {
    c += __shfl_down_sync(~0u, c, d);
    s += __shfl_down_sync(~0u, s, d);
  }
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = {c, s};
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 8; ++w) c += parts[w].x, s += parts[w].y;
    const float square = kx * kx + ky * ky + kz * kz, weight = __expf(-square * 0.2f) / square;
    out[blockIdx.x] = {c * weight, s * weight};
  }
}

__device__ inline float3 minus(float3 a, float3 b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
__device__ inline float3 cross(float3 a, float3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
__device__ inline float dot(float3 a, float3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
// Energies of twisted chains of four atoms, with a series of three cosines; the torque is added to the outer
// atoms.
// warpscope twisted_chain_torques: block = 96, chains = 2^15, grid = ceil(chains / block), atoms = random[3 * 8192], chain = random[4 * chains], torque = zeros[8192], energy = zeros[chains]
__global__ void twisted_chain_torques(const float* atoms, const ushort4* chain, float* torque, float* energy,
                                      int chains) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= chains) return;
  const ushort4 q = chain[i];
  auto load = [&](int k) {
    return float3{atoms[3 * (k & 8191)], atoms[3 * (k & 8191) + 1], atoms[3 * (k & 8191) + 2]};
  };
  const float3 a = load(q.x), b = load(q.y), c = load(q.z), d = load(q.w);
  const float3 ab = minus(b, a), bc = minus(c, b), cd = minus(d, c);
  const float3 m = cross(ab, bc), n = cross(bc, cd);
  const float angle = atan2f(sqrtf(dot(bc, bc)) * dot(ab, n), dot(m, n));
  float s1, c1;
  sincosf(angle, &s1, &c1);
  const float c2 = 2 * c1 * c1 - 1, s2 = 2 * s1 * c1, c3 = c1 * (2 * c2 - 1), s3 = s1 * (2 * c2 + 1);
  energy[i] = 1.1f * (1 + c1) + 0.7f * (1 - c2) + 0.3f * (1 + c3);
  const float t = -1.1f * s1 + 1.4f * s2 - 0.9f * s3;
  atomicAdd(&torque[q.x & 8191], t);
  atomicAdd(&torque[q.w & 8191], -t);
}

// Restores the lengths of three bonds of each water-like molecule, until they are right.
// warpscope water_bonds_restored: block = 128, molecules = 2^14, grid = ceil(molecules / block), old = random[9 * molecules], now = random[9 * molecules], trips = zeros[molecules]
__global__ void water_bonds_restored(const float* old, const float* now, int* trips, int molecules) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= molecules) return;
  float p[3][3], q[3][3];
#pragma unroll
  for (int k = 0; k < 9; ++k) {
    q[k / 3][k % 3] = old[k * molecules + i] + (k % 4 == 0);
    p[k / 3][k % 3] = q[k / 3][k % 3] + 0.1f * now[k * molecules + i];
  }
  const float wanted[3] = {1.0f, 1.0f, 2.5f};
  int trip = 0;
  for (; trip < 30; ++trip) {
    bool done = true;
#pragma unroll
    for (int bond = 0; bond < 3; ++bond) {
      const int a = bond == 2 ? 1 : 0, b = bond == 0 ? 1 : 2;
      float square = 0, along = 0;
      for (int k = 0; k < 3; ++k) {
        const float d = p[a][k] - p[b][k];
        square += d * d;
        along += d * (q[a][k] - q[b][k]);
      }
      const float off = square - wanted[bond];
      if (fabsf(off) < 1e-3f) continue;
      done = false;
      if (fabsf(along) < 0.05f) along = along < 0 ? -0.05f : 0.05f;
      const float g = fminf(fmaxf(off / (4 * along), -0.2f), 0.2f);
      for (int k = 0; k < 3; ++k) {
        const float d = g * (q[a][k] - q[b][k]);
        p[a][k] -= d;
        p[b][k] += d;
      }
    }
    if (done) break;
  }
  trips[i] = trip;
}

// The integrals of Gaussians that quantum chemistry needs: near zero a series, far off the limit, else a
// recursion.
__device__ double gaussianIntegral(int order, double x) {
  if (x > 25) {
    double v = 0.886226925452758 / sqrt(x);
    for (int k = 0; k < order; ++k) v *= (k + 0.5) / x;
    return v;
  }
  double term = 1.0 / (2 * order + 1), sum = term;
  for (int k = 1; k < 80; ++k) {
    term *= x / (order + k + 0.5);
    sum += term;
    if (term < 1e-10 * sum) break;
  }
  return exp(-x) * sum;
}
// warpscope gaussian_integrals: block = 64, n = 2^13, grid = ceil(n / block), x = random[n] in 0..40, out = zeros[4 * n]
__global__ void gaussian_integrals(const double* x, double* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double v = x[i], e = exp(-v);
  double f = gaussianIntegral(3, v);
  out[3 * n + i] = f;
  for (int order = 2; order >= 0; --order) {
    f = (2 * v * f + e) / (2 * order + 1);
    out[order * n + i] = f;
  }
}

// How often atoms stand at which distance: all pairs in tiles, a histogram for each warp.
// warpscope pair_distances_counted: block = 128 fixed, atoms = 2048, grid = (ceil(atoms / 128), ceil(atoms / 256)), place = random[4 * atoms], counts = zeros[64]
__global__ void pair_distances_counted(const float4* place, unsigned* counts, int atoms) {
  __shared__ float4 others[256];
  __shared__ unsigned bins[4][64];
  const int i = blockIdx.x * 128 + threadIdx.x, first = blockIdx.y * 256;
  for (int k = threadIdx.x; k < 256; k += 128) {
    others[k] = place[first + k];
    (&bins[0][0])[k] = 0;
  }
  __syncthreads();
  const float4 me = place[i];
  for (int k = 0; k < 256; ++k) {
    const float dx = me.x - others[k].x, dy = me.y - others[k].y, dz = me.z - others[k].z;
    const float r = sqrtf(dx * dx + dy * dy + dz * dz);
    const int bin = (int)(r * 64);
    if (bin < 64 && i < first + k) atomicAdd(&bins[threadIdx.x / 32][bin], 1u);
  }
  __syncthreads();
  if (threadIdx.x < 64) {
    const unsigned sum =
        bins[0][threadIdx.x] + bins[1][threadIdx.x] + bins[2][threadIdx.x] + bins[3][threadIdx.x];
    if (sum) atomicAdd(&counts[threadIdx.x], sum);
  }
}

// Reactions of four kinds in small vessels, one after the other by chance, until the time is up.
// warpscope chance_reactions: block = 64, vessels = 2^13, grid = ceil(vessels / block), rates = random[4] in 0.5..1, out = zeros[3 * vessels]
__global__ void chance_reactions(const float* rates, int* out, int vessels) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vessels) return;
  int a = 20 + v % 30, b = 10, c = 0;
  uint64_t seed = v * 0x9E3779B97F4A7C15ull + 1;
  auto chance = [&]() {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return ((uint32_t)(seed >> 40) + 1) * (1 / 16777217.0f);
  };
  float time = 0;
  for (int event = 0; event < 100; ++event) {
    const float r0 = rates[0] * a, r1 = rates[1] * 0.05f * a * b, r2 = rates[2] * b, r3 = rates[3] * 0.2f * c;
    const float all = r0 + r1 + r2 + r3;
    if (all <= 0) break;
    time -= __logf(chance()) / all;
    if (time > 0.6f) break;
    float pick = chance() * all;
    if ((pick -= r0) < 0) {
      --a, ++b;
    } else if ((pick -= r1) < 0) {
      --a, --b, ++c;
    } else if ((pick -= r2) < 0) {
      --b, ++c;
    } else if (c > 0) {
      --c, ++a;
    }
  }
  out[3 * v] = a;
  out[3 * v + 1] = b;
  out[3 * v + 2] = c;
}
