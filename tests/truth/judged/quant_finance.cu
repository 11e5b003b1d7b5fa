// Prices of options and the risk of books.

// The closed form, with the polynomial for the normal distribution that the sample programs use.
__device__ inline float cnd_poly(float d) {
  const float K = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  float cnd =
      0.39894228040143267793994605993438f * __expf(-0.5f * d * d) *
      (K * (0.31938153f + K * (-0.356563782f + K * (1.781477937f + K * (-1.821255978f + K * 1.330274429f)))));
  if (d > 0) cnd = 1.0f - cnd;
  return cnd;
}
// warpscope black_scholes_gpu: block = 128, optN = 400000, grid = ceil(optN / 2 / block), call = zeros[optN / 2], put = zeros[optN / 2], price = random[optN / 2] in 5..30, strike = random[optN / 2] in 1..100, years = random[optN / 2] in 1..10, riskfree = 0.02, volatility = 0.30
__launch_bounds__(128) __global__
    void black_scholes_gpu(float2* __restrict call, float2* __restrict put, const float2* __restrict price,
                           const float2* __restrict strike, const float2* __restrict years, float riskfree,
                           float volatility, int optN) {
  const int opt = blockDim.x * blockIdx.x + threadIdx.x;
  if (opt >= optN / 2) return;
  auto body = [&](float& c, float& p, float S, float X, float T) {
    const float sqrtT = __fdividef(1.0F, rsqrtf(T));
    const float d1 =
        __fdividef(__logf(S / X) + (riskfree + 0.5f * volatility * volatility) * T, volatility * sqrtT);
    const float d2 = d1 - volatility * sqrtT;
    const float n1 = cnd_poly(d1), n2 = cnd_poly(d2), exprt = __expf(-riskfree * T);
    c = S * n1 - X * exprt * n2;
    p = X * exprt * (1.0f - n2) - S * (1.0f - n1);
  };
  float c1, c2, p1, p2;
  body(c1, p1, price[opt].x, strike[opt].x, years[opt].x);
  body(c2, p2, price[opt].y, strike[opt].y, years[opt].y);
  call[opt] = make_float2(c1, c2);
  put[opt] = make_float2(p1, p2);
}

// Heston's paths: variance and price step together; a sum for each block.
__device__ __forceinline__ unsigned tausworthe(unsigned& z, int s1, int s2, int s3, unsigned m) {
  const unsigned b = ((z << s1) ^ z) >> s2;
  return z = ((z & m) << s3) ^ b;
}
// warpscope heston_paths: block = 256 fixed, steps = 24, grid = 150, sums = zeros[150], s0 = 100, v0 = 0.04, kappa = 1.5, theta = 0.05, xi = 0.3, rho = -0.6
__global__ void heston_paths(float* sums, int steps, float s0, float v0, float kappa, float theta, float xi,
                             float rho) {
  const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned z1 = id * 1664525u + 1013904223u | 128, z2 = id * 22695477u + 12345u | 128,
           z3 = ~id * 69069u | 128, z4 = id;
  auto uniform = [&]() {
    z4 = 1664525u * z4 + 1013904223u;
    return 2.3283064365387e-10f * (tausworthe(z1, 13, 19, 12, 4294967294u) ^
                                   tausworthe(z2, 2, 25, 4, 4294967288u) ^
                                   tausworthe(z3, 3, 11, 17, 4294967280u) ^ z4) +
           1e-10f;
  };
  const float dt = 1.0f / steps, root = sqrtf(dt), correlated = sqrtf(1 - rho * rho);
  float x = logf(s0), v = v0;
  for (int i = 0; i < steps; ++i) {
    const float r = sqrtf(-2.0f * logf(uniform()));
    float s, c;
    sincosf(6.28318530f * uniform(), &s, &c);
    const float n1 = r * s, n2 = rho * n1 + correlated * r * c, vp = fmaxf(v, 0.0f), vol = sqrtf(vp);
    x += -0.5f * vp * dt + vol * root * n2;
    v += kappa * (theta - vp) * dt + xi * vol * root * n1;
  }
  float payoff = fmaxf(expf(x) - 100.0f, 0.0f);
  __shared__ float s_sum[256];
  s_sum[threadIdx.x] = payoff;
  for (int stride = 128; stride > 0; stride >>= 1) {
    __syncthreads();
    if (threadIdx.x < stride) s_sum[threadIdx.x] += s_sum[threadIdx.x + stride];
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = s_sum[0];
}

// Quasi-random numbers of Sobol: a dimension for a block in y, direction numbers in shared memory.
// warpscope sobol_generate: block = 64 fixed, vectors = 8192, dims = 64, grid = (16, dims), directions = random[32 * dims], out = zeros[vectors * dims]
__global__ void sobol_generate(const unsigned* directions, float* out, unsigned vectors) {
  __shared__ unsigned v[32];
  if (threadIdx.x < 32) v[threadIdx.x] = directions[blockIdx.y * 32 + threadIdx.x];
  __syncthreads();
  const unsigned stride = gridDim.x * blockDim.x, first = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned log_stride = __ffs(stride) - 1;
  unsigned g = first ^ (first >> 1), x = 0;
  for (unsigned k = 0; k < log_stride; k++) x ^= v[k] & -(int)((g >> k) & 1);
  float* to = out + blockIdx.y * vectors;
  to[first] = x * 2.3283064e-10f;
  const unsigned jump = v[log_stride - 1];
  for (unsigned i = first + stride; i < vectors; i += stride) {
    const unsigned bit = __ffs(~((i - stride) / stride)) - 1 + log_stride;
    x ^= jump ^ v[min(bit, 31u)];
    to[i] = x * 2.3283064e-10f;
  }
}

// A swaption in the LIBOR market model: 80 forward rates in local memory.
// warpscope libor_paths: block = 64, paths = 6000, grid = ceil(paths / block), z = random[20 * paths] in -2..2, value = zeros[paths], delta = 0.25
__global__ void libor_paths(const float* z, float* value, int paths, float delta) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= paths) return;
  float L[40], lambda[20];
  for (int i = 0; i < 40; i++) L[i] = 0.051f;
  for (int i = 0; i < 20; i++) lambda[i] = 0.2f - 0.002f * i;
  for (int n = 0; n < 20; n++) {
    const float sqez = sqrtf(delta) * z[n * paths + p];
    float v = 0;
    for (int i = n + 1; i < 40; i++) {
      const float lam = lambda[(i - n - 1) % 20], con1 = delta * lam;
      v += con1 * L[i] / (1.0f + delta * L[i]);
      const float vrat = expf(con1 * v + lam * (sqez - 0.5f * con1));
      L[i] *= vrat;
    }
  }
  float b = 1, s = 0, payoff = 0;
  for (int n = 20; n < 40; n++) {
    b /= 1.0f + delta * L[n];
    s += delta * b;
    if ((n + 1) % 5 == 0) {
      const float swap = b + 0.045f * s - 1.0f;
      if (swap < 0) payoff -= 100.0f * swap;
    }
  }
  for (int n = 0; n < 20; n++) payoff /= 1.0f + delta * L[n];
  value[p] = payoff;
}

// Explicit finite differences for American puts: a block for an option, the grid of prices in shared memory.
// warpscope american_explicit_fd: block = 256 fixed, nodes = 256, steps = 200, grid = 264, strike = random[264] in 80..120, sigma = random[264]:2 in 0.1..0.4, price = zeros[264]
__global__ void american_explicit_fd(const double* strike, const double* sigma, double* price, int nodes,
                                     int steps) {
  __shared__ double v[2][256];
  const int i = threadIdx.x, option = blockIdx.x;
  const double K = strike[option], vol = sigma[option], r = 0.03, dt = 1.0 / 12000, ds = 300.0 / nodes,
               s = i * ds;
  const double a = 0.5 * dt * (vol * vol * i * i - r * i), b = 1 - dt * (vol * vol * i * i + r),
               c = 0.5 * dt * (vol * vol * i * i + r * i);
  int now = 0;
  v[0][i] = fmax(K - s, 0.0);
  __syncthreads();
  for (int t = 0; t < steps; ++t) {
    double next;
    if (i == 0)
      next = K;
    else if (i == nodes - 1)
      next = 0;
    else
      next = fmax(a * v[now][i - 1] + b * v[now][i] + c * v[now][i + 1], K - s);
    v[now ^ 1][i] = next;
    now ^= 1;
    __syncthreads();
  }
  if (i == (int)(100.0 / ds)) price[option] = v[now][i];
}

// Gains of a book under scenarios by delta, gamma and vega: a thread for a scenario, positions tile by tile.
struct position_t {
  int factor;
  float delta, gamma, vega;
};
// warpscope scenario_pnl: block = 128 fixed, scenarios = 20000, positions = 300, factors = 16, grid = ceil(scenarios / 128), book = u32 random[4 * positions] in 0..15, shocks = random[scenarios * factors] in -0.1..0.1, pnl = zeros[scenarios]
__global__ void scenario_pnl(const position_t* __restrict__ book, const float* __restrict__ shocks,
                             float* __restrict__ pnl, int scenarios, int positions, int factors) {
  __shared__ position_t tile[128];
  const int s = blockIdx.x * 128 + threadIdx.x;
  float total = 0;
  for (int first = 0; first < positions; first += 128) {
    if (first + threadIdx.x < positions) tile[threadIdx.x] = book[first + threadIdx.x];
    __syncthreads();
    const int count = min(128, positions - first);
    if (s < scenarios) {
      for (int k = 0; k < count; ++k) {
        const position_t& p = tile[k];
        const float move = shocks[p.factor * scenarios + s];
        total += move * (p.delta + 0.5f * p.gamma * move) + p.vega * fabsf(move);
      }
    }
    __syncthreads();
  }
  if (s < scenarios) pnl[s] = total;
}

// Regression for early exercise: sums of powers over paths in the money, for a 3 x 3 system.
// warpscope lsm_regression_sums: block = 192 fixed, paths = 300000, grid = 120, spot = random[paths] in 60..140, cash = random[paths] in 0..40, sums = zeros[8], strike = 100, tolerance = 1e-2
__global__ void lsm_regression_sums(const float* spot, const float* cash, double* sums, int paths,
                                    float strike) {
  double acc[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < paths; i += gridDim.x * blockDim.x) {
    const float s = spot[i] / strike;
    if (s >= 1.0f) continue;
    const float y = cash[i];
    acc[0] += 1;
    acc[1] += s;
    acc[2] += s * s;
    acc[3] += s * s * s;
    acc[4] += s * s * s * s;
    acc[5] += y;
    acc[6] += y * s;
    acc[7] += y * s * s;
  }
  for (int k = 0; k < 8; k++) {
    for (int o = 16; o > 0; o >>= 1) acc[k] += __shfl_down_sync(0xffffffff, acc[k], o);
    if ((threadIdx.x & 31) == 0) atomicAdd(&sums[k], acc[k]);
  }
}

// A walk with jumps; how many come is drawn from a table of Poisson's distribution.
__constant__ float poisson_cdf[8] = {0.6065f, 0.9098f, 0.9856f, 0.9982f, 0.9998f, 0.99998f, 0.999999f, 1.0f};
// warpscope merton_jump_paths: block = 96, paths = 40000, steps = 12, grid = ceil(paths / block), uniforms = random[2 * paths * steps], normals = random[paths * steps]:3 in -2..2, out = zeros[paths]
__global__ void merton_jump_paths(const float* uniforms, const float* normals, float* out, int paths,
                                  int steps) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= paths) return;
  float logs = 0;
  for (int t = 0; t < steps; t++) {
    logs += 0.0006f + 0.058f * normals[t * paths + p];
    const float u = uniforms[t * paths + p];
    int jumps = 0;
    while (jumps < 7 && u > poisson_cdf[jumps]) jumps++;
    if (jumps > 0)
      logs += -0.02f * jumps +
              0.05f * sqrtf((float)jumps) * normcdfinvf(0.001f + 0.998f * uniforms[(steps + t) * paths + p]);
  }
  out[p] = fmaxf(100.0f * __expf(logs) - 105.0f, 0.0f);
}
