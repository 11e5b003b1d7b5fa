// Finance and dynamic programming.

#include <cuda_fp16.h>

#include <cstdint>

// American puts by a lattice of 255 steps, one option a block, the level of prices in shared memory.
// warpscope put_lattice: block = 256 fixed, grid = 264, spots = random[264] in 80..120, strike = 100, rate = 0.03, volatility = 0.25, years = 1, values = zeros[264]
__global__ void put_lattice(const float* spots, float* values, float strike, float rate, float volatility,
                            float years) {
  __shared__ float level[2][256];
  const int t = threadIdx.x;
  const float dt = years / 255, up = __expf(volatility * sqrtf(dt)), down = 1 / up, keep = __expf(-rate * dt),
              p = (1 / keep - down) / (up - down);
  const float spot = spots[blockIdx.x];
  float price = spot * __powf(up, 2.0f * t - 255);
  level[1][t] = fmaxf(strike - price, 0.0f);
  for (int step = 254; step >= 0; --step) {
    __syncthreads();
    if (t <= step) {
      price *= up;
      const float* from = level[~step & 1 ? 1 : 0];
      level[step & 1][t] = fmaxf(keep * (p * from[t + 1] + (1 - p) * from[t]), strike - price);
    }
  }
  __syncthreads();
  if (t == 0) values[blockIdx.x] = level[0][0];
}

// Yields of bonds with half-yearly coupons by Newton's method, in double precision.
// warpscope yields_by_newton: block = 128, n = 8192, grid = ceil(n / block), prices = random[n] in 80..120, coupons = random[n] in 1..8, terms = random[n] in 2..20, yields = zeros[n]
__global__ void yields_by_newton(const double* prices, const float* coupons, const int* terms, double* yields,
                                 int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double price = prices[i], coupon = coupons[i] * 0.5;
  const int periods = min(20, max(2, terms[i]));
  double y = 0.04;
  for (int round = 0; round < 10; ++round) {
    const double factor = 1 / (1 + 0.5 * y);
    double discount = 1, value = 0, slope = 0;
    for (int k = 1; k <= periods; ++k) {
      discount *= factor;
      const double flow = k == periods ? coupon + 100 : coupon;
      value = fma(flow, discount, value);
      slope -= 0.5 * k * flow * discount * factor;
    }
    const double step = (value - price) / slope;
    y -= step;
    if (fabs(step) < 1e-9) break;
  }
  yields[i] = y;
}

struct Level {
  int price, size;
};
// Market orders walk up ten levels of a book; each thread has a book and a series of orders.
// warpscope book_walk: block = 96, books = 9600, grid = ceil(books / block), ladder = s32 random[books * 20] in 1..500, orders = random[books * 8] in -600..600, cash = zeros[books]
__global__ void book_walk(const Level* ladder, const short* orders, long long* cash, int books) {
  const int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b >= books) return;
  Level levels[10];
  int price = 10000;
  for (int k = 0; k < 10; ++k) {
    levels[k] = ladder[b * 10 + k];
    price += levels[k].price;
    levels[k].price = price;
  }
  long long paid = 0;
  int top = 0;
  for (int o = 0; o < 8; ++o) {
    int left = orders[b * 8 + o];
    if (left < 0) {
      levels[max(top - 1, 0)].size -= left;
      top = max(top - 1, 0);
      continue;
    }
    while (left > 0 && top < 10) {
      const int take = min(left, levels[top].size);
      paid += (long long)take * levels[top].price;
      left -= take;
      if ((levels[top].size -= take) == 0) ++top;
    }
  }
  cash[b] = paid;
}

// Knapsacks of capacity 1023, one a block, 24 items: a row of best values in shared memory, two buffers.
// warpscope knapsack_rows: block = 1024 fixed, grid = 132, weights = random[132 * 24] in 10..200, worth = random[132 * 24] in 1..100, best = zeros[132]
__global__ void knapsack_rows(const uint16_t* weights, const uint16_t* worth, int* best) {
  __shared__ int rows[2][1024];
  const int c = threadIdx.x;
  rows[0][c] = 0;
  __syncthreads();
  for (int k = 0; k < 24; ++k) {
    const int w = weights[blockIdx.x * 24 + k], v = worth[blockIdx.x * 24 + k];
    const int* from = rows[k & 1];
    int value = from[c];
    if (c >= w) value = max(value, from[c - w] + v);
    rows[~k & 1][c] = value;
    __syncthreads();
  }
  if (c == 1023) best[blockIdx.x] = rows[0][1023];
}

// The cheapest order of products of 20 matrices, one chain a block: diagonals of a triangle.
// warpscope chain_order: block = 32 fixed, grid = 528, sides = random[528 * 21] in 5..60, cost = zeros[528]
__global__ void chain_order(const unsigned short* sides, unsigned* cost) {
  __shared__ unsigned table[20][21], side[21];
  const int t = threadIdx.x;
  if (t < 21) side[t] = sides[blockIdx.x * 21 + t];
  if (t < 20) table[t][t] = 0;
  __syncwarp();
  for (int length = 1; length < 20; ++length) {
    if (t + length < 20) {
      unsigned least = ~0u;
      for (int k = t; k < t + length; ++k)
        least =
            min(least, table[t][k] + table[k + 1][t + length] + side[t] * side[k + 1] * side[t + length + 1]);
      table[t][t + length] = least;
    }
    __syncwarp();
  }
  if (t == 0) cost[blockIdx.x] = table[0][19];
}

// Most likely hidden states, 16 a model: half a warp a sequence, back pointers in shared memory.
// warpscope likely_states: block = 64 fixed, sequences = 2048, grid = sequences / 4, moves = random[256] in -5..0, emits = random[16 * 8] in -5..0, seen = random[sequences * 32] in 0..7, path = zeros[sequences * 32]
__global__ void likely_states(const float* moves, const float* emits, const unsigned char* seen,
                              unsigned char* path, int sequences) {
  __shared__ unsigned char back[4][32][16];
  __shared__ float from[16][17];
  for (int k = threadIdx.x; k < 256; k += 64) from[k / 16][k % 16] = moves[k];
  __syncthreads();
  const int mine = threadIdx.x / 16, state = threadIdx.x % 16, s = blockIdx.x * 4 + mine;
  float score = 0;
  for (int step = 0; step < 32; ++step) {
    float best = -1e30f;
    int which = 0;
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      const float v = __shfl_sync(0xffffffffu, score, k, 16) + from[k][state];
      if (v > best) best = v, which = k;
    }
    score = best + __ldg(emits + state * 8 + (seen[s * 32 + step] & 7));
    back[mine][step][state] = which;
  }
  int last = state;
  for (int d = 8; d > 0; d >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffu, score, d, 16);
    const int otherLast = __shfl_xor_sync(0xffffffffu, last, d, 16);
    if (other > score || (other == score && otherLast < last)) score = other, last = otherLast;
  }
  __syncwarp();
  if (state != 0) return;
  for (int step = 31; step >= 0; --step) {
    path[s * 32 + step] = last;
    last = back[mine][step][last];
  }
}

// Average-price options with pairs of paths in half precision.
// warpscope half_path_asian: block = 256, grid = 132, steps = 32, strike = 1, sums = zeros[132]
__global__ void half_path_asian(float* sums, int steps, float strike) {
  __shared__ float warps[8];
  unsigned state = (blockIdx.x * blockDim.x + threadIdx.x) * 2891336453u + 12345u;
  __half2 price = __float2half2_rn(1.0f), total = __float2half2_rn(0.0f);
  for (int k = 0; k < steps; ++k) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    const float move = (__popc(state) - 16) * 0.012f;
    const __half2 factor = __floats2half2_rn(1 + move, 1 - move);
    price = __hmul2(price, factor);
    total = __hadd2(total, price);
  }
  const float2 mean = __half22float2(total);
  float pay = fmaxf(mean.x / steps - strike, 0.0f) + fmaxf(mean.y / steps - strike, 0.0f);
  for (int d = 16; d > 0; d >>= 1) pay += __shfl_xor_sync(0xffffffffu, pay, d);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = pay;
  __syncthreads();
  if (threadIdx.x < 8) {
    pay = warps[threadIdx.x];
    for (int d = 4; d > 0; d >>= 1) pay += __shfl_xor_sync(0xffu, pay, d);
    if (threadIdx.x == 0) sums[blockIdx.x] = pay / (2 * blockDim.x);
  }
}
