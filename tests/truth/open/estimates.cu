// Statistics and games of chance: chains of samples, densities, models with hidden states, tests.
#include <cstdint>

__device__ inline uint32_t drawn(uint32_t& state) {
  const uint32_t old = state;
  state = old * 747796405u + 2891336453u;
  const uint32_t word = (old >> (old >> 28) + 4 ^ old) * 277803737u;
  return word >> 22 ^ word;
}
// Means of samples drawn again with replacement; a block has the data in shared memory, a thread a sample.
// warpscope means_drawn_again: block = 256, samples = 2^13, size = 512, grid = ceil(samples / block), data = random[size], means = zeros[samples]
__global__ void means_drawn_again(const float* data, float* means, int samples, int size) {
  __shared__ float mine[512];
  for (int k = threadIdx.x; k < size; k += blockDim.x) mine[k] = data[k];
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= samples) return;
  uint32_t state = i * 2654435761u + 17;
  float sum = 0;
  for (int k = 0; k < size / 4; ++k) sum += mine[__umulhi(drawn(state), size)];
  means[i] = sum / (size / 4);
}

// Chains that wander over a landscape of two hills and take steps down only by chance.
// warpscope two_hills_chain: block = 128, chains = 2^13, grid = ceil(chains / block), start = random[2 * chains] in -2..2, out = zeros[3 * chains], steps = 60
__global__ void two_hills_chain(const float2* start, float* out, int chains, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= chains) return;
  auto height = [](float x, float y) {
    return __expf(-(x - 1) * (x - 1) - 2 * y * y) + 0.5f * __expf(-2 * (x + 1) * (x + 1) - (y - 1) * (y - 1));
  };
  float x = start[i].x, y = start[i].y, here = height(x, y);
  uint32_t state = i;
  int taken = 0;
  for (int k = 0; k < steps; ++k) {
    const float radius = sqrtf(-2 * __logf((drawn(state) + 1.0f) * 2.3283e-10f)) * 0.7f,
                angle = drawn(state) * 1.4629180e-9f;
    const float nx = x + radius * __cosf(angle), ny = y + radius * __sinf(angle), there = height(nx, ny);
    if (there > here || drawn(state) * 2.3283e-10f * here < there) {
      x = nx, y = ny, here = there;
      ++taken;
    }
  }
  out[i] = x;
  out[chains + i] = y;
  out[2 * chains + i] = taken;
}

// The density of samples at points, with a round kernel that ends at a distance; samples come through shared
// memory.
// warpscope density_of_samples: block = 128 fixed, points = 2^13, samples = 1024, grid = ceil(points / 128), at = random[points], data = random[samples], out = zeros[points], width = 0.1
__global__ void density_of_samples(const float* at, const float* data, float* out, float width, int points,
                                   int samples) {
  __shared__ float tile[128];
  const int i = blockIdx.x * 128 + threadIdx.x;
  const float x = i < points ? at[i] : 0, inverse = 1 / width;
  float sum = 0;
  for (int first = 0; first < samples; first += 128) {
    __syncthreads();
    tile[threadIdx.x] = data[first + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 128; ++k) {
      const float u = (tile[k] - x) * inverse, v = 1 - u * u;
      if (v > 0) sum += v;
    }
  }
  if (i < points) out[i] = 0.75f * sum * inverse / samples;
}

// Points that fill the square evenly, from two columns of direction numbers; a sum of a function over them.
// warpscope even_points_sum: block = 256 fixed, n = 2^18, grid = 132, directions = random[32], out = zeros[1]
__global__ void even_points_sum(const uint32_t* __restrict__ directions, double* out, int n) {
  __shared__ uint32_t v[32];
  __shared__ double parts[8];
  if (threadIdx.x < 32) v[threadIdx.x] = directions[threadIdx.x] | 0x80000000u >> threadIdx.x;
  __syncthreads();
  double sum = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
    uint32_t y = 0;
    for (uint32_t g = i ^ i >> 1; g; g &= g - 1) y ^= v[__ffs(g) - 1];
    const float a = __brev(i) * 2.3283064e-10f, b = y * 2.3283064e-10f;
    sum += a * a + b * b < 1 ? a * b : 0;
  }
  for (int d = 16; d > 0; d >>= 1) sum += __shfl_down_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 8; ++w) sum += parts[w];
    atomicAdd(out, sum / n);
  }
}

// How likely a series of symbols is under a model of 32 hidden states: a warp a series, a column of the model
// a lane.
// warpscope hidden_thirty_two: block = 64, series = 1056, length = 40, grid = ceil(series * 32 / block), seen = random[series * length], moves = random[1024], shows = random[32 * 8] in 0.05..1, out = zeros[series]
__global__ void hidden_thirty_two(const uint8_t* seen, const float* moves, const float* shows, float* out,
                                  int series, int length) {
  const int s = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (s >= series) return;
  float column[32];
#pragma unroll
  for (int k = 0; k < 32; ++k) column[k] = moves[k * 32 + lane];
  float alpha = 1 / 32.f, logs = 0;
  for (int t = 0; t < length; ++t) {
    float next = 0;
#pragma unroll
    for (int k = 0; k < 32; ++k) next += __shfl_sync(~0u, alpha, k) * column[k];
    next *= shows[(seen[s * length + t] & 7) * 32 + lane];
    float sum = next;
    for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    alpha = next / sum;
    logs += __logf(sum);
  }
  if (lane == 0) out[s] = logs;
}

// Whom of six bells of Gaussians each point belongs to, in logarithms, and sums for the next guess by atomics
// of the block.
// warpscope points_of_six_bells: block = 256, n = 2^15, grid = 66, points = random[2 * n], bells = random[6 * 4] in 0.2..1, sums = zeros[24]
__global__ void points_of_six_bells(const float2* points, const float4* bells, float* sums, int n) {
  __shared__ float4 bell[6];
  __shared__ float mine[24];
  if (threadIdx.x < 6) bell[threadIdx.x] = bells[threadIdx.x];
  if (threadIdx.x < 24) mine[threadIdx.x] = 0;
  __syncthreads();
  float local[24] = {};
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float2 p = points[i];
    float l[6], most = -1e30f, total = 0;
#pragma unroll
    for (int k = 0; k < 6; ++k) {
      const float dx = p.x - bell[k].x, dy = p.y - bell[k].y;
      l[k] = __logf(bell[k].w / bell[k].z) - (dx * dx + dy * dy) / (2 * bell[k].z);
      most = fmaxf(most, l[k]);
    }
#pragma unroll
    for (int k = 0; k < 6; ++k) total += l[k] = __expf(l[k] - most);
#pragma unroll
    for (int k = 0; k < 6; ++k) {
      const float r = l[k] / total;
      local[4 * k] += r, local[4 * k + 1] += r * p.x, local[4 * k + 2] += r * p.y,
          local[4 * k + 3] += r * (p.x * p.x + p.y * p.y);
    }
  }
#pragma unroll
  for (int k = 0; k < 24; ++k) {
    for (int d = 16; d; d /= 2) local[k] += __shfl_xor_sync(~0u, local[k], d);
    if (threadIdx.x % 32 == k) atomicAdd(&mine[k], local[k]);
  }
  __syncthreads();
  if (threadIdx.x < 24) atomicAdd(&sums[threadIdx.x], mine[threadIdx.x]);
}

// Ranks of one sample among another, by bisection, for a test whether both come from the same source.
// warpscope widest_gap_of_samples: block = 256 fixed, n = 2^16, grid = ceil(n / 256), steps = random[n], gap = zeros[1]
__global__ void widest_gap_of_samples(const float* steps, unsigned* gap, int n) {
  __shared__ unsigned widest[8];
  const int i = blockIdx.x * 256 + threadIdx.x;
  unsigned mine = 0;
  if (i < n) {
    const float x = steps[i] * n;
    int low = 0, high = n;
    while (low < high) {
      const int middle = (low + high) / 2;
      if (middle + 0.5f * steps[middle] < x)
        low = middle + 1;
      else
        high = middle;
    }
    mine = abs(low - i);
  }
  mine = __reduce_max_sync(~0u, mine);
  if (threadIdx.x % 32 == 0) widest[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 8; ++w) mine = max(mine, widest[w]);
    atomicMax(gap, mine);
  }
}
