// Queries on columns.

// The sum of a price times a discount where three columns are within bounds.
// warpscope q6_filter_sum: block = 128 fixed, n = 2^20, grid = ceil(n / 512), shipdate = random[n] in 0..2556, discount = random[n] in 0..10, quantity = random[n] in 1..50, price = random[n] in 100..100000, revenue = zeros[1]
__global__ void q6_filter_sum(const int* shipdate, const int* discount, const int* quantity, const int* price,
                              unsigned long long* revenue, int n) {
  long long sum = 0;
  const int tile = blockIdx.x * 512;
#pragma unroll
  for (int item = 0; item < 4; ++item) {
    const int i = tile + item * 128 + threadIdx.x;
    if (i < n) {
      const int date = shipdate[i];
      if (date >= 730 && date < 1095) {
        const int d = discount[i];
        if (d >= 5 && d <= 7 && quantity[i] < 24) sum += (long long)price[i] * d;
      }
    }
  }
  __shared__ long long buffer[4];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (threadIdx.x % 32 == 0) buffer[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0)
    atomicAdd(revenue, (unsigned long long)(buffer[0] + buffer[1] + buffer[2] + buffer[3]));
}

// Group by two flags of few values: sums in shared memory, then global.
// warpscope q1_group_shared: block = 256 fixed, n = 400000, grid = 132, flag = random[n] in 0..2, status = random[n] in 0..1, quantity = random[n] in 1..50, price = random[n] in 1..1000, sums = zeros[18]
__global__ void q1_group_shared(const unsigned char* flag, const unsigned char* status, const int* quantity,
                                const int* price, unsigned long long* sums, int n) {
  __shared__ unsigned long long groups[18];
  if (threadIdx.x < 18) groups[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const int g = flag[i] * 2 + status[i];
    atomicAdd(&groups[g * 3], (unsigned long long)quantity[i]);
    atomicAdd(&groups[g * 3 + 1], (unsigned long long)price[i]);
    atomicAdd(&groups[g * 3 + 2], 1ull);
  }
  __syncthreads();
  if (threadIdx.x < 18) atomicAdd(&sums[threadIdx.x], groups[threadIdx.x]);
}

// Builds the table of a join: keys and rows in one word, linear probing.
__device__ __forceinline__ unsigned murmur_mix(unsigned h) {
  h ^= h >> 16;
  h *= 0x85ebca6b;
  h ^= h >> 13;
  h *= 0xc2b2ae35;
  return h ^ h >> 16;
}
// warpscope join_build: block = 256, rows = 40000, slots = 2^16, grid = ceil(rows / block), keys = random[rows] in 1..1000000, table = zeros[slots], unordered = table
__global__ void join_build(const unsigned* keys, unsigned long long* table, int rows, unsigned slots) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows) return;
  const unsigned long long entry = (unsigned long long)keys[i] << 32 | (unsigned)i;
  unsigned slot = murmur_mix(keys[i]) & (slots - 1);
  while (true) {
    const unsigned long long old = atomicCAS(&table[slot], 0ull, entry);
    if (old == 0 || old == entry) break;  // a row that is already there stays once
    slot = (slot + 1) & (slots - 1);
  }
}
// warpscope join_probe: block = 256, probes = 200000, slots = 2^16, grid = ceil(probes / block), keys = random[probes]:7 in 1..1000000, table = join_build.table[slots], matches = zeros[probes], total = zeros[1]
__global__ void join_probe(const unsigned* __restrict__ keys, const unsigned long long* __restrict__ table,
                           int* __restrict__ matches, int* total, int probes, unsigned slots) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int found = 0;
  if (i < probes) {
    const unsigned key = keys[i];
    unsigned slot = murmur_mix(key) & (slots - 1);
    unsigned long long entry = table[slot];
    while (entry != 0) {
      found += (unsigned)(entry >> 32) == key;
      slot = (slot + 1) & (slots - 1);
      entry = table[slot];
    }
    matches[i] = found;
  }
  const int sum = __reduce_add_sync(0xffffffff, found);
  if ((threadIdx.x & 31) == 0 && sum > 0) atomicAdd(total, sum);
}

// Partitioning by hash: a histogram of 64 parts a block, then places, then rows in their parts.
// warpscope partition_histogram: block = 256 fixed, n = 1500000, parts = 64, grid = 200, keys = random[n], histogram = zeros[parts * 200]
__global__ void partition_histogram(const unsigned* keys, int* histogram, int n, int parts) {
  __shared__ int bins[64];
  for (int p = threadIdx.x; p < parts; p += blockDim.x) bins[p] = 0;
  __syncthreads();
  const int per_block = (n + gridDim.x - 1) / gridDim.x, begin = blockIdx.x * per_block,
            end = min(n, begin + per_block);
  for (int i = begin + threadIdx.x; i < end; i += blockDim.x)
    atomicAdd(&bins[murmur_mix(keys[i]) & (parts - 1)], 1);
  __syncthreads();
  for (int p = threadIdx.x; p < parts; p += blockDim.x) histogram[p * gridDim.x + blockIdx.x] = bins[p];
}

// Rows that pass are written densely: a place for each warp from one counter.
struct row_pair {
  int key, row;
};
// warpscope select_compact: block = 256, n = 600000, grid = ceil(n / block), column = random[n] in 0..999, out = s32 zeros[2 * n], count = zeros[1], unordered = out, threshold = 180
__global__ void select_compact(const int* __restrict__ column, row_pair* __restrict__ out, int* count,
                               int threshold, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  const int value = i < n ? column[i] : threshold;
  const bool take = value < threshold;
  const unsigned mask = __ballot_sync(0xffffffff, take);
  int base = 0;
  if (lane == 0 && mask != 0) base = atomicAdd(count, __popc(mask));
  base = __shfl_sync(0xffffffff, base, 0);
  if (take) out[base + __popc(mask & ((1u << lane) - 1))] = row_pair{value, i};
}

// Bit-packed integers of any width from 1 to 32, a block of 1024 with its width and least value.
// warpscope unpack_bits: block = 128 fixed, n = 2^20, grid = n / 1024, packed = random[n], widths = random[n / 1024] in 3..24, base = random[n / 1024] in 0..100000, out = zeros[n]
__global__ void unpack_bits(const unsigned* __restrict__ packed, const unsigned char* __restrict__ widths,
                            const int* __restrict__ base, int* __restrict__ out) {
  const int width = widths[blockIdx.x], least = base[blockIdx.x];
  const unsigned* words = packed + blockIdx.x * 1024;
  const unsigned long long mask = (1ull << width) - 1;
  for (int k = threadIdx.x; k < 1024; k += blockDim.x) {
    const int bit = k * width, word = bit >> 5;
    const unsigned long long two = words[word] | (unsigned long long)words[min(word + 1, 1023)] << 32;
    out[blockIdx.x * 1024 + k] = least + (int)(two >> (bit & 31) & mask);
  }
}

// Looks keys up in a tree of 16 children a node that lies in the sorted keys themselves: a thread a key.
// warpscope btree_lookup: block = 128, queries = 60000, keys = 65536, grid = ceil(queries / block), sorted = iota[keys], query = random[queries] in 0..70000, result = zeros[queries]
__global__ void btree_lookup(const int* __restrict__ sorted, const int* __restrict__ query,
                             int* __restrict__ result, int queries, int keys) {
  const int q = blockIdx.x * blockDim.x + threadIdx.x;
  if (q >= queries) return;
  const int key = query[q];
  int low = 0;
  for (int step = keys / 16; step > 0; step /= 16) {
    int child = 0;
#pragma unroll
    for (int k = 1; k < 16; ++k) child += key >= sorted[low + k * step];
    low += child * step;
  }
  result[q] = sorted[low] == key ? low : -1;
}

// Days since 1970 to year, month and day, packed.
// warpscope extract_date: block = 512, n = 2000000, grid = ceil(n / block), days = random[n] in 0..30000, ymd = zeros[n]
__global__ void extract_date(const int* days, int* ymd, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int z = days[i] + 719468;
  int era = z / 146097;
  int doe = z - era * 146097;
  int yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
  int doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
  int mp = (5 * doy + 2) / 153;
  int day = doy - (153 * mp + 2) / 5 + 1;
  int month = mp < 10 ? mp + 3 : mp - 9;
  ymd[i] = (yoe + era * 400 + (month <= 2)) * 10000 + month * 100 + day;
}

// LIKE '%green%' on strings of 40 bytes side by side.
// warpscope like_contains: block = 128, rows = 40000, grid = ceil(rows / block), text = random[rows * 40] in 97..104, pattern = random[3]:3 in 97..104, hits = zeros[ceil(rows / 32)]
__global__ void like_contains(const char* text, const char* pattern, unsigned* hits, int rows) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  bool hit = false;
  if (r < rows) {
    const char* s = text + r * 40;
    for (int i = 0; i <= 37 && !hit; i++) {
      int k = 0;
      while (k < 3 && s[i + k] == pattern[k]) k++;
      hit = k == 3;
    }
  }
  const unsigned mask = __ballot_sync(0xffffffffu, hit);
  if (threadIdx.x % 32 == 0 && r < rows) hits[r / 32] = mask;
}

// Bitmaps of an index: and, not, count.
// warpscope bitmap_and_count: block = 256, words = 400000, grid = 264, a = random[words], b = random[words]:2, c = random[words]:3, out = zeros[words], count = zeros[1]
__global__ void bitmap_and_count(const unsigned long long* a, const unsigned long long* b,
                                 const unsigned long long* c, unsigned long long* out, unsigned* count,
                                 int words) {
  unsigned bits = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x) {
    const unsigned long long w = a[i] & b[i] & ~c[i];
    out[i] = w;
    bits += __popcll(w);
  }
  bits = __reduce_add_sync(0xffffffff, bits);
  if (threadIdx.x % 32 == 0) atomicAdd(count, bits);
}
