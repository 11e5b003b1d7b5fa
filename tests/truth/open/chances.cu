// Monte Carlo methods and what they need.
#include <cstdint>

// Photons through layered tissue: steps, absorption, scattering angles, roulette; absorbed weight goes to
// depth bins.
__device__ __forceinline__ float next_random(uint32_t& state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return ((state >> 8) + 0.5f) * (1.0f / 16777216);
}
// warpscope photons_in_layers: block = 128, photons = 2^13, grid = ceil(photons / block), absorbed = zeros[64], seed = 91
__global__ void photons_in_layers(float* absorbed, int photons, unsigned seed) {
  __shared__ float bins[64];
  for (int k = threadIdx.x; k < 64; k += blockDim.x) bins[k] = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < photons) {
    uint32_t state = (i + 1) * 2654435761u ^ seed;
    float z = 0, cosine = 1, weight = 1;
    for (int step = 0; step < 200; ++step) {
      const int layer = z < 0.5f ? 0 : z < 1.5f ? 1 : 2;
      const float scatter = layer == 1 ? 6.0f : 10.0f, absorb = layer == 2 ? 3.0f : 1.0f,
                  all = scatter + absorb;
      z += cosine * -__logf(next_random(state)) / all;
      if (z < 0 || z > 4) break;
      const float lost = weight * absorb / all;
      atomicAdd(&bins[min(63, (int)(z * 16))], lost);
      weight -= lost;
      const float g = 0.8f, t = (1 - g * g) / (1 - g + 2 * g * next_random(state));
      const float turn = (1 + g * g - t * t) / (2 * g);
      const float round = __cosf(6.2831853f * next_random(state));
      cosine = cosine * turn + sqrtf(fmaxf(0.0f, (1 - cosine * cosine) * (1 - turn * turn))) * round;
      if (weight < 0.05f) {
        if (next_random(state) > 0.2f) break;
        weight *= 5;
      }
    }
  }
  __syncthreads();
  for (int k = threadIdx.x; k < 64; k += blockDim.x) atomicAdd(&absorbed[k], bins[k]);
}

// Sums of Poisson arrivals per thread, by multiplication of uniforms: the number of trips depends on the
// data.
// warpscope poisson_counts: block = 256, n = 2^16, grid = ceil(n / block), rates = random[n] in 0.5..12, out = zeros[n]
__global__ void poisson_counts(const float* rates, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float limit = expf(-rates[i]);
  uint64_t state = (i + 1) * 0x9E3779B97F4A7C15ull;
  float product = 1;
  int count = -1;
  do {
    state += 0x9E3779B97F4A7C15ull;
    uint64_t z = state;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ z >> 27) * 0x94D049BB133111EBull;
    product *= (float)((z ^ z >> 31) >> 40) * (1.0f / 16777216);
    ++count;
  } while (product > limit && count < 100);
  out[i] = count;
}

// Metropolis steps of quantum oscillators: each warp has one path of 32 beads, neighbours reached by
// shuffles.
// warpscope bead_paths: block = 64, paths = 2048, grid = ceil(paths * 32 / block), beads = random[paths * 32] in -1..1, energies = zeros[paths], sweeps = 16
__global__ void bead_paths(const float* beads, float* energies, int paths, int sweeps) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  if (at / 32 >= paths) return;
  float x = beads[at], energy = 0;
  uint32_t state = at * 747796405u + 2891336453u;
  for (int s = 0; s < sweeps; ++s) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float left = __shfl_sync(~0u, x, (lane + 31) & 31), right = __shfl_sync(~0u, x, (lane + 1) & 31);
      if ((lane & 1) != half) continue;
      state = state * 747796405u + 2891336453u;
      const uint32_t word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
      const float y = x + ((word & 0xFFFF) * (1.0f / 65536) - 0.5f);
      const float before = (x - left) * (x - left) + (right - x) * (right - x) + 0.1f * x * x;
      const float after = (y - left) * (y - left) + (right - y) * (right - y) + 0.1f * y * y;
      if (after < before || __expf(before - after) > (word >> 16) * (1.0f / 65536)) x = y;
    }
    __syncwarp();
    energy += x * x;
  }
  for (int d = 16; d; d /= 2) energy += __shfl_xor_sync(~0u, energy, d);
  if (lane == 0) energies[at / 32] = energy / (32 * sweeps);
}

// Low-discrepancy points: Sobol numbers by Gray code with direction numbers in constant memory, an integral
// summed.
__constant__ unsigned polynomial_of[4] = {0, 0, 1, 1};
// warpscope sobol_integral: block = 128, grid = 132, each = 12, sum = zeros[1]
__global__ void sobol_integral(double* sum, int each) {
  __shared__ unsigned directions[4][32];
  if (threadIdx.x < 4) {
    const int d = threadIdx.x, degree = d;
    for (int k = 0; k < 32; ++k) {
      if (d == 0)
        directions[d][k] = 1u << (31 - k);
      else if (k < degree)
        directions[d][k] = (k == 1 ? 3u : k == 2 ? 5u : 1u) << (31 - k);
      else {
        unsigned v = directions[d][k - degree] ^ directions[d][k - degree] >> degree;
        for (int j = 1; j < degree; ++j)
          if (polynomial_of[d] >> (degree - 1 - j) & 1) v ^= directions[d][k - j];
        directions[d][k] = v;
      }
    }
  }
  __syncthreads();
  const unsigned first = (blockIdx.x * blockDim.x + threadIdx.x) * each;
  const unsigned gray = first ^ first >> 1;
  unsigned x[4] = {};
  for (int k = 0; gray >> k; ++k)
    if (gray >> k & 1)
#pragma unroll
      for (int d = 0; d < 4; ++d) x[d] ^= directions[d][k];
  double total = 0;
  for (unsigned i = first; i < first + each; ++i) {
    float f = 1;
#pragma unroll
    for (int d = 0; d < 4; ++d) f *= fabsf(4 * (x[d] * 2.3283064e-10f) - 2);
    total += f;
    const int k = __ffs(~i) - 1;
#pragma unroll
    for (int d = 0; d < 4; ++d) x[d] ^= directions[d][k];
  }
  for (int d = 16; d; d /= 2) total += __shfl_down_sync(~0u, total, d);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, total);
}

// Bootstrap: each block draws a resample of 1024 values from shared memory, 16 times, and keeps the means.
// warpscope bootstrap_means: block = 256 fixed, grid = 200, resamples = 16, values = random[1024], means = zeros[grid * resamples]
__global__ void bootstrap_means(const float* values, float* means, int resamples) {
  __shared__ float held[1024];
  __shared__ float parts[8];
  *reinterpret_cast<float4*>(&held[threadIdx.x * 4]) = reinterpret_cast<const float4*>(values)[threadIdx.x];
  __syncthreads();
  unsigned a = blockIdx.x * 256 + threadIdx.x + 1, b = a * 69069u + 5;
  for (int r = 0; r < resamples; ++r) {
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      a = 36969u * (a & 65535) + (a >> 16);
      b = 18000u * (b & 65535) + (b >> 16);
      sum += held[(a << 4 ^ b) & 1023];
    }
    for (int d = 16; d; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 8) {
      sum = parts[threadIdx.x];
      sum += __shfl_xor_sync(0xFF, sum, 4);
      sum += __shfl_xor_sync(0xFF, sum, 2);
      sum += __shfl_xor_sync(0xFF, sum, 1);
      if (threadIdx.x == 0) means[blockIdx.x * resamples + r] = sum / 1024;
    }
    __syncthreads();
  }
}

// Resampling by alias tables: one random number chooses a column, another the column or its alias.
// warpscope alias_draws: block = 512, n = 2^20, columns = 4096, grid = ceil(n / 2 / block), cut = random[columns], alias = u16 random[columns], draws = random[n], out = u16 zeros[n]
__global__ void alias_draws(const float* __restrict__ cut, const unsigned short* __restrict__ alias,
                            const uint2* draws, ushort2* out, int n, unsigned columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (2 * i >= n) return;
  const uint2 d = draws[i];
  const auto pick = [&](unsigned v) -> unsigned short {
    const unsigned column = __umulhi(v, columns);
    const float rest = (v * columns) * 2.3283064e-10f;
    return rest < cut[column] ? column : alias[column];
  };
  out[i] = make_ushort2(pick(d.x), pick(d.y));
}

// Percolation of 32 x 32 lattices of bits, one warp a lattice, a row of bits a lane: floods from the top
// until it rests.
// warpscope flooded_lattices: block = 128, lattices = 4096, grid = ceil(lattices * 32 / block), bits = random[lattices * 32], extra = random[lattices * 32]:8, reached = zeros[lattices]
__global__ void flooded_lattices(const unsigned* bits, const unsigned* extra, int* reached, int lattices) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  if (at >> 5 >= lattices) return;
  const unsigned open = bits[at] | (extra[at] & extra[at] >> 7);
  unsigned wet = lane == 0 ? open : 0;
  while (true) {
    unsigned next = wet;
    const unsigned up = __shfl_up_sync(~0u, wet, 1), down = __shfl_down_sync(~0u, wet, 1);
    if (lane > 0) next |= up & open;
    if (lane < 31) next |= down & open;
    next |= (next << 1 | next >> 1) & open;
    if (!__any_sync(~0u, next != wet)) break;
    wet = next;
  }
  const unsigned rows = __ballot_sync(~0u, wet != 0);
  if (lane == 0) reached[at >> 5] = 32 - __clz(rows);
}
