// Prices, rates and risks.

// Averages over random paths: normal numbers by Box and Muller.
// warpscope asian_paths: block = 128, paths = 40000, steps = 16, grid = ceil(paths / block), out = zeros[paths]
__global__ void asian_paths(float* out, int paths, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= paths) return;
  unsigned state = i * 747796405u + 2891336453u;
  const auto uniform = [&state] {
    state = state * 747796405u + 2891336453u;
    const unsigned word = (state >> (state >> 28) + 4 ^ state) * 277803737u;
    return ((word >> 22 ^ word) + 1) * 2.3283064e-10f;
  };
  float price = 100, sum = 0;
  for (int k = 0; k < steps; k += 2) {
    const float radius = sqrtf(-2 * __logf(uniform())), angle = 6.2831853f * uniform();
    price *= __expf(0.0002f + 0.02f * radius * __cosf(angle));
    sum += price;
    price *= __expf(0.0002f + 0.02f * radius * __sinf(angle));
    sum += price;
  }
  out[i] = fmaxf(sum / steps - 100, 0);
}

// An option that may be exercised early, on a tree of 256 steps: a block each.
// warpscope binomial_tree: block = 256 fixed, options = 400, grid = options, strikes = random[options] in 80..120, out = zeros[options]
__global__ void binomial_tree(const float* strikes, float* out) {
  __shared__ float values[257];
  const int t = threadIdx.x;
  const float strike = strikes[blockIdx.x], log_up = 0.0125f;
  const auto gain = [=](int step, int ups) {
    return fmaxf(strike - 100 * __expf(log_up * (2 * ups - step)), 0);
  };
  values[t] = gain(256, t);
  if (t == 0) values[256] = gain(256, 256);
  for (int step = 255; step >= 0; --step) {
    __syncthreads();
    float value = 0;
    if (t <= step) value = fmaxf(0.9999f * (0.502f * values[t + 1] + 0.498f * values[t]), gain(step, t));
    __syncthreads();
    if (t <= step) values[t] = value;
  }
  if (t == 0) out[blockIdx.x] = values[0];
}

// The volatility that explains a price, by Newton's steps.
// warpscope implied_volatility: block = 192, n = 60000, grid = ceil(n / block), prices = random[n] in 8..20, strikes = random[n] in 90..110, out = zeros[n]
__global__ void implied_volatility(const float* prices, const float* strikes, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float price = prices[i], strike = strikes[i], moneyness = logf(100 / strike);
  float volatility = 0.3f;
  for (int step = 0; step < 12; ++step) {
    const float d1 = moneyness / volatility + 0.5f * volatility, d2 = d1 - volatility;
    const float value = 100 * normcdff(d1) - strike * normcdff(d2) - price;
    if (fabsf(value) < 1e-3f) break;
    const float slope = 39.894228f * expf(-0.5f * d1 * d1) + 1e-3f;
    volatility = fminf(fmaxf(volatility - value / slope, 0.01f), 3.0f);
  }
  out[i] = volatility;
}

// Yields of bonds by halving, in double precision.
// warpscope bond_yields: block = 64, n = 4000, grid = ceil(n / block), coupons = random[n] in 1..9, prices = random[n]:2 in 80..120, out = zeros[n]
__global__ void bond_yields(const double* coupons, const double* prices, double* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double low = 0, high = 0.5;
  for (int step = 0; step < 30; ++step) {
    const double rate = 0.5 * (low + high), factor = 1 / (1 + rate);
    double value = 100;
    for (int year = 0; year < 10; ++year) value = (value + coupons[i]) * factor;
    if (value > prices[i]) {
      low = rate;
    } else {
      high = rate;
    }
  }
  out[i] = 0.5 * (low + high);
}

// Paths that end where they meet a barrier: lanes leave one by one.
// warpscope barrier_paths: block = 96, paths = 30000, grid = ceil(paths / block), seed = 5, out = zeros[paths]
__global__ void barrier_paths(float* out, int paths, unsigned seed) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= paths) return;
  unsigned a = seed ^ i * 2654435761u, b = i + 362436069u;
  float level = 0;
  int step = 0;
  for (; step < 64 && level > -0.4f; ++step) {
    a ^= a << 13;
    a ^= a >> 17;
    a ^= a << 5;
    b += 362437;
    level += ((a + b) >> 8) * 1.1920929e-8f - 0.1f;
  }
  out[i] = step < 64 ? 0 : level;
}

// Covariances of 64 assets over time, of which a block computes 32 x 32.
// warpscope covariances: block = (32, 32) fixed, assets = 128, days = 500, grid = (assets / 32, assets / 32), returns = random[assets * days] in -0.1..0.1, out = zeros[assets * assets]
__global__ void covariances(const float* returns, float* out, int assets, int days) {
  __shared__ float left[32][33], right[32][33];
  const int x = threadIdx.x, y = threadIdx.y;
  float sum = 0, mean_left = 0, mean_right = 0;
  for (int first = 0; first < days; first += 32) {
    const bool inside = first + y < days;
    left[y][x] = inside ? returns[(first + y) * assets + blockIdx.y * 32 + x] : 0;
    right[y][x] = inside ? returns[(first + y) * assets + blockIdx.x * 32 + x] : 0;
    __syncthreads();
    for (int k = 0; k < 32; ++k) {
      const float a = left[k][y], b = right[k][x];
      sum += a * b;
      mean_left += a;
      mean_right += b;
    }
    __syncthreads();
  }
  out[(blockIdx.y * 32 + y) * assets + blockIdx.x * 32 + x] =
      (sum - mean_left * mean_right / days) / (days - 1);
}

// Points of a sequence that fills the square evenly, through directions of 32 bits.
// warpscope even_points: block = 256, n = 500000, grid = ceil(n / block), directions = random[64], out = zeros[n]
__global__ void even_points(const unsigned* directions, float2* out, int n) {
  __shared__ unsigned local[64];
  if (threadIdx.x < 64) local[threadIdx.x] = directions[threadIdx.x];
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = 0, y = 0;
  int k = 0;
  for (unsigned gray = i ^ i >> 1; gray != 0; gray >>= 1, ++k) {
    if (gray & 1) {
      x ^= local[k];
      y ^= local[32 + k];
    }
  }
  out[i] = make_float2(x * 2.3283064e-10f, y * 2.3283064e-10f);
}

// Orders meet at prices in hundredths; what is left of each goes on.
// warpscope match_orders: block = 32, books = 1500, grid = ceil(books / block), bids = random[16 * books] in 9900..10050, asks = random[16 * books]:2 in 9950..10100, sizes = random[32 * books] in 1..500, out = zeros[books]
__global__ void match_orders(const int* bids, const int* asks, const short* sizes, long long* out,
                             int books) {
  const int book = blockIdx.x * blockDim.x + threadIdx.x;
  if (book >= books) return;
  long long turnover = 0;
  int bid = 0, ask = 0, bid_left = sizes[32 * book], ask_left = sizes[32 * book + 16];
  while (bid < 16 && ask < 16) {
    const int high = bids[16 * book + bid], low = asks[16 * book + ask];
    if (high < low) {
      if ((high ^ low) & 1) {
        if (++bid < 16) bid_left = sizes[32 * book + bid];
      } else {
        if (++ask < 16) ask_left = sizes[32 * book + 16 + ask];
      }
      continue;
    }
    const int traded = min(bid_left, ask_left);
    turnover += static_cast<long long>(traded) * ((high + low) / 2);
    bid_left -= traded;
    ask_left -= traded;
    if (bid_left == 0 && ++bid < 16) bid_left = sizes[32 * book + bid];
    if (ask_left == 0 && ++ask < 16) ask_left = sizes[32 * book + 16 + ask];
  }
  out[book] = turnover;
}
