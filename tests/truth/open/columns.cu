// Steps of data bases and data frames: columns, joins, groups, strings, dates.
#include <cooperative_groups.h>

#include <cstdint>
namespace cg = cooperative_groups;

__device__ __forceinline__ uint32_t murmured(uint32_t h) {
  h ^= h >> 16;
  h *= 0x85ebca6bu;
  h ^= h >> 13;
  h *= 0xc2b2ae35u;
  return h ^ h >> 16;
}

// Filters rows of two columns and gathers what is left: a scan in each block, one atomic for its place.
// warpscope filter_gather: block = 256 fixed, n = 400000, grid = ceil(n / 1024), price = random[n], quantity = random[n] in 0..50, kept = zeros[n], rows = zeros[n], total = zeros[1], unordered = (kept, rows)
__global__ void filter_gather(const float* __restrict__ price, const int* __restrict__ quantity,
                              float* __restrict__ kept, int* __restrict__ rows, unsigned* total, int n) {
  __shared__ unsigned of_warp[8], base;
  const int t = threadIdx.x, lane = t & 31, warp = t >> 5, first = blockIdx.x * 1024 + t * 4;
  float p[4];
  unsigned pass = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    p[k] = first + k < n ? price[first + k] : 0.f;
    if (first + k < n && p[k] > 0.35f && quantity[first + k] < 24) pass |= 1u << k;
  }
  const unsigned mine = __popc(pass);
  unsigned upto = mine;
  for (int d = 1; d < 32; d *= 2) {
    const unsigned other = __shfl_up_sync(~0u, upto, d);
    if (lane >= d) upto += other;
  }
  if (lane == 31) of_warp[warp] = upto;
  __syncthreads();
  if (t == 0) {
    unsigned sum = 0;
    for (int w = 0; w < 8; ++w) {
      const unsigned held = of_warp[w];
      of_warp[w] = sum;
      sum += held;
    }
    base = atomicAdd(total, sum);
  }
  __syncthreads();
  unsigned at = base + of_warp[warp] + upto - mine;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    if (pass >> k & 1) {
      kept[at] = p[k];
      rows[at++] = first + k;
    }
  }
}

// Probes a join's table: pairs of key and row, linear steps; the table is what random numbers made.
// warpscope probe_joined: block = 128, n = 200000, slots = 2^16, grid = ceil(n / block), table = u32 random[2 * slots] in 0..65535, keys = random[n] in 0..65535, matched = zeros[n]
__global__ void probe_joined(const uint2* __restrict__ table, const uint32_t* __restrict__ keys, int* matched,
                             int n, uint32_t slots) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint32_t key = keys[i];
  uint32_t at = murmured(key) & (slots - 1);
  int found = -1;
  for (int step = 0; step < 24; ++step) {
    const uint2 entry = table[at];
    if (entry.x == key) {
      found = entry.y;
      break;
    }
    if ((entry.x & 7) == 0) break;
    at = at + 1 & (slots - 1);
  }
  matched[i] = found;
}

// Groups by a key of few values: tables of each block in shared memory (sum, count, greatest), then merged.
// warpscope group_aggregate: block = 192, n = 500000, groups = 200, grid = 132, keys = random[n], values = random[n] in -1000..1000, sums = zeros[groups], counts = zeros[groups], greatest = zeros[groups]
__global__ void group_aggregate(const uint32_t* keys, const int* values, unsigned long long* sums,
                                unsigned* counts, int* greatest, int n, int groups) {
  __shared__ unsigned long long sum[256];
  __shared__ unsigned count[256];
  __shared__ int top[256];
  for (int g = threadIdx.x; g < groups; g += blockDim.x) sum[g] = 0, count[g] = 0, top[g] = -100000;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const int g = keys[i] % groups, v = values[i];
    atomicAdd(&sum[g], (unsigned long long)(long long)v);
    atomicAdd(&count[g], 1u);
    atomicMax(&top[g], v);
  }
  __syncthreads();
  for (int g = threadIdx.x; g < groups; g += blockDim.x) {
    if (count[g] == 0) continue;
    atomicAdd(&sums[g], sum[g]);
    atomicAdd(&counts[g], count[g]);
    atomicMax(&greatest[g], top[g]);
  }
}

// Days since 1970 become year, month and day, in 64 bits divided by constants.
struct Date {
  short year;
  unsigned char month, day;
};
__device__ Date civil(int days) {
  const int z = days + 719468, era = (z >= 0 ? z : z - 146096) / 146097;
  const unsigned doe = z - era * 146097, yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
  const unsigned doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153;
  const unsigned month = mp < 10 ? mp + 3 : mp - 9;
  return {short(yoe + era * 400 + (month <= 2)), (unsigned char)month,
          (unsigned char)(doy - (153 * mp + 2) / 5 + 1)};
}
// warpscope civil_dates: block = 1024, n = 300000, grid = ceil(n / block), seconds = random[n] in -4000000000..4000000000, dates = u32 zeros[n], hours = zeros[n]
__global__ void civil_dates(const long long* seconds, Date* dates, unsigned char* hours, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const long long s = seconds[i];
  long long day = s / 86400;
  int rest = int(s - day * 86400);
  if (rest < 0) rest += 86400, --day;
  dates[i] = civil(int(day));
  hours[i] = rest / 3600;
}

// Strings of one to sixteen letters: to upper case, cut blanks in front, their lengths; offsets are 16 i + a
// hash.
// warpscope strip_upper: block = 96, strings = 60000, grid = ceil(strings / block), text = random[16 * strings + 16] in 30..122, out = zeros[16 * strings], lengths = zeros[strings]
__global__ void strip_upper(const char* __restrict__ text, char* __restrict__ out, unsigned char* lengths,
                            int strings) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= strings) return;
  const char* from = text + 16 * i;
  char* to = out + 16 * i;
  int length = 1 + murmured(i) % 16;
  while (length > 0 && *from < 60) ++from, --length;
  for (int k = 0; k < length; ++k) {
    const char c = from[k];
    to[k] = c >= 'a' && c <= 'z' ? c - 32 : c;
  }
  lengths[i] = length;
}

// JSON: which characters stand inside quotes, and where structure is; a warp a line of 32 words, by parities
// of bits.
// warpscope quoted_structure: block = 128, lines = 2640, grid = ceil(lines / 4), text = u32 random[256 * lines] in 0..2147483647, bits = zeros[32 * lines]
__global__ void quoted_structure(const uint4* text, unsigned* bits, int lines) {
  const int line = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (line >= lines) return;
  const uint4 a = text[(line * 32 + lane) * 2], b = text[(line * 32 + lane) * 2 + 1];
  const unsigned words[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
  unsigned quotes = 0, structural = 0, slashes = 0;
#pragma unroll
  for (int w = 0; w < 8; ++w) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const unsigned c = words[w] >> (8 * k) & 127, bit = 1u << (4 * w + k);
      if (c == '"' || c == '!') quotes |= bit;
      if (c == '\\') slashes |= bit;
      if (c == ',' || c == ':' || c == '[' || c == ']' || c == '{' || c == '}') structural |= bit;
    }
  }
  quotes &= ~(slashes << 1);
  unsigned inside = quotes;
#pragma unroll
  for (int d = 1; d < 32; d *= 2) inside ^= inside << d;
  const unsigned odd = __ballot_sync(~0u, __popc(quotes) & 1);
  if (__popc(odd & ((1u << lane) - 1)) & 1) inside = ~inside;
  bits[line * 32 + lane] = structural & ~inside;
}

// A column of floats with nulls: mean and deviation of a window of 25 rows, by a bit mask of what is valid.
// warpscope rolling_valid: block = 224, n = 120000, grid = ceil(n / block), values = random[n], valid = random[n / 32 + 1], mean = zeros[n], deviation = zeros[n]
__global__ void rolling_valid(const double* values, const unsigned* valid, double* mean, double* deviation,
                              int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int count = 0;
  double sum = 0, squares = 0;
  for (int k = max(0, i - 12); k <= min(n - 1, i + 12); ++k) {
    if (!(valid[k >> 5] >> (k & 31) & 1)) continue;
    ++count;
    sum += values[k];
    squares += values[k] * values[k];
  }
  if (count < 2) {
    mean[i] = deviation[i] = 0;
  } else {
    mean[i] = sum / count;
    deviation[i] = sqrt((squares - sum * sum / count) / (count - 1));
  }
}

// Rows of two sorted columns are compared by several keys for a merge: the place of each left row by
// bisection.
struct Row {
  int first;
  short second, third;
};
__device__ bool before(const Row& a, const Row& b) {
  if (a.first != b.first) return a.first < b.first;
  if (a.second != b.second) return a.second > b.second;
  return a.third < b.third;
}
// warpscope lower_rows: block = 128, n = 100000, m = 2^15, grid = ceil(n / block), rows = u32 random[2 * n] in 0..65535, sorted = u32 iota[2 * m], places = zeros[n]
__global__ void lower_rows(const Row* rows, const Row* sorted, int* places, int n, int m) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Row mine = rows[i];
  int low = 0, count = m;
  while (count > 0) {
    const int half = count / 2;
    if (before(sorted[low + half], mine)) {
      low += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  places[i] = low;
}

// Run-length and bit-packed pages (as Parquet has them): a warp unpacks values of 11 bits and looks them up.
// warpscope unpack_dictionary: block = 256, pages = 400, grid = pages, packed = random[pages * 706], dictionary = f64 random[2048], out = f64 zeros[pages * 2048]
__global__ void unpack_dictionary(const unsigned* packed, const double* __restrict__ dictionary,
                                  double* out) {
  __shared__ unsigned words[706];
  for (int k = threadIdx.x; k < 706; k += blockDim.x) words[k] = packed[blockIdx.x * 706 + k];
  __syncthreads();
  for (int i = threadIdx.x; i < 2048; i += blockDim.x) {
    const unsigned bit = i * 11, word = bit >> 5;
    const unsigned index = __funnelshift_r(words[word], words[word + 1], bit & 31) & 2047;
    out[blockIdx.x * 2048 + i] = dictionary[index];
  }
}

// Distinct values: tiles of eight threads insert keys together into buckets of eight slots, with cooperative
// groups.
// warpscope bucket_distinct: block = 128, n = 20000, buckets = 4096, grid = ceil(8 * n / block), keys = random[n], slots = zeros[8 * buckets], added = zeros[1], unordered = slots
__global__ void bucket_distinct(const unsigned* keys, unsigned* slots, unsigned* added, int n,
                                unsigned buckets) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) / 8;
  if (i >= n) return;
  const unsigned key = keys[i] % 30011 + 1;
  unsigned bucket = murmured(key) % buckets;
  for (int tries = 0; tries < 64; ++tries) {
    unsigned* slot = &slots[8 * bucket + tile.thread_rank()];
    const unsigned held = *(volatile unsigned*)slot;
    if (tile.any(held == key)) return;
    unsigned empty = tile.ballot(held == 0);
    bool done = false;
    while (empty && !done) {
      const int leader = __ffs(empty) - 1;
      unsigned old = 1;
      if (tile.thread_rank() == leader) old = atomicCAS(slot, 0u, key);
      old = tile.shfl(old, leader);
      if (old == 0 && tile.thread_rank() == leader) atomicAdd(added, 1u);
      done = old == 0 || old == key;
      empty &= empty - 1;
    }
    if (done) return;
    bucket = (bucket + 1) % buckets;
  }
}
