// Money: rates, prices, risks and payments.

// The rate at which irregular payments are worth nothing: bisection first, then Newton steps while they help.
struct Flow {
  float amount, years;
};
// warpscope irregular_returns: block = 128, accounts = 2^14, grid = ceil(accounts / block), flows = f32 random[accounts * 16], out = f32 zeros[accounts]
__global__ void irregular_returns(const Flow* flows, float* out, int accounts) {
  const int a = blockIdx.x * blockDim.x + threadIdx.x;
  if (a >= accounts) return;
  const Flow* mine = flows + a * 8;
  auto worth = [mine](float rate, float* slope) {
    const float base = log1pf(rate);
    float sum = -3, by = 0, years = 0;
    for (int k = 0; k < 8; ++k) {
      years += mine[k].years;
      const float discounted = mine[k].amount * expf(-years * base);
      sum += discounted;
      by -= years * discounted / (1 + rate);
    }
    *slope = by;
    return sum;
  };
  float low = -0.5f, high = 2, slope;
  for (int k = 0; k < 5; ++k) {
    const float middle = 0.5f * (low + high);
    if (worth(middle, &slope) > 0)
      low = middle;
    else
      high = middle;
  }
  float rate = 0.5f * (low + high);
  for (int k = 0; k < 8; ++k) {
    const float step = worth(rate, &slope) / slope;
    rate = fminf(fmaxf(rate - step, -0.6f), 3.0f);
    if (fabsf(step) < 1e-6f) break;
  }
  out[a] = rate;
}

// How likely the returns of a share are under a model whose variance follows them, at each of the parameter
// sets, series in shared memory.
// warpscope clustered_variance: block = 128, sets = 2^12, grid = ceil(sets / block), returns = f32 random[128] in -0.03..0.03, parameters = f32 random[3 * sets], out = f32 zeros[sets]
__global__ void clustered_variance(const float* returns, const float* parameters, float* out, int sets) {
  __shared__ float squares[128];
  for (int k = threadIdx.x; k < 128; k += blockDim.x) squares[k] = returns[k] * returns[k];
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= sets) return;
  const float omega = 1e-5f + 1e-4f * parameters[i], alpha = 0.2f * parameters[sets + i],
              beta = 0.79f * parameters[2 * sets + i];
  float variance = omega / (1 - alpha - beta), sum = 0;
#pragma unroll 4
  for (int k = 0; k < 128; ++k) {
    sum -= 0.5f * (__logf(variance) + squares[k] / variance);
    variance = omega + alpha * squares[k] + beta * variance;
  }
  out[i] = sum;
}

// Bars of a tape of trades: open, highest, lowest, last and the price weighted by volume of each 64 trades,
// by half warps.
struct __align__(8) Trade {
  float price;
  int volume;
};
struct Bar {
  float open, high, low, close, weighted;
};
// warpscope bars_of_trades: block = 256 fixed, bars = 2^13, grid = bars / 16, trades = f32 random[bars * 128] in 1..2, out = f32 zeros[bars * 5]
__global__ void bars_of_trades(const Trade* trades, Bar* out, int bars) {
  const int lane = threadIdx.x % 16, b = blockIdx.x * 16 + threadIdx.x / 16;
  if (b >= bars) return;
  float high = 0, low = 1e30f, value = 0, first = 0, last = 0;
  long long volume = 0;
  for (int k = 0; k < 4; ++k) {
    const Trade t = trades[b * 64 + k * 16 + lane];
    const int size = 1 + (t.volume & 1023);
    high = fmaxf(high, t.price);
    low = fminf(low, t.price);
    value = fmaf(t.price, size, value);
    volume += size;
    if (k == 0) first = t.price;
    last = t.price;
  }
#pragma unroll
  for (int d = 8; d > 0; d >>= 1) {
    high = fmaxf(high, __shfl_xor_sync(~0u, high, d, 16));
    low = fminf(low, __shfl_xor_sync(~0u, low, d, 16));
    value += __shfl_xor_sync(~0u, value, d, 16);
    volume += __shfl_xor_sync(~0u, volume, d, 16);
  }
  last = __shfl_sync(~0u, last, 15, 16);
  if (lane == 0) out[b] = {first, high, low, last, value / volume};
}

// Strength, crossing means and bands of a share, day by day in one pass, one share a thread, days in rows.
// warpscope chart_signals: block = 64, shares = 2^13, grid = ceil(shares / block), prices = f32 random[shares * 48] in 50..60, signals = s8 zeros[shares * 48]
__global__ void chart_signals(const float* __restrict__ prices, signed char* __restrict__ signals,
                              int shares) {
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= shares) return;
  float fast = prices[s], slow = fast, line = 0, gains = 0.5f, losses = 0.5f, before = fast, mean = fast,
        spread = 1;
  for (int day = 0; day < 48; ++day) {
    const float p = prices[day * shares + s], change = p - before;
    before = p;
    fast += (p - fast) * (2.0f / 13);
    slow += (p - slow) * (2.0f / 27);
    const float difference = fast - slow;
    line += (difference - line) * 0.2f;
    gains += (fmaxf(change, 0) - gains) / 14;
    losses += (fmaxf(-change, 0) - losses) / 14;
    const float strength = 100 - 100 / (1 + gains / (losses + 1e-6f));
    const float off = p - mean;
    mean += off * 0.05f;
    spread += (off * off - spread) * 0.05f;
    int signal = difference > line ? 1 : -1;
    if (strength > 70)
      --signal;
    else if (strength < 30)
      ++signal;
    if (fabsf(off) > 2 * sqrtf(spread)) signal += off > 0 ? -1 : 1;
    signals[day * shares + s] = signal;
  }
}

// Default intensities of a borrower step by step, so that insurance against default at six terms is worth its
// quoted price.
// warpscope stripped_defaults: block = 128, names = 2^13, grid = ceil(names / block), quotes = f64 random[names * 6] in 0.005..0.02, out = f64 zeros[names * 6], rate = 0.03
__global__ void stripped_defaults(const double* quotes, double* out, double rate, int names) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= names) return;
  double premium = 0, loss = 0, alive = 1;
  for (int term = 0; term < 6; ++term) {
    const double quote = quotes[i * 6 + term];
    double intensity = quote / 0.6;
    double p = 0, l = 0, a = 0;
    for (int trial = 0; trial < 4; ++trial) {
      p = l = 0;
      a = alive;
      const double decay = exp(-intensity * 0.5);
      for (int half = 1; half <= 2; ++half) {
        const double discount = exp(-rate * (term + 0.5 * half)), next = a * decay;
        p += 0.25 * discount * (a + next);
        l += 0.6 * discount * (a - next);
        a = next;
      }
      const double gap = loss + l - quote * (premium + p);
      if (fabs(gap) < 1e-12) break;
      intensity = fmax(intensity - gap / (0.6 * alive), 1e-6);
    }
    premium += p;
    loss += l;
    alive = a;
    out[i * 6 + term] = intensity;
  }
}

// A tree of short rates with a middle branch that reverts to the mean: a bond with a right to call it, one
// block a bond, levels between barriers.
// warpscope callable_bonds: block = 64 fixed, bonds = 1024, grid = bonds, coupons = f32 random[bonds] in 0.02..0.08, out = f32 zeros[bonds]
__global__ void callable_bonds(const float* coupons, float* out, int bonds) {
  __shared__ float value[2][65];
  const int t = threadIdx.x, node = t - 31;
  const float coupon = coupons[blockIdx.x];
  if (t < 63) value[0][t] = 100 + 50 * coupon;
  const float rate = fmaxf(0.04f + 0.004f * node, 0.0f), discount = __expf(-0.5f * rate), pull = 0.01f * node;
  const float up = 1.0f / 6 + 0.5f * (pull * pull - pull), down = 1.0f / 6 + 0.5f * (pull * pull + pull);
  __syncthreads();
  int now = 0;
  for (int level = 30; level >= 0; --level) {
    if (abs(node) <= level) {
      float v = up * value[now][t + 1] + down * value[now][t - 1] + (1 - up - down) * value[now][t];
      v *= discount;
      if (level > 6 && level % 2 == 0) v = fminf(v, 101.0f);
      value[now ^ 1][t] = v + 50 * coupon;
    }
    now ^= 1;
    __syncthreads();
  }
  if (t == 31) out[blockIdx.x] = value[now][31];
}

// The worst fall from a peak in each of many resampled histories: prefix products, running maxima by warps
// over 128 days.
// warpscope deepest_falls: block = 128 fixed, histories = 2^12, grid = histories / 4, days = f32 random[1024] in -0.02..0.021, out = f32 zeros[histories]
__global__ void deepest_falls(const float* days, float* out, int histories) {
  const int lane = threadIdx.x % 32, h = blockIdx.x * 4 + threadIdx.x / 32;
  if (h >= histories) return;
  float level = 0, peak = 0, worst = 0;
  for (int part = 0; part < 4; ++part) {
    const unsigned pick = ((h * 4 + part) * 2654435761u >> 16) + lane * 7;
    float sum = log1pf(days[pick % 1024]);
    for (int d = 1; d < 32; d <<= 1) {
      const float other = __shfl_up_sync(~0u, sum, d);
      if (lane >= d) sum += other;
    }
    sum += level;
    float top = sum;
    for (int d = 1; d < 32; d <<= 1) top = fmaxf(top, __shfl_up_sync(~0u, top, d));
    top = fmaxf(top, peak);
    worst = fmaxf(worst, top - sum);
    level = __shfl_sync(~0u, sum, 31);
    peak = __shfl_sync(~0u, top, 31);
  }
  for (int d = 16; d > 0; d >>= 1) worst = fmaxf(worst, __shfl_xor_sync(~0u, worst, d));
  if (lane == 0) out[h] = 1 - expf(-worst);
}

// Loops of three currencies that make a profit: all triples of 48 currencies, rates as logarithms in shared
// memory, the best of each block.
// warpscope currency_loops: block = (16, 16) fixed, markets = 64, grid = (3, 3, markets), rates = f32 random[markets * 48 * 48] in 0.9..1.1, best = u64 zeros[markets]
__global__ void currency_loops(const float* rates, unsigned long long* best, int markets) {
  __shared__ float leave[16][49], enter[48][17];
  const int x = threadIdx.x, y = threadIdx.y, a = blockIdx.y * 16 + y, b = blockIdx.x * 16 + x;
  const float* mine = rates + blockIdx.z * 48 * 48;
  for (int k = x; k < 48; k += 16) leave[y][k] = __log2f(mine[a * 48 + k]);
  for (int k = y; k < 48; k += 16) enter[k][x] = __log2f(mine[k * 48 + b]);
  __syncthreads();
  const float back = __log2f(mine[b * 48 + a]);
  float profit = 0;
  int through = 0;
#pragma unroll 6
  for (int k = 0; k < 48; ++k) {
    const float p = leave[y][k] + enter[k][x] + back;
    if (p > profit) profit = p, through = k;
  }
  unsigned long long packed =
      static_cast<unsigned long long>(__float_as_uint(profit)) << 32 | (a * 48 + b) * 48 + through;
  for (int d = 16; d > 0; d >>= 1) {
    const unsigned long long other = __shfl_xor_sync(~0u, packed, d);
    packed = other > packed ? other : packed;
  }
  if ((y * 16 + x) % 32 == 0) atomicMax(&best[blockIdx.z], packed);
}

// A Kalman filter that follows the ratio of two shares, with the state of two numbers and a covariance of
// three, over 40 days.
// warpscope tracked_ratio: block = 96, pairs = 2^13, grid = ceil(pairs / block), first = f32 random[pairs * 40] in 9..11, second = f32 random[pairs * 40] in 19..21, out = f32 zeros[pairs * 2]
__global__ void tracked_ratio(const float* __restrict__ first, const float* __restrict__ second, float2* out,
                              int pairs) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pairs) return;
  float slope = 0, base = 0, p00 = 1, p01 = 0, p11 = 1;
  for (int day = 0; day < 40; ++day) {
    const float x = first[day * pairs + i], y = second[day * pairs + i];
    p00 += 1e-4f;
    p11 += 1e-4f;
    const float g0 = p00 * x + p01, g1 = p01 * x + p11, seen = g0 * x + g1 + 1e-3f;
    const float error = y - (slope * x + base), k0 = g0 / seen, k1 = g1 / seen;
    slope += k0 * error;
    base += k1 * error;
    p00 -= k0 * g0;
    p01 -= k0 * g1;
    p11 -= k1 * g1;
  }
  out[i] = make_float2(slope, base);
}
