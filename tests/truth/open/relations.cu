// Databases and analytics.

#include <cooperative_groups.h>

#include <cstdint>

namespace cg = cooperative_groups;

// Builds a small hash table in shared memory and probes it with a column of a larger relation.
// warpscope broadcast_join: block = 256, rows = 2^17, grid = 128, keys = random[512] in 0..2000, payload = random[512], probe = random[rows] in 0..2000, joined = zeros[rows]
__global__ void broadcast_join(const int* keys, const int* payload, const int* __restrict__ probe,
                               int* joined, int rows) {
  __shared__ int slots[1024], rest[1024];
  for (int k = threadIdx.x; k < 1024; k += blockDim.x) slots[k] = rest[k] = -1;
  __syncthreads();
  for (int k = threadIdx.x; k < 512; k += blockDim.x) {
    const int key = keys[k];
    unsigned at = key * 2654435761u >> 22;
    while (true) {
      const int old = atomicCAS(&slots[at], -1, key);
      if (old == -1 || old == key) break;
      at = (at + 1) & 1023;
    }
    atomicExch(&rest[at], payload[k]);
  }
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows; i += gridDim.x * blockDim.x) {
    const int key = probe[i];
    unsigned at = key * 2654435761u >> 22;
    while (slots[at] != key && slots[at] != -1) at = (at + 1) & 1023;
    joined[i] = slots[at] == key ? rest[at] : -1;
  }
}

struct LineItem {
  float price, discount, tax;
  uint8_t flag, status;
  uint16_t day;
};
// Sums of a report over six groups for items before a day; groups are private to each warp.
// warpscope pricing_report: block = 192, rows = 2^17, grid = 132, items = u32 random[rows * 4] in 1000000000..1065353216, sums = zeros[24], last = 40000
__global__ void pricing_report(const LineItem* __restrict__ items, float* sums, int rows, int last) {
  __shared__ float local[6][6][4];
  float* mine = local[threadIdx.x / 32][0];
  if (threadIdx.x % 32 < 24) mine[threadIdx.x % 32] = 0;
  __syncwarp();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows; i += gridDim.x * blockDim.x) {
    const LineItem item = items[i];
    if (item.day > last) continue;
    const int group = item.flag % 3 * 2 + item.status % 2;
    const float net = item.price * (1 - item.discount);
    atomicAdd(mine + group * 4, item.price);
    atomicAdd(mine + group * 4 + 1, net);
    atomicAdd(mine + group * 4 + 2, net * (1 + item.tax));
    atomicAdd(mine + group * 4 + 3, 1.0f);
  }
  __syncthreads();
  if (threadIdx.x < 24) {
    float sum = 0;
    for (int w = 0; w < 6; ++w) sum += local[w][0][threadIdx.x];
    atomicAdd(sums + threadIdx.x, sum);
  }
}

// Two bitmap indexes are combined and their rows listed: a warp for each 32 words.
// warpscope bitmap_rows: block = 128, words = 2^14, grid = ceil(words / block), red = random[words], large = random[words], rows = zeros[words * 32], count = zeros[1]
__global__ void bitmap_rows(const uint32_t* red, const uint32_t* large, uint32_t* rows, uint32_t* count,
                            int words) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t bits = i < words ? red[i] & large[i] : 0;
  bits &= bits >> 7 | bits << 3;
  uint32_t total = __popc(bits), before = total;
  for (int d = 1; d < 32; d *= 2) {
    uint32_t other = warp.shfl_up(before, d);
    if (warp.thread_rank() >= d) before += other;
  }
  uint32_t base = 0;
  if (warp.thread_rank() == 31) base = atomicAdd(count, before);
  base = (warp.shfl(base, 31) + before - total) % (words * 16);
  while (bits) {
    rows[base++] = i * 32 + __ffs(bits) - 1;
    bits &= bits - 1;
  }
}

// The k largest of 512 scores by each warp: sixteen in registers, the best is taken five times.
// warpscope top_five_of_rows: block = 128, rows = 2048, grid = ceil(rows * 32 / block), scores = random[rows * 512], top = zeros[rows * 5], places = zeros[rows * 5]
__global__ void top_five_of_rows(const float* __restrict__ scores, float* top, int* places, int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (row >= rows) return;
  float mine[16];
#pragma unroll
  for (int k = 0; k < 16; ++k) mine[k] = scores[row * 512 + k * 32 + lane];
  for (int pick = 0; pick < 5; ++pick) {
    float best = -1;
    int which = 0;
#pragma unroll
    for (int k = 0; k < 16; ++k)
      if (mine[k] > best) best = mine[k], which = k;
    const unsigned most = __reduce_max_sync(0xffffffffu, __float_as_uint(fmaxf(best, 0.0f)));
    const int winner = __ffs(__ballot_sync(0xffffffffu, __float_as_uint(best) == most)) - 1;
    if (lane == winner) {
      top[row * 5 + pick] = best;
      places[row * 5 + pick] = which * 32 + lane;
#pragma unroll
      for (int k = 0; k < 16; ++k)
        if (k == which) mine[k] = -2;
    }
  }
}

// Dictionary-coded strings: a predicate is looked up once a code, then a mask is packed by ballots.
// warpscope dictionary_filter: block = 512, n = 2^19, grid = 132, codes = random[n], accepted = random[8], mask = zeros[n / 32]
__global__ void dictionary_filter(const uint8_t* __restrict__ codes, const uint32_t* accepted, uint32_t* mask,
                                  int n) {
  __shared__ uint32_t accept[8];
  if (threadIdx.x < 8) accept[threadIdx.x] = accepted[threadIdx.x];
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const unsigned code = codes[i];
    const unsigned word = __ballot_sync(0xffffffffu, accept[code >> 5] >> (code & 31) & 1);
    if ((i & 31) == 0) mask[i / 32] = word;
  }
}

// Distinct values estimated by the longest runs of zeros in 1024 registers, first in shared memory.
// warpscope distinct_sketch: block = 256, n = 2^18, grid = 64, values = random[n], registers = zeros[1024]
__global__ void distinct_sketch(const unsigned long long* values, int* registers, int n) {
  __shared__ int local[1024];
  for (int k = threadIdx.x; k < 1024; k += 256) local[k] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
    unsigned long long h = values[i];
    h ^= h >> 33;
    h *= 0xff51afd7ed558ccdull;
    h ^= h >> 29;
    const int zeros = __clzll(h | 1023) + 1, at = h & 1023;
    atomicMax(&local[at], zeros);
  }
  __syncthreads();
  for (int k = threadIdx.x; k < 1024; k += 256)
    if (local[k] > 0) atomicMax(&registers[k], local[k]);
}

// Moving minimum, maximum and mean over a window of rows, from a tile with a margin.
template <int Window>
__device__ float3 windowOf(const float* tile) {
  float low = tile[0], high = tile[0], sum = tile[0];
#pragma unroll
  for (int k = 1; k < Window; ++k) {
    low = fminf(low, tile[k]);
    high = fmaxf(high, tile[k]);
    sum += tile[k];
  }
  return make_float3(low, high, sum / Window);
}
// warpscope moving_window: block = 128, n = 2^17, grid = ceil(n / block), wide = 1, price = random[n + 24] in 90..110, out = zeros[3 * n]
__global__ void moving_window(const float* price, float3* out, int wide, int n) {
  __shared__ float tile[128 + 24];
  const int start = blockIdx.x * 128;
  for (int k = threadIdx.x; k < 152 && start + k < n + 24; k += 128) tile[k] = price[start + k];
  __syncthreads();
  const int i = start + threadIdx.x;
  if (i < n) out[i] = wide ? windowOf<24>(tile + threadIdx.x) : windowOf<5>(tile + threadIdx.x);
}

// As-of join: for each trade the last quote not later than it, by bisection within the symbol's quotes.
// warpscope last_quotes: block = 256, trades = 2^16, grid = ceil(trades / block), per_symbol = 1024, quotes = iota[64 * per_symbol], symbols = random[trades] in 0..63, times = random[trades] in 0..65535, prices = random[64 * per_symbol], out = zeros[trades]
__global__ void last_quotes(const int* __restrict__ quotes, const uint8_t* symbols, const int* times,
                            const float* __restrict__ prices, float* out, int per_symbol, int trades) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= trades) return;
  const int first = (symbols[i] & 63) * per_symbol, time = times[i] % per_symbol + first;
  int low = 0, count = per_symbol;
  while (count > 0) {
    const int half = count / 2;
    if (quotes[first + low + half] <= time) {
      low += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  out[i] = low > 0 ? prices[first + low - 1] : __int_as_float(0x7fc00000);
}
