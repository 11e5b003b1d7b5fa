// Columns of tables: filters, joins, groups, sketches.
#include <cstdint>

// A scan that first looks at the least and greatest value of each zone of 256 rows and skips those that
// cannot match.
// warpscope pruned_zones: block = 256 fixed, zones = 2048, grid = zones, lows = random[zones] in 0..900, column = random[zones * 256] in 0..100, out = zeros[zones], low = 300, high = 520
__global__ void pruned_zones(const int* __restrict__ lows, const int* __restrict__ column, int* out,
                             int zones, int low, int high) {
  const int zone = blockIdx.x, base = lows[zone];
  if (base > high || base + 100 < low) {
    if (threadIdx.x == 0) out[zone] = 0;
    return;
  }
  const int v = base + column[zone * 256 + threadIdx.x];
  const int hits = __syncthreads_count(v >= low && v <= high);
  if (threadIdx.x == 0) out[zone] = hits;
}

// For each customer the month of the first order, and how many come back in each month after it.
// warpscope returning_customers: block = 128, n = 2^17, grid = 264, months = random[n], retained = zeros[12 * 12]
__global__ void returning_customers(const unsigned* __restrict__ months, unsigned* retained, int n) {
  __shared__ unsigned cells[12][13];
  for (int k = threadIdx.x; k < 12 * 13; k += blockDim.x) cells[k / 13][k % 13] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned active = months[i] & (months[i] >> 13) & 0xFFF;
    if (active == 0) continue;
    const int first = __ffs(active) - 1;
    while (active != 0) {
      const int month = __ffs(active) - 1;
      active &= active - 1;
      atomicAdd(&cells[first][month - first], 1u);
    }
  }
  __syncthreads();
  for (int k = threadIdx.x; k < 144; k += blockDim.x)
    if (cells[k / 12][k % 12] != 0) atomicAdd(&retained[k], cells[k / 12][k % 12]);
}

enum Step { Visit, Search, Basket, Address, Paid };
// How far each visitor came: visit, search, basket, address, payment, where an event counts only within 600
// seconds of the one before.
// warpscope funnel_progress: block = 192, users = 2^14, grid = ceil(users / block), events = u8 random[users * 24], gaps = u16 random[users * 24], out = zeros[users]
__global__ void funnel_progress(const uint8_t* events, const uint16_t* gaps, uint8_t* out, int users) {
  const int u = blockIdx.x * blockDim.x + threadIdx.x;
  if (u >= users) return;
  int stage = Visit, best = 0, waited = 0;
  for (int k = 0; k < 24; ++k) {
    const int event = events[u * 24 + k] % 6;
    waited += gaps[u * 24 + k] & 255;
    if (waited > 600) {
      stage = Visit;
      waited = 0;
    }
    switch (stage) {
      case Visit:
        if (event <= 1) stage = Search, waited = 0;
        break;
      case Search:
        if (event == 2)
          stage = Basket, waited = 0;
        else if (event == 5)
          stage = Visit;
        break;
      case Basket:
        if (event == 3 || event == 4) stage = Address, waited = 0;
        break;
      case Address:
        if (event == 4) stage = Paid;
        break;
      default:
        break;
    }
    best = stage > best ? stage : best;
    if (stage == Paid) break;
  }
  out[u] = best;
}

__device__ inline uint64_t mixedKey(uint64_t k, uint64_t seed) {
  k = (k ^ seed) * 0x9E3779B97F4A7C15ull;
  k ^= k >> 32;
  k *= 0xD6E8FEB86659FD93ull;
  return k ^ k >> 29;
}
// A count-min sketch of four rows: all keys are counted, in blocks of 1024 columns.
// warpscope four_row_sketch: block = 256, n = 2^16, grid = 128, keys = random[n], sketch = zeros[4 * 1024]
__global__ void four_row_sketch(const uint64_t* keys, unsigned* sketch, int n) {
  __shared__ unsigned rows[4 * 1024];
  for (int k = threadIdx.x; k < 4096; k += blockDim.x) rows[k] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const uint64_t key = keys[i] % 5000;
#pragma unroll
    for (int r = 0; r < 4; ++r)
      atomicAdd(&rows[r * 1024 + (mixedKey(key, r * 77777ull + 1) >> 20 & 1023)], 1u);
  }
  __syncthreads();
  for (int k = threadIdx.x; k < 4096; k += blockDim.x) {
    const unsigned v = rows[k];
    if (v) atomicAdd(&sketch[k], v);
  }
}

// The frequent values of each stripe by the algorithm of Misra and Gries, with six counters a thread.
// warpscope frequent_of_stripe: block = 64, stripes = 2^13, grid = ceil(stripes / block), values = u8 random[stripes * 48], out = u8 zeros[stripes * 6]
__global__ void frequent_of_stripe(const uint8_t* __restrict__ values, uint8_t* out, int stripes) {
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= stripes) return;
  int held[6], count[6];
#pragma unroll
  for (int c = 0; c < 6; ++c) held[c] = -1, count[c] = 0;
  for (int k = 0; k < 48; ++k) {
    const int v = values[k * stripes + s] & 15;
    bool done = false;
#pragma unroll
    for (int c = 0; c < 6; ++c)
      if (!done && held[c] == v && count[c] > 0) ++count[c], done = true;
#pragma unroll
    for (int c = 0; c < 6; ++c)
      if (!done && count[c] == 0) held[c] = v, count[c] = 1, done = true;
    if (done) continue;
#pragma unroll
    for (int c = 0; c < 6; ++c) --count[c];
  }
#pragma unroll
  for (int c = 0; c < 6; ++c) out[s * 6 + c] = count[c] > 0 ? held[c] : 255;
}

// The skyline of hotels: those that no other one beats in price, distance and noise. Tiles of others come
// through shared memory.
// warpscope undominated_offers: block = 128 fixed, n = 2^12, grid = ceil(n / block), offers = random[4 * n], out = zeros[n]
__global__ void undominated_offers(const float4* offers, int* out, int n) {
  __shared__ float4 tile[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 mine = i < n ? offers[i] : make_float4(0, 0, 0, 0);
  bool beaten = i >= n;
  for (int first = 0; first < n; first += 128) {
    const int k = first + threadIdx.x;
    if (threadIdx.x < 128 && k < n) tile[threadIdx.x] = offers[k];
    __syncthreads();
    const int count = min(128, n - first);
    for (int j = 0; j < count && !beaten; ++j) {
      const float4 o = tile[j];
      beaten =
          o.x <= mine.x && o.y <= mine.y && o.z <= mine.z && (o.x < mine.x || o.y < mine.y || o.z < mine.z);
    }
    if (__syncthreads_and(beaten)) break;
  }
  if (i < n) out[i] = !beaten;
}

// The cube of sales: sums by shop, product group and quarter, and by each pair and alone, from 64 x 16 x 4
// cells.
// warpscope rolled_up_sales: block = (16, 4) fixed, grid = 64, shops = 64, cells = random[shops * 64], by_shop = zeros[shops], by_pair = zeros[shops * 20], total = zeros[85]
__global__ void rolled_up_sales(const float* cells, float* by_shop, float* by_pair, float* total, int shops) {
  __shared__ float v[4][17];
  const int group = threadIdx.x, quarter = threadIdx.y, shop = blockIdx.x;
  if (shop >= shops) return;
  const float mine = cells[(shop * 4 + quarter) * 16 + group];
  v[quarter][group] = mine;
  atomicAdd(&total[quarter * 16 + group], mine);
  __syncthreads();
  if (quarter == 0) {
    const float sum = v[0][group] + v[1][group] + v[2][group] + v[3][group];
    by_pair[shop * 20 + group] = sum;
    atomicAdd(&total[64 + group], sum);
  } else if (quarter == 1 && group < 4) {
    float sum = 0;
    for (int k = 0; k < 16; ++k) sum += v[group][k];
    by_pair[shop * 20 + 16 + group] = sum;
    atomicAdd(&total[80 + group], sum);
    for (int d = 2; d > 0; d /= 2) sum += __shfl_down_sync(0xF0000u, sum, d, 4);
    if (group == 0) {
      by_shop[shop] = sum;
      atomicAdd(&total[84], sum);
    }
  }
}

// WHERE (a < 10 OR NOT b) AND c <> d with NULLs: three-valued logic on words of validity bits; a warp writes
// words of the result.
// warpscope unknown_conditions: block = 512, n = 2^18, grid = ceil(n / block), a = random[n], b = u8 random[n], c = u16 random[n], valid = u32 random[4 * n / 32], is_true = u32 zeros[n / 32], is_null = u32 zeros[n / 32]
__global__ void unknown_conditions(const int* a, const uint8_t* b, const uint16_t* c, const uint32_t* valid,
                                   uint32_t* is_true, uint32_t* is_null, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  if (i >= n) return;
  const uint32_t* words = valid + i / 32 * 4;
  const bool a_known = words[0] >> lane & 1, b_known = words[1] >> lane & 1, c_known = words[2] >> lane & 1,
             d_known = words[3] >> lane & 1;
  const bool small = a_known && a[i] % 100 < 10, off = b_known && !(b[i] & 1);
  const int either = small || off ? 1 : a_known && b_known ? 0 : -1;
  const int differ = c_known && d_known ? (c[i] & 7) != (c[i] >> 8 & 7) : -1;
  const int both = either == 0 || differ == 0 ? 0 : either < 0 || differ < 0 ? -1 : 1;
  const uint32_t yes = __ballot_sync(0xFFFFFFFF, both == 1), unknown = __ballot_sync(0xFFFFFFFF, both < 0);
  if (lane == 0) is_true[i / 32] = yes, is_null[i / 32] = unknown;
}

// A galloping merge join: each row of the left column finds its partners in the sorted right column, starting
// from where its neighbour in the warp may be.
// warpscope galloping_join: block = 96, n = 2^15, grid = ceil(n / block), left = iota[n], right = iota[n], jumps = u8 random[n], out = zeros[n]
__global__ void galloping_join(const int* left, const int* right, const uint8_t* jumps, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int key = left[i] / 3 * 2 + jumps[i] % 5;
  int at = i / 4, step = 1;
  while (at + step < n && right[at + step] < key) {
    at += step;
    step *= 2;
  }
  int low = at, high = min(at + step, n);
  while (low < high) {
    const int middle = (low + high) / 2;
    if (right[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  int partners = 0;
  while (low < n && right[low] / 4 == key / 4 && partners < 8) ++low, ++partners;
  out[i] = partners;
}
