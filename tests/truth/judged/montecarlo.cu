// Random numbers, and what is simulated with them.

// The Mersenne twister in small: each thread keeps 19 words of state.
struct mt_state {
  unsigned mt[19];
  int i;
};
// warpscope mersenne_small: block = 128 fixed, per_thread = 40, grid = 64, seeds = random[8192], out = zeros[8192 * per_thread]
__global__ void mersenne_small(const unsigned* seeds, float* out, int per_thread) {
  const int tid = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  mt_state s;
  s.mt[0] = seeds[tid];
  for (int k = 1; k < 19; k++) s.mt[k] = 1812433253u * (s.mt[k - 1] ^ s.mt[k - 1] >> 30) + k;
  s.i = 0;
  unsigned here = s.mt[0];
  for (int n = 0; n < per_thread; n++) {
    int i1 = s.i + 1, im = s.i + 9;
    if (i1 >= 19) i1 -= 19;
    if (im >= 19) im -= 19;
    const unsigned next = s.mt[i1], far = s.mt[im];
    unsigned x = (here & 0x80000000u) | (next & 0x7fffffffu);
    x = far ^ x >> 1 ^ (x & 1 ? 0x9908b0dfu : 0u);
    s.mt[s.i] = x;
    s.i = i1;
    here = next;
    x ^= x >> 12;
    x ^= x << 7 & 0x9d2c5680u;
    x ^= x << 15 & 0xefc60000u;
    x ^= x >> 18;
    out[n * threads + tid] = (x + 1.0f) * 2.3283064e-10f;
  }
}

// Cross sections of a material at random energies: a search in the union of grids, then five nuclides.
struct xs_point {
  float energy, total, scatter, absorb, fission, nu;
};
// warpscope xs_lookup: block = 256, lookups = 60000, points = 16384, nuclides = 12, grid = ceil(lookups / block), energies = iota[points], nuclide = f32 random[6 * nuclides * 1025], results = zeros[lookups]
__global__ void xs_lookup(const float* __restrict__ energies, const xs_point* __restrict__ nuclide,
                          float* results, int lookups, int points, int nuclides) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= lookups) return;
  unsigned long long seed = 1070ull + i * 2862933555777941757ull;
  seed = seed * 2806196910506780709ull + 1;
  const float e = (seed >> 40) * (1.0f / 16777216) * (points - 1);
  int low = 0, high = points - 1;
  while (high - low > 1) {
    const int mid = low + (high - low) / 2;
    if (energies[mid] > e)
      high = mid;
    else
      low = mid;
  }
  float macro[5] = {0, 0, 0, 0, 0};
  const int material = 2 + (seed >> 20) % 4;
  for (int n = 0; n < material * 2; ++n) {
    const xs_point* p = nuclide + ((n * 5 + material) % nuclides) * 1025 + (low >> 4);
    const xs_point a = p[0], b = p[1];
    const float f = (b.energy - e / points) / (b.energy - a.energy + 1e-3f);
    macro[0] += b.total - f * (b.total - a.total);
    macro[1] += b.scatter - f * (b.scatter - a.scatter);
    macro[2] += b.absorb - f * (b.absorb - a.absorb);
    macro[3] += b.fission - f * (b.fission - a.fission);
    macro[4] += b.nu - f * (b.nu - a.nu);
  }
  float most = macro[0];
  int which = 0;
  for (int k = 1; k < 5; k++)
    if (macro[k] > most) most = macro[k], which = k;
  results[i] = most + which;
}

// Photons in tissue: steps, scattering, roulette; what they lose is added in layers.
// warpscope photon_tissue: block = 128, photons = 12000, grid = ceil(photons / block), absorbed = zeros[64], mu_a = 0.4, mu_s = 9, g = 0.8, tolerance = 1e-2
__global__ void photon_tissue(float* absorbed, int photons, float mu_a, float mu_s, float g) {
  __shared__ float layers[64];
  for (int i = threadIdx.x; i < 64; i += blockDim.x) layers[i] = 0;
  __syncthreads();
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < photons) {
    unsigned s = id * 747796405u + 2891336453u;
    auto rnd = [&]() {
      s ^= s << 13;
      s ^= s >> 17;
      s ^= s << 5;
      return (s >> 8) * 5.9604645e-8f + 1e-9f;
    };
    float z = 0, uz = 1, weight = 1;
    for (int step = 0; step < 60; ++step) {
      z += -logf(rnd()) / (mu_a + mu_s) * uz;
      if (z < 0 || z > 2) break;
      const float lost = weight * mu_a / (mu_a + mu_s);
      weight -= lost;
      atomicAdd(&layers[min((int)(z * 32), 63)], lost);
      const float k = (1 - g * g) / (1 - g + 2 * g * rnd()), cost = (1 + g * g - k * k) / (2 * g);
      const float sint = sqrtf(fmaxf(0.f, 1 - cost * cost)), phi = 6.2831853f * rnd();
      uz = uz * cost - sqrtf(fmaxf(0.f, 1 - uz * uz)) * sint * cosf(phi);
      if (weight < 0.05f) {
        if (rnd() > 0.1f) break;
        weight *= 10;
      }
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 64; i += blockDim.x) atomicAdd(&absorbed[i], layers[i]);
}

// Halton's points in three dimensions: digits turned around, by divisions.
// warpscope halton_points: block = 256, n = 150000, grid = ceil(n / block), points = zeros[3 * n]
template <int kBase>
__device__ float radical_inverse(int i) {
  float f = 1.0f, r = 0.0f;
  while (i > 0) {
    f /= kBase;
    r += f * (i % kBase);
    i /= kBase;
  }
  return r;
}
__global__ void halton_points(float* points, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  points[i] = radical_inverse<2>(i + 1);
  points[n + i] = radical_inverse<3>(i + 1);
  points[2 * n + i] = radical_inverse<5>(i + 1);
}

// Metropolis chains on a posterior of a line's slope and offset, data in constant memory.
__constant__ float mc_x[32] = {0.1f, 0.4f, 0.5f, 0.9f, 1.1f, 1.3f, 1.8f, 2.0f,
                               2.2f, 2.9f, 3.1f, 3.3f, 3.5f, 3.9f, 4.0f, 4.4f};
__constant__ float mc_y[32] = {1.1f, 1.7f, 2.2f, 2.6f, 3.3f, 3.8f, 4.4f, 5.2f,
                               5.1f, 6.9f, 7.3f, 7.2f, 8.1f, 8.7f, 9.2f, 9.6f};
// warpscope metropolis_line: block = 64, chains = 10000, steps = 20, grid = ceil(chains / block), slope = zeros[chains], offset = zeros[chains]
__global__ void metropolis_line(float* slope, float* offset, int chains, int steps) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= chains) return;
  unsigned long long state = 0x853c49e6748fea9bULL + c * 0xda3e39cb94b95bdbULL;
  auto pcg = [&state]() {
    const unsigned long long old = state;
    state = old * 6364136223846793005ULL + 1442695040888963407ULL;
    const unsigned x = (unsigned)((old >> 18 ^ old) >> 27), rot = old >> 59;
    return (x >> rot | x << (-rot & 31)) * 2.3283064e-10f;
  };
  auto loss = [](float a, float b) {
    float sum = 0;
    for (int k = 0; k < 32; k++) {
      const float d = mc_y[k] - a * mc_x[k] - b;
      sum += d * d;
    }
    return sum;
  };
  float a = 1, b = 0, now = loss(a, b);
  for (int s = 0; s < steps; s++) {
    const float na = a + 0.4f * (pcg() - 0.5f), nb = b + 0.4f * (pcg() - 0.5f), next = loss(na, nb);
    if (next < now || pcg() < expf(now - next)) {
      a = na;
      b = nb;
      now = next;
    }
  }
  slope[c] = a;
  offset[c] = b;
}

// Spins on a board: half of the cells at once, neighbours of the other colour in shared memory's rows.
// warpscope ising_checkerboard: block = (32, 8), size = 1024, grid = (size / 2 / block.x, size / block.y), black = random[size * size / 2] in 0..1, white = random[size * size / 2]:2 in 0..1, uniforms = random[size * size / 2], beta = 0.44
__global__ void ising_checkerboard(signed char* black, const signed char* white, const float* uniforms,
                                   int size, float beta) {
  const int half = size / 2, x = blockIdx.x * blockDim.x + threadIdx.x,
            y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= half || y >= size) return;
  const int up = y == 0 ? size - 1 : y - 1, down = y == size - 1 ? 0 : y + 1;
  const int side = (y & 1) ? (x + 1 == half ? 0 : x + 1) : (x == 0 ? half - 1 : x - 1);
  const int sum =
      2 * (white[y * half + x] + white[y * half + side] + white[up * half + x] + white[down * half + x]) - 4;
  const int spin = 2 * black[y * half + x] - 1;
  if (uniforms[y * half + x] < __expf(-2.0f * beta * spin * sum)) black[y * half + x] = (1 - spin) / 2;
}
