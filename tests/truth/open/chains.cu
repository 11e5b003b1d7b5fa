// Statistics and Monte Carlo: samplers, tests, densities, percolation.

__device__ inline unsigned scrambled(unsigned v) {
  v ^= v >> 16;
  v *= 0x7FEB352Du;
  v ^= v >> 15;
  v *= 0x846CA68Bu;
  return v ^ v >> 16;
}
struct Draws {
  unsigned long long state;
  __device__ explicit Draws(unsigned long long seed)
      : state(seed * 6364136223846793005ULL + 1442695040888963407ULL) {}
  __device__ unsigned bits() {
    const unsigned long long old = state;
    state = old * 6364136223846793005ULL + 1442695040888963407ULL;
    const unsigned mixed = (unsigned)((old >> 18 ^ old) >> 27), turn = (unsigned)(old >> 59);
    return __funnelshift_r(mixed, mixed, turn);
  }
  __device__ float unit() { return (bits() >> 8) * 5.9604645e-8f + 2.9802322e-8f; }
  __device__ float2 bell() {
    const float r = sqrtf(-2.0f * __logf(unit())), turn = 6.2831853f * unit();
    return make_float2(r * __cosf(turn), r * __sinf(turn));
  }
};

// Gamma variates by a cube of a normal that is accepted or not; shapes below one take a power of a further
// draw.
// warpscope gamma_variates: block = 128, n = 2^17, grid = ceil(n / block), shapes = random[n] in 0.3..4, out = zeros[n], seed = 11
__global__ void gamma_variates(const float* shapes, float* out, unsigned seed, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Draws draws(seed + 977ULL * i);
  const float shape = shapes[i];
  const float d = (shape < 1.0f ? shape + 1.0f : shape) - 1.0f / 3.0f, c = rsqrtf(9.0f * d);
  float value = d;
  for (int trial = 0; trial < 64; ++trial) {
    const float x = draws.bell().x;
    float v = 1.0f + c * x;
    if (v <= 0.0f) continue;
    v = v * v * v;
    const float u = draws.unit();
    if (u < 1.0f - 0.0331f * x * x * x * x || logf(u) < 0.5f * x * x + d * (1.0f - v + logf(v))) {
      value = d * v;
      break;
    }
  }
  if (shape < 1.0f) value *= powf(draws.unit(), 1.0f / shape);
  out[i] = value;
}

// Leapfrog paths over the posterior of a regression of chances with eight coefficients; a warp is a chain,
// its lanes share the observations.
// warpscope leapfrog_regression: block = 128, chains = 512, rows = 256, steps = 5, grid = chains / 4, data = random[8 * rows] in -1..1, label = random[rows] in 0..1, start = random[8 * chains] in -1..1, end = zeros[8 * chains]
__global__ void leapfrog_regression(const float* __restrict__ data, const int* __restrict__ label,
                                    const float* __restrict__ start, float* __restrict__ end, int rows,
                                    int steps) {
  const int chain = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  float w[8], p[8];
  Draws draws(chain);
#pragma unroll
  for (int k = 0; k < 8; ++k) w[k] = start[chain * 8 + k], p[k] = draws.bell().x;
  for (int s = 0; s <= steps; ++s) {
    float g[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) g[k] = 0;
    for (int r = lane; r < rows; r += 32) {
      float score = 0, x[8];
#pragma unroll
      for (int k = 0; k < 8; ++k) x[k] = data[k * rows + r], score += x[k] * w[k];
      const float off = label[r] - 1.0f / (1.0f + __expf(-score));
#pragma unroll
      for (int k = 0; k < 8; ++k) g[k] += off * x[k];
    }
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      for (int d = 16; d; d >>= 1) g[k] += __shfl_xor_sync(~0u, g[k], d);
      p[k] += (s == 0 || s == steps ? 0.025f : 0.05f) * (g[k] - w[k]);
      if (s < steps) w[k] += 0.05f * p[k];
    }
  }
  if (lane < 8) {
    float mine = w[0];
#pragma unroll
    for (int k = 1; k < 8; ++k) mine = lane == k ? w[k] : mine;
    end[chain * 8 + lane] = mine;
  }
}

// Pairs that agree less pairs that do not, for the rank correlation of two columns; tiles of the upper half
// only.
// warpscope agreeing_pairs: block = 256, n = 4096, grid = (n / 256, n / 256), x = random[n], y = random[n]:8, total = zeros[1]
__global__ void agreeing_pairs(const float* __restrict__ x, const float* __restrict__ y, int* total, int n) {
  if (blockIdx.y < blockIdx.x) return;
  __shared__ float2 tile[256];
  const int i = blockIdx.x * 256 + threadIdx.x, base = blockIdx.y * 256;
  tile[threadIdx.x] = make_float2(x[base + threadIdx.x], y[base + threadIdx.x]);
  __syncthreads();
  const float a = x[i], b = y[i];
  int score = 0;
  const int from = blockIdx.x == blockIdx.y ? threadIdx.x + 1 : 0;
#pragma unroll 8
  for (int k = from; k < 256; ++k) {
    const float product = (tile[k].x - a) * (tile[k].y - b);
    score += (product > 0) - (product < 0);
  }
  score = __reduce_add_sync(~0u, score);
  if (threadIdx.x % 32 == 0) atomicAdd(total, score);
}

// Density of a sample at many places by a kernel with an end; the sample is sorted into bins, so that only
// three bins are read.
// warpscope density_at_places: block = 64, places = 2^15, bins = 256, room = 32, grid = ceil(places / block), where = random[places], held = random[bins * room], counts = random[bins] in 8..32, density = zeros[places]
__global__ void density_at_places(const float* where, const float* held, const int* counts, float* density,
                                  int places, int bins, int room) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= places) return;
  const float x = where[i];
  const int bin = min((int)(x * bins), bins - 1);
  float sum = 0;
  for (int b = max(bin - 1, 0); b <= min(bin + 1, bins - 1); ++b) {
    const int count = counts[b];
    for (int k = 0; k < count; ++k) {
      const float u = ((b + held[b * room + k]) / bins - x) * bins;
      if (fabsf(u) < 1.0f) {
        const float w = 1.0f - u * u;
        sum += 0.9375f * w * w;
      }
    }
  }
  density[i] = sum;
}

// Does water find a way? A block opens the cells of a small grid by chance and lets the wet ones spread, row
// bits at a time, until nothing changes.
// warpscope water_through_sieve: block = 64, trials = 1024, grid = trials, through = zeros[trials], wetCells = zeros[trials], openness = 0.6
__global__ void water_through_sieve(int* through, int* wetCells, float openness) {
  __shared__ unsigned long long wet[66];
  const int row = threadIdx.x;
  Draws draws(blockIdx.x * 64ULL + row);
  unsigned long long open = 0;
  const unsigned limit = (unsigned)(openness * 4294967040.0f);
  for (int k = 0; k < 64; ++k) open |= (unsigned long long)(draws.bits() < limit) << k;
  wet[row + 1] = row == 0 ? open : 0;
  if (row < 2) wet[row * 65] = 0;
  __syncthreads();
  bool changed = true;
  while (__syncthreads_or(changed)) {
    const unsigned long long mine = wet[row + 1];
    unsigned long long next = mine | ((wet[row] | wet[row + 2]) & open);
    for (int k = 0; k < 4; ++k) next |= (next << 1 | next >> 1) & open;
    __syncthreads();
    changed = next != mine;
    wet[row + 1] = next;
  }
  const int count = __popcll(wet[row + 1]);
  const int warp = __reduce_add_sync(~0u, count);
  if (row % 32 == 0) atomicAdd(wetCells + blockIdx.x, warp);
  if (row == 63) through[blockIdx.x] = wet[64] != 0;
}

// Counts which values of two pictures meet, for their mutual information: each block counts in a table of its
// own in shared memory, which is then added to the whole.
// warpscope told_of_each_other: block = 512, n = 2^20, grid = 132, a = u8 random[n], b = u8 random[n]:6, joint = zeros[1024]
__global__ void told_of_each_other(const uchar4* __restrict__ a, const uchar4* __restrict__ b,
                                   unsigned* joint, int n) {
  __shared__ unsigned counts[1024];
  for (int k = threadIdx.x; k < 1024; k += blockDim.x) counts[k] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
    const uchar4 p = a[i], q = b[i];
    atomicAdd(&counts[(p.x >> 3) * 32 + (q.x >> 3)], 1u);
    atomicAdd(&counts[(p.y >> 3) * 32 + (q.y >> 3)], 1u);
    atomicAdd(&counts[(p.z >> 3) * 32 + (q.z >> 3)], 1u);
    atomicAdd(&counts[(p.w >> 3) * 32 + (q.w >> 3)], 1u);
  }
  __syncthreads();
  for (int k = threadIdx.x; k < 1024; k += blockDim.x)
    if (counts[k]) atomicAdd(joint + k, counts[k]);
}

// Is the difference of two groups chance? Each thread deals the 64 measurements anew, by bits drawn until
// half are in one group.
// warpscope groups_dealt_anew: block = 128, deals = 2^16, grid = deals / block, values = random[64] in -1..1, extreme = zeros[1], seen = 0.15
__global__ void groups_dealt_anew(const float* values, unsigned* extreme, float seen) {
  __shared__ float held[64];
  if (threadIdx.x < 64) held[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned low = scrambled(i), high = scrambled(i ^ 0x5BD1E995u), round = 0;
  while (__popc(low) + __popc(high) != 32 && round < 200) {
    const unsigned at = scrambled(i * 31 + ++round) & 63;
    const bool set = (at < 32 ? low >> at : high >> (at - 32)) & 1;
    if (set == (__popc(low) + __popc(high) > 32)) {
      if (at < 32)
        low ^= 1u << at;
      else
        high ^= 1u << (at - 32);
    }
  }
  float sum = 0;
#pragma unroll 16
  for (int k = 0; k < 32; ++k)
    sum += (low >> k & 1 ? held[k] : -held[k]) + (high >> k & 1 ? held[k + 32] : -held[k + 32]);
  const unsigned votes = __ballot_sync(~0u, fabsf(sum) > seen * 32);
  if (threadIdx.x % 32 == 0) atomicAdd(extreme, __popc(votes));
}

__device__ inline double humps(double x) {
  return log(exp(-0.5 * (x - 1.5) * (x - 1.5)) + 0.5 * exp(-2.0 * (x + 1.5) * (x + 1.5)) + 1e-300);
}
// Rounds of slice sampling of a two-humped density: step out until outside, then shrink towards the point.
// warpscope slices_of_density: block = 192, chains = 12288, rounds = 4, grid = chains / block, where = random[chains] in -3..3, out = zeros[chains]
__global__ void slices_of_density(const float* where, float* out, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  Draws draws(i + 5);
  double x = where[i];
  for (int r = 0; r < rounds; ++r) {
    const double level = humps(x) + log((double)draws.unit());
    double left = x - draws.unit(), right = left + 1.0;
    for (int k = 0; k < 8 && humps(left) > level; ++k) left -= 1.0;
    for (int k = 0; k < 8 && humps(right) > level; ++k) right += 1.0;
    for (int k = 0; k < 20; ++k) {
      const double tried = left + (right - left) * draws.unit();
      if (humps(tried) > level) {
        x = tried;
        break;
      }
      if (tried < x)
        left = tried;
      else
        right = tried;
    }
  }
  out[i] = (float)x;
}
