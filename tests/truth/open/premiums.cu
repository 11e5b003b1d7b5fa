// Prices and risks.
#include <cstdint>

struct XorShift {
  uint32_t x, y, z, w;
  __device__ uint32_t next() {
    const uint32_t t = x ^ x << 11;
    x = y, y = z, z = w;
    return w = w ^ w >> 19 ^ t ^ t >> 8;
  }
};

// A double barrier is watched along paths of logarithms; random numbers from a xorshift of each thread, after
// Box and Muller.
// warpscope double_knock_out: block = 128, n = 2^13, grid = ceil(n / block), steps = 64, low = 0.8, high = 1.25, out = zeros[n]
__global__ void double_knock_out(float* out, float low, float high, int steps, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  XorShift r = {123456789u ^ i * 2654435761u, 362436069u, 521288629u + i, 88675123u};
  for (int k = 0; k < 4; ++k) r.next();
  const float a = logf(low), b = logf(high);
  float s = 0;
  bool alive = true;
  for (int k = 0; k < steps && alive; k += 2) {
    const float u = (r.next() >> 8) * 5.9604645e-8f + 1e-8f, v = (r.next() >> 8) * 5.9604645e-8f;
    const float radius = sqrtf(-2 * __logf(u)) * 0.025f;
    float sine, cosine;
    __sincosf(6.2831853f * v, &sine, &cosine);
    s += radius * cosine - 0.0003f;
    alive = s > a && s < b;
    if (!alive) break;
    s += radius * sine - 0.0003f;
    alive = s > a && s < b;
  }
  out[i] = alive ? fmaxf(expf(s) - 1, 0.0f) : 0.0f;
}

// Cash flows of mortgages with early repayments that depend on the month, by thread, in doubles.
// warpscope mortgage_pools: block = 64, n = 2^12, grid = ceil(n / block), rates = f64 random[n * 2], values = zeros[n]
__global__ void mortgage_pools(const double2* rates, double* values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double monthly = (0.02 + 0.04 * rates[i].x) / 12,
               discount = 1 / (1 + (0.01 + 0.05 * rates[i].y) / 12);
  double balance = 100, value = 0, factor = 1;
  const int months = 60 + i % 4 * 20;
  const double payment = balance * monthly / (1 - pow(1 + monthly, -months));
  for (int m = 1; m <= months; ++m) {
    factor *= discount;
    const double interest = balance * monthly;
    const double ramp = m < 30 ? m / 30.0 : 1.0, early = (balance - payment + interest) * 0.005 * ramp;
    value += factor * (payment + early);
    balance = balance + interest - payment - early;
    if (balance < 0.01) break;
  }
  values[i] = value + factor * balance;
}

// A trinomial tree of rates after Hull and White, one block a bond option, nodes in shared memory.
// warpscope rate_tree_options: block = 96 fixed, bonds = 528, grid = bonds, strikes = random[bonds], out = zeros[bonds]
__global__ void rate_tree_options(const float* strikes, float* out) {
  __shared__ float value[2][96];
  const int j = threadIdx.x - 45;
  const float rate = 0.03f + 0.002f * j, strike = 0.7f + 0.3f * strikes[blockIdx.x],
              discount = __expf(-rate * 0.25f);
  value[0][threadIdx.x] = fmaxf(__expf(-rate * 5) - strike, 0.0f);
  int now = 0;
  const float drift = 0.02f * j, up = 0.1666667f + (drift * drift - drift) * 0.5f,
              down = 0.1666667f + (drift * drift + drift) * 0.5f;
  for (int step = 44; step >= 0; --step) {
    __syncthreads();
    if (abs(j) <= step) {
      const float* v = value[now] + threadIdx.x;
      const float held = discount * (up * v[1] + (1 - up - down) * v[0] + down * v[-1]);
      value[now ^ 1][threadIdx.x] = step % 4 == 0 ? fmaxf(held, __expf(-rate * 5) - strike) : held;
    }
    now ^= 1;
  }
  __syncthreads();
  if (j == 0) out[blockIdx.x] = value[now][45];
}

// Credit losses with one common factor: a firm fails where its normal value is below its threshold; scenarios
// a block, firms in strips.
// warpscope factor_defaults: block = 256, scenarios = 1056, firms = 1024, grid = scenarios, common = random[scenarios] in -2..2, loading = random[firms], threshold = random[firms] in -3..-1, exposure = random[firms], losses = zeros[scenarios]
__global__ void factor_defaults(const float* common, const float* loading, const float* threshold,
                                const float* exposure, float* losses, int firms) {
  __shared__ float sums[32];
  const float m = common[blockIdx.x];
  float loss = 0;
  for (int f = threadIdx.x; f < firms; f += blockDim.x) {
    uint32_t h = (blockIdx.x * 1024 + f) * 0x9E3779B1u;
    h ^= h >> 16;
    h *= 0x21f0aaadu;
    h ^= h >> 15;
    const float own = normcdfinvf((h >> 8) * 5.96e-8f + 3e-8f), rho = loading[f] * 0.5f;
    if (sqrtf(rho) * m + sqrtf(1 - rho) * own < threshold[f]) loss += exposure[f];
  }
  for (int d = 16; d; d /= 2) loss += __shfl_down_sync(~0u, loss, d);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = loss;
  __syncthreads();
  if (threadIdx.x < 32) {
    loss = threadIdx.x < blockDim.x / 32 ? sums[threadIdx.x] : 0;
    for (int d = 16; d; d /= 2) loss += __shfl_down_sync(~0u, loss, d);
    if (threadIdx.x == 0) losses[blockIdx.x] = loss;
  }
}

// Value at risk: the number of losses above each of 32 levels, one level a lane, losses read by whole warps.
// warpscope losses_above_levels: block = 256, n = 2^16, grid = 64, losses = random[n], levels = random[32], counts = zeros[32]
__global__ void losses_above_levels(const float* losses, const float* levels, int* counts, int n) {
  __shared__ int sums[32];
  const int lane = threadIdx.x & 31;
  if (threadIdx.x < 32) sums[threadIdx.x] = 0;
  const float level = levels[lane];
  __syncthreads();
  int above = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float v = losses[i];
    for (int k = 0; k < 32; ++k) above += __shfl_sync(~0u, v, k) > level;
  }
  atomicAdd(&sums[lane], above);
  __syncthreads();
  if (threadIdx.x < 32) atomicAdd(&counts[lane], sums[lane]);
}

// Technical indicators of prices: two exponential averages, a relative strength, and a signal of crossings; a
// share a thread.
// warpscope crossing_averages: block = 128, shares = 2^12, days = 128, grid = ceil(shares / block), prices = random[shares * days] in 1..2, signals = zeros[shares], strength = zeros[shares]
__global__ void crossing_averages(const float* prices, uint32_t* signals, float* strength, int shares,
                                  int days) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= shares) return;
  float fast = prices[i], slow = fast, last = fast, gains = 0, falls = 0;
  uint32_t crossings = 0;
  bool above = false;
  for (int d = 1; d < days; ++d) {
    const float p = prices[d * shares + i];
    fast += (p - fast) * 0.15f;
    slow += (p - slow) * 0.07f;
    const float change = p - last;
    gains = gains * 0.93f + (change > 0 ? change : 0);
    falls = falls * 0.93f + (change < 0 ? -change : 0);
    if ((fast > slow) != above) {
      above = !above;
      ++crossings;
    }
    last = p;
  }
  signals[i] = crossings << 1 | above;
  strength[i] = 100 - 100 / (1 + __fdividef(gains, falls + 1e-6f));
}

__device__ __noinline__ float smile(float forward, float strike, float alpha, float beta, float rho,
                                    float nu) {
  const float product = powf(forward * strike, 0.5f * (1 - beta)), logarithm = logf(forward / strike);
  const float a = (1 - beta) * (1 - beta) / 24 * alpha * alpha / (product * product);
  const float growth =
      1 + (a + 0.25f * rho * beta * nu * alpha / product + (2 - 3 * rho * rho) / 24 * nu * nu) * 2;
  if (fabsf(logarithm) < 0.01f) return alpha / product * growth;
  const float z = nu / alpha * product * logarithm;
  const float x = logf((sqrtf(1 - 2 * rho * z + z * z) + z - rho) / (1 - rho));
  return alpha / (product * (1 + (1 - beta) * (1 - beta) / 24 * logarithm * logarithm)) * z / x * growth;
}

// SABR's implied volatility by its expansion, and the cases at the money and with beta of one.
// warpscope smile_expansion: block = 256, n = 2^16, grid = ceil(n / block), market = f32 random[n * 4], out = zeros[n]
__global__ void smile_expansion(const float4* market, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 m = market[i];
  out[i] = smile(0.5f + m.x, 0.5f + m.y, 0.1f + 0.2f * m.z, m.w > 0.5f ? 1.0f : 0.5f, -0.3f, 0.4f);
}

// The minimum variance of weights by projected steps on the simplex; a warp a portfolio of 32 shares.
// warpscope simplex_weights: block = 64, portfolios = 528, grid = portfolios / 2, covariance = random[portfolios * 1024], weights = zeros[portfolios * 32]
__global__ void simplex_weights(const float* covariance, float* weights) {
  __shared__ float matrix[2][32][33];
  const int lane = threadIdx.x % 32, w = threadIdx.x / 32, which = blockIdx.x * 2 + w;
  for (int r = 0; r < 32; ++r) matrix[w][r][lane] = covariance[which * 1024 + r * 32 + lane];
  __syncwarp();
  float x = 1.0f / 32;
  for (int step = 0; step < 12; ++step) {
    float gradient = 0;
#pragma unroll 8
    for (int k = 0; k < 32; ++k)
      gradient += (matrix[w][lane][k] + matrix[w][k][lane]) * __shfl_sync(~0u, x, k);
    x = fmaxf(x - 0.01f * gradient, 0.0f);
    float sum = x;
    for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    x = sum > 0 ? x / sum : 1.0f / 32;
  }
  weights[which * 32 + lane] = x;
}
