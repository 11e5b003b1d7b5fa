// Chemistry and molecules: forces within chains, fields around proteins, fingerprints, integrals, reactions.

__device__ inline float3 minus(float3 a, float3 b) {
  return make_float3(a.x - b.x, a.y - b.y, a.z - b.z);
}
__device__ inline float3 cross(float3 a, float3 b) {
  return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
__device__ inline float dot(float3 a, float3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
__device__ inline float3 place(const float4* atoms, int i) {
  const float4 a = atoms[i];
  return make_float3(a.x, a.y, a.z);
}

// Energy and forces of twisted bonds between four atoms, added to the atoms atomically.
// warpscope twisted_bond_forces: block = 128, bonds = 2^15, atoms = 2^14, grid = ceil(bonds / block), where = random[4 * atoms] in 0..10, quads = random[4 * bonds] in 0..16383, force = zeros[3 * atoms], energy = zeros[1]
__global__ void twisted_bond_forces(const float4* __restrict__ where, const int4* __restrict__ quads,
                                    float* force, float* energy, int bonds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float mine = 0;
  if (i < bonds) {
    const int4 q = quads[i];
    const float3 b1 = minus(place(where, q.y), place(where, q.x)),
                 b2 = minus(place(where, q.z), place(where, q.y));
    const float3 b3 = minus(place(where, q.w), place(where, q.z));
    const float3 m = cross(b1, b2), n = cross(b2, b3);
    const float length = sqrtf(dot(b2, b2)) + 1e-6f;
    const float angle = atan2f(length * dot(b1, n), dot(m, n));
    float bend = 0;
#pragma unroll
    for (int k = 1; k <= 3; ++k) {
      mine += 0.3f * k * (1.0f + cosf(k * angle - 0.5f));
      bend -= 0.3f * k * k * sinf(k * angle - 0.5f);
    }
    const float first = bend * length / (dot(m, m) + 1e-3f), last = -bend * length / (dot(n, n) + 1e-3f);
    atomicAdd(force + 3 * q.x, first * m.x), atomicAdd(force + 3 * q.x + 1, first * m.y),
        atomicAdd(force + 3 * q.x + 2, first * m.z);
    atomicAdd(force + 3 * q.w, last * n.x), atomicAdd(force + 3 * q.w + 1, last * n.y),
        atomicAdd(force + 3 * q.w + 2, last * n.z);
  }
  for (int d = 16; d; d >>= 1) mine += __shfl_down_sync(~0u, mine, d);
  if (threadIdx.x % 32 == 0) atomicAdd(energy, mine);
}

// How deep each atom is buried: the integral over all the others that a generalised Born model needs, tile by
// tile.
// warpscope buried_radii: block = 128, n = 2048, grid = (n / 128, 4), atoms = random[4 * n] in 0.8..12, sums = zeros[4 * n]
__global__ void buried_radii(const float4* __restrict__ atoms, float* __restrict__ sums, int n) {
  __shared__ float4 tile[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 me = atoms[i];
  const float radius = 1.0f + 0.05f * me.w;
  float sum = 0;
  for (int base = blockIdx.y * (n / 4); base < (blockIdx.y + 1) * (n / 4); base += 128) {
    __syncthreads();
    tile[threadIdx.x] = atoms[base + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 128; ++k) {
      const float4 o = tile[k];
      const float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z;
      const float r2 = dx * dx + dy * dy + dz * dz, s = 0.8f * (1.0f + 0.05f * o.w);
      if (base + k == i || r2 > 100.0f) continue;
      const float inverse = rsqrtf(r2 + 1e-6f), r = r2 * inverse;
      if (radius < r + s) {
        const float low = 1.0f / fmaxf(radius, fabsf(r - s)), high = 1.0f / (r + s);
        sum += 0.5f * (low - high + 0.25f * (r - s * s * inverse) * (high * high - low * low) +
                       0.5f * __logf(high / low) * inverse);
      }
    }
  }
  sums[blockIdx.y * n + i] = sum;
}

// Surface that water can touch: sixty-four points on the sphere of each atom are tried against its
// neighbours. A warp takes an atom.
// warpscope touchable_points: block = 256, atoms = 4096, list = 48, grid = atoms / 8, where = random[4 * atoms] in 0..12, neighbours = random[atoms * list] in 0..4095, area = zeros[atoms]
__global__ void touchable_points(const float4* __restrict__ where, const int* __restrict__ neighbours,
                                 float* __restrict__ area, int list) {
  const int atom = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  const float4 me = where[atom];
  const float reach = 2.8f;
  int free = 0;
  for (int half = 0; half < 2; ++half) {
    const int k = lane + 32 * half;
    const float z = 1.0f - (2 * k + 1) / 64.0f, ring = sqrtf(1.0f - z * z), turn = 2.3999632f * k;
    const float px = me.x + reach * ring * cosf(turn), py = me.y + reach * ring * sinf(turn),
                pz = me.z + reach * z;
    bool open = true;
    for (int j = 0; j < list && open; ++j) {
      const int other = __ldg(neighbours + atom * list + j);
      if (other == atom) continue;
      const float4 o = where[other];
      const float dx = o.x - px, dy = o.y - py, dz = o.z - pz;
      open = dx * dx + dy * dy + dz * dz > 2.6f;
    }
    free += __popc(__ballot_sync(~0u, open));
  }
  if (lane == 0) area[atom] = 12.566371f * reach * reach * free / 64.0f;
}

// Similarity of molecules by their fingerprints of 512 bits; counts those above a threshold and keeps the
// best for each query.
// warpscope like_fingerprints: block = 256, queries = 8, n = 2^15, grid = (ceil(n / block), queries), library = random[16 * n], wanted = random[16 * queries], best = zeros[queries], counts = zeros[queries]
__global__ void like_fingerprints(const uint4* __restrict__ library, const unsigned* __restrict__ wanted,
                                  unsigned long long* best, int* counts, int n) {
  __shared__ unsigned query[16];
  __shared__ unsigned long long top;
  if (threadIdx.x < 16) query[threadIdx.x] = wanted[blockIdx.y * 16 + threadIdx.x];
  if (threadIdx.x == 0) top = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool alike = false;
  if (i < n) {
    int both = 0, either = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const uint4 bits = library[(size_t)i * 4 + k];
      both += __popc(bits.x & query[4 * k]) + __popc(bits.y & query[4 * k + 1]) +
              __popc(bits.z & query[4 * k + 2]) + __popc(bits.w & query[4 * k + 3]);
      either += __popc(bits.x | query[4 * k]) + __popc(bits.y | query[4 * k + 1]) +
                __popc(bits.z | query[4 * k + 2]) + __popc(bits.w | query[4 * k + 3]);
    }
    const float same = (float)both / either;
    alike = same > 0.36f;
    if (alike) atomicMax(&top, (unsigned long long)__float_as_uint(same) << 32 | (unsigned)i);
  }
  const int found = __syncthreads_count(alike);
  if (threadIdx.x == 0 && found) {
    atomicAdd(counts + blockIdx.y, found);
    atomicMax(best + blockIdx.y, top);
  }
}

// Repulsion of two pairs of electrons in round shells of three bell curves each: the innermost integral of
// quantum chemistry.
__device__ double boysZero(double t) {
  if (t < 1e-6) return 1.0 - t / 3.0;
  if (t > 25.0) return 0.5 * sqrt(3.141592653589793 / t);
  const double root = sqrt(t);
  return 0.5 * sqrt(3.141592653589793) / root * erf(root);
}
// warpscope electron_pairs_repel: block = 64, pairs = 96, grid = (ceil(pairs / 64), pairs), centres = random[3 * pairs] in -2..2, powers = random[3 * pairs] in 0.2..3, integrals = zeros[pairs * pairs]
__global__ void electron_pairs_repel(const double* __restrict__ centres, const double* __restrict__ powers,
                                     double* __restrict__ integrals, int pairs) {
  const int a = blockIdx.x * blockDim.x + threadIdx.x, b = blockIdx.y;
  if (a >= pairs) return;
  if (a > b) return;
  const double dx = centres[3 * a] - centres[3 * b], dy = centres[3 * a + 1] - centres[3 * b + 1],
               dz = centres[3 * a + 2] - centres[3 * b + 2];
  const double square = dx * dx + dy * dy + dz * dz;
  double sum = 0;
  for (int i = 0; i < 3; ++i) {
    const double p = powers[3 * a + i];
    for (int j = 0; j < 3; ++j) {
      const double q = powers[3 * b + j];
      sum += 34.986836655249725 / (p * q * sqrt(p + q)) * boysZero(p * q / (p + q) * square);
    }
  }
  integrals[a * pairs + b] = integrals[b * pairs + a] = sum;
}

// Rates of forty reactions among ten gases by their activation energies, and what each gas gains or loses; a
// cell of a flame per thread.
// warpscope flame_rates: block = 128, cells = 2^15, grid = ceil(cells / block), gases = random[10 * cells], heat = random[cells] in 800..2400, factors = random[40], barriers = random[40] in 2000..20000, change = zeros[10 * cells]
__global__ void flame_rates(const float* __restrict__ gases, const float* __restrict__ heat,
                            const float* __restrict__ factors, const float* __restrict__ barriers,
                            float* __restrict__ change, int cells) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= cells) return;
  float held[10], gain[10];
#pragma unroll
  for (int k = 0; k < 10; ++k) held[k] = gases[k * cells + i], gain[k] = 0;
  const float inverse = 1.0f / heat[i], log_heat = logf(heat[i]);
  for (int r = 0; r < 5; ++r) {
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      const float forward = factors[8 * r + k] * expf(0.5f * log_heat - barriers[8 * r + k] * inverse);
      constexpr int from[8] = {0, 2, 4, 1, 7, 9, 3, 2}, with[8] = {1, 3, 5, 6, 8, 0, 5, 8},
                    to[8] = {4, 6, 8, 3, 1, 2, 7, 9};
      const float rate = forward * held[from[k]] * held[with[k]] - 0.1f * forward * held[to[k]];
      gain[from[k]] -= rate;
      gain[with[k]] -= rate;
      gain[to[k]] += 2.0f * rate;
    }
  }
#pragma unroll
  for (int k = 0; k < 10; ++k) change[k * cells + i] = gain[k];
}

// A small molecule is tried in many poses within the field of a receptor, given on a grid: trilinear reads
// for each atom, and the sum.
// warpscope pose_in_receptor: block = 64, poses = 8192, atoms = 24, side = 40, grid = poses / 2, pose = random[8 * poses] in -1..1, ligand = random[4 * atoms] in -4..4, field = random[side * side * side] in -5..5, score = zeros[poses]
__global__ void pose_in_receptor(const float4* __restrict__ pose, const float4* __restrict__ ligand,
                                 const float* __restrict__ field, float* __restrict__ score, int atoms,
                                 int side) {
  const int p = blockIdx.x * 2 + threadIdx.x / 32, lane = threadIdx.x % 32;
  float4 q = pose[2 * p];
  const float4 shift = pose[2 * p + 1];
  const float norm = rsqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w + 1e-9f);
  q.x *= norm, q.y *= norm, q.z *= norm, q.w *= norm;
  float value = 0;
  if (lane < atoms) {
    const float4 a = ligand[lane];
    const float tx = 2 * (q.y * a.z - q.z * a.y), ty = 2 * (q.z * a.x - q.x * a.z),
                tz = 2 * (q.x * a.y - q.y * a.x);
    const float x = a.x + q.w * tx + q.y * tz - q.z * ty + 8 * shift.x + side / 2;
    const float y = a.y + q.w * ty + q.z * tx - q.x * tz + 8 * shift.y + side / 2;
    const float z = a.z + q.w * tz + q.x * ty - q.y * tx + 8 * shift.z + side / 2;
    const int ix = (int)x, iy = (int)y, iz = (int)z;
    if (ix < 0 || iy < 0 || iz < 0 || ix >= side - 1 || iy >= side - 1 || iz >= side - 1) {
      value = 100.0f;
    } else {
      const float fx = x - ix, fy = y - iy, fz = z - iz;
      const float* f = field + (iz * side + iy) * side + ix;
      const float low =
          (f[0] * (1 - fx) + f[1] * fx) * (1 - fy) + (f[side] * (1 - fx) + f[side + 1] * fx) * fy;
      f += side * side;
      const float high =
          (f[0] * (1 - fx) + f[1] * fx) * (1 - fy) + (f[side] * (1 - fx) + f[side + 1] * fx) * fy;
      value = (low * (1 - fz) + high * fz) * (0.5f + fabsf(a.w));
    }
  }
  for (int d = 16; d; d >>= 1) value += __shfl_down_sync(~0u, value, d);
  if (lane == 0) score[p] = value;
}

// Density that each metal atom sits in and the energy of embedding it there, by tables with linear steps
// between entries.
// warpscope embedded_metal: block = 128, atoms = 2^14, most = 40, grid = atoms / block, where = random[4 * atoms] in 0..14, neighbours = random[atoms * most] in 0..16383, density = random[512], embedding = random[512], rho = zeros[atoms], energy = zeros[atoms]
__global__ void embedded_metal(const float4* where, const int* neighbours, const float* density,
                               const float* embedding, float* rho, float* energy, int atoms, int most) {
  __shared__ float near[512];
  for (int k = threadIdx.x; k < 512; k += blockDim.x) near[k] = density[k];
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 me = where[i];
  float sum = 0;
  for (int k = 0; k < most; ++k) {
    const float4 o = where[neighbours[k * atoms + i]];
    const float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z, square = dx * dx + dy * dy + dz * dz;
    if (square < 49.0f) {
      const float at = sqrtf(square) * (510.0f / 7.0f);
      const int b = (int)at;
      sum += near[b] + (at - b) * (near[b + 1] - near[b]);
    }
  }
  rho[i] = sum;
  const float at = fminf(sum * 20.0f, 510.0f);
  const int b = min((int)at, 510);
  energy[i] = embedding[b] + (at - b) * (embedding[b + 1] - embedding[b]);
}
