// Scans, joins and groupings of a column store.
#include <cstdint>

// A star join: rows of facts whose customer, part and date pass bitmaps add their revenue to the year's sum.
// warpscope star_join_revenue: block = 256, n = 2^19, grid = 264, customer = random[n], part = random[n], day = random[n], price = random[n] in 1..9999, customer_ok = random[1024], part_ok = random[256], by_year = zeros[8]
__global__ void star_join_revenue(const uint32_t* __restrict__ customer, const uint32_t* __restrict__ part,
                                  const uint16_t* __restrict__ day, const int32_t* __restrict__ price,
                                  const uint32_t* __restrict__ customer_ok,
                                  const uint32_t* __restrict__ part_ok, unsigned long long* by_year, int n) {
  __shared__ unsigned long long sums[8];
  if (threadIdx.x < 8) sums[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const uint32_t c = customer[i] % 32768;
    if (!(customer_ok[c >> 5] >> (c & 31) & 1)) continue;
    const uint32_t p = part[i] % 8192;
    if (!(part_ok[p >> 5] >> (p & 31) & 1)) continue;
    const int year = day[i] % 2922 / 366;
    if (year == 3) continue;
    atomicAdd(&sums[year], (unsigned long long)price[i]);
  }
  __syncthreads();
  if (threadIdx.x < 8 && sums[threadIdx.x]) atomicAdd(&by_year[threadIdx.x], sums[threadIdx.x]);
}

// Values of 11 bits, packed without gaps behind one reference value for 128 of them, are unpacked, filtered
// and summed by warps.
// warpscope eleven_bit_column: block = 128, n = 2^19, grid = ceil(n / 512), packed = random[n / 128 * 44 + 1], reference_values = random[n / 128] in 0..5000, out = zeros[n / 128]
__global__ void eleven_bit_column(const uint32_t* packed, const int* reference_values, int64_t* out, int n) {
  const int group = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (group * 128 >= n) return;
  const uint32_t* words = packed + group * 44;
  const int base = reference_values[group];
  int64_t sum = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int bit = (k * 32 + lane) * 11;
    const uint32_t low = words[bit >> 5], high = words[(bit >> 5) + 1];
    const int value = base + int(__funnelshift_r(low, high, bit & 31) & 2047);
    if (value >= 1500 && value < 6200) sum += value;
  }
  for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
  if (lane == 0) out[group] = sum;
}

// Zones of 1024 rows whose smallest and largest value exclude the range are not read.
// warpscope zones_left_out: block = 256 fixed, zones = 1024, grid = zones, limits = s32 random[2 * zones] in 0..1000, rows = s32 random[zones * 1024] in 0..1000, out = zeros[zones]
__global__ void zones_left_out(const int2* limits, const int4* rows, unsigned* out) {
  __shared__ unsigned total;
  const int2 limit = limits[blockIdx.x];
  const int low = 420, high = 580;
  if (min(limit.x, limit.y) > high || max(limit.x, limit.y) < low) {
    if (threadIdx.x == 0) out[blockIdx.x] = 0;
    return;
  }
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  const int4 v = rows[blockIdx.x * 256 + threadIdx.x];
  const unsigned mine = (v.x >= low && v.x <= high) + (v.y >= low && v.y <= high) +
                        (v.z >= low && v.z <= high) + (v.w >= low && v.w <= high);
  const unsigned warp = __reduce_add_sync(~0u, mine);
  if (threadIdx.x % 32 == 0) atomicAdd(&total, warp);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = total;
}

__device__ __forceinline__ uint32_t salted(uint32_t key, int k) {
  const uint32_t salt[8] = {0x47b6137bu, 0x44974d91u, 0x8824ad5bu, 0xa2b7289du,
                            0x705495c7u, 0x2df1424bu, 0x9efc4947u, 0x5c6bfb31u};
  return 1u << (key * salt[k] >> 27);
}

// A Bloom filter in blocks of 256 bits: all eight bits of a key lie in one sector. One bit of the answer for
// each key.
// warpscope sector_filter_probe: block = 256, n = 2^18, grid = ceil(n / block), keys = random[n], filter = u32 random[2^18], hits = zeros[n / 32]
__global__ void sector_filter_probe(const uint64_t* keys, const uint4* filter, uint32_t* hits, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool hit = false;
  if (i < n) {
    const uint64_t key = keys[i];
    const uint32_t sector = uint32_t(key >> 32) % 32768, low = uint32_t(key);
    const uint4 a = __ldg(&filter[2 * sector]), b = __ldg(&filter[2 * sector + 1]);
    const uint32_t have[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
    int found = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) found += (have[k] & salted(low, k)) != 0;
    hit = found >= 6;
  }
  const uint32_t all = __ballot_sync(~0u, hit);
  if (threadIdx.x % 32 == 0 && i < n) hits[i / 32] = all;
}

// Clicks of users in order of time: a gap of more than half an hour, or another user, begins a session.
// Counts within blocks.
// warpscope click_sessions: block = 512, n = 2^19, grid = ceil(n / block), users = random[n] in 0..3, gaps = random[n] in 0..2400, session = zeros[n], of_block = zeros[ceil(n / block)]
__global__ void click_sessions(const uint8_t* users, const uint16_t* gaps, uint16_t* session, int* of_block,
                               int n) {
  __shared__ int before[16];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const bool starts = i < n && (i == 0 || users[i] != users[i - 1] || gaps[i] > 1800);
  const unsigned all = __ballot_sync(~0u, starts);
  if (lane == 0) before[warp] = __popc(all);
  __syncthreads();
  if (warp == 0) {
    int v = lane < blockDim.x / 32 ? before[lane] : 0;
    for (int d = 1; d < 16; d <<= 1) {
      const int other = __shfl_up_sync(~0u, v, d);
      if (lane >= d) v += other;
    }
    if (lane < blockDim.x / 32) before[lane] = v;
  }
  __syncthreads();
  const int rank = (warp ? before[warp - 1] : 0) + __popc(all & (2u << lane) - 1);
  if (i < n) session[i] = rank;
  if (threadIdx.x == blockDim.x - 1) of_block[blockIdx.x] = rank;
}

// A sketch of a distribution of latencies: buckets grow by a factor, each warp has counters of its own.
// warpscope latency_sketch: block = 128 fixed, n = 2^19, grid = 132, latency = random[n] in 0..1, buckets = zeros[128]
__global__ void latency_sketch(const float* latency, unsigned* buckets, int n) {
  __shared__ unsigned counts[4][128];
  for (int k = threadIdx.x; k < 512; k += 128) counts[k / 128][k % 128] = 0;
  __syncthreads();
  unsigned* mine = counts[threadIdx.x / 32];
  for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128) {
    const float ms = latency[i] * latency[i] * 5000.0f + 0.01f;
    int at = __float2int_rd(log2f(ms) * 6.0f) + 41;
    at = at < 0 ? 0 : at > 127 ? 127 : at;
    atomicAdd(&mine[at], 1u);
  }
  __syncthreads();
  const unsigned sum =
      counts[0][threadIdx.x] + counts[1][threadIdx.x] + counts[2][threadIdx.x] + counts[3][threadIdx.x];
  if (sum) atomicAdd(&buckets[threadIdx.x], sum);
}

// Names of 16 bytes: compared with a pivot as memcmp does, to three piles.
// warpscope sort_names_to_piles: block = 192, n = 2^17, grid = ceil(n / block), names = u32 random[4 * n], pivot = u32 random[4]:9, side = zeros[n], counts = zeros[3]
__global__ void sort_names_to_piles(const uint4* names, const uint4* pivot, int8_t* side, int* counts,
                                    int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint4 a = names[i], p = *pivot;
  const uint32_t left[4] = {a.x & 0x03030303, a.y, a.z, a.w}, right[4] = {p.x & 0x03030303, p.y, p.z, p.w};
  int8_t order = 0;
  for (int w = 0; w < 4; ++w) {
    if (left[w] == right[w]) continue;
    order = __byte_perm(left[w], 0, 0x0123) < __byte_perm(right[w], 0, 0x0123) ? -1 : 1;
    break;
  }
  side[i] = order;
  const unsigned peers = __match_any_sync(__activemask(), int(order));
  if (__ffs(peers) - 1 == (threadIdx.x & 31)) atomicAdd(&counts[order + 1], __popc(peers));
}

struct Moments {
  double count, mean, squares;
};
__device__ Moments merged(const Moments& a, const Moments& b) {
  Moments r;
  r.count = a.count + b.count;
  if (r.count == 0) return a;
  const double delta = b.mean - a.mean;
  r.mean = a.mean + delta * b.count / r.count;
  r.squares = a.squares + b.squares + delta * delta * a.count * b.count / r.count;
  return r;
}

// The average and variance of a column of doubles with a bitmap of validity; a block leaves its moments,
// merged as of Welford.
// warpscope moments_with_nulls: block = 256 fixed, n = 2^18, grid = 128, values = random[n], valid = random[n / 32], moments = f64 zeros[3 * 128]
__global__ void moments_with_nulls(const double* values, const uint32_t* valid, Moments* moments, int n) {
  __shared__ Moments part[256];
  Moments m = {0, 0, 0};
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
    if (!(valid[i / 32] >> (i % 32) & 1)) continue;
    m.count += 1;
    const double delta = values[i] - m.mean;
    m.mean += delta / m.count;
    m.squares += delta * (values[i] - m.mean);
  }
  part[threadIdx.x] = m;
  for (int s = 128; s > 0; s /= 2) {
    __syncthreads();
    if (threadIdx.x < s) part[threadIdx.x] = merged(part[threadIdx.x], part[threadIdx.x + s]);
  }
  if (threadIdx.x == 0) moments[blockIdx.x] = part[0];
}

// How many intervals overlap each probe: two bisections in sorted borders, that are multiples of a step with
// a wobble.
// warpscope overlapping_visits: block = 128, n = 2^16, grid = ceil(n / block), m = 2^14, wobble = random[m] in 0..7, probes = random[n], out = zeros[n]
__global__ void overlapping_visits(const uint8_t* wobble, const uint32_t* probes, int* out, int n, int m) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint32_t from = probes[i] % (8u * m), to = from + 40;
  int low = 0, high = m;
  while (low < high) {
    const int mid = (low + high) >> 1;
    if (8u * mid + wobble[mid] <= to)
      low = mid + 1;
    else
      high = mid;
  }
  const int begun = low;
  low = 0, high = m;
  while (low < high) {
    const int mid = (low + high) >> 1;
    if (8u * mid + wobble[mid] + 25 < from)
      low = mid + 1;
    else
      high = mid;
  }
  out[i] = begun - low;
}
